import { AccordError } from '../errors.js'
import type { Database } from '../store/database.js'
import type { Dataset, Evaluation, EvaluationStatus, System } from '../store/entities.js'
import { findEvaluations, INTERRUPTION, insertEvaluation, updateEvaluation } from '../store/evaluations.js'
import { requireCaptions } from './captioning-system.js'
import type { EvaluateInput } from './evaluate.js'
import type { Runner, RunningTask } from './runner.js'

/** How far an evaluation under way is. */
export interface EvaluationProgress {
  /** 0 to 1. */
  readonly fraction: number
  readonly message: string
}

/** The evaluations of a server. */
export interface Evaluations {
  /**
   * Starts the evaluation of a system, or gives the one that is under way for it.
   *
   * @throws AccordError NOT_APPLICABLE for a system without captions
   */
  start(dataset: Dataset, system: System): Promise<Evaluation>
  /** @throws AccordError UNKNOWN_EVALUATION, NOT_APPLICABLE where it has ended */
  cancel(id: number): Promise<Evaluation>
  /** Null where the evaluation is not under way. */
  progressOf(id: number): EvaluationProgress | null
  /** Cancels a system's evaluation, where one is under way, and waits for its end. */
  cancelFor(systemId: number): Promise<void>
  /**
   * From now on what ends early was interrupted, not cancelled; resolves when all has ended. Close the runner
   * in between.
   */
  stop(): Promise<void>
}

interface UnderWay {
  readonly id: number
  readonly task: RunningTask<null>
  /** Resolves when the end is recorded; never rejects. */
  readonly ended: Promise<void>
  progress: EvaluationProgress
}

const WAITING: EvaluationProgress = { fraction: 0, message: 'waiting' }

/** Evaluations by a runner. */
export function createEvaluations(database: Database, runner: Runner, input: EvaluateInput): Evaluations {
  const byId = new Map<number, UnderWay>()
  const bySystem = new Map<number, Promise<UnderWay>>()
  let isStopped = false

  async function read(id: number): Promise<Evaluation> {
    const [evaluation] = await findEvaluations(database, [id])
    if (evaluation) return evaluation
    throw new AccordError('UNKNOWN_EVALUATION', 'there is no such evaluation', { source: 'id' })
  }

  async function begin(dataset: Dataset, system: System): Promise<UnderWay> {
    const id = await insertEvaluation(database, system.id)
    const record = recorder(database, id)
    const task = runner.start(
      'evaluate',
      { ...input, dataset: dataset.name, system: system.name },
      (fraction, message) => {
        if (entry.progress === WAITING) record('RUNNING')
        entry.progress = { fraction, message }
      },
    )
    const ended = task.result
      .then(
        () => record('DONE'),
        (error: Error) =>
          isStopped ? record('INTERRUPTED', INTERRUPTION) : record(statusAfter(error), endMessage(error)),
      )
      .finally(() => {
        byId.delete(id)
        bySystem.delete(system.id)
      })
    const entry: UnderWay = { id, task, ended, progress: WAITING }
    byId.set(id, entry)
    return entry
  }

  return {
    async start(dataset, system) {
      requireCaptions(system)
      let entry = bySystem.get(system.id)
      if (!entry) {
        entry = begin(dataset, system)
        bySystem.set(system.id, entry)
        entry.catch(() => bySystem.delete(system.id))
      }
      return read((await entry).id)
    },

    async cancel(id) {
      const evaluation = await read(id)
      const entry = byId.get(id)
      if (!entry) {
        throw new AccordError('NOT_APPLICABLE', 'the evaluation has ended', {
          source: 'id',
          expected: 'an evaluation that is queued or running',
          found: evaluation.status,
        })
      }
      entry.task.cancel()
      await entry.ended
      return read(id)
    },

    progressOf: (id) => byId.get(id)?.progress ?? null,

    async cancelFor(systemId) {
      const entry = await bySystem.get(systemId)
      entry?.task.cancel()
      await entry?.ended
    },

    async stop() {
      isStopped = true
      await Promise.all([...byId.values()].map(({ ended }) => ended))
    },
  }
}

/** Records the states of an evaluation one after the other; the server goes on where one cannot be recorded. */
function recorder(
  database: Database,
  id: number,
): (status: EvaluationStatus, message?: string) => Promise<void> {
  let recorded = Promise.resolve()
  return (status, message) => {
    recorded = recorded
      .then(() => updateEvaluation(database, id, status, message))
      .catch((error) => console.error(error))
    return recorded
  }
}

function statusAfter(error: Error): EvaluationStatus {
  return error instanceof AccordError && error.code === 'CANCELLED' ? 'CANCELLED' : 'FAILED'
}

/** What a client is told of the end; of a surprise, the operator gets all on stderr. */
function endMessage(error: Error): string {
  if (!(error instanceof AccordError)) console.error(error)
  return error.message
}

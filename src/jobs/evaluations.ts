import { AccordError } from '../errors.js'
import type { Database } from '../store/database.js'
import type { Dataset, Evaluation, System } from '../store/entities.js'
import {
  findEvaluations,
  insertEvaluation,
  interruptEvaluations,
  updateEvaluation,
} from '../store/evaluations.js'
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
  /** Starts the evaluation of a system, or gives the one that is under way for it. */
  start(dataset: Dataset, system: System): Promise<Evaluation>
  /** @throws AccordError UNKNOWN_EVALUATION, NOT_APPLICABLE where it has ended */
  cancel(id: number): Promise<Evaluation>
  /** Null where the evaluation is not under way. */
  progressOf(id: number): EvaluationProgress | null
  /** Cancels a system's evaluation, where one is under way, and waits for its end. */
  cancelFor(systemId: number): Promise<void>
  /** Leaves what is under way to be marked interrupted; call before the runner closes. */
  stop(): void
}

interface UnderWay {
  readonly systemId: number
  readonly task: RunningTask<null>
  readonly ended: Promise<void>
  isRunning: boolean
  progress: EvaluationProgress
}

/** Evaluations by a runner; those that an earlier server left behind are marked interrupted. */
export function createEvaluations(database: Database, runner: Runner, input: EvaluateInput): Evaluations {
  interruptEvaluations(database)
  const underWay = new Map<number, UnderWay>()
  let isStopped = false

  async function read(id: number): Promise<Evaluation> {
    const [evaluation] = await findEvaluations(database, [id])
    if (evaluation) return evaluation
    throw new AccordError('UNKNOWN_EVALUATION', 'there is no such evaluation', { source: 'id' })
  }

  function begin(dataset: Dataset, system: System): number {
    const id = insertEvaluation(database, system.id)
    const task = runner.start(
      'evaluate',
      { ...input, dataset: dataset.name, system: system.name },
      (fraction, message) => {
        const entry = underWay.get(id)
        if (!entry) return
        if (!entry.isRunning) updateEvaluation(database, id, 'RUNNING')
        entry.isRunning = true
        entry.progress = { fraction, message }
      },
    )
    const ended = task.result
      .then(
        () => updateEvaluation(database, id, 'DONE'),
        (error: Error) => {
          if (isStopped) return
          const wasCancelled = error instanceof AccordError && error.code === 'CANCELLED'
          updateEvaluation(database, id, wasCancelled ? 'CANCELLED' : 'FAILED', error.message)
        },
      )
      .finally(() => underWay.delete(id))
    const progress = { fraction: 0, message: 'waiting' }
    underWay.set(id, { systemId: system.id, task, ended, isRunning: false, progress })
    return id
  }

  return {
    async start(dataset, system) {
      for (const [id, { systemId }] of underWay) if (systemId === system.id) return read(id)
      return read(begin(dataset, system))
    },

    async cancel(id) {
      const evaluation = await read(id)
      const entry = underWay.get(id)
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

    progressOf: (id) => underWay.get(id)?.progress ?? null,

    async cancelFor(systemId) {
      for (const entry of underWay.values()) {
        if (entry.systemId !== systemId) continue
        entry.task.cancel()
        await entry.ended
      }
    },

    stop() {
      isStopped = true
    },
  }
}

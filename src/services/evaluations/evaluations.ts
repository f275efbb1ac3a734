import { setTimeout as sleep } from 'node:timers/promises'
import { requireReferences } from '../../core/agreement/references.js'
import { AccordError } from '../../errors.js'
import { requireDataset } from '../../store/datasets.js'
import type { Direction } from '../../store/engine/keyset.js'
import { countJobs, type JobRow, pageOfJobs } from '../../store/jobs.js'
import type { JobState } from '../../store/schema/entities.js'
import { requireSystem } from '../../store/systems.js'
import type { Accord, Client } from '../accord.js'
import { metricsOf, refreshComposites } from '../shared/computing.js'
import { keyBy } from '../shared/groups.js'
import type { PagedList } from '../shared/paging.js'
import { requireCaptions } from './captioning-system.js'

/** An evaluation of a system's captions by workers. */
export interface Evaluation {
  readonly id: number
  readonly systemId: number
  readonly status: EvaluationStatus
  /** 0..1. */
  readonly progress: number
  /** The current step, or the reason of the failure. Null if it is done or cancelled. */
  readonly message: string | null
  /** ISO 8601. */
  readonly createdAt: string
  readonly startedAt: string | null
  readonly finishedAt: string | null
}

export type EvaluationStatus = Exclude<JobState, 'WAITING'>

export interface StartOptions {
  readonly dataset: string
  readonly system: string
  /** Names. Default: all. */
  readonly metrics?: readonly string[] | null
  /** k: on the K folds of k references. Default: against all captions of each image. */
  readonly references?: number | null
  /** Name of the dataset in whose captions document frequencies are counted. Default: the system's own references. */
  readonly documents?: string | null
}

/**
 * Starts the evaluation of a system, or returns the unfinished one with the same options.
 *
 * @throws AccordError UNKNOWN_DATASET, UNKNOWN_SYSTEM, UNKNOWN_METRIC, QUEUE_FULL; OUT_OF_RANGE for `references` or an empty
 * list of metrics; NOT_APPLICABLE for a system without captions, and for `documents` with `references`
 */
export async function startEvaluation(
  accord: Accord,
  { dataset: datasetName, system: name, metrics, references, documents }: StartOptions,
  client: Client = {},
): Promise<Evaluation> {
  const { database, queue } = accord
  const dataset = await requireDataset(database, datasetName)
  const system = await requireSystem(database, dataset.id, name)
  requireCaptions(system)
  if (references != null) requireReferences(dataset.captionsPerImage, references)
  if (documents != null) {
    await requireDataset(database, documents)
    if (references != null) throw documentsOfFolds()
  }
  await refreshComposites(accord)
  const input = {
    datasetId: dataset.id,
    systemId: system.id,
    ...(metrics != null && { metrics: canonicalNames(accord, metrics) }),
    ...(references != null && { references }),
    ...(documents != null && { documents }),
  }
  return toEvaluation(await queue.enqueue(database, 'evaluate', input, client))
}

/** Different names of metrics, in the order of the registry. */
function canonicalNames(accord: Accord, names: readonly string[]): string[] {
  const registry = metricsOf(accord)
  const wanted = new Set(names.map((name) => registry.require(name).name))
  if (wanted.size > 0) return registry.metrics.map(({ name }) => name).filter((name) => wanted.has(name))
  throw new AccordError('OUT_OF_RANGE', 'no metrics', { source: 'metrics', expected: 'at least one name' })
}

function documentsOfFolds(): AccordError {
  return new AccordError('NOT_APPLICABLE', 'folds of references count their own document frequencies', {
    source: 'documents',
    expected: 'documents or references, not both',
  })
}

/** Evaluations of a system, by the time of their start. Default: newest first. */
export function listEvaluations(
  { database }: Accord,
  systemId: number,
  direction: Direction = 'DESC',
): PagedList<Evaluation> {
  return {
    order: `evaluations ${systemId} ${direction}`,
    async page(request) {
      const { rows, ...bounds } = await pageOfJobs(database, 'evaluate', systemId, direction, request)
      return { ...bounds, rows: rows.map(({ row, position }) => ({ row: toEvaluation(row), position })) }
    },
    count: () => countJobs(database, 'evaluate', systemId),
  }
}

/**
 * Cancels an evaluation and waits for its end.
 *
 * @throws AccordError UNKNOWN_EVALUATION; NOT_APPLICABLE if it has ended
 */
export async function cancelEvaluation(accord: Accord, id: number, client: Client = {}): Promise<Evaluation> {
  const evaluation = (await evaluationsById(accord, [id])).get(id)
  if (!evaluation) throw unknownEvaluation(String(id))
  if (evaluation.finishedAt !== null) {
    throw new AccordError('NOT_APPLICABLE', 'the evaluation has ended', {
      source: 'id',
      expected: 'an evaluation that is queued or running',
      found: evaluation.status,
    })
  }
  await accord.queue.cancel(id)
  return toEvaluation(await accord.queue.waitForEnd(id, client.signal))
}

/** Milliseconds between looks at an evaluation whose changes are watched. */
const WATCH_INTERVAL_MS = 200

/**
 * An evaluation, now and after each change, until it has ended.
 *
 * @throws AccordError UNKNOWN_EVALUATION, also if it is removed; the reason of the signal
 */
export async function* watchEvaluation(
  accord: Accord,
  id: number,
  signal?: AbortSignal,
): AsyncGenerator<Evaluation> {
  let last = ''
  for (;;) {
    signal?.throwIfAborted()
    const evaluation = (await evaluationsById(accord, [id])).get(id)
    if (!evaluation) throw unknownEvaluation(String(id))
    const current = JSON.stringify(evaluation)
    if (current !== last) yield evaluation
    if (evaluation.finishedAt !== null) return
    last = current
    await sleep(WATCH_INTERVAL_MS, undefined, { signal }).catch(() => {})
  }
}

export function unknownEvaluation(found: string): AccordError {
  return new AccordError('UNKNOWN_EVALUATION', 'unknown evaluation', {
    source: 'id',
    expected: 'the id of an evaluation',
    found,
  })
}

export async function evaluationsById(
  { queue }: Accord,
  ids: readonly number[],
): Promise<Map<number, Evaluation>> {
  const found = await queue.find(ids)
  return keyBy(found.filter(({ kind }) => kind === 'evaluate').map(toEvaluation), ({ id }) => id)
}

/** The newest evaluation of each system. */
export async function evaluationsBySystem(
  { queue }: Accord,
  systemIds: readonly number[],
): Promise<Map<number, Evaluation>> {
  const newest = await queue.findNewest('evaluate', systemIds)
  return keyBy(newest.map(toEvaluation), ({ systemId }) => systemId)
}

function toEvaluation({ id, systemId, state, progress, message, failure, ...times }: JobRow): Evaluation {
  return {
    id,
    systemId: systemId as number,
    // The job waits for its shards.
    status: state === 'WAITING' ? 'RUNNING' : state,
    progress: state === 'DONE' ? 1 : progress,
    message: failure?.message ?? message,
    createdAt: times.createdAt,
    startedAt: times.startedAt,
    finishedAt: times.finishedAt,
  }
}

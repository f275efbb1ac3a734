import { defaultSettings } from '../../core/bounds/settings.js'
import { createRandom } from '../../core/stats/random.js'
import { AccordError, quote, wasRemoved } from '../../errors.js'
import { writeWhole } from '../../formats/io/files.js'
import type { Progress } from '../../progress.js'
import type { BoundKind, BoundSettings } from '../../shared/choices.js'
import type { ErrorCode } from '../../shared/error-codes.js'
import * as store from '../../store/bounds.js'
import { requireDataset } from '../../store/datasets.js'
import type { Session } from '../../store/engine/session.js'
import type { Bound } from '../../store/schema/bound-tables.js'
import type { Dataset } from '../../store/schema/dataset-tables.js'
import type { System } from '../../store/schema/system-tables.js'
import { listSystems, requireSystem } from '../../store/systems.js'
import { type Job, jobsById } from '../jobs/jobs.js'
import { type Accord, type Client, clientOfStep } from '../shared/accord.js'
import { groupedRows, keyBy, keyedRows } from '../shared/groups.js'
import type { BoundFigures } from './bound-figures.js'
import { requireBound } from './claim-bound.js'

/** Settings that were chosen; the others are {@link defaultSettings}. */
export type ChosenSettings = Partial<BoundSettings>

/** Without atoms, nothing depends on their kind. */
function completeSettings({ imageCount }: Dataset, chosen: ChosenSettings): BoundSettings {
  const known = Object.fromEntries(Object.entries(chosen).filter(([, value]) => value !== undefined))
  const settings: BoundSettings = { ...defaultSettings(imageCount), ...known }
  return settings.atoms === 0 ? { ...settings, kind: 'all', replaced: 0, visualOnly: false } : settings
}

/**
 * Trains a bound. One that is trained is returned as it is.
 *
 * @throws AccordError UNKNOWN_DATASET; the failures of `createTrainBoundJob`
 */
export async function trainBound(
  accord: Accord,
  { dataset: name, settings }: { readonly dataset: string; readonly settings: ChosenSettings },
  client: Client = {},
): Promise<Bound> {
  const dataset = await requireDataset(accord.database, name)
  return train(accord, dataset, completeSettings(dataset, settings), client)
}

async function train(
  accord: Accord,
  dataset: Dataset,
  settings: BoundSettings,
  client: Client,
): Promise<Bound> {
  const { boundId } = await accord.run('trainBound', { datasetId: dataset.id, settings }, client)
  return requireStored(accord, boundId)
}

async function requireStored({ database }: Accord, id: number): Promise<Bound> {
  const [bound] = await store.findBounds(database, [id])
  if (!bound) throw wasRemoved('dataset')
  return bound
}

/** Points of a figure: every combination. */
export interface FigurePoints {
  readonly kinds: readonly BoundKind[]
  /** k */
  readonly atoms: readonly number[]
  /** r */
  readonly replaced: readonly number[]
  /** Of all points. */
  readonly settings?: ChosenSettings
  /** Number of models of each point with sizes at random, section 6.3; the figure shows the best. Default: none. */
  readonly search?: number
}

export interface FigurePlan extends FigurePoints {
  readonly dataset: string
}

export interface RunReport {
  readonly dataset: Dataset
  readonly bounds: readonly Bound[]
  /** How many of them existed. */
  readonly existingCount: number
  /** Points without a bound: their names, such as `action 1000`, and why. */
  readonly failures: readonly { readonly point: string; readonly error: AccordError }[]
}

/** Errors that concern one point of a figure: it has too few atoms, or its loss became infinite. */
const POINT_ERRORS: readonly string[] = ['OUT_OF_RANGE', 'DIVERGED'] satisfies ErrorCode[]

/**
 * Trains the points of a figure, those that are not trained yet. Points that cannot be trained are reported.
 */
export async function runFigure(accord: Accord, plan: FigurePlan, client: Client = {}): Promise<RunReport> {
  const { database } = accord
  const dataset = await requireDataset(database, plan.dataset)
  const points = planPoints(dataset, plan)
  const trained = (await store.listBounds(database, [dataset.id])).filter(store.isTrained)
  const existing = new Set(trained.map(({ settings }) => JSON.stringify(settings)))
  const bounds: Bound[] = []
  const failures: { point: string; error: AccordError }[] = []
  for (const [index, settings] of points.entries()) {
    const point = `${settings.kind} ${settings.atoms}${settings.replaced > 0 ? `, r ${settings.replaced}` : ''}`
    const { progress, ...training } = clientOfStep(client, index, points.length)
    const named: Progress = (fraction, message) =>
      progress?.(fraction, `${point} (${index + 1} of ${points.length}): ${message}`)
    try {
      bounds.push(await train(accord, dataset, settings, { ...training, progress: named }))
    } catch (error) {
      if (!(error instanceof AccordError && POINT_ERRORS.includes(error.code))) throw error
      failures.push({ point, error })
    }
  }
  const existingCount = bounds.filter(({ settings }) => existing.has(JSON.stringify(settings))).length
  return { dataset, bounds, existingCount, failures }
}

/** Each point once. */
function planPoints(
  dataset: Dataset,
  { kinds, atoms, replaced, settings, search = 0 }: FigurePoints,
): BoundSettings[] {
  const points = kinds.flatMap((kind) =>
    atoms.flatMap((k) =>
      replaced.flatMap((r) => {
        const point = completeSettings(dataset, { ...settings, kind, atoms: k, replaced: r })
        return search === 0 ? [point] : drawSizes(point, search)
      }),
    ),
  )
  return [...new Map(points.map((point) => [JSON.stringify(point), point])).values()]
}

/** Random search (Bergstra & Bengio 2012) in the ranges of section 6.3: the same sizes for all points. */
function drawSizes(settings: BoundSettings, count: number): BoundSettings[] {
  const random = createRandom(settings.seed)
  const size = () => 8 * Math.round(2 ** (4 + 3 * random.next()))
  return Array.from({ length: count }, () => ({
    ...settings,
    embedding: size(),
    state: size(),
    decay: Number((10 ** (-6 + 4 * random.next())).toPrecision(3)),
    dropout: random.next() < 0.5 ? 0 : 0.5,
  }))
}

/**
 * Writes the model of a bound to a file, see formats/models/bound-model.ts.
 *
 * @param system the name of its captions
 * @param file path
 * @throws AccordError UNKNOWN_DATASET, UNKNOWN_SYSTEM; NOT_APPLICABLE where the captions are not those of a bound;
 *   FILE_NOT_FOUND where the file cannot be written
 */
export async function exportModel(
  { database }: Accord,
  {
    dataset: name,
    system: systemName,
    file,
  }: { readonly dataset: string; readonly system: string; readonly file: string },
): Promise<void> {
  const dataset = await requireDataset(database, name)
  const system = await requireSystem(database, dataset.id, systemName)
  const [bound] = await store.findBoundsOfSystems(database, [system.id])
  const model = bound && (await store.readModel(database, bound.id))
  if (!model) {
    throw new AccordError('NOT_APPLICABLE', 'the system is not the captions of a bound', {
      source: 'system',
      expected: 'a system such as bound-all-50',
      found: quote(systemName),
    })
  }
  writeWhole(file, model)
}

/** The metric of figures unless another is chosen. */
const DEFAULT_METRIC = 'CIDEr'

export interface FigureOptions {
  /** Name. */
  readonly dataset: string
  /** Default: {@link DEFAULT_METRIC}. */
  readonly metric?: string | null
  /** Compute the retrieval bound if it is not stored. */
  readonly withRetrieval?: boolean
}

/** A score of a bound. */
export interface ReportedPoint extends Omit<BoundFigures['points'][number], 'boundId'> {
  readonly bound: Bound
}

/** A score of a system in atoms. */
export interface ReportedCapacity extends Omit<BoundFigures['capacities'][number], 'systemId'> {
  readonly system: System
}

export interface UnfinishedBound {
  readonly bound: Bound
  /** Why its last training failed; null if it is queued, is being trained, or was interrupted. */
  readonly failure: string | null
}

export interface FigureReport {
  readonly dataset: Dataset
  /** Bounds without a trained model, oldest first. */
  readonly unfinished: readonly UnfinishedBound[]
  /** Null where no bound is trained. */
  readonly figures:
    | (Omit<BoundFigures, 'points' | 'capacities' | 'incompleteSystemIds'> & {
        readonly points: readonly ReportedPoint[]
        readonly capacities: readonly ReportedCapacity[]
        readonly incompleteSystems: readonly System[]
      })
    | null
}

/**
 * Figures 2 and 3, table 1 and the retrieval bound of a dataset.
 *
 * @returns null where no bound is trained
 * @throws AccordError UNKNOWN_METRIC, QUEUE_FULL
 */
export async function boundFigures(
  accord: Accord,
  dataset: Dataset,
  { metric, withRetrieval = false }: Omit<FigureOptions, 'dataset'>,
  client: Client = {},
): Promise<BoundFigures | null> {
  const input = { datasetId: dataset.id, metric: metric ?? DEFAULT_METRIC, withRetrieval }
  return accord.run('boundFigures', input, client)
}

/** The same with bounds and systems instead of their ids. @throws AccordError UNKNOWN_DATASET; as {@link boundFigures} */
export async function reportBounds(
  accord: Accord,
  { dataset: name, ...options }: FigureOptions,
  client: Client = {},
): Promise<FigureReport> {
  const { database } = accord
  const dataset = await requireDataset(database, name)
  const figures = await boundFigures(accord, dataset, options, client)
  const all = await store.listBounds(database, [dataset.id])
  const unfinished = await withFailures(
    accord,
    all.filter((bound) => !store.isTrained(bound)),
  )
  if (figures === null) return { dataset, unfinished, figures }
  const bounds = keyBy(all, ({ id }) => id)
  const systems = keyBy(await listSystems(database, [dataset.id]), ({ id }) => id)
  return {
    dataset,
    unfinished,
    figures: {
      ...figures,
      points: figures.points.map((point) => ({ ...point, bound: bounds.get(point.boundId)! })),
      capacities: figures.capacities.map((capacity) => ({
        ...capacity,
        system: systems.get(capacity.systemId)!,
      })),
      incompleteSystems: figures.incompleteSystemIds.map((id) => systems.get(id)!),
    },
  }
}

async function withFailures(accord: Accord, bounds: readonly Bound[]): Promise<UnfinishedBound[]> {
  const jobs = await jobsById(
    accord,
    bounds.flatMap(({ jobId }) => jobId ?? []),
  )
  return bounds.map((bound) => ({ bound, failure: jobs.get(bound.jobId ?? -1)?.failure?.message ?? null }))
}

/**
 * Starts the training of a bound by workers; it continues from its last checkpoint.
 *
 * @throws AccordError UNKNOWN_DATASET, QUEUE_FULL; OUT_OF_RANGE for settings; NOT_APPLICABLE for a dataset that is too
 * small, or a read-only database
 */
export async function startBoundTraining(
  accord: Accord,
  { dataset: name, settings }: { readonly dataset: string; readonly settings: ChosenSettings },
  client: Client = {},
): Promise<Job> {
  const dataset = await requireDataset(accord.database, name)
  return accord.database.transaction((session) =>
    queueTraining(accord, session, dataset, completeSettings(dataset, settings), client),
  )
}

/** Queues a training, so that the bound is listed before it begins. */
async function queueTraining(
  accord: Accord,
  session: Session,
  dataset: Dataset,
  settings: BoundSettings,
  client: Client,
): Promise<Job> {
  const bound = await requireBound(session, dataset, settings)
  const job = await accord.start('trainBound', { datasetId: dataset.id, settings }, client, session)
  if (bound.jobId === null) await store.assignJob(session, bound.id, job.id)
  return job
}

/** Bounds of datasets, oldest first. */
export const boundsByDataset = groupedRows(store.listBounds, ({ datasetId }) => datasetId)
export const boundsById = keyedRows(store.findBounds, ({ id }) => id)
export const boundsByJob = keyedRows(store.findBoundsOfJobs, ({ jobId }) => jobId)
export const boundsBySystem = keyedRows(store.findBoundsOfSystems, ({ systemId }) => systemId)
export const sizesBySplit = keyedRows(store.readSplitSizes, ({ id }) => id)

/** Losses of trainings, by the id of the bound and by step. */
export const lossesByBound = groupedRows(store.readLosses, ({ boundId }) => boundId)

/** Likelihood of a human caption under a bound. */
export interface CaptionLikelihood {
  readonly boundId: number
  /** U_k: the sum of the natural logarithms of the probabilities of its words and its end. */
  readonly logLikelihood: number
  readonly perplexity: number
}

/** Likelihoods of human captions under the trained bounds of their datasets, by caption id. */
export async function likelihoodsByCaption(
  { database }: Accord,
  captionIds: readonly number[],
): Promise<Map<number, CaptionLikelihood[]>> {
  const wanted = new Set(captionIds)
  const result = new Map<number, CaptionLikelihood[]>()
  for (const boundId of await store.findBoundsOfCaptions(database, captionIds)) {
    const likelihoods = await store.readLikelihoods(database, boundId)
    for (const [index, captionId] of likelihoods?.captionIds.entries() ?? []) {
      if (!wanted.has(captionId)) continue
      const logLikelihood = likelihoods!.logLikelihoods[index]
      const perplexity = Math.exp(-logLikelihood / likelihoods!.wordCounts[index])
      result.set(captionId, [...(result.get(captionId) ?? []), { boundId, logLikelihood, perplexity }])
    }
  }
  return result
}

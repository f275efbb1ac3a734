import type { AtomKind, BoundKind } from '../bounds/atoms.js'
import { type BoundSettings, DEFAULT_SETTINGS } from '../bounds/settings.js'
import { AccordError } from '../errors.js'
import { type BoundFigures, computeFigures } from '../jobs/bound-figures.js'
import { type Progress, step } from '../jobs/progress.js'
import * as jobs from '../jobs/train-bound.js'
import { createRandom } from '../stats/random.js'
import * as store from '../store/bounds.js'
import { requireDataset } from '../store/datasets.js'
import type { Bound, Dataset } from '../store/entities.js'
import type { Accord } from './accord.js'
import { threadsOf } from './computing.js'

export type { BoundKind } from '../bounds/atoms.js'
export type { BoundSettings } from '../bounds/settings.js'
export type { Bound, BoundLoss } from '../store/entities.js'
export type { AtomKind }

/** Settings that were chosen; the others are {@link DEFAULT_SETTINGS}. */
export type ChosenSettings = Partial<BoundSettings>

/** Without atoms, nothing depends on their kind. */
function completeSettings(chosen: ChosenSettings): BoundSettings {
  const known = Object.fromEntries(Object.entries(chosen).filter(([, value]) => value !== undefined))
  const settings: BoundSettings = { ...DEFAULT_SETTINGS, ...known }
  return settings.atoms === 0 ? { ...settings, kind: 'all', replaced: 0, visualOnly: false } : settings
}

/**
 * Trains a bound in this process.
 *
 * @throws AccordError UNKNOWN_DATASET; as {@link jobs.trainBound}
 */
export async function trainBound(
  accord: Accord,
  { dataset: name, settings }: { readonly dataset: string; readonly settings: ChosenSettings },
  progress: Progress,
): Promise<Bound> {
  const dataset = await requireDataset(accord.database, name)
  return jobs.trainBound(accord.database, threadsOf(accord), dataset, completeSettings(settings), progress)
}

/** Points of a figure: every combination. */
export interface FigurePlan {
  readonly dataset: string
  readonly kinds: readonly BoundKind[]
  /** k */
  readonly atoms: readonly number[]
  /** r */
  readonly replaced: readonly number[]
  /** Of all points. */
  readonly settings: ChosenSettings
  /** Number of models of each point with sizes at random, section 6.3; the figure shows the best. 0: none. */
  readonly search: number
}

/** A trained point, or why it has none. */
export interface RunReport {
  readonly dataset: Dataset
  readonly bounds: readonly Bound[]
  /** How many of them existed. */
  readonly existingCount: number
}

/**
 * Trains the points of a figure in this process, those that are not done yet.
 *
 * @throws AccordError as {@link trainBound}
 */
export async function runFigure(accord: Accord, plan: FigurePlan, progress: Progress): Promise<RunReport> {
  const { database } = accord
  const dataset = await requireDataset(database, plan.dataset)
  const points = planPoints(plan)
  const existing = new Set(
    (await store.listBounds(database, [dataset.id]))
      .filter(isDone)
      .map(({ settings }) => JSON.stringify(settings)),
  )
  const bounds: Bound[] = []
  let prepared: jobs.BoundPreparation | undefined
  let existingCount = 0
  for (const [index, settings] of points.entries()) {
    const name = `${settings.kind} ${settings.atoms}${settings.replaced > 0 ? `, r ${settings.replaced}` : ''}`
    const ofPoint = step(progress, index, points.length)
    const named: Progress = (fraction, message) =>
      ofPoint(fraction, `${name} (${index + 1} of ${points.length}): ${message}`)
    if (existing.has(JSON.stringify(settings))) existingCount++
    else prepared ??= await jobs.prepareBound(database, dataset, settings, named)
    bounds.push(await jobs.trainBound(database, threadsOf(accord), dataset, settings, named, { prepared }))
  }
  return { dataset, bounds, existingCount }
}

const isDone = ({ state }: Bound) => state === 'DONE'

/** Each point once. */
function planPoints({ kinds, atoms, replaced, settings, search }: FigurePlan): BoundSettings[] {
  const points = kinds.flatMap((kind) =>
    atoms.flatMap((k) =>
      replaced.flatMap((r) => {
        const point = completeSettings({ ...settings, kind, atoms: k, replaced: r })
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

/** A bound of a dataset by its id. @throws AccordError NOT_APPLICABLE */
export async function requireBound({ database }: Accord, dataset: Dataset, id: number): Promise<Bound> {
  const [bound] = await store.findBounds(database, [id])
  if (bound?.datasetId === dataset.id) return bound
  throw new AccordError('NOT_APPLICABLE', 'unknown bound', {
    source: 'bound',
    expected: `the number of a bound of ${dataset.name}`,
    found: String(id),
  })
}

export type { Capacity } from '../bounds/capacity.js'
export type { BoundFigures, BoundPoint, SystemCapacity } from '../jobs/bound-figures.js'

/** The metric of figures unless another is chosen. */
export const DEFAULT_METRIC = 'CIDEr'

export interface FigureOptions {
  readonly dataset: string
  /** Default: {@link DEFAULT_METRIC}. */
  readonly metric?: string
  /** Compute the retrieval bound if it is not stored. */
  readonly withRetrieval?: boolean
}

export interface FigureReport {
  readonly dataset: Dataset
  /** Null where no bound is trained. */
  readonly figures: BoundFigures | null
}

/**
 * Figures 2 and 3, table 1 and the retrieval bound of a dataset, computed in this process.
 *
 * @throws AccordError UNKNOWN_DATASET, UNKNOWN_METRIC
 */
export async function reportBounds(
  accord: Accord,
  { dataset: name, metric = DEFAULT_METRIC, withRetrieval = false }: FigureOptions,
  progress: Progress,
): Promise<FigureReport> {
  const dataset = await requireDataset(accord.database, name)
  const options = { metric, withRetrieval }
  const figures = await computeFigures(accord.database, threadsOf(accord), dataset, options, progress)
  progress(1, 'done')
  return { dataset, figures }
}

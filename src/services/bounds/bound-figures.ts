import { measureTrials } from '../../compute/measuring.js'
import type { Threads } from '../../compute/pool.js'
import { leaveOneOutTrials } from '../../core/agreement/leave-one-out.js'
import {
  type Capacity,
  type CapacityEnds,
  capacityEnds,
  capacityOf,
  curveOf,
  type ModelPoint,
} from '../../core/bounds/capacity.js'
import {
  countDocumentFrequencies,
  type DocumentFrequencies,
} from '../../core/metrics/document-frequencies.js'
import { captionForm, type Trial } from '../../core/metrics/metric.js'
import type { ProvenanceRecord } from '../../core/metrics/provenance.js'
import { studentQuantile } from '../../core/stats/distributions.js'
import { type Interval, MIN_IMAGES } from '../../core/stats/interval.js'
import * as jackknife from '../../core/stats/jackknife.js'
import { type Corpus, concatenate, sequence } from '../../core/text/sequences.js'
import { type Progress, part } from '../../progress.js'
import type { QueryHandler } from '../../queue/kind.js'
import { BOUND_KINDS, type BoundKind } from '../../shared/choices.js'
import { counted, grouped } from '../../shared/numbers.js'
import type { UndefinedReason } from '../../shared/undefined-reason.js'
import * as store from '../../store/bounds.js'
import type { Session } from '../../store/engine/session.js'
import { type ReferenceCaptions, readReferenceCaptions } from '../../store/images.js'
import { withRecords } from '../../store/provenance-records.js'
import type { Bound, RetrievalBound } from '../../store/schema/bound-tables.js'
import type { Dataset } from '../../store/schema/dataset-tables.js'
import { readScores } from '../../store/scores.js'
import { findSystems, listSystems, readSystemSequences } from '../../store/systems.js'
import { readTokenTexts } from '../../store/tokens.js'
import { requireDatasetById } from '../datasets/require-subjects.js'
import { evaluateNow } from '../evaluations/evaluate-job.js'
import { listAllReferences, listReferences } from '../evaluations/reference-lists.js'
import { idsOf } from '../shared/groups.js'
import { toInterval } from '../shared/intervals.js'

interface FiguresInput {
  readonly datasetId: number
  readonly metric: string
  /** Compute the retrieval bound if it is not stored. */
  readonly withRetrieval: boolean
}

/** A score of a bound; figures 2 and 3. */
export interface BoundPoint {
  readonly boundId: number
  /** Null where the metric is undefined for all test images. */
  readonly score: number | null
  /** 95 %; null for too few images, and without a score. */
  readonly interval: Interval | null
}

/** A score of a system in atoms; table 1. */
export interface SystemCapacity {
  readonly systemId: number
  /** On the test images, with its 95 % interval, which is null for too few images. */
  readonly score: number
  readonly interval: Interval | null
  readonly kind: BoundKind
  readonly capacity: Capacity
  /** The ends of its 95 % interval; null for too few images. */
  readonly ends: CapacityEnds | null
}

/**
 * The 95 % interval of a capacity in atoms, with an end beyond the curve replaced by the end of the curve. Null for too few
 * images, and if both ends are beyond the same end.
 */
export function capacityInterval({
  ends: both,
}: Pick<SystemCapacity, 'ends'>): { readonly interval: Interval; readonly isCut: boolean } | null {
  if (both === null) return null
  const { lower, upper } = both
  if (lower.beyond !== null && lower.beyond === upper.beyond) return null
  const ends = [lower, upper].map(({ atoms, limit }) => atoms ?? limit!)
  return {
    interval: { lower: ends[0], upper: ends[1] },
    isCut: lower.beyond !== null || upper.beyond !== null,
  }
}

/** Why a capacity or its interval is null. */
export function capacityReason(capacity: SystemCapacity): UndefinedReason | null {
  if (capacity.capacity.atoms === null) return 'BEYOND_CURVE'
  if (capacity.ends === null) return 'TOO_FEW_IMAGES'
  return capacityInterval(capacity) ? null : 'BEYOND_CURVE'
}

/** As JSON. */
export interface BoundFigures {
  readonly metric: string
  /** Of the split. */
  readonly images: store.SplitSizes
  /** Maximum number of models of a point of a curve, which differ by seed. */
  readonly modelCount: number
  /** By kind, number of atoms, replaced share, visual atoms and seed. */
  readonly points: readonly BoundPoint[]
  /** By system and kind; of kinds with two points or more, and systems with a score. */
  readonly capacities: readonly SystemCapacity[]
  /** Captioning systems without a caption for some test image, which have no capacity. */
  readonly incompleteSystemIds: readonly number[]
  readonly retrieval: { readonly value: number; readonly interval: Interval | null } | null
  readonly people: PeopleOnTest | null
}

/** People on the test images. */
export interface PeopleOnTest {
  /** Mean of the scores of the held-out captions of each fold. */
  readonly value: number
  /** 95 %; null for too few images. */
  readonly interval: Interval | null
  /** K − 1: of a caption that is held out, one fewer than bounds and systems have. */
  readonly references: number
}

/** With fewer training images, differences between models come from the small data more than from the atoms. */
const ENOUGH_TRAINING_IMAGES = 1000

/** With fewer test images, simulated intervals of capacities contain the capacity in up to 98 % of samples. */
const ENOUGH_TEST_IMAGES = 1000

/** What to know when reading the figures. */
export function figureNotes({
  images: { training, validation, test },
  modelCount,
}: Pick<BoundFigures, 'images' | 'modelCount'>): string[] {
  return [
    `All scores are on ${counted(test, 'test image')}. The models were trained on ${counted(training, 'image')} and selected on ${grouped(validation)}.`,
    ...(training < ENOUGH_TRAINING_IMAGES
      ? [
          `${counted(training, 'training image')} ${training === 1 ? 'is' : 'are'} too few to read a capacity.`,
        ]
      : []),
    ...(test < ENOUGH_TEST_IMAGES
      ? ['With few test images, intervals of capacities are rather too wide than too short.']
      : []),
    modelCount > 1
      ? `Intervals of capacities include the variance between up to ${grouped(modelCount)} models of a point, trained with different seeds.`
      : 'Every point is one model: intervals of capacities do not include how much a model depends on its seed.',
  ]
}

/**
 * The figures of a dataset: of its split with the most trained bounds. Document frequencies are those of all human captions
 * of the dataset. Bounds that were not evaluated with the metric, or whose evaluation was interrupted, are.
 *
 * @returns null where no bound is trained
 * @throws AccordError UNKNOWN_METRIC
 */
export const boundFiguresQuery: QueryHandler<FiguresInput, BoundFigures | null> = async (context) => {
  const { input, database: session, progress } = context
  const dataset = await requireDatasetById(session, input.datasetId)
  const threads = await context.threads()
  const { name: metric } = threads.registry.require(input.metric)
  const work: Work = { session, threads, dataset, metric }
  const done = (await store.listBounds(session, [dataset.id])).filter(store.isTrained)
  const bounds = chooseBounds(done)
  if (bounds.length === 0) return null
  const split = await store.readSplit(session, bounds[0].splitId)
  progress(0, 'reading scores')
  const points = await readPoints(work, bounds)
  const material = await readMaterial(work, split)
  const systems = await computeCapacities(work, bounds, material, part(progress, 0.1, 0.4))
  const retrieving = input.withRetrieval ? part(progress, 0.4, 1) : null
  const retrieval = await requireRetrieval(work, split, material, retrieving)
  const { training, validation, test } = split
  return {
    metric,
    images: { training: training.length, validation: validation.length, test: test.length },
    points,
    ...systems,
    retrieval: retrieval && { value: retrieval.value, interval: toInterval(retrieval) },
    people: await scorePeople(work, material),
  }
}

/** What figures are computed with. */
interface Work {
  readonly session: Session
  readonly threads: Threads
  readonly dataset: Dataset
  readonly metric: string
}

/**
 * Of the split with the most bounds, the newest of several: for each point the bound with the lowest validation loss, and
 * those that differ from it by seed alone.
 */
function chooseBounds(done: readonly Bound[]): Bound[] {
  const counts = new Map<number, number>()
  for (const { splitId } of done) counts.set(splitId, (counts.get(splitId) ?? 0) + 1)
  const most = Math.max(...counts.values())
  const chosen = [...counts].findLast(([, count]) => count === most)?.[0]
  const ofSplit = done.filter(({ splitId }) => splitId === chosen)
  const best = new Map<string, Bound>()
  for (const bound of ofSplit) {
    const { kind, atoms, replaced, visualOnly } = bound.settings
    const key = JSON.stringify([kind, atoms, replaced, visualOnly])
    const other = best.get(key)
    if (!other || lossOf(bound) < lossOf(other)) best.set(key, bound)
  }
  const models = new Set(Array.from(best.values(), keyWithoutSeed))
  return ofSplit
    .filter((bound) => models.has(keyWithoutSeed(bound)))
    .sort((one, other) => compareSettings(one.settings, other.settings))
}

const keyWithoutSeed = ({ settings }: Bound) => JSON.stringify({ ...settings, seed: null })

const lossOf = ({ outcome }: Bound) => outcome?.validationLoss ?? Number.POSITIVE_INFINITY

function compareSettings(one: Bound['settings'], other: Bound['settings']): number {
  return (
    BOUND_KINDS.indexOf(one.kind) - BOUND_KINDS.indexOf(other.kind) ||
    Number(one.visualOnly) - Number(other.visualOnly) ||
    one.replaced - other.replaced ||
    one.atoms - other.atoms ||
    one.seed - other.seed
  )
}

async function readPoints(
  { session, threads, dataset, metric }: Work,
  bounds: readonly Bound[],
): Promise<BoundPoint[]> {
  const systemIds = bounds.flatMap(({ systemId }) => systemId ?? [])
  const read = async () => {
    const scores = await withRecords(session, await readScores(session, systemIds, [metric]))
    const ofDataset = scores.filter(({ record }) => isOfDataset(record))
    return new Map(ofDataset.map((score) => [score.systemId, score]))
  }
  let scores = await read()
  const missing = systemIds.filter((id) => !scores.has(id))
  const evaluation = { documents: dataset.name, metrics: [metric] }
  for (const system of await findSystems(session, missing))
    await evaluateNow(session, threads, system, evaluation, () => {})
  if (missing.length > 0) scores = await read()
  return bounds.map((bound) => {
    const score = scores.get(bound.systemId!)
    return { boundId: bound.id, score: score?.value ?? null, interval: score ? toInterval(score) : null }
  })
}

/** Whether a score was made as those of bounds are: against all captions, with the document frequencies of the dataset. */
const isOfDataset = ({ references, documentFrequencies }: ProvenanceRecord) =>
  references.folds === null && (documentFrequencies?.source ?? 'dataset') === 'dataset'

/** Human captions of a dataset for scores on the test images. */
interface ScoreMaterial {
  readonly captions: ReferenceCaptions
  readonly texts: readonly string[]
  /** Positions of the images of the split among those of the captions. */
  readonly test: readonly number[]
  readonly training: readonly number[]
  readonly testIds: Int32Array
  documentFrequencies(): DocumentFrequencies
}

async function readMaterial(
  { session, threads, dataset, metric }: Work,
  { test, training }: store.StoredSplit,
): Promise<ScoreMaterial> {
  const form = captionForm(threads.registry.choose([metric]).families)
  const captions = await readReferenceCaptions(session, dataset.id, undefined, form)
  const texts = await readTokenTexts(session)
  const positions = new Map(Array.from(captions.imageIds, (id, position) => [id, position]))
  let table: DocumentFrequencies | undefined
  return {
    captions,
    texts,
    test: Array.from(test, (id) => positions.get(id)!),
    training: Array.from(training, (id) => positions.get(id)!),
    testIds: test,
    documentFrequencies() {
      const { lists } = listAllReferences(captions)
      table ??= countDocumentFrequencies({ ...captions.sequences, texts }, [lists])[0]
      return table
    },
  }
}

async function computeCapacities(
  work: Work,
  bounds: readonly Bound[],
  material: ScoreMaterial,
  progress: Progress,
): Promise<Pick<BoundFigures, 'capacities' | 'incompleteSystemIds' | 'modelCount'>> {
  const { session, dataset } = work
  const plain = bounds.filter(({ settings }) => settings.replaced === 0 && !settings.visualOnly)
  const ownIds = await store.listBoundSystems(session, dataset.id)
  const systems = (await listSystems(session, [dataset.id])).filter(
    ({ id, kind }) => kind === 'CAPTIONS' && !ownIds.has(id),
  )
  const ids = [...plain.flatMap(({ systemId }) => systemId ?? []), ...idsOf(systems)]
  const scores = await scoreOnTest(work, ids, material, progress)
  const curves = curvesOf(plain, scores)
  const capacities: SystemCapacity[] = []
  for (const { id } of systems) {
    const scored = scores.get(id)
    if (!scored || Number.isNaN(scored.score)) continue
    for (const [kind, points] of curves) {
      capacities.push({
        systemId: id,
        score: scored.score,
        interval: scored.interval,
        kind,
        capacity: capacityOf(scored.score, curveOf(points)),
        ends:
          material.test.length < MIN_IMAGES ? null : capacityEnds(scored.replicates, points, scored.groups),
      })
    }
  }
  return {
    capacities,
    incompleteSystemIds: systems.flatMap(({ id }) => (scores.has(id) ? [] : [id])),
    modelCount: Math.max(0, ...[...curves.values()].flat().map(({ models }) => models.length)),
  }
}

/** The curve of each kind that has two points or more. */
function curvesOf(
  bounds: readonly Bound[],
  scores: ReadonlyMap<number, TestScore>,
): Map<BoundKind, ModelPoint[]> {
  const curves = BOUND_KINDS.map((kind): [BoundKind, ModelPoint[]] => {
    const models = new Map<number, jackknife.Replicates[]>()
    for (const { settings, systemId } of bounds) {
      const scored = scores.get(systemId!)
      if (!scored || Number.isNaN(scored.score)) continue
      if (settings.kind !== kind && settings.atoms > 0) continue
      models.set(settings.atoms, [...(models.get(settings.atoms) ?? []), scored.replicates])
    }
    return [kind, Array.from(models, ([atoms, replicates]) => ({ atoms, models: replicates }))]
  })
  return new Map(curves.filter(([, points]) => points.length >= 2))
}

/** A score on the test images, and without each group of them. */
interface TestScore {
  readonly score: number
  readonly interval: Interval | null
  readonly replicates: jackknife.Replicates
  readonly groups: jackknife.GroupSizes
}

/** Scores of systems on the test images, by id, without those that lack the caption of one. */
async function scoreOnTest(
  { session, threads, metric }: Work,
  systemIds: readonly number[],
  { captions, texts, test, testIds, documentFrequencies }: ScoreMaterial,
  progress: Progress,
): Promise<Map<number, TestScore>> {
  const [family] = threads.registry.choose([metric]).families
  const parts = [captions.sequences]
  const references = listReferences(captions, test)
  const table = family.needs.documentFrequencies ? documentFrequencies() : undefined
  const trials = new Map<number, Trial>()
  let start = captions.sequences.offsets.length - 1
  for (const id of systemIds) {
    const { imageIds, sequences } = await readSystemSequences(session, id, undefined, captionForm([family]))
    const indexOf = new Map(Array.from(imageIds, (imageId, index) => [imageId, start + index]))
    if (Array.from(testIds).some((imageId) => !indexOf.has(imageId))) continue
    const candidates = testIds.map((imageId) => indexOf.get(imageId)!)
    trials.set(id, { ...references, candidates, documentFrequencies: table })
    parts.push(sequences)
    start += imageIds.length
  }
  if (trials.size === 0) return new Map()
  const corpus: Corpus = { ...concatenate(parts), texts }
  const { statistics } = await measureTrials(threads, corpus, [...trials.values()], [family], (share) =>
    progress(share, 'scoring systems'),
  )
  const index = family.metrics.findIndex(({ name }) => name === metric)
  return new Map(
    Array.from(trials.keys(), (id, trial) => {
      const measurement = { family, trials: [statistics[0][trial]] }
      const { replicates, groups } = jackknife.replicateScores(measurement)
      const interval = jackknife.scoreEstimates(measurement)[index]?.interval ?? null
      return [id, { score: replicates[index][0], interval, replicates: replicates[index], groups }]
    }),
  )
}

/**
 * Captions of people on the test images, each held out and scored against the others of its image. Null where images have one
 * caption, no test image has K, or no score is defined.
 */
async function scorePeople(
  { threads, dataset: { captionsPerImage }, metric }: Work,
  { captions, texts, test, documentFrequencies }: ScoreMaterial,
): Promise<PeopleOnTest | null> {
  const references = captionsPerImage - 1
  const { firstCaption } = captions
  const images = test.filter((image) => firstCaption[image + 1] - firstCaption[image] >= captionsPerImage)
  if (references === 0 || images.length === 0) return null
  const [family] = threads.registry.choose([metric]).families
  const table = family.needs.documentFrequencies ? documentFrequencies() : undefined
  const folds = leaveOneOutTrials(listReferences(captions, images), captionsPerImage, references)
  const trials = folds.trials.map((trial) => ({ ...trial, documentFrequencies: table }))
  const { statistics } = await measureTrials(
    threads,
    { ...captions.sequences, texts },
    trials,
    [family],
    undefined,
  )
  const estimates = jackknife.scoreEstimates({ family, trials: statistics[0] })
  const estimate = estimates[family.metrics.findIndex(({ name }) => name === metric)]
  return estimate && { value: estimate.value, interval: estimate.interval, references }
}

/** The stored retrieval bound; computed and stored where `progress` is given. Null where no score is defined. */
async function requireRetrieval(
  { session, threads, metric }: Work,
  split: store.StoredSplit,
  material: ScoreMaterial,
  progress: Progress | null,
): Promise<RetrievalBound | null> {
  const { families } = threads.registry.choose([metric])
  const [family] = families
  const { revision } = family.metrics.find(({ name }) => name === metric)!
  const key = `${metric} ${revision}`
  const stored = await store.findRetrieval(session, split.id, key)
  if (stored !== null || progress === null) return stored
  const { captions, texts, test, training } = material
  const references = listReferences(captions, test)
  const scores = await threads.run(
    'retrieve',
    {
      corpus: { ...captions.sequences, texts },
      family: family.name,
      metric: family.metrics.findIndex(({ name }) => name === metric),
      candidates: distinctCaptions(captions, training),
      references,
      documentFrequencies: family.needs.documentFrequencies ? material.documentFrequencies() : undefined,
    },
    test.length,
    (share) => progress(share, 'comparing training captions'),
  )
  const imageScores = Float64Array.from(scores)
  const defined = imageScores.filter((score) => !Number.isNaN(score))
  if (defined.length === 0) return null
  await store.insertRetrieval(session, split.id, key, { ...meanOf(defined), imageScores })
  return store.findRetrieval(session, split.id, key)
}

/** The mean of image scores with its 95 % interval by Student's t, whose ends are null for too few images. */
function meanOf(scores: Float64Array): {
  readonly value: number
  readonly lower: number | null
  readonly upper: number | null
} {
  const count = scores.length
  const value = scores.reduce((sum, score) => sum + score, 0) / count
  if (count < MIN_IMAGES) return { value, lower: null, upper: null }
  const variance = scores.reduce((sum, score) => sum + (score - value) ** 2, 0) / (count - 1)
  const half = studentQuantile(count - 1) * Math.sqrt(variance / count)
  return { value, lower: value - half, upper: value + half }
}

/** Positions of the captions of images, each text once. */
function distinctCaptions(
  { sequences, firstCaption }: ReferenceCaptions,
  images: readonly number[],
): Int32Array {
  const positions = new Map<string, number>()
  for (const image of images) {
    for (let caption = firstCaption[image]; caption < firstCaption[image + 1]; caption++) {
      const text = sequence(sequences, caption).join(' ')
      if (!positions.has(text)) positions.set(text, caption)
    }
  }
  return Int32Array.from(positions.values())
}

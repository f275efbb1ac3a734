import type { Threads } from '../../compute/pool.js'
import type { MetricFamily } from '../../core/metrics/metric.js'
import { shareImages, testPair } from '../../core/metrics/paired-test.js'
import { findDifference, hasDocuments, type ProvenanceRecord } from '../../core/metrics/provenance.js'
import { describeIntervals } from '../../core/stats/jackknife.js'
import { RESAMPLES } from '../../core/stats/permutation.js'
import { type Progress, part, step } from '../../progress.js'
import type { QueryHandler } from '../../queue/kind.js'
import type { UndefinedReason } from '../../shared/undefined-reason.js'
import type { Session } from '../../store/engine/session.js'
import { readCaptionCounts } from '../../store/image-ranges.js'
import { withRecords } from '../../store/provenance.js'
import type { Dataset } from '../../store/schema/dataset-tables.js'
import type { System } from '../../store/schema/system-tables.js'
import {
  isOf,
  readAgreement,
  readAgreementStatistics,
  readScores,
  readStatistics,
  type StoredStatistics,
} from '../../store/scores.js'
import { requireCaptions, requireDatasetById, requireSystemById } from '../datasets/subjects.js'
import { readSubsets } from '../evaluations/image-subsets.js'
import { SEED } from '../provenance/record-provenance.js'
import { idsOf } from '../shared/groups.js'
import { tokenizationOf } from '../shared/tokens.js'
import { compareOnWords, type WordFigure } from './compare-words.js'
import { orientPairs, type PairComparison, pairsOf, withoutFigures } from './pair-comparison.js'

/** What is compared. */
export type ComparedFigure = MetricFigure | WordFigure

export interface MetricFigure {
  readonly kind: 'METRIC'
  readonly metric: string
  /** k: on the folds of k references. Absent: against all captions of an image; with people K − 1. */
  readonly references?: number | null
  /** Only the images with a value of a field. Absent: all. */
  readonly subset?: { readonly field: string; readonly value: string }
}

export interface CompareInput {
  /** Hash of the document frequencies of the scores. Absent: those of the measured images. */
  readonly documentHash?: string
  /** Whether people are compared as well. */
  readonly people: boolean
  readonly figure: ComparedFigure
  /** Random swaps of a permutation test, 1,000 when absent. */
  readonly resamples?: number
  /** Whether differences are tested; absent: they are. Without tests a comparison by a metric takes a fraction of the time. */
  readonly isTested?: boolean
  /** Position of the side that all others are compared with, people after the last system. Absent: every pair. */
  readonly baseline?: number
}

export interface CompareQuery extends CompareInput {
  readonly datasetId: number
  readonly systemIds: readonly number[]
}

/** Every pair of systems, and of a system and people, on one figure. */
export const compareQuery: QueryHandler<CompareQuery, readonly PairComparison[]> = async ({
  input: { datasetId, systemIds, ...input },
  database,
  threads,
  progress,
}) => {
  const dataset = await requireDatasetById(database, datasetId)
  const systems = await Promise.all(systemIds.map((id) => requireSystemById(database, id)))
  return compareSubjects(database, await threads(), dataset, systems, input, progress)
}

/**
 * Every pair of systems, and of a system and people, on one figure. Each pair is compared on the images that both have,
 * by a permutation test and a jackknife standard error (see src/core/stats); of several scores those are taken that were made in
 * the same way, the newest first. A pair that cannot be compared has a reason.
 *
 * Only stored scores are compared. Pairs and their two sides are in the order of `systems`, people after them; a baseline
 * is the second of each pair.
 *
 * @throws AccordError UNKNOWN_METRIC; OUT_OF_RANGE for `references`; NOT_APPLICABLE where a system or people cannot have
 * the figure; what is wrong with a resource
 */
export async function compareSubjects(
  session: Session,
  threads: Threads,
  dataset: Dataset,
  systems: readonly System[],
  { figure, resamples = RESAMPLES, ...sides }: CompareInput,
  progress: Progress,
): Promise<PairComparison[]> {
  const pairs =
    figure.kind === 'METRIC'
      ? await compareOnMetric(session, threads, dataset, systems, { ...sides, figure, resamples }, progress)
      : await compareOnWords(session, dataset, systems, sides, figure, progress)
  return orientPairs(pairs, sides.baseline)
}

/** A score that can be compared. */
interface Candidate {
  readonly id: number
  readonly value: number
  readonly record: ProvenanceRecord
  readonly isHuman: boolean
  readonly statisticsId: number
}

/** A system or people. */
interface Subject {
  /** Position among the systems; people come after the last. */
  readonly position: number
  /** Id of the system, for the order of equal scores; people come last. */
  readonly id: number
  /** Oldest first, with the document frequencies that are meant. */
  readonly candidates: readonly Candidate[]
  /** Why there are none. */
  readonly reason: UndefinedReason
}

function withDocuments(stored: readonly Candidate[], hash: string | undefined) {
  const reason: UndefinedReason = stored.length === 0 ? 'NOT_COMPUTED' : 'OTHER_DOCUMENT_FREQUENCIES'
  return { candidates: stored.filter(({ record }) => hasDocuments(record, hash)), reason }
}

async function compareOnMetric(
  session: Session,
  threads: Threads,
  dataset: Dataset,
  systems: readonly System[],
  {
    people,
    figure,
    resamples,
    isTested = true,
    baseline,
    documentHash,
  }: CompareInput & { readonly figure: MetricFigure; readonly resamples: number },
  progress: Progress,
): Promise<PairComparison[]> {
  const { registry } = threads
  for (const system of systems) requireCaptions(system)
  const { metric, family } = registry.load(figure.metric, 'metric', tokenizationOf(dataset))
  const references = figure.references ?? (people ? dataset.captionsPerImage - 1 : null)
  progress(0, 'reading scores')
  const input = { metric: metric.name, references }
  const candidates = await readCandidates(session, idsOf(systems), input)
  const subjects: Subject[] = systems.map(({ id }, position) => ({
    position,
    id,
    ...withDocuments(candidates.get(id) ?? [], documentHash),
  }))
  if (people) subjects.push(await readPeople(session, dataset, systems.length, { ...input, documentHash }))
  const sign = metric.higherIsBetter ? 1 : -1
  subjects.sort((one, other) => sign * (newestValue(other) - newestValue(one)) || one.id - other.id)
  const pairs = pairsOf(subjects, baseline)
  const { imageIds, captionCounts } = await readCaptionCounts(session, {
    datasetId: dataset.id,
    minCaptionCount: 1,
  })
  const context = {
    family,
    included: await readSubset(session, dataset, figure),
    index: family.metrics.indexOf(metric),
    references,
    countOfImage: new Map(Array.from(imageIds, (id, place) => [id, captionCounts[place]])),
    resamples: isTested ? resamples : null,
    rowsOf: rowReader(session),
  }
  const compared: PairComparison[] = []
  for (const [index, pair] of pairs.entries()) {
    const testing = step(part(progress, 0.1, 1), index, pairs.length)
    compared.push(await comparePair({ ...context, onProgress: (share) => testing(share, 'comparing') }, pair))
  }
  return compared
}

/** The images of the subset of a figure; undefined for all. @throws AccordError as `readSubsets` */
async function readSubset(session: Session, dataset: Dataset, { subset }: MetricFigure) {
  if (subset === undefined) return undefined
  const subsets = await readSubsets(session, dataset, subset.field)
  return new Set(subsets.find(({ value }) => value === subset.value)?.images)
}

interface PairContext {
  readonly family: MetricFamily
  /** The images that are meant; undefined for all. */
  readonly included: ReadonlySet<number> | undefined
  /** Index of the metric in its family. */
  readonly index: number
  /** k; null against all captions of an image. */
  readonly references: number | null
  readonly countOfImage: ReadonlyMap<number, number>
  /** Null: no test. */
  readonly resamples: number | null
  readonly rowsOf: ReturnType<typeof rowReader>
  readonly onProgress: (share: number) => void
}

async function comparePair(
  context: PairContext,
  { first, second }: { readonly first: Subject; readonly second: Subject },
): Promise<PairComparison> {
  const { family, rowsOf } = context
  const chosen = chooseCandidates(first, second)
  if (typeof chosen === 'string') return withoutFigures(first.position, second.position, chosen)
  const rows = [await rowsOf(chosen[0]), await rowsOf(chosen[1])] as const
  if (rows.some(({ layoutRevision }) => layoutRevision !== family.layoutRevision)) {
    return withoutFigures(first.position, second.position, 'OTHER_LAYOUT')
  }
  const shared = shareImages(family, ...rows, context.included)
  if (shared === null) return withoutFigures(first.position, second.position, 'NO_SHARED_IMAGES')
  const { index, resamples, onProgress } = context
  const test = resamples === null ? null : { seed: SEED, resamples, onProgress }
  const figures = testPair(...shared.sides, test)[index]
  const { record } = chosen[0]
  const references = { ...rangeOfReferences(context, shared.imageIds), folds: record.references.folds }
  const count = shared.imageIds.length
  return {
    ...figures,
    first: first.position,
    second: second.position,
    imageCount: count,
    wordCount: null,
    rarefied: null,
    references,
    frequencyImageCount: record.documentFrequencies?.imageCount ?? null,
    record: {
      ...record,
      references: { ...record.references, ...references },
      images: { count, of: count, hash: null },
      ...describeIntervals(family),
    },
  }
}

function rangeOfReferences({ references, countOfImage }: PairContext, imageIds: Int32Array) {
  let least = Number.POSITIVE_INFINITY
  let most = 0
  for (const id of imageIds) {
    const count = references ?? (countOfImage.get(id) as number)
    least = Math.min(least, count)
    most = Math.max(most, count)
  }
  return { least, most }
}

function newestValue({ candidates }: Subject): number {
  return candidates.at(-1)?.value ?? Number.NEGATIVE_INFINITY
}

/** A metric against all captions of each image, or on folds of references. */
export interface FigureInput {
  /** Name. */
  readonly metric: string
  /** k; null against all captions. */
  readonly references: number | null
}

/** Stored scores of a metric by system, oldest first. */
export async function readCandidates(
  session: Session,
  systemIds: readonly number[],
  { metric, references }: FigureInput,
): Promise<Map<number, Candidate[]>> {
  const rows = (await readScores(session, systemIds, [metric])).filter(isOf(references))
  const bySystem = new Map<number, Candidate[]>(systemIds.map((id) => [id, []]))
  for (const { id, systemId, value, record, statisticsId } of await withRecords(session, rows)) {
    bySystem.get(systemId)?.push({ id, value, record, isHuman: false, statisticsId })
  }
  return bySystem
}

async function readPeople(
  session: Session,
  dataset: Dataset,
  position: number,
  { metric, references, documentHash }: FigureInput & Pick<CompareInput, 'documentHash'>,
): Promise<Subject> {
  const rows = (await readAgreement(session, [dataset.id])).filter(
    (row) => row.metric === metric && row.referenceCount === references,
  )
  const candidates = (await withRecords(session, rows)).map(
    ({ id, mean: value, record, statisticsId }): Candidate => ({
      id,
      value,
      record,
      isHuman: true,
      statisticsId,
    }),
  )
  return { position, id: Number.POSITIVE_INFINITY, ...withDocuments(candidates, documentHash) }
}

/** The newest scores of both that were made in the same way, or why there are none. */
function chooseCandidates(
  first: Subject,
  second: Subject,
): readonly [Candidate, Candidate] | UndefinedReason {
  const newest = [first.candidates.at(-1), second.candidates.at(-1)] as const
  if (!newest[0] || !newest[1]) return (newest[0] ? second : first).reason
  const comparable = first.candidates
    .flatMap((one) => second.candidates.map((other) => [one, other] as const))
    .filter(([one, other]) => findDifference(one.record, other.record, { sharedImages: true }) === null)
    .sort(([one, other], [one2, other2]) => one2.id + other2.id - one.id - other.id)
  if (comparable.length === 0) {
    return findDifference(newest[0].record, newest[1].record, { sharedImages: true }) as UndefinedReason
  }
  return comparable[0]
}

/** Rows of statistics of scores, each read once. */
function rowReader(session: Session) {
  const read = new Map<string, Promise<StoredStatistics>>()
  return ({ isHuman, statisticsId }: Candidate): Promise<StoredStatistics> => {
    const key = `${isHuman} ${statisticsId}`
    const known = read.get(key)
    if (known) return known
    const rows = isHuman
      ? readAgreementStatistics(session, statisticsId)
      : readStatistics(session, statisticsId)
    read.set(key, rows)
    return rows
  }
}

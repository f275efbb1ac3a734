import type { Threads } from '../../compute/pool.js'
import type { Metric, MetricFamily } from '../../core/metrics/metric.js'
import { findDifference, hasDocuments, type ProvenanceRecord } from '../../core/metrics/provenance.js'
import { describeIntervals } from '../../core/stats/jackknife.js'
import { type Progress, part, step } from '../../progress.js'
import type { QueryHandler } from '../../queue/kind.js'
import type { UndefinedReason } from '../../shared/undefined-reason.js'
import type { Session } from '../../store/engine/session.js'
import { readCaptionCounts } from '../../store/image-ranges.js'
import { withRecords } from '../../store/provenance-records.js'
import type { Dataset } from '../../store/schema/dataset-tables.js'
import type { System } from '../../store/schema/system-tables.js'
import * as scores from '../../store/scores.js'
import { readSubsets } from '../datasets/image-subsets.js'
import { requireCaptions, requireDatasetById, requireSystemById } from '../datasets/require-subjects.js'
import { idsOf } from '../shared/groups.js'
import { tokenizationOf } from '../shared/tokens.js'
import { compareOnWords, type WordFigure } from './compare-words.js'
import { createPairComparer } from './pair-comparer.js'
import * as pairing from './pair-comparison.js'

export type ComparedFigure = MetricFigure | WordFigure

export interface MetricFigure {
  readonly kind: 'METRIC'
  readonly metric: string
  /** k: on the folds of k references. Absent: against all captions of an image; with people K − 1. */
  readonly references?: number | null
  /** Only the images with a value of a field. Absent: all. */
  readonly subset?: { readonly field: string; readonly value: string }
}

/** What a table compares. */
export interface CompareInput {
  /** Hash of the document frequencies of the scores. Absent: those of the measured images. */
  readonly documentHash?: string
  /** Whether people are compared as well. */
  readonly people: boolean
  readonly figures: readonly ComparedFigure[]
  /** For each figure, positions of the systems that are compared on it. Absent: all on each. */
  readonly positions?: readonly (readonly number[])[]
  /** Position of the side that all others are compared with, people after the last system. Absent: every pair. */
  readonly baseline?: number
}

export interface CompareQuery extends CompareInput {
  readonly datasetId: number
  readonly systemIds: readonly number[]
}

/** A table of comparisons: for each figure every pair of its systems, and of a system and people. */
export const compareQuery: QueryHandler<
  CompareQuery,
  readonly (readonly pairing.PairComparison[])[]
> = async ({ input: { datasetId, systemIds, ...input }, database, threads, progress }) => {
  const dataset = await requireDatasetById(database, datasetId)
  const systems = await Promise.all(systemIds.map((id) => requireSystemById(database, id)))
  return compareSubjects(database, await threads(), dataset, systems, input, progress)
}

/** A figure of a table with the systems that are compared on it. */
interface FigureOfTable<Figure> {
  /** Position in the request. */
  readonly place: number
  readonly figure: Figure
  readonly systems: readonly pairing.PlacedSystem[]
}

/**
 * A table of comparisons: for each figure every pair of systems, and of a system and people. Each pair is compared on the images
 * that both have, and tested alone and together with all pairs of the table (see src/core/stats/min-p.ts); of several scores those
 * are taken that were made in the same way, the newest first. A pair that cannot be compared has a reason. What is said does not
 * depend on the order of figures and systems.
 *
 * Only stored scores are compared. Pairs and their two sides are in the order of `systems`, people after them; a baseline
 * is the second of each pair.
 *
 * @returns the pairs of each figure
 * @throws AccordError UNKNOWN_METRIC; OUT_OF_RANGE for `references`; NOT_APPLICABLE where a system or people cannot have
 * the figure; what is wrong with a resource
 */
export async function compareSubjects(
  session: Session,
  threads: Threads,
  dataset: Dataset,
  systems: readonly System[],
  { figures, positions, ...sides }: CompareInput,
  progress: Progress,
): Promise<pairing.PairComparison[][]> {
  const placed = systems.map((system, position) => ({ system, position }))
  const requested = figures.map(
    (figure, place): FigureOfTable<ComparedFigure> => ({
      place,
      figure,
      systems: positions?.[place].map((position) => placed[position]) ?? placed,
    }),
  )
  const onMetrics = requested.filter(
    (one): one is FigureOfTable<MetricFigure> => one.figure.kind === 'METRIC',
  )
  const onWords = requested.filter((one): one is FigureOfTable<WordFigure> => one.figure.kind !== 'METRIC')
  const compared = { ...sides, people: sides.people ? systems.length : null }
  const comparing = part(progress, 0, onMetrics.length / figures.length)
  const table = await compareOnMetrics(session, threads, dataset, onMetrics, compared, comparing)
  for (const [index, { place, figure, systems: own }] of sortWords(onWords).entries()) {
    const measuring = step(progress, onMetrics.length + index, figures.length)
    const pairs = await compareOnWords(session, threads, dataset, own, compared, figure, measuring)
    table.push(...pairs.map((pair) => ({ ...pair, place })))
  }
  const judged = pairing.judgeTable(table)
  return figures.map((_, place) =>
    pairing.orientPairs(
      judged.filter((_pair, row) => table[row].place === place),
      sides.baseline,
    ),
  )
}

/** Figures of words in an order that does not depend on the request. */
function sortWords(figures: readonly FigureOfTable<WordFigure>[]): FigureOfTable<WordFigure>[] {
  const keyed = figures.map((one) => {
    const { kind, word, references, partOfSpeech, vocabularyOf } = one.figure
    return { one, key: JSON.stringify([kind, word, references, partOfSpeech, vocabularyOf]) }
  })
  return keyed.sort((one, other) => (one.key < other.key ? -1 : 1)).map(({ one }) => one)
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

/** Pairs of a table, each with the position of its figure; figures in the order of the registry. */
async function compareOnMetrics(
  session: Session,
  threads: Threads,
  dataset: Dataset,
  requested: readonly FigureOfTable<MetricFigure>[],
  sides: MetricSides,
  progress: Progress,
): Promise<(pairing.MeasuredPair & { readonly place: number })[]> {
  const names = threads.registry.metrics.map(({ name }) => name)
  const keyOf = ({ references, subset }: MetricFigure) =>
    JSON.stringify([references ?? null, subset?.field, subset?.value])
  const ordered = [...requested].sort(
    ({ figure: one }, { figure: other }) =>
      names.indexOf(one.metric) - names.indexOf(other.metric) || (keyOf(one) < keyOf(other) ? -1 : 1),
  )
  const compareOn = createMetricComparer(session, threads, dataset)
  const table: (pairing.MeasuredPair & { readonly place: number })[] = []
  for (const [index, { place, figure, systems }] of ordered.entries()) {
    progress(index / ordered.length, 'comparing')
    table.push(...(await compareOn(figure, systems, sides)).map((pair) => ({ ...pair, place })))
  }
  return table
}

interface MetricSides extends pairing.ComparedSides, Pick<CompareInput, 'documentHash'> {}

/**
 * Returns a function that measures every pair of systems, and of a system and people, by a metric, in the order of the ids of
 * systems. What is measured of a system is kept for the next metrics of the same family.
 */
export function createMetricComparer(session: Session, { registry }: Threads, dataset: Dataset) {
  let countOfImage: ReadonlyMap<number, number> | undefined
  let family: MetricFamily | undefined
  let comparers = new Map<string, ReturnType<typeof createPairComparer>>()
  return async (
    figure: MetricFigure,
    systems: readonly pairing.PlacedSystem[],
    { people, baseline, documentHash }: MetricSides,
  ): Promise<pairing.MeasuredPair[]> => {
    for (const { system } of systems) requireCaptions(system)
    const { metric, family: wanted } = registry.load(figure.metric, 'metric', tokenizationOf(dataset))
    if (family !== wanted) comparers = new Map()
    family = wanted
    countOfImage ??= await readCountOfImage(session, dataset)
    const references = figure.references ?? (people === null ? null : dataset.captionsPerImage - 1)
    const input = { metric: metric.name, references }
    const candidates = await readCandidates(session, idsOf(systems.map(({ system }) => system)), input)
    const subjects: Subject[] = systems.map(({ position, system: { id } }) => ({
      position,
      id,
      ...withDocuments(candidates.get(id) ?? [], documentHash),
    }))
    if (people !== null) subjects.push(await readPeople(session, dataset, people, { ...input, documentHash }))
    subjects.sort((one, other) => one.id - other.id)
    const key = JSON.stringify(figure.subset ?? null)
    const comparer =
      comparers.get(key) ?? createPairComparer(family, await readSubset(session, dataset, figure))
    comparers.set(key, comparer)
    const context = { session, family, metric, references, countOfImage, comparer }
    const pairs: pairing.MeasuredPair[] = []
    for (const pair of pairing.pairsOf(subjects, baseline)) pairs.push(await comparePair(context, pair))
    return pairs
  }
}

/** The number of human captions of each image that has one. */
async function readCountOfImage(
  session: Session,
  { id: datasetId }: Dataset,
): Promise<ReadonlyMap<number, number>> {
  const { imageIds, captionCounts } = await readCaptionCounts(session, { datasetId, minCaptionCount: 1 })
  return new Map(Array.from(imageIds, (id, place) => [id, captionCounts[place]]))
}

/** The images of the subset of a figure; undefined for all. @throws AccordError as `readSubsets` */
async function readSubset(session: Session, dataset: Dataset, { subset }: MetricFigure) {
  if (subset === undefined) return undefined
  const subsets = await readSubsets(session, dataset, subset.field)
  return new Set(subsets.find(({ value }) => value === subset.value)?.images)
}

interface PairContext {
  readonly session: Session
  readonly family: MetricFamily
  readonly metric: Metric
  /** k; null against all captions of an image. */
  readonly references: number | null
  readonly countOfImage: ReadonlyMap<number, number>
  readonly comparer: ReturnType<typeof createPairComparer>
}

async function comparePair(
  context: PairContext,
  { first, second }: { readonly first: Subject; readonly second: Subject },
): Promise<pairing.MeasuredPair> {
  const { session, family, metric, comparer } = context
  const chosen = chooseCandidates(first, second)
  if (typeof chosen === 'string') return pairing.withoutFigures(first.position, second.position, chosen)
  const [one, other] = chosen.map(({ isHuman, statisticsId }) => ({
    key: `${isHuman} ${statisticsId}`,
    read: () => (isHuman ? scores.readAgreementStatistics : scores.readStatistics)(session, statisticsId),
  }))
  const shared = await comparer(one, other)
  if (typeof shared === 'string') return pairing.withoutFigures(first.position, second.position, shared)
  const { record } = chosen[0]
  const references = { ...rangeOfReferences(context, shared.imageIds), folds: record.references.folds }
  const count = shared.imageIds.length
  return {
    ...shared.figures[family.metrics.indexOf(metric)],
    first: first.position,
    second: second.position,
    higherIsBetter: metric.higherIsBetter,
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

function rangeOfReferences(
  { references, countOfImage }: Pick<PairContext, 'references' | 'countOfImage'>,
  imageIds: Int32Array,
) {
  let least = Number.POSITIVE_INFINITY
  let most = 0
  for (const id of imageIds) {
    const count = references ?? (countOfImage.get(id) as number)
    least = Math.min(least, count)
    most = Math.max(most, count)
  }
  return { least, most }
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
  const rows = (await scores.readScores(session, systemIds, [metric])).filter(scores.isOf(references))
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
  const rows = (await scores.readAgreement(session, [dataset.id])).filter(
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

import { hasDocuments, metricSignature, type ProvenanceRecord } from '../../core/metrics/provenance.js'
import {
  isAmong,
  type ListedMetric,
  type MetricRegistry,
  normalizeMetricName,
} from '../../core/metrics/registry.js'
import type { SampleSize } from '../../core/stats/interval.js'
import { ENGLISH, versionOf } from '../../core/text/tokenization.js'
import { AccordError, hasCode } from '../../errors.js'
import { VERSION } from '../../project.js'
import type { Direction, PagedRows } from '../../store/engine/keyset.js'
import type { Session } from '../../store/engine/session.js'
import { withRecords } from '../../store/provenance-records.js'
import type { AgreementScore, MetricScore } from '../../store/schema/score-tables.js'
import * as scores from '../../store/scores.js'
import { isOf, readScores } from '../../store/scores.js'
import { isCurrent } from '../provenance/record-provenance.js'
import type { Accord } from '../shared/accord.js'
import { metricsOf, refreshMetrics } from '../shared/computing.js'
import { groupBy, ofDatabase, pagedArray } from '../shared/groups.js'
import { intervalNotes, judgeScore } from '../shared/intervals.js'
import { objectNotes } from './annotated-objects.js'
import type { DocumentOptions } from './document-source.js'
import { frequencyNotes } from './fixed-documents.js'
import { createObjectCheck } from './stored-objects.js'

/** A metric and the part of its signature that does not depend on a dataset. */
export interface MetricWithSignature extends ListedMetric {
  readonly signature: string
}

/** All metrics in the order in which they are shown. @throws AccordError for a METEOR folder that is not valid */
export async function listMetrics(accord: Accord): Promise<MetricWithSignature[]> {
  await refreshMetrics(accord)
  const registry = metricsOf(accord)
  return registry.metrics.map((listed) => withSignature(registry, listed))
}

/** A metric by its name, in any case. Null if there is none. */
export async function findMetric(accord: Accord, name: string): Promise<MetricWithSignature | null> {
  return (
    (await listMetrics(accord)).find(
      (metric) => normalizeMetricName(metric.name) === normalizeMetricName(name),
    ) ?? null
  )
}

/** Names of the metrics that are computed where none are named. */
export function usualMetrics(accord: Accord): string[] {
  return metricsOf(accord).metrics.flatMap(({ name, isDefault }) => (isDefault ? [name] : []))
}

/** Whether a metric is the one of a name, as it may be written, or of the group of that name. */
export const isNamed = isAmong

/**
 * Names of metrics as they are shown, in the order of {@link listMetrics}; `BLEU`, `ROUGE` and `SPICE-all` stand for all of their metrics.
 *
 * @throws AccordError UNKNOWN_METRIC
 */
export function resolveMetrics(accord: Accord, names: readonly string[]): Promise<string[]> {
  return lookUp(accord, (registry) => registry.resolve(names))
}

/** The metric that is named first, or the first of its group. @throws AccordError UNKNOWN_METRIC */
export async function firstMetric(accord: Accord, names: readonly string[]): Promise<string> {
  return (await resolveMetrics(accord, names.slice(0, 1)))[0]
}

/** A metric by its name in any case. @throws AccordError UNKNOWN_METRIC */
export function resolveMetric(accord: Accord, name: string): Promise<ListedMetric> {
  return lookUp(accord, (registry) => registry.require(name))
}

/** Whether document frequencies enter the scores by a metric that is known. @throws AccordError UNKNOWN_METRIC */
export function hasFrequencies(accord: Accord, metric: string): boolean {
  return metricsOf(accord).require(metric).needs.documentFrequencies
}

/**
 * Checks that document frequencies that are named are those of a metric that is named.
 *
 * @param metrics null for all that are stored, or computed by default
 * @throws AccordError NOT_APPLICABLE if none of the metrics has any; UNKNOWN_METRIC
 */
export async function requireFrequencies(
  accord: Accord,
  metrics: readonly string[] | null | undefined,
  { documents, documentsFile }: DocumentOptions,
): Promise<void> {
  if ((documents == null && documentsFile === undefined) || metrics == null || metrics.length === 0) return
  const names = await resolveMetrics(accord, metrics)
  if (names.some((name) => hasFrequencies(accord, name))) return
  const having = metricsOf(accord).metrics.filter(({ name }) => hasFrequencies(accord, name))
  throw new AccordError('NOT_APPLICABLE', 'the metrics have no document frequencies', {
    source: 'documents',
    expected: `a metric that has them: ${having.map(({ name }) => name).join(', ')}`,
    found: metrics.join(', '),
  })
}

/** Looks up names. One that is unknown may be that of a composite metric that another process has trained. */
async function lookUp<Result>(accord: Accord, find: (registry: MetricRegistry) => Result): Promise<Result> {
  try {
    return find(metricsOf(accord))
  } catch (error) {
    if (!hasCode(error, 'UNKNOWN_METRIC')) throw error
    await refreshMetrics(accord)
    return find(metricsOf(accord))
  }
}

/** The metric of a score that was read. @throws AccordError UNKNOWN_METRIC */
export function requireMetric(accord: Accord, name: string): MetricWithSignature {
  const registry = metricsOf(accord)
  return withSignature(registry, registry.require(name))
}

/** The metric of a row that another process may have stored: it may be a composite that this one does not know yet. */
export function storedMetric(
  accord: Accord,
  name: string,
): MetricWithSignature | Promise<MetricWithSignature> {
  if (metricsOf(accord).has(name)) return requireMetric(accord, name)
  return lookUp(accord, (registry) => withSignature(registry, registry.require(name)))
}

/** What to know when reading scores by a metric. @throws AccordError UNKNOWN_METRIC */
export function metricNotes(accord: Accord, metric: string): readonly string[] {
  return metricsOf(accord).require(metric).notes
}

const FOLD_NOTE =
  'The spread over folds is not a sampling error: all folds have the same images. The interval is over images.'

/** What to know when reading a score of a system or of people. @param record of how it was made */
export function scoreNotes(
  accord: Accord,
  { metric, folds, ...ends }: Pick<MetricScore | AgreementScore, 'metric' | 'folds' | 'lower' | 'upper'>,
  record: ProvenanceRecord,
): string[] {
  return [
    ...metricNotes(accord, metric),
    ...objectNotes(metricsOf(accord), [record]),
    ...(folds === null ? [] : [FOLD_NOTE]),
    ...frequencyNotes([record]),
    ...intervalNotes([judgeScore(ends, record)]),
  ]
}

/** What to know when reading scores of people, and of the interval of each. */
export async function describeAgreement(
  accord: Accord,
  rows: readonly AgreementScore[],
): Promise<{ readonly notes: readonly string[]; readonly statuses: readonly SampleSize[] }> {
  const recorded = await withRecords(accord.database, rows)
  return {
    notes: [...new Set(recorded.flatMap((row) => scoreNotes(accord, row, row.record)))],
    statuses: recorded.map((row) => judgeScore(row, row.record)),
  }
}

function withSignature(registry: MetricRegistry, listed: ListedMetric): MetricWithSignature {
  const { metric, family } = registry.load(listed.name)
  return {
    ...listed,
    signature: metricSignature(family, metric, { tokenizer: versionOf(ENGLISH), version: VERSION }),
  }
}

/** Rows of the named metrics, all rows if there are no names. @throws AccordError UNKNOWN_METRIC */
export async function pickMetrics<Row extends { readonly metric: string }>(
  accord: Accord,
  rows: readonly Row[],
  names: readonly string[] | null | undefined,
): Promise<Row[]> {
  if (names == null) return [...rows]
  const wanted = new Set(await lookUp(accord, (registry) => registry.resolve(names, 'metric')))
  return rows.filter(({ metric }) => wanted.has(metric))
}

/** A score with how it was made. */
export type RecordedScore = MetricScore & { readonly record: ProvenanceRecord }

/**
 * Corpus scores of systems: the newest of each metric, in the order of {@link listMetrics}.
 *
 * @param references k: those on folds of k references; by default those against all captions of each image
 * @param documents hash of their document frequencies; by default those of the measured images
 */
export async function scoresBySystem(
  accord: Accord,
  systemIds: readonly number[],
  references?: number | null,
  documents?: string,
): Promise<Map<number, RecordedScore[]>> {
  const ofReferences = (await scores.readScores(accord.database, systemIds)).filter(
    scores.isOf(references ?? null),
  )
  const rows = (await withRecords(accord.database, ofReferences)).filter(({ record }) =>
    hasDocuments(record, documents),
  )
  const known = new Set(metricsOf(accord).metrics.map(({ name }) => name))
  if (rows.some(({ metric }) => !known.has(metric))) await refreshMetrics(accord)
  const { metrics } = metricsOf(accord)
  const all = groupBy(rows, ({ systemId }) => systemId)
  const newest = (rows: readonly RecordedScore[]) =>
    metrics.flatMap(({ name }) => rows.findLast(({ metric }) => metric === name) ?? [])
  return new Map(Array.from(all, ([systemId, rows]) => [systemId, newest(rows)]))
}

/** Image scores by id of the corpus score. */
export const imageScoresById = ofDatabase(scores.readImageScores)

/** Image scores of all folds by id of the row of a leave-one-out table. */
export const foldScoresById = ofDatabase(scores.readFoldScores)

/** The mean score of people on each image over the folds that have one. */
export function meanOverFolds(
  { folds }: AgreementScore,
  { imageIds, scores: values }: scores.ImageScores,
): scores.ImageScores {
  const means = Float64Array.from(imageIds, (_, index) => {
    let [sum, count] = [0, 0]
    for (let fold = 0; fold < folds.length; fold++) {
      const value = values[fold * imageIds.length + index]
      if (Number.isNaN(value)) continue
      sum += value
      count++
    }
    return sum / count
  })
  return definedScores({ imageIds, scores: means })
}

/** The images whose score is defined. */
export function definedScores({ imageIds, scores: values }: scores.ImageScores): scores.ImageScores {
  if (!values.some(Number.isNaN)) return { imageIds, scores: values }
  return {
    imageIds: imageIds.filter((_, index) => !Number.isNaN(values[index])),
    scores: values.filter((value) => !Number.isNaN(value)),
  }
}

/** VALUE: by score, equal ones in the order of the dataset. IMAGE: in the order of the dataset. */
export interface ImageScoreOrder {
  readonly field: 'VALUE' | 'IMAGE'
  /** Default: ASC. */
  readonly direction?: Direction | null
}

export interface ImageScore {
  readonly imageId: number
  readonly value: number
}

/** The image scores of a corpus score, without images where it is undefined. Default: the lowest first. */
export function listImageScores(
  { imageIds, scores: values }: scores.ImageScores,
  { field, direction }: ImageScoreOrder = { field: 'VALUE' },
): PagedRows<ImageScore> {
  const sign = direction === 'DESC' ? -1 : 1
  const sortValue = ({ value, imageId }: ImageScore) => (field === 'VALUE' ? value : imageId)
  const rows = Array.from(values, (value, index) => ({ imageId: imageIds[index], value }))
    .filter(({ value }) => !Number.isNaN(value))
    .sort((one, other) => sign * (sortValue(one) - sortValue(other)) || one.imageId - other.imageId)
  return pagedArray(rows, ({ imageId }) => imageId)
}

/** The score of one image; undefined if it has none. */
export function scoreOfImage(
  { imageIds, scores: values }: scores.ImageScores,
  imageId: number,
): number | undefined {
  const index = findSorted(imageIds, imageId)
  return index < 0 ? undefined : definedScore(values[index])
}

/** The score of an image's human caption in the fold that holds it out; undefined if there is none. */
export function scoreOfHeldOut(
  { folds }: AgreementScore,
  { imageIds, scores: values }: scores.ImageScores,
  imageId: number,
  position: number,
): number | undefined {
  const index = findSorted(imageIds, imageId)
  return index < 0 || position >= folds.length
    ? undefined
    : definedScore(values[position * imageIds.length + index])
}

function definedScore(value: number): number | undefined {
  return Number.isNaN(value) ? undefined : value
}

/** Index of a number in an ascending list, −1 if absent. */
function findSorted(numbers: Int32Array, wanted: number): number {
  let low = 0
  let high = numbers.length - 1
  while (low <= high) {
    const middle = (low + high) >> 1
    if (numbers[middle] === wanted) return middle
    if (numbers[middle] < wanted) low = middle + 1
    else high = middle - 1
  }
  return -1
}

/** Scores of a system. */
export interface WantedScores {
  readonly systemId: number
  /** Names. */
  readonly metrics: readonly string[]
  /** k; null against all captions. */
  readonly references: number | null
}

/**
 * Ids of stored scores that this version would make in the same way, the newest by metric. Metrics without such a score are
 * left out.
 *
 * @param accepts which of them are wanted. Default: all
 * @param session Default: the database
 */
export async function findCurrentScores(
  accord: Accord,
  { systemId, metrics, references }: WantedScores,
  accepts: (record: ProvenanceRecord) => boolean = () => true,
  session: Session = accord.database,
): Promise<Map<string, number>> {
  const rows = (await readScores(session, [systemId], metrics)).filter(isOf(references))
  const stored = { systemId, metrics: rows.map(({ metric }) => metric), references }
  const hasObjects = await createObjectCheck(session, metricsOf(accord), stored)
  const current = new Map<string, number>()
  for (const { id, metric, record } of await withRecords(session, rows)) {
    if (accepts(record) && hasObjects(record) && isCurrent(metricsOf(accord), record)) current.set(metric, id)
  }
  return current
}

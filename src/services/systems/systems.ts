import * as phr from '../../core/agreement/phr.js'
import { requireNoBaseline } from '../../store/challenges.js'
import { requireDataset } from '../../store/datasets.js'
import type { Direction, PagedRows } from '../../store/engine/keyset.js'
import { readCountedImageIds } from '../../store/images.js'
import { readImageCounts, type WordUses } from '../../store/postings.js'
import type { Dataset, Word } from '../../store/schema/dataset-tables.js'
import type { System, SystemWord } from '../../store/schema/system-tables.js'
import { readScores } from '../../store/scores.js'
import * as systems from '../../store/systems.js'
import { readWordScores, type StoredWordScores } from '../../store/word-scores.js'
import { findWords } from '../../store/words.js'
import { chooseReferences } from '../datasets/references.js'
import type { Job } from '../jobs/jobs.js'
import type { Accord, Client } from '../shared/accord.js'
import { metricsOf, refreshMetrics } from '../shared/computing.js'
import { groupBy, idsOf, keyBy, keyedRows, pagedArray, pagedSorted } from '../shared/groups.js'

/** Systems of datasets, by name. */
export async function systemsByDataset(
  accord: Accord,
  datasetIds: readonly number[],
  isBoundIncluded = false,
): Promise<Map<number, System[]>> {
  return groupBy(await list(accord, datasetIds, isBoundIncluded), ({ datasetId }) => datasetId)
}

function list({ database }: Accord, datasetIds: readonly number[], isBoundIncluded: boolean) {
  return (isBoundIncluded ? systems.listSystems : systems.listUsualSystems)(database, datasetIds)
}

/** @throws AccordError UNKNOWN_SYSTEM */
export function requireSystem({ database }: Accord, { id }: Dataset, name: string): Promise<System> {
  return systems.requireSystem(database, id, name)
}

/** Systems of a dataset in the order of their names as given. @throws AccordError UNKNOWN_SYSTEM */
export async function requireSystems(
  { database }: Accord,
  { id }: Dataset,
  names: readonly string[],
): Promise<System[]> {
  const byName = keyBy(await systems.listSystems(database, [id]), ({ name }) => name)
  return Promise.all(names.map((name) => byName.get(name) ?? systems.requireSystem(database, id, name)))
}

export const systemsById = keyedRows(systems.findSystems, ({ id }) => id)

/** A system and the metrics by which it was evaluated against all captions, as they are stored. */
export interface SystemOverview {
  readonly system: System
  readonly metrics: readonly string[]
}

/** The systems of a dataset, by name. */
export async function listSystemOverviews(
  accord: Accord,
  { id }: Dataset,
  isBoundIncluded = false,
): Promise<SystemOverview[]> {
  const { database } = accord
  await refreshMetrics(accord)
  const { metrics } = metricsOf(accord)
  const all = await list(accord, [id], isBoundIncluded)
  const scores = await readScores(database, idsOf(all))
  const bySystem = groupBy(
    scores.filter(({ folds }) => folds === null),
    ({ systemId }) => systemId,
  )
  return all.map((system) => {
    const evaluated = new Set(bySystem.get(system.id)?.map(({ metric }) => metric))
    return { system, metrics: metrics.map(({ name }) => name).filter((name) => evaluated.has(name)) }
  })
}

/** All systems of a dataset by name. */
export async function systemsByName({ database }: Accord, datasetId: number): Promise<Map<string, System>> {
  return keyBy(await systems.listSystems(database, [datasetId]), ({ name }) => name)
}

export interface SystemWordOptions {
  /** k. Default: K − 1. */
  readonly references?: number | null
  /** Default: the vocabulary. */
  readonly filter?: systems.SystemWordFilter | null
  /** Default: vocabulary order. */
  readonly orderBy?: {
    readonly field: systems.SystemWordOrderField
    readonly direction?: Direction | null
  } | null
}

/** Results of a system on words, none if no caption can be held out. @throws AccordError OUT_OF_RANGE for `references` */
export function listSystemWords(
  { database }: Accord,
  { id }: System,
  { captionsPerImage }: Dataset,
  { references: wanted, filter: given, orderBy }: SystemWordOptions = {},
): PagedRows<SystemWord> {
  if (captionsPerImage < 2) return pagedArray<SystemWord>([], ({ wordId }) => wordId)
  const references = chooseReferences({ captionsPerImage }, wanted)
  const field = orderBy?.field ?? 'RANK'
  const filter = { ...given, word: given?.word ?? { vocabulary: 'IN' } }
  const subject = { systemId: id, captionsPerImage, references }
  const order = systems.systemWordOrder(subject, field, orderBy?.direction)
  return systems.pagedSystemWords(database, subject, filter, order)
}

/** Results of a system by word. */
export async function systemWords(
  { database }: Accord,
  systemId: number,
  references: number,
  wordIds: readonly number[],
): Promise<Map<number, SystemWord>> {
  const results = await systems.readSystemWords(database, [systemId], references, wordIds)
  return keyBy(results, ({ wordId }) => wordId)
}

/** Results of the systems of a dataset on each word, by name of the system; none if no caption can be held out (k is null). */
export async function resultsOfWords(
  accord: Accord,
  words: readonly Word[],
  references: number | null,
): Promise<Map<number, PagedRows<SystemWord>>> {
  const found = references === null ? [] : await list(accord, distinctDatasets(words), false)
  const wordIds = idsOf(words)
  const results =
    references === null || found.length === 0
      ? []
      : await systems.readSystemWords(accord.database, idsOf(found), references, wordIds)
  const places = new Map(found.map(({ id }, place) => [id, place]))
  const placeOf = ({ systemId }: SystemWord) => places.get(systemId) as number
  const byWord = groupBy(
    results.toSorted((one, other) => placeOf(one) - placeOf(other)),
    ({ wordId }) => wordId,
  )
  const nameOf = (result: SystemWord) => found[placeOf(result)].name
  return new Map(wordIds.map((id) => [id, pagedSorted(byWord.get(id) ?? [], nameOf)]))
}

function distinctDatasets(words: readonly Word[]): number[] {
  return [...new Set(words.map(({ datasetId }) => datasetId))]
}

/** Inputs of the precision-recall curve of a word. */
export interface CurveInputs {
  readonly histogram: readonly number[]
  readonly scores: StoredWordScores
  /** Ids of images with at least K captions, ascending. */
  readonly countedImageIds: Int32Array
  /** The images that use the word. */
  readonly uses: WordUses | undefined
}

/** Inputs of a system's curves by word; words without scores are omitted. */
export async function curveInputs(
  { database }: Accord,
  systemId: number,
  wordIds: readonly number[],
): Promise<Map<number, CurveInputs>> {
  const scores = await readWordScores(database, systemId, wordIds)
  if (scores.size === 0) return new Map()
  const words = await findWords(database, [...scores.keys()])
  const [{ datasetId }] = words
  const countedImageIds = await readCountedImageIds(database, datasetId)
  const uses = await readImageCounts(database, [...scores.keys()])
  return new Map(
    words.map(({ id, histogram }) => [
      id,
      { histogram, scores: scores.get(id) as StoredWordScores, countedImageIds, uses: uses.get(id) },
    ]),
  )
}

/**
 * Precision-recall curve of a system for a word. A captioning system has one point.
 *
 * @param inputs undefined if the system has no scores for the word
 * @param points at least 2
 */
export function precisionRecallCurve(
  { referenceCount, precision, recall }: SystemWord,
  inputs: CurveInputs | undefined,
  points: number,
): phr.ScoreCurvePoint[] {
  if (!inputs) return precision === null || recall === null ? [] : [{ recall, precision, threshold: null }]
  return phr.scoreCurve(rankingOf(inputs), referenceCount, points)
}

/** The images ranked by a system's scores for a word. */
export function rankingOf({ countedImageIds, uses, scores, histogram }: CurveInputs): phr.WordRanking {
  const { firstId, counts } = phr.emptyCounts(countedImageIds)
  for (const [index, imageId] of uses?.imageIds.entries() ?? []) {
    counts[imageId - firstId] = uses?.captionCounts[index] as number
  }
  return phr.rankScores(scores.imageIds, scores.scores, { firstId, counts }, histogram)
}

/**
 * Removes a system and everything that belongs to it.
 *
 * @throws AccordError UNKNOWN_DATASET, UNKNOWN_SYSTEM; NOT_APPLICABLE for a baseline of a phase of a challenge
 */
export async function removeSystem(
  accord: Accord,
  datasetName: string,
  name: string,
  client: Client = {},
): Promise<void> {
  await accord.run('removeSystem', await planRemoval(accord, datasetName, name), client)
}

/**
 * Starts the removal of a system by workers.
 *
 * @throws AccordError UNKNOWN_DATASET, UNKNOWN_SYSTEM, QUEUE_FULL; NOT_APPLICABLE for a baseline of a phase of a challenge
 */
export async function startSystemRemoval(
  accord: Accord,
  datasetName: string,
  name: string,
  client: Client = {},
): Promise<Job> {
  return accord.start('removeSystem', await planRemoval(accord, datasetName, name), client)
}

async function planRemoval({ database }: Accord, datasetName: string, name: string) {
  const dataset = await requireDataset(database, datasetName)
  await requireNoBaseline(database, await systems.requireSystem(database, dataset.id, name))
  return { datasetId: dataset.id, system: name }
}

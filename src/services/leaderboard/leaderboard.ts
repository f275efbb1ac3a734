import { definedMean, humanWordAgreement } from '../../core/agreement/words.js'
import { AccordError } from '../../errors.js'
import { listBoundSystems } from '../../store/bounds.js'
import { withRecords } from '../../store/provenance-records.js'
import type { Dataset, Word } from '../../store/schema/dataset-tables.js'
import type { System } from '../../store/schema/system-tables.js'
import { readAgreement, readAgreementStatistics, readScores, readStatistics } from '../../store/scores.js'
import { listSystems, listUsualSystems } from '../../store/systems.js'
import { readSubsets } from '../datasets/image-subsets.js'
import { chooseReferences } from '../datasets/references.js'
import {
  readVocabularyWords,
  readWordsOfCaptions,
  type VocabularyOptions,
  type WordChoice,
} from '../datasets/vocabulary.js'
import { type DocumentOptions, hashOfDocuments, requireDocuments } from '../evaluations/document-source.js'
import { scoreStoredSubsets } from '../evaluations/scores.js'
import { bySubset, type ScoreOfSubset } from '../evaluations/subset-scores.js'
import { recordVocabulary } from '../provenance/record-provenance.js'
import { wordProvenance } from '../provenance/word-provenance.js'
import type { Accord, Client } from '../shared/accord.js'
import { metricsOf, refreshMetrics } from '../shared/computing.js'
import { idsOf } from '../shared/groups.js'
import { phrOverWords } from '../words/phr.js'
import { meansOverWords } from '../words/words.js'
import { type Entry, type Figure, type LeaderboardRow, rank, rankByMetric } from './ranking.js'

/** The choice of words is for figures of words. */
export interface LeaderboardOptions extends WordChoice, DocumentOptions {
  /** A figure of words whose mean is ranked, PHR of systems with word scores or the precision of captioning systems; or a metric. */
  readonly by: 'PHR' | 'WORD_PRECISION' | 'METRIC'
  /** Required by METRIC. */
  readonly metric?: string | null
  /**
   * k. By METRIC: the scores on folds of k references, people among them; by default the scores against all captions of
   * each image, which people cannot have. By a figure of words: K − 1 by default.
   */
  readonly references?: number | null
  /** Include the captions of upper bounds, which are not systems. */
  readonly isBoundIncluded?: boolean | null
}

/**
 * The systems of a dataset and people: those whose figures were made in the same way, best first, then the others with
 * the reason why they are not ranked.
 *
 * @throws AccordError OUT_OF_RANGE by METRIC without one, and for `references`; UNKNOWN_METRIC; as {@link documentHashOf}
 */
export async function rankSystems(
  accord: Accord,
  dataset: Dataset,
  options: LeaderboardOptions,
  client: Client = {},
): Promise<LeaderboardRow[]> {
  const {
    by,
    metric,
    references,
    isBoundIncluded,
    documents: _name,
    documentsFile: _file,
    ...choice
  } = options
  const documentHash = await documentHashOf(accord, options)
  switch (by) {
    case 'PHR':
    case 'WORD_PRECISION': {
      const excluded = isBoundIncluded
        ? new Set<number>()
        : await listBoundSystems(accord.database, dataset.id)
      const entries = await wordEntries(accord, dataset, by, references, choice, excluded, client)
      return rank(entries, { higherIsBetter: true, withPeople: true })
    }
    case 'METRIC': {
      await refreshMetrics(accord)
      const name = requireName(metric)
      if (references != null) chooseReferences(dataset, references)
      const systems = await captioningSystems(accord, dataset, isBoundIncluded === true)
      const figure = { metric: name, references: references ?? null, documentHash }
      return rankByMetric(accord.database, metricsOf(accord), dataset, systems, figure)
    }
  }
}

/**
 * The hash of the document frequencies of a board; undefined for those of the measured images.
 *
 * @throws AccordError NOT_APPLICABLE for document frequencies of figures of words; as `requireDocuments`
 */
export async function documentHashOf(
  { database }: Accord,
  { by, documents, documentsFile }: LeaderboardOptions,
): Promise<string | undefined> {
  if (documents == null && documentsFile === undefined) return undefined
  if (by !== 'METRIC') {
    throw new AccordError('NOT_APPLICABLE', 'figures of words have no document frequencies', {
      source: 'documents',
      expected: 'metrics, or no document frequencies',
    })
  }
  return hashOfDocuments(database, await requireDocuments(database, { documents, documentsFile }))
}

async function captioningSystems(
  { database }: Accord,
  { id: datasetId }: Dataset,
  isBoundIncluded: boolean,
): Promise<System[]> {
  const systems = await (isBoundIncluded ? listSystems : listUsualSystems)(database, [datasetId])
  return systems.filter(({ kind }) => kind === 'CAPTIONS')
}

function requireName(metric: string | null | undefined): string {
  if (metric != null) return metric
  throw new AccordError('OUT_OF_RANGE', 'a leaderboard by METRIC requires a metric', {
    source: 'metric',
    expected: 'the name of a metric',
    found: 'nothing',
  })
}

async function wordEntries(
  accord: Accord,
  dataset: Dataset,
  by: 'PHR' | 'WORD_PRECISION',
  wanted: number | null | undefined,
  choice: WordChoice,
  excluded: ReadonlySet<number>,
  client: Client,
): Promise<Entry[]> {
  const references = chooseReferences(dataset, wanted)
  const { database } = accord
  const vocabulary =
    by === 'PHR'
      ? await readVocabularyWords(database, dataset, choice)
      : (await readWordsOfCaptions(database, dataset, choice)).words
  const wantedKind = by === 'PHR' ? 'WORD_SCORES' : 'CAPTIONS'
  const systems = (await listSystems(database, [dataset.id])).filter(
    ({ id, kind }) => kind === wantedKind && !excluded.has(id),
  )
  const means =
    by === 'PHR'
      ? await storedPhr(accord, vocabulary, idsOf(systems), references)
      : await heldOutPrecisions(accord, dataset, systems, { references, ...choice }, client)
  const words = recordVocabulary(vocabulary.map(({ text }) => text))
  const figure = (system: System | null, value: number | null, wordCount: number): Figure => {
    const { record, signature } = wordProvenance(dataset, system, {
      figure: by,
      references,
      words,
      areHeldOut: by === 'WORD_PRECISION',
    })
    return {
      value,
      interval: null,
      signature,
      references: { least: references, most: references, folds: null },
      wordCount,
      record,
      isCurrent: true,
    }
  }
  return [
    ...[null, ...systems].map((system) => {
      const { mean, defined } = means.get(system?.id ?? null) ?? { mean: null, defined: 0 }
      return { system, figures: [figure(system, mean, defined)] }
    }),
  ]
}

type MeansBySystem = ReadonlyMap<number | null, { readonly mean: number | null; readonly defined: number }>

/** Mean PHR by system, and mean human precision (null) over the words that can have a PHR. */
async function storedPhr(
  accord: Accord,
  vocabulary: readonly Word[],
  systemIds: readonly number[],
  references: number,
): Promise<MeansBySystem> {
  const summaries = await phrOverWords(accord, vocabulary, systemIds, references)
  // PHR is undefined if human recall is 0: the same words are excluded for people.
  const human = vocabulary
    .map(({ histogram }) => humanWordAgreement(histogram, references))
    .map(({ precision, recall }) => (recall === 0 ? null : precision))
  const phrs = Array.from(
    summaries,
    ([id, { meanPrecisionAtHumanRecall: mean, definedWordCount: defined }]) => {
      return [id, { mean, defined }] as const
    },
  )
  return new Map([[null, definedMean(human)] as const, ...phrs])
}

/** Mean word precision by system, and of people (null), each over the words of its captions. */
async function heldOutPrecisions(
  accord: Accord,
  dataset: Dataset,
  systems: readonly System[],
  options: VocabularyOptions,
  client: Client,
): Promise<MeansBySystem> {
  const subjects = [null, ...systems]
  const wanted = { ...options, hasAveragePrecision: false }
  const means = await meansOverWords(accord, dataset, subjects, wanted, client)
  return new Map(
    subjects.map((system, index) => {
      const figure = system === null ? 'HELD_OUT_PRECISION' : 'WORD_PRECISION'
      const found = means[index].find((mean) => mean.figure === figure)
      return [system?.id ?? null, { mean: found?.value ?? null, defined: found?.wordCount ?? 0 }]
    }),
  )
}

export interface RankedSubset extends ScoreOfSubset {
  /** Name of the system; null for people. */
  readonly system: string | null
  /** k; null for scores against all captions of each image. */
  readonly references: number | null
}

interface RankedScore extends Pick<LeaderboardRow, 'signature'> {
  readonly metric: string
  /** Null for people. */
  readonly system: System | null
}

/**
 * The scores of a leaderboard's rows on the subsets of the images by a field, with intervals; rows without a score have none. By
 * subset, then in the order of the rows.
 */
export async function rankedSubsets(
  accord: Accord,
  dataset: Dataset,
  rows: readonly RankedScore[],
  field: string,
): Promise<RankedSubset[]> {
  const { database } = accord
  const subsets = await readSubsets(database, dataset, field)
  const scored: RankedSubset[] = []
  for (const { metric, system, signature } of rows) {
    const stored =
      signature === null ? null : await readStored(accord, dataset, { metric, system, signature })
    if (stored === null) continue
    const { folds } = stored.record.references
    const of = {
      system: system?.name ?? null,
      references: folds === null ? null : stored.record.references.most,
    }
    scored.push(...scoreStoredSubsets(accord, dataset, subsets, stored).map((row) => ({ ...row, ...of })))
  }
  return bySubset(subsets, scored)
}

/** The stored score of a row, with the rows of statistics that it was computed from. */
async function readStored({ database }: Accord, { id }: Dataset, { metric, system, signature }: RankedScore) {
  const isShown = (row: { readonly metric: string; readonly signature: string }) =>
    row.metric === metric && row.signature === signature
  if (system === null) {
    const people = (await readAgreement(database, [id])).filter(isShown)
    const [row] = await withRecords(database, people.slice(-1))
    if (row === undefined) return null
    const statistics = await readAgreementStatistics(database, row.statisticsId)
    return { metric, record: row.record, folds: row.folds.length, statistics }
  }
  const scores = (await readScores(database, [system.id], [metric])).filter(isShown)
  const [row] = await withRecords(database, scores.slice(-1))
  if (row === undefined) return null
  const statistics = await readStatistics(database, row.statisticsId)
  return { metric, record: row.record, folds: row.folds?.length ?? null, statistics }
}

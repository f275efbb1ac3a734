import { chooseReferences } from '../agreement/references.js'
import { definedMean } from '../agreement/summary.js'
import { humanWordAgreement } from '../agreement/words.js'
import { AccordError } from '../errors.js'
import type { Interval } from '../stats/bootstrap.js'
import type { AgreementScore, Dataset, MetricScore, System } from '../store/entities.js'
import { listSystems } from '../store/systems.js'
import type { PartOfSpeech } from '../text/part-of-speech.js'
import type { Accord } from './accord.js'
import { agreementByDataset } from './agreement.js'
import { metricsOf } from './computing.js'
import { phrOverWords } from './phr.js'
import { scoresBySystem } from './scores.js'
import { readVocabularyWords } from './vocabulary.js'

/** A row of a leaderboard: a system, or people. */
export interface LeaderboardRow {
  /** From 1; rows with equal values share a rank. */
  readonly rank: number
  /** Null on the human row. */
  readonly system: System | null
  readonly isHuman: boolean
  /** Null if it was not computed. */
  readonly value: number | null
  /** Null for PHR. */
  readonly interval: Interval | null
  readonly signature: string | null
  readonly references: number | null
  /** For PHR, the number of words in the mean. */
  readonly wordCount: number | null
}

export interface LeaderboardOptions {
  readonly by: 'PHR' | 'METRIC'
  /** Required by METRIC. */
  readonly metric?: string | null
  /** For PHR. Default: all. */
  readonly partOfSpeech?: readonly PartOfSpeech[] | null
}

/**
 * The systems of a dataset and people, best first; rows without a value are last.
 *
 * @throws AccordError OUT_OF_RANGE by METRIC without one, UNKNOWN_METRIC
 */
export async function rankSystems(
  accord: Accord,
  dataset: Dataset,
  { by, metric, partOfSpeech }: LeaderboardOptions,
): Promise<LeaderboardRow[]> {
  switch (by) {
    case 'PHR':
      return rank(await phrRows(accord, dataset, partOfSpeech), true)
    case 'METRIC': {
      const { name, higherIsBetter } = metricsOf(accord).require(requireName(metric))
      return rank(await metricRows(accord, dataset, name), higherIsBetter)
    }
  }
}

function requireName(metric: string | null | undefined): string {
  if (metric != null) return metric
  throw new AccordError('OUT_OF_RANGE', 'a leaderboard by METRIC requires a metric', {
    source: 'metric',
    expected: 'the name of a metric',
    found: 'nothing',
  })
}

type UnrankedRow = Omit<LeaderboardRow, 'rank'>

async function phrRows(
  accord: Accord,
  dataset: Dataset,
  partOfSpeech: LeaderboardOptions['partOfSpeech'],
): Promise<UnrankedRow[]> {
  const references = chooseReferences(dataset.captionsPerImage, null)
  const vocabulary = await readVocabularyWords(accord, dataset, partOfSpeech)
  // PHR is undefined if human recall is 0: the same words are excluded for people.
  const human = definedMean(
    vocabulary
      .map(({ histogram }) => humanWordAgreement(histogram, references))
      .map(({ precision, recall }) => (recall === 0 ? null : precision)),
  )
  const systems = (await listSystems(accord.database, [dataset.id])).filter(
    ({ kind }) => kind === 'WORD_SCORES',
  )
  const systemIds = systems.map(({ id }) => id)
  const summaries = await phrOverWords(accord, vocabulary, systemIds, references)
  const row = (system: System | null, value: number | null, wordCount: number): UnrankedRow => ({
    system,
    isHuman: system === null,
    value,
    interval: null,
    signature: null,
    references,
    wordCount,
  })
  return [
    row(null, human.mean, human.defined),
    ...systems.map((system) => {
      const summary = summaries.get(system.id)
      return row(system, summary?.meanPrecisionAtHumanRecall ?? null, summary?.definedWordCount ?? 0)
    }),
  ]
}

async function metricRows(accord: Accord, dataset: Dataset, metric: string): Promise<UnrankedRow[]> {
  const table = (await agreementByDataset(accord, [dataset.id])).get(dataset.id)
  const human = table?.find((row) => row.metric === metric)
  const systems = (await listSystems(accord.database, [dataset.id])).filter(({ kind }) => kind === 'CAPTIONS')
  const stored = await scoresBySystem(
    accord,
    systems.map(({ id }) => id),
  )
  const row = (
    system: System | null,
    score: Omit<MetricScore, 'value'> | AgreementScore | undefined,
    value: number | undefined,
  ): UnrankedRow => ({
    system,
    isHuman: system === null,
    value: value ?? null,
    interval: score ? { lower: score.lower, upper: score.upper } : null,
    signature: score?.signature ?? null,
    references: score?.referenceCount ?? null,
    wordCount: null,
  })
  return [
    row(null, human, human?.mean),
    ...systems.map((system) => {
      const score = stored.get(system.id)?.find((candidate) => candidate.metric === metric)
      return row(system, score, score?.value)
    }),
  ]
}

function rank(rows: readonly UnrankedRow[], higherIsBetter: boolean): LeaderboardRow[] {
  const sign = higherIsBetter ? 1 : -1
  const sortValue = ({ value }: UnrankedRow) => (value === null ? Number.NEGATIVE_INFINITY : sign * value)
  const sorted = rows.toSorted((one, other) =>
    sortValue(one) < sortValue(other) ? 1 : sortValue(one) > sortValue(other) ? -1 : 0,
  )
  return sorted.map((row) => ({
    ...row,
    rank: sorted.findIndex((other) => sortValue(other) === sortValue(row)) + 1,
  }))
}

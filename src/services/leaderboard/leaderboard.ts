import { definedMean } from '../../core/agreement/summary.js'
import { humanWordAgreement } from '../../core/agreement/words.js'
import {
  comparisonKey,
  findDifference,
  isPartial,
  type ProvenanceRecord,
  type ReferenceRange,
} from '../../core/metrics/provenance.js'
import type { Interval } from '../../core/stats/interval.js'
import { AccordError } from '../../errors.js'
import { listBoundSystems } from '../../store/bounds.js'
import { withRecords } from '../../store/provenance.js'
import type { Dataset, System, Word } from '../../store/schema/entities.js'
import { isOf, readAgreement, readScores } from '../../store/scores.js'
import { listSystems, listUsualSystems, readSystemWords } from '../../store/systems.js'
import type { UndefinedReason } from '../../undefined-reason.js'
import type { Accord } from '../accord.js'
import type { FigureInput } from '../comparisons/compare.js'
import { chooseReferences } from '../datasets/references.js'
import { wordProvenance } from '../evaluations/provenance.js'
import { isCurrent, recordVocabulary } from '../evaluations/record-provenance.js'
import { metricsOf, refreshMetrics } from '../shared/computing.js'
import { groupBy, idsOf } from '../shared/groups.js'
import { toInterval } from '../shared/intervals.js'
import { readVocabularyWords, type WordChoice } from '../words/vocabulary.js'

/** A row of a leaderboard: a system, or people. */
export interface LeaderboardRow {
  /** From 1; comparable rows with equal values share a rank. Null for rows that are apart. */
  readonly rank: number | null
  /** Null on the human row. */
  readonly system: System | null
  readonly isHuman: boolean
  /** Null if it was not computed, and on a human row that is apart: people are not shown beside other figures. */
  readonly value: number | null
  /** Null without a value, and for figures of words. */
  readonly interval: Interval | null
  /** Null without a value. */
  readonly signature: string | null
  /** How the value was made. Null without a value. */
  readonly provenance: ProvenanceRecord | null
  /** References per image of the figure. Null if there is none. */
  readonly references: ReferenceRange | null
  /** Of figures of words, the number of words in the mean. */
  readonly wordCount: number | null
  readonly imageCount: number | null
  /** Whether the figure leaves out images that a complete system has. */
  readonly isPartial: boolean
  /** Whether the row is ranked with others that were made in the same way, or listed after them, with a reason. */
  readonly group: 'COMPARABLE' | 'APART'
  /** Why the row is not ranked. */
  readonly undefinedReason: UndefinedReason | null
}

/** The choice of words is for figures of words. */
export interface LeaderboardOptions extends WordChoice {
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
 * @throws AccordError OUT_OF_RANGE by METRIC without one, and for `references`; UNKNOWN_METRIC
 */
export async function rankSystems(
  accord: Accord,
  dataset: Dataset,
  { by, metric, references, isBoundIncluded, ...choice }: LeaderboardOptions,
): Promise<LeaderboardRow[]> {
  switch (by) {
    case 'PHR':
    case 'WORD_PRECISION': {
      const excluded = isBoundIncluded
        ? new Set<number>()
        : await listBoundSystems(accord.database, dataset.id)
      const entries = await wordEntries(accord, dataset, by, references, choice, excluded)
      return rank(entries, { higherIsBetter: true, withPeople: true })
    }
    case 'METRIC': {
      await refreshMetrics(accord)
      const name = requireName(metric)
      if (references != null) chooseReferences(dataset, references)
      const systems = await captioningSystems(accord, dataset, isBoundIncluded === true)
      return rankByMetric(accord, dataset, systems, { metric: name, references: references ?? null })
    }
  }
}

/** Captioning systems of a dataset and people by a metric, as {@link rankSystems}. @throws AccordError UNKNOWN_METRIC */
export async function rankByMetric(
  accord: Accord,
  dataset: Dataset,
  systems: readonly System[],
  { metric, references }: FigureInput,
): Promise<LeaderboardRow[]> {
  const { name, higherIsBetter } = metricsOf(accord).require(metric)
  const entries = await metricEntries(accord, dataset, systems, { metric: name, references })
  return rank(entries, { higherIsBetter, withPeople: references !== null })
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

/** A figure of a system or people. */
interface Figure {
  readonly value: number | null
  readonly interval: Interval | null
  readonly signature: string
  readonly references: ReferenceRange | null
  readonly wordCount: number | null
  readonly record: ProvenanceRecord
  /** Whether this version would make it in the same way. */
  readonly isCurrent: boolean
}

/** A system, or people where it is null, with its figures, oldest first. */
interface Entry {
  readonly system: System | null
  readonly figures: readonly Figure[]
}

async function wordEntries(
  accord: Accord,
  dataset: Dataset,
  by: 'PHR' | 'WORD_PRECISION',
  wanted: number | null | undefined,
  choice: WordChoice,
  excluded: ReadonlySet<number>,
): Promise<Entry[]> {
  const references = chooseReferences(dataset, wanted)
  const vocabulary = await readVocabularyWords(accord.database, dataset, choice)
  // PHR is undefined if human recall is 0: the same words are excluded for people.
  const human = definedMean(
    vocabulary
      .map(({ histogram }) => humanWordAgreement(histogram, references))
      .map(({ precision, recall }) => (by === 'PHR' && recall === 0 ? null : precision)),
  )
  const wantedKind = by === 'PHR' ? 'WORD_SCORES' : 'CAPTIONS'
  const systems = (await listSystems(accord.database, [dataset.id])).filter(
    ({ id, kind }) => kind === wantedKind && !excluded.has(id),
  )
  const systemIds = idsOf(systems)
  const means = await meansOfSystems(accord, vocabulary, systemIds, by, references)
  const words = recordVocabulary(vocabulary.map(({ text }) => text))
  const figure = (system: System | null, value: number | null, wordCount: number): Figure => {
    const { record, signature } = wordProvenance(dataset, system, { figure: by, references, words })
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
    { system: null, figures: [figure(null, human.mean, human.defined)] },
    ...systems.map((system) => {
      const { mean, defined } = means.get(system.id) ?? { mean: null, defined: 0 }
      return { system, figures: [figure(system, mean, defined)] }
    }),
  ]
}

/** Means of a figure over words by system. Words without it are left out. */
async function meansOfSystems(
  { database }: Accord,
  vocabulary: readonly Word[],
  systemIds: readonly number[],
  by: 'PHR' | 'WORD_PRECISION',
  references: number,
) {
  const wordIds = idsOf(vocabulary)
  const results = groupBy(
    await readSystemWords(database, systemIds, references, wordIds),
    ({ systemId }) => systemId,
  )
  return new Map(
    Array.from(results, ([id, rows]) => {
      const values = rows.map(({ precision, precisionAtHumanRecall: phr }) =>
        by === 'PHR' ? phr : precision,
      )
      return [id, definedMean(values)]
    }),
  )
}

async function metricEntries(
  accord: Accord,
  dataset: Dataset,
  systems: readonly System[],
  { metric, references }: FigureInput,
): Promise<Entry[]> {
  const { database } = accord
  const registry = metricsOf(accord)
  const scores = await readScores(database, idsOf(systems), [metric])
  const k = references ?? dataset.captionsPerImage - 1
  const people = (await readAgreement(database, [dataset.id]))
    .filter((row) => row.metric === metric && row.referenceCount === k)
    .map((row) => ({ ...row, value: row.mean, systemId: null }))
  const rows = await withRecords(database, [...scores.filter(isOf(references)), ...people])
  const bySystem = groupBy(rows, ({ systemId }) => systemId)
  const figuresOf = (systemId: number | null): Figure[] =>
    (bySystem.get(systemId) ?? []).map(({ value, signature, record, ...ends }) => {
      const { least, most, folds } = record.references
      return {
        value,
        interval: toInterval(ends),
        signature,
        references: { least, most, folds },
        wordCount: null,
        record,
        isCurrent: isCurrent(registry, record),
      }
    })
  return [null, ...systems].map((system) => ({ system, figures: figuresOf(system?.id ?? null) }))
}

interface Ranking {
  readonly higherIsBetter: boolean
  /** Whether people can have figures that are made as those of systems are. */
  readonly withPeople: boolean
}

/** Ranks the figures that were made like the one of {@link chooseStandard}, and lists the others after them. */
function rank(entries: readonly Entry[], { higherIsBetter, withPeople }: Ranking): LeaderboardRow[] {
  const standard = chooseStandard(entries.filter(({ system }) => withPeople || system !== null))
  const sign = higherIsBetter ? 1 : -1
  const rows = entries.map(({ system, figures }) => ({ system, ...chooseFigure(figures, standard) }))
  const sortValue = (value: number | null) => (value === null ? Number.NEGATIVE_INFINITY : sign * value)
  const sortingValue = ({ figure }: (typeof rows)[number]) => sortValue(figure?.value ?? null)
  rows.sort((one, other) => {
    if ((one.reason === null) !== (other.reason === null)) return one.reason === null ? -1 : 1
    return sortingValue(one) < sortingValue(other) ? 1 : sortingValue(one) > sortingValue(other) ? -1 : 0
  })
  return rows.map((row) => {
    const { system, figure, reason } = row
    const shown = system === null && reason !== null ? undefined : figure
    return {
      rank: reason === null ? rows.findIndex((other) => sortingValue(other) === sortingValue(row)) + 1 : null,
      system,
      isHuman: system === null,
      value: shown?.value ?? null,
      interval: shown?.interval ?? null,
      signature: shown?.signature ?? null,
      provenance: shown?.record ?? null,
      references: figure?.references ?? null,
      wordCount: figure?.wordCount ?? null,
      imageCount: figure?.record.images.count ?? null,
      isPartial: figure !== undefined && isPartial(figure.record),
      group: reason === null ? 'COMPARABLE' : 'APART',
      undefinedReason: reason,
    }
  })
}

/** Sources of document frequencies that nobody named; undefined for metrics without them. */
const OWN: readonly unknown[] = ['own', 'fold', undefined]

/**
 * How the ranked figures were made: as this version makes them, over all images, with document frequencies of their own
 * images, where rows have such figures; of several ways the most frequent, then the oldest, so that a new row changes nothing.
 */
function chooseStandard(entries: readonly Entry[]): ProvenanceRecord | null {
  const ways = new Map<string, { readonly record: ProvenanceRecord; readonly merit: number; rows: number }>()
  for (const { figures } of entries) {
    for (const { record, isCurrent, value } of figures) {
      if (value === null) continue
      const merit =
        (isPartial(record) ? 0 : 4) +
        (isCurrent ? 2 : 0) +
        (OWN.includes(record.documentFrequencies?.source) ? 1 : 0)
      const key = comparisonKey(record, { sharedImages: false })
      const way = ways.get(key)
      if (way) way.rows++
      else ways.set(key, { record, merit, rows: 1 })
    }
  }
  const [best] = [...ways.values()].sort((one, other) => other.merit - one.merit || other.rows - one.rows)
  return best?.record ?? null
}

/** The newest figure that was made in the standard way, otherwise the newest, and why it is not ranked. */
function chooseFigure(
  figures: readonly Figure[],
  standard: ProvenanceRecord | null,
): { readonly figure: Figure | undefined; readonly reason: UndefinedReason | null } {
  const reasonOf = ({ record, value }: Figure): UndefinedReason | null => {
    if (value === null) return 'NOT_COMPUTED'
    // Without another figure, those of people alone are left out for their references.
    return standard ? findDifference(record, standard, { sharedImages: false }) : 'OTHER_REFERENCES'
  }
  const figure = figures.findLast((candidate) => reasonOf(candidate) === null) ?? figures.at(-1)
  return { figure, reason: figure ? reasonOf(figure) : 'NOT_COMPUTED' }
}

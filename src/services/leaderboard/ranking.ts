import {
  comparisonKey,
  findDifference,
  hasDocuments,
  isPartial,
  type ProvenanceRecord,
  type ReferenceRange,
} from '../../core/metrics/provenance.js'
import type { MetricRegistry } from '../../core/metrics/registry.js'
import type { Interval } from '../../core/stats/interval.js'
import type { UndefinedReason } from '../../shared/undefined-reason.js'
import type { Session } from '../../store/engine/session.js'
import { withRecords } from '../../store/provenance-records.js'
import type { Dataset } from '../../store/schema/dataset-tables.js'
import type { System } from '../../store/schema/system-tables.js'
import { isOf, readAgreement, readScores } from '../../store/scores.js'
import type { CompareInput, FigureInput } from '../comparisons/compare.js'
import { isCurrent } from '../provenance/record-provenance.js'
import { groupBy, idsOf } from '../shared/groups.js'
import { toInterval } from '../shared/intervals.js'

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

/** A figure of a system or people. */
export interface Figure {
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
export interface Entry {
  readonly system: System | null
  readonly figures: readonly Figure[]
}

/** Captioning systems of a dataset and people by a metric, as {@link rank} ranks them. @throws AccordError UNKNOWN_METRIC */
export async function rankByMetric(
  session: Session,
  registry: MetricRegistry,
  dataset: Dataset,
  systems: readonly System[],
  { metric, references, documentHash }: FigureInput & Pick<CompareInput, 'documentHash'>,
): Promise<LeaderboardRow[]> {
  const { name, higherIsBetter } = registry.require(metric)
  const entries = await metricEntries(session, registry, dataset, systems, { metric: name, references })
  return rank(entries, { higherIsBetter, withPeople: references !== null, documentHash })
}

async function metricEntries(
  session: Session,
  registry: MetricRegistry,
  dataset: Dataset,
  systems: readonly System[],
  { metric, references }: FigureInput,
): Promise<Entry[]> {
  const scores = await readScores(session, idsOf(systems), [metric])
  const k = references ?? dataset.captionsPerImage - 1
  const people = (await readAgreement(session, [dataset.id]))
    .filter((row) => row.metric === metric && row.referenceCount === k)
    .map((row) => ({ ...row, value: row.mean, systemId: null }))
  const rows = await withRecords(session, [...scores.filter(isOf(references)), ...people])
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
  /** Of the document frequencies that are ranked. Absent: those of the measured images. */
  readonly documentHash?: string
}

/** Ranks the figures that were made like the one of {@link chooseStandard}, and lists the others after them. */
export function rank(
  entries: readonly Entry[],
  { higherIsBetter, withPeople, documentHash }: Ranking,
): LeaderboardRow[] {
  const hasWanted = ({ record }: Figure) => hasDocuments(record, documentHash)
  const ranked = entries.filter(({ system }) => withPeople || system !== null)
  const standard = chooseStandard(ranked.flatMap(({ figures }) => figures.filter(hasWanted)))
  const sign = higherIsBetter ? 1 : -1
  const rows = entries.map(({ system, figures }) => ({
    system,
    ...chooseFigure(figures, standard, hasWanted),
  }))
  const sortValue = (value: number | null) => (value === null ? Number.NEGATIVE_INFINITY : sign * value)
  const sortingValue = ({ figure }: (typeof rows)[number]) => sortValue(figure?.value ?? null)
  rows.sort((one, other) => {
    if ((one.reason === null) !== (other.reason === null)) return one.reason === null ? -1 : 1
    return sortingValue(one) < sortingValue(other) ? 1 : sortingValue(one) > sortingValue(other) ? -1 : 0
  })
  let place = 0
  return rows.map((row, index) => {
    const { system, figure, reason } = row
    if (index === 0 || sortingValue(row) !== sortingValue(rows[index - 1])) place = index + 1
    const shown = system === null && reason !== null ? undefined : figure
    return {
      rank: reason === null ? place : null,
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

/**
 * How the ranked figures were made: as this version makes them, over all images, where rows have such figures; of several ways
 * the most frequent, then the oldest, so that a new row changes nothing.
 */
function chooseStandard(figures: readonly Figure[]): ProvenanceRecord | null {
  const ways = new Map<string, { readonly record: ProvenanceRecord; readonly merit: number; rows: number }>()
  for (const { record, isCurrent, value } of figures) {
    if (value === null) continue
    const merit = (isPartial(record) ? 0 : 2) + (isCurrent ? 1 : 0)
    const key = comparisonKey(record, { sharedImages: false })
    const way = ways.get(key)
    if (way) way.rows++
    else ways.set(key, { record, merit, rows: 1 })
  }
  const [best] = [...ways.values()].sort((one, other) => other.merit - one.merit || other.rows - one.rows)
  return best?.record ?? null
}

/** The newest figure that was made in the standard way, otherwise the newest, and why it is not ranked. */
function chooseFigure(
  figures: readonly Figure[],
  standard: ProvenanceRecord | null,
  hasWanted: (figure: Figure) => boolean,
): { readonly figure: Figure | undefined; readonly reason: UndefinedReason | null } {
  const reasonOf = (figure: Figure): UndefinedReason | null => {
    const { record, value } = figure
    if (value === null) return 'NOT_COMPUTED'
    if (!hasWanted(figure)) return 'OTHER_DOCUMENT_FREQUENCIES'
    // Without another figure, those of people alone are left out for their references.
    return standard ? findDifference(record, standard, { sharedImages: false }) : 'OTHER_REFERENCES'
  }
  const figure =
    figures.findLast((candidate) => reasonOf(candidate) === null) ??
    figures.findLast(hasWanted) ??
    figures.at(-1)
  return { figure, reason: figure ? reasonOf(figure) : 'NOT_COMPUTED' }
}

import type { UndefinedReason } from '../../shared/undefined-reason.js'
import type { Dataset } from '../../store/schema/dataset-tables.js'
import type { System } from '../../store/schema/system-tables.js'
import type { ComparedFigure } from '../comparisons/compare.js'
import { type Comparison, compare, MAX_COMPARED_SYSTEMS } from '../comparisons/comparisons.js'
import { requireMetric } from '../evaluations/metrics.js'
import type { Accord, Client } from '../shared/accord.js'
import { documentHashOf, type LeaderboardOptions } from './leaderboard.js'
import type { LeaderboardRow } from './ranking.js'

/** What paired tests say about the rank of a row among the ranked rows of its board. */
export interface Standing {
  /** The other systems that it does not differ from, best first. Null with a reason. */
  readonly tiedWith: readonly System[] | null
  /** Whether it does not differ from people. Null on the row of people, where people are not ranked, and with a reason. */
  readonly isTiedWithPeople: boolean | null
  /** From 1 + the rows that are better to the number of rows − those that are worse. Null with a reason. */
  readonly rankRange: { readonly min: number; readonly max: number } | null
  /** Why a pair with another row has no test. */
  readonly undefinedReason: UndefinedReason | null
  /** What to know when reading it. */
  readonly notes: readonly string[]
}

/**
 * The standings of the rows of a board, in their order; null for rows that are not ranked. People are compared as systems are.
 */
export async function leaderboardStandings(
  accord: Accord,
  dataset: Dataset,
  rows: readonly LeaderboardRow[],
  options: LeaderboardOptions,
  client: Client = {},
): Promise<(Standing | null)[]> {
  const ranked = rows.filter(({ rank }) => rank !== null)
  const systems = ranked.flatMap(({ system }) => (system ? [system.name] : []))
  if (systems.length > MAX_COMPARED_SYSTEMS) {
    return rows.map(({ rank }) => (rank === null ? null : untested('TOO_MANY_SYSTEMS')))
  }
  const people = ranked.some(({ isHuman }) => isHuman)
  const figure = figureOf(options)
  const pairs =
    ranked.length > 1
      ? await compare(
          accord,
          dataset,
          { systems, people, figure, documentHash: await documentHashOf(accord, options) },
          client,
        )
      : []
  return rows.map((row) => {
    if (row.rank === null) return null
    const standing = standingOf(row, ranked, pairs)
    return row.isHuman ? { ...standing, notes: systemsAbovePeople(accord, pairs, options) } : standing
  })
}

function figureOf({
  by,
  metric,
  references,
  partOfSpeech,
  vocabularyOf,
}: LeaderboardOptions): ComparedFigure {
  return by === 'METRIC'
    ? { kind: 'METRIC', metric: metric as string, references }
    : { kind: by, references, partOfSpeech, vocabularyOf }
}

function untested(undefinedReason: UndefinedReason): Standing {
  return { tiedWith: null, isTiedWithPeople: null, rankRange: null, undefinedReason, notes: [] }
}

function standingOf(
  { system, isHuman }: LeaderboardRow,
  ranked: readonly LeaderboardRow[],
  pairs: readonly Comparison[],
): Standing {
  const id = system?.id
  const own = pairs
    .filter(({ first, second }) => first?.id === id || second?.id === id)
    .map((pair) => {
      const isFirst = pair.first?.id === id
      const { better, pValue } = pair.together
      const isBetter = better !== null && (better === 'FIRST') === isFirst
      return { ...pair, better, pValue, other: isFirst ? pair.second : pair.first, isBetter }
    })
  const open = own.find(({ pValue }) => pValue === null)
  if (open) return untested(open.undefinedReason ?? 'UNDEFINED_FIGURE')
  const tied = own.filter(({ better }) => better === null)
  const tiedIds = new Set(tied.map(({ other }) => other?.id))
  const worseCount = own.filter(({ isBetter }) => isBetter).length
  const isWithPeople = !isHuman && ranked.some((row) => row.isHuman)
  return {
    tiedWith: ranked.flatMap((row) => (row.system && tiedIds.has(row.system.id) ? [row.system] : [])),
    isTiedWithPeople: isWithPeople ? tiedIds.has(undefined) : null,
    rankRange: { min: 1 + own.length - tied.length - worseCount, max: ranked.length - worseCount },
    undefinedReason: null,
    notes: [],
  }
}

/** Of the standing of people by a metric: readers take systems above them for a mistake. */
function systemsAbovePeople(
  accord: Accord,
  pairs: readonly Comparison[],
  { by, metric }: LeaderboardOptions,
): string[] {
  if (by !== 'METRIC') return []
  const names = pairs.flatMap(({ first, second, together: { better } }) => {
    const [best, other] = better === 'SECOND' ? [second, first] : [first, second]
    return better !== null && best !== null && other === null ? [best.name] : []
  })
  if (names.length === 0) return []
  const isExternal = requireMetric(accord, metric as string).needs.text === 'external'
  const reason = isExternal
    ? ''
    : ', and is also known from COCO: such metrics reward the words that most references share, and people phrase the same content in different words'
  return [
    `Above people by ${metric} (paired tests, corrected for all pairs of the board): ${names.join(', ')}. This does not mean better captions${reason}.`,
  ]
}

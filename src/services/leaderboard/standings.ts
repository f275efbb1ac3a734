import type { Dataset, System } from '../../store/schema/entities.js'
import type { UndefinedReason } from '../../undefined-reason.js'
import type { Accord, Client } from '../accord.js'
import type { ComparedFigure } from '../comparisons/compare.js'
import { betterSide, type Comparison, compare } from '../comparisons/comparisons.js'
import type { LeaderboardOptions, LeaderboardRow } from './leaderboard.js'

/** What paired tests say about the rank of a system among the ranked systems of its board, without people. */
export interface Standing {
  /** The other systems that it does not differ from, best first. Null with a reason. */
  readonly tiedWith: readonly System[] | null
  /** From 1 + the systems that are better to the number of systems − those that are worse. Null with a reason. */
  readonly rankRange: { readonly min: number; readonly max: number } | null
  /** Why a pair with another system has no test. */
  readonly undefinedReason: UndefinedReason | null
}

/** p-values, with Holm's correction for all pairs of a board, from which two systems count as tied. */
export const SIGNIFICANCE = 0.05

/**
 * The standings of the rows of a board, in their order; null for people and rows that are not ranked.
 *
 * @throws AccordError as `compare`: OUT_OF_RANGE for more than 20 ranked systems
 */
export async function leaderboardStandings(
  accord: Accord,
  dataset: Dataset,
  rows: readonly LeaderboardRow[],
  options: LeaderboardOptions,
  client: Client,
): Promise<(Standing | null)[]> {
  const ranked = rows.flatMap(({ system, rank }) => (system !== null && rank !== null ? [system] : []))
  const figure = figureOf(options)
  const systems = ranked.map(({ name }) => name)
  const pairs = systems.length > 1 ? await compare(accord, dataset, { systems, figure }, client) : []
  const better = pairs.map((pair) => ({ ...pair, better: betterSide(accord, pair, figure) }))
  return rows.map(({ system, rank }) =>
    system !== null && rank !== null ? standingOf(system, ranked, better) : null,
  )
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

function standingOf(
  { id }: System,
  ranked: readonly System[],
  pairs: readonly (Comparison & { readonly better: 'FIRST' | 'SECOND' | null })[],
): Standing {
  const own = pairs
    .filter(({ first, second }) => first?.id === id || second?.id === id)
    .map((pair) => ({ ...pair, isBetter: (pair.better === 'FIRST') === (pair.first?.id === id) }))
  const untested = own.find(({ adjustedPValue }) => adjustedPValue === null)
  if (untested) {
    return {
      tiedWith: null,
      rankRange: null,
      undefinedReason: untested.undefinedReason ?? 'UNDEFINED_FIGURE',
    }
  }
  const isTied = ({ adjustedPValue }: Comparison) => (adjustedPValue as number) >= SIGNIFICANCE
  const tiedIds = new Set(own.filter(isTied).flatMap(({ first, second }) => [first?.id, second?.id]))
  const different = own.filter((pair) => !isTied(pair))
  const worseCount = different.filter(({ isBetter }) => isBetter).length
  return {
    tiedWith: ranked.filter((other) => other.id !== id && tiedIds.has(other.id)),
    rankRange: { min: 1 + different.length - worseCount, max: ranked.length - worseCount },
    undefinedReason: null,
  }
}

import { rateSystems, ratingIntervals, type SystemComparisons } from '../../core/judgements/bradley-terry.js'
import { isPeople, type Judgements } from '../../core/judgements/judgement.js'
import { countPairs, spearman, tauBOf } from '../../core/stats/correlation.js'
import type { Interval } from '../../core/stats/interval.js'
import { AccordError } from '../../errors.js'
import type { UndefinedReason } from '../../shared/undefined-reason.js'

/** A system in preferences between captions of systems. */
export interface SystemStrength {
  readonly name: string
  /** Bradley-Terry strength on the scale of Elo ratings, 1000 for the anchor; null where strengths are undefined. */
  readonly rating: number | null
  /** 95 %; null for the anchor, and below 10 images. */
  readonly interval: Interval | null
  /** Preferences for the system, against it, and for neither. */
  readonly preferredCount: number
  readonly otherCount: number
  readonly tieCount: number
}

export interface SystemStrengths {
  /** Name of the system with the rating 1000. */
  readonly anchor: string
  /** The strongest first. */
  readonly systems: readonly SystemStrength[]
  readonly undefinedReason: UndefinedReason | null
}

/** The strengths of systems by a metric: it prefers the caption with the higher score. */
export interface MetricRanking {
  /** In the order of `SystemStrengths`; null where they are undefined. */
  readonly ratings: readonly (number | null)[]
  /** Of these ratings with those of people; null where one of them is undefined. */
  readonly spearman: number | null
  readonly kendall: number | null
}

export interface Strengths {
  readonly people: SystemStrengths
  rankBy(scores: Float64Array): MetricRanking
}

type Preferences = Judgements & { readonly kind: 'PREFERENCES' }

/**
 * The strengths of systems by preferences; null where the source names no systems.
 *
 * @param anchor name of a system; default: people if they are among the systems, otherwise the first system
 * @throws AccordError UNKNOWN_SYSTEM for an unknown anchor
 */
export function rankByPreferences(
  { contest, pairs }: Preferences,
  anchor: string | undefined,
): Strengths | null {
  if (contest === null) return null
  const { comparisons, names } = contest
  const anchored = findAnchor(names, anchor)
  const ratings = rateSystems(comparisons, anchored)
  const intervals = ratings && ratingIntervals(comparisons, ratings, anchored)
  const counts = countOutcomes(comparisons)
  const order = names
    .map((_, system) => system)
    .sort((one, other) => (ratings ? ratings[other] - ratings[one] : one - other))
  return {
    people: {
      anchor: names[anchored],
      systems: order.map((system) => ({
        name: names[system],
        rating: ratings?.[system] ?? null,
        interval: intervals?.[system] ?? null,
        ...counts[system],
      })),
      undefinedReason: ratings === null ? 'UNCONNECTED_SYSTEMS' : null,
    },
    rankBy(scores) {
      const outcomes = pairs.first.map((first, pair) => sign(scores[first], scores[pairs.second[pair]]))
      const own = rateSystems(
        { ...comparisons, outcomes: Float64Array.from(outcomes, (order) => (1 + order) / 2) },
        anchored,
      )
      return {
        ratings: order.map((system) => own?.[system] ?? null),
        spearman: own && ratings && spearman(own, ratings),
        kendall: own && ratings && tauBOf(countPairs(own, ratings)),
      }
    },
  }
}

/** 0 where a score is undefined. */
function sign(one: number, other: number): number {
  return Math.sign(one - other) || 0
}

function findAnchor(names: readonly string[], anchor: string | undefined): number {
  if (anchor === undefined) return Math.max(0, names.findIndex(isPeople))
  const found = names.indexOf(anchor)
  if (found >= 0) return found
  throw new AccordError('UNKNOWN_SYSTEM', 'unknown system', {
    source: 'anchor',
    expected: `one of ${names.join(', ')}`,
    found: JSON.stringify(anchor),
  })
}

function countOutcomes({ systemCount, first, second, outcomes }: SystemComparisons) {
  const counts = Array.from({ length: systemCount }, () => ({
    preferredCount: 0,
    otherCount: 0,
    tieCount: 0,
  }))
  for (const [index, outcome] of outcomes.entries()) {
    const [one, other] = [counts[first[index]], counts[second[index]]]
    if (outcome === 0.5) {
      one.tieCount++
      other.tieCount++
    } else {
      const [better, worse] = outcome === 1 ? [one, other] : [other, one]
      better.preferredCount++
      worse.otherCount++
    }
  }
  return counts
}

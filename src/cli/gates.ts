import { InvalidArgumentError, Option } from 'commander'
import { AccordError, quote } from '../errors.js'
import { FRACTIONS, improvement, showP } from './output/formats.js'

/** Conditions on scores under which a command exits with 3, for continuous integration. */

/** A score that systems should reach. */
export interface Gate {
  /** As it was written. */
  readonly metric: string
  readonly score: number
}

/** A score of a system, perhaps compared with a baseline. */
export interface GatedScore {
  readonly system: string
  readonly metric: string
  readonly higherIsBetter: boolean
  readonly value: number | null
  /** With the baseline: difference to it, and the p-value after correction. */
  readonly comparison?: { readonly difference: number | null; readonly adjustedPValue: number | null } | null
}

/** Differences with a smaller p-value are taken as true. */
const LEVEL = 0.05

export const failBelowOption = () =>
  new Option(
    '--fail-below <metric=score...>',
    'exit with 3 if a system is worse than this by a metric, such as CIDEr-D=.97',
  ).argParser((text: string, previous: readonly Gate[] = []) => [...previous, parseGate(text)])

function parseGate(text: string): Gate {
  const [, metric, score] = text.match(/^([^=]+)=(-?\d*\.?\d+)$/) ?? []
  if (metric === undefined)
    throw new InvalidArgumentError('Expected a metric and a score, such as CIDEr-D=.97.')
  return { metric: metric.trim(), score: Number(score) }
}

/** What is below the gates. @throws AccordError UNKNOWN_METRIC for a gate by a metric that was not computed */
export async function failuresBelow(
  gates: readonly Gate[] = [],
  scores: readonly GatedScore[],
): Promise<string[]> {
  const { isNamed } = await import('../services/evaluations/scores.js')
  return gates.flatMap(({ metric, score: limit }) => {
    const ofMetric = scores.filter((score) => isNamed(score.metric, metric))
    if (ofMetric.length === 0) {
      throw new AccordError('UNKNOWN_METRIC', 'the metric was not computed', {
        source: '--fail-below',
        expected: `one of ${[...new Set(scores.map((score) => score.metric))].join(', ')}`,
        found: quote(metric),
      })
    }
    return ofMetric.flatMap(({ system, metric: name, value, higherIsBetter }) => {
      if (value === null) return [`${system} has no score by ${name}; expected ${FRACTIONS.share(limit)}`]
      const isWorse = improvement(value - limit, higherIsBetter) < 0
      const side = higherIsBetter ? 'below' : 'above'
      return isWorse
        ? [`${system} has ${name} ${FRACTIONS.share(value)}, ${side} ${FRACTIONS.share(limit)}`]
        : []
    })
  })
}

/** Which systems are worse than the baseline, by a test at the level of 5 %. */
export function failuresAgainst(baseline: string, scores: readonly GatedScore[]): string[] {
  return scores.flatMap(({ system, metric, higherIsBetter, comparison }) => {
    const { difference = null, adjustedPValue = null } = comparison ?? {}
    if (difference === null || adjustedPValue === null || adjustedPValue >= LEVEL) return []
    const isWorse = improvement(difference, higherIsBetter) < 0
    const by = FRACTIONS.share(Math.abs(difference))
    return isWorse
      ? [`${system} is worse than ${baseline} by ${by} on ${metric} (p ${showP(adjustedPValue)})`]
      : []
  })
}

import { InvalidArgumentError, Option } from 'commander'
import { collectList } from '../config.js'
import { AccordError, quote } from '../errors.js'
import type { Difference } from '../services/comparisons/pair-comparison.js'
import { pText } from '../shared/verdict.js'
import { improvement } from './output/formats.js'
import type { Sentence } from './output/report.js'

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
  /** With the baseline, which is the second side. */
  readonly comparison?: Pick<Difference, 'difference' | 'alone' | 'together' | 'undefinedReason'> | null
}

export const failBelowOption = () =>
  new Option(
    '--fail-below <metric=score...>',
    'exit with 3 if a system is worse than this by a metric, or by one of a group, such as CIDEr-D=.97,BLEU=.2; with --percent CIDEr-D=97,BLEU=20',
  ).argParser(collectList(parseGate))

function parseGate(text: string): Gate {
  const [, metric, score] = text.match(/^([^=]+)=(-?\d*\.?\d+)$/) ?? []
  if (metric === undefined)
    throw new InvalidArgumentError('Expected a metric and a score, such as CIDEr-D=.97.')
  return { metric: metric.trim(), score: Number(score) }
}

/**
 * The gates with scores on the scale of metrics.
 *
 * @param percent whether they are given as scores are shown, multiplied by 100
 * @throws AccordError OUT_OF_RANGE for a score that a built-in metric cannot have
 */
export async function readGates(gates: readonly Gate[] = [], percent = false): Promise<Gate[]> {
  if (gates.length === 0) return []
  const { listBuiltInMetrics } = await import('../services/evaluations/metric-names.js')
  const { isNamed } = await import('../services/evaluations/metric-names.js')
  const metrics = listBuiltInMetrics()
  const scale = percent ? 100 : 1
  return gates.map(({ metric, score }) => {
    const range = metrics.find(({ name }) => isNamed(name, metric))
    if (range && (score < range.lowest * scale || score > range.highest * scale)) {
      throw new AccordError('OUT_OF_RANGE', `no score by ${metric} is beyond this`, {
        source: '--fail-below',
        expected: `${range.lowest * scale} to ${range.highest * scale}${percent ? '' : ', or --percent'}`,
        found: String(score),
      })
    }
    return { metric, score: score / scale }
  })
}

/** What is below the gates. @throws AccordError UNKNOWN_METRIC for a gate by a metric that was not computed */
export async function failuresBelow(
  gates: readonly Gate[],
  scores: readonly GatedScore[],
): Promise<Sentence[]> {
  if (gates.length === 0) return []
  const { isNamed } = await import('../services/evaluations/metric-names.js')
  return gates.flatMap(({ metric, score: limit }) => {
    const ofMetric = scores.filter((score) => isNamed(score.metric, metric))
    if (ofMetric.length === 0) {
      throw new AccordError('UNKNOWN_METRIC', 'the metric was not computed', {
        source: '--fail-below',
        expected: `one of ${[...new Set(scores.map((score) => score.metric))].join(', ')}`,
        found: quote(metric),
      })
    }
    return ofMetric.flatMap(({ system, metric: name, value, higherIsBetter }): Sentence[] => {
      if (value === null)
        return [({ share }) => `${system} has no score by ${name}; expected ${share(limit)}`]
      const isWorse = improvement(value - limit, higherIsBetter) < 0
      const side = higherIsBetter ? 'below' : 'above'
      return isWorse ? [({ share }) => `${system} has ${name} ${share(value)}, ${side} ${share(limit)}`] : []
    })
  })
}

/**
 * Which systems are worse than the baseline: by the metric that is asked for by itself, by the others as one table. A difference
 * that is the same whichever images are left out has no test, and counts.
 *
 * @param asked the metric by which the question is asked; null where there are several systems
 */
export function failuresAgainst(
  baseline: string,
  scores: readonly GatedScore[],
  asked: string | null,
): Sentence[] {
  return scores.flatMap(({ system, metric, higherIsBetter, comparison }): Sentence[] => {
    if (!comparison?.difference) return []
    const { difference, alone, together, undefinedReason } = comparison
    const isConstant = undefinedReason === 'NO_VARIATION' && improvement(difference, higherIsBetter) < 0
    const better = metric === asked ? alone.better : together.better
    if (better !== 'SECOND' && !isConstant) return []
    const reason = isConstant
      ? 'whichever images are left out'
      : pText((metric === asked ? alone.pValue : together.pValue) as number)
    return [
      ({ share }) =>
        `${system} is worse than ${baseline} by ${share(Math.abs(difference))} on ${metric} (${reason})`,
    ]
  })
}

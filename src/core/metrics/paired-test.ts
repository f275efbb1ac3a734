import type { UndefinedReason } from '../../shared/undefined-reason.js'
import { judgeSampleSize } from '../stats/interval.js'
import { differenceEstimates } from '../stats/jackknife.js'
import type { Measurement } from '../stats/measurement.js'
import { type SwapOptions, swapTests } from '../stats/permutation.js'
import { type MetricFamily, scoreCorpus } from './metric.js'

/** Rows of statistics of images: of one trial, or of several one after the other. */
export interface MeasuredImages {
  /** Distinct ids or positions. */
  readonly imageIds: Int32Array
  readonly statistics: Float64Array
}

/**
 * The rows of the images that both have, in one order. Null if there is none.
 *
 * @param included the images that are meant; absent: all
 */
export function shareImages(
  family: MetricFamily,
  one: MeasuredImages,
  other: MeasuredImages,
  included?: ReadonlySet<number>,
): { readonly imageIds: Int32Array; readonly sides: readonly [Measurement, Measurement] } | null {
  const inOther = new Set(other.imageIds)
  const imageIds = one.imageIds.filter((id) => inOther.has(id) && included?.has(id) !== false)
  if (imageIds.length === 0) return null
  return { imageIds, sides: [pickRows(family, one, imageIds), pickRows(family, other, imageIds)] }
}

function pickRows(
  family: MetricFamily,
  { imageIds: measured, statistics }: MeasuredImages,
  imageIds: Int32Array,
): Measurement {
  const { width } = family
  const places = new Map(Array.from(measured, (id, place) => [id, place]))
  const trialLength = measured.length * width
  const trials = Array.from({ length: statistics.length / trialLength }, (_, trial) => {
    const rows = new Float64Array(imageIds.length * width)
    for (const [image, id] of imageIds.entries()) {
      const start = trial * trialLength + (places.get(id) as number) * width
      rows.set(statistics.subarray(start, start + width), image * width)
    }
    return rows
  })
  return { family, trials }
}

/** Two systems, or a system and people, by one metric on the same images. */
interface PairedTest {
  /** Means over trials. Null if undefined. */
  readonly firstScore: number | null
  readonly secondScore: number | null
  /** First minus second. */
  readonly difference: number | null
  /** Of the difference, by the jackknife. */
  readonly standardError: number | null
  /** Its degrees of freedom. */
  readonly freedom: number | null
  /** Two-sided, of the permutation test. */
  readonly pValue: number | null
  /** Whether the p-value is less than `1 / resamples`, the resolution of the test. */
  readonly isBound: boolean
  /** Whether all swaps were enumerated. */
  readonly isExact: boolean
  /** Number of swaps. */
  readonly resamples: number | null
  readonly isSmall: boolean
  /** Why there is no standard error and no test. */
  readonly undefinedReason: UndefinedReason | null
}

const UNTESTED = {
  standardError: null,
  freedom: null,
  pValue: null,
  isBound: false,
  isExact: false,
  resamples: null,
}

/**
 * Compares two measurements of one family, one result per metric.
 *
 * @param options of the permutation test; null for differences and standard errors alone
 */
export function testPair(first: Measurement, second: Measurement, options: SwapOptions | null): PairedTest[] {
  const { family } = first
  const { undefinedReason, isSmall } = judgeSampleSize(first.trials[0].length / family.width)
  const tests = undefinedReason === null && options ? swapTests(first, second, options) : []
  const estimates = undefinedReason === null ? differenceEstimates(first, second) : []
  const [firstScores, secondScores] = [meanScores(first), meanScores(second)]
  return family.metrics.map((_, index) => {
    const [firstScore, secondScore] = [firstScores[index], secondScores[index]].map(definedOrNull)
    if (firstScore === null || secondScore === null) {
      const undefinedFigures = { firstScore, secondScore, difference: null, ...UNTESTED }
      return { ...undefinedFigures, isSmall, undefinedReason: 'UNDEFINED_FIGURE' }
    }
    const estimate = estimates.at(index) ?? null
    const { standardError = null, freedom = null } = estimate ?? {}
    const tested =
      undefinedReason === null ? { ...UNTESTED, ...tests[index], standardError, freedom } : UNTESTED
    return {
      firstScore,
      secondScore,
      difference: firstScore - secondScore,
      ...tested,
      isSmall,
      undefinedReason: estimate?.undefinedReason ?? undefinedReason,
    }
  })
}

function definedOrNull(score: number): number | null {
  return Number.isNaN(score) ? null : score
}

/** The mean corpus score over trials, per metric. */
function meanScores({ family, trials }: Measurement): Float64Array {
  const scores = trials.map((rows) => scoreCorpus(family, rows))
  return Float64Array.from(
    family.metrics,
    (_, metric) => scores.reduce((sum, ofTrial) => sum + ofTrial[metric], 0) / trials.length,
  )
}

import { studentQuantile } from './distributions.js'
import type { Interval } from './interval.js'

/**
 * Holm's correction: p-values of several hypotheses tested together, adjusted so that the probability of rejecting
 * any true one stays below the level (Holm 1979, "A simple sequentially rejective multiple test procedure",
 * Scandinavian Journal of Statistics 6). The i-th smallest of m p-values is multiplied by m − i + 1, and is at least
 * the adjusted value of the one before, at most 1.
 *
 * @returns the adjusted p-values in the order given
 */
export function holm(pValues: readonly number[]): number[] {
  const ascending = pValues.map((_, index) => index).sort((one, other) => pValues[one] - pValues[other])
  const adjusted = new Array<number>(pValues.length)
  let largest = 0
  ascending.forEach((index, rank) => {
    largest = Math.min(1, Math.max(largest, pValues[index] * (pValues.length - rank)))
    adjusted[index] = largest
  })
  return adjusted
}

/** A figure with what intervals by Student's t are made of. */
export interface StudentEstimate {
  readonly value: number
  /** Null where there is no interval. */
  readonly standardError: number | null
  /** Degrees of freedom, 1 or more. */
  readonly freedom: number
}

/**
 * Simultaneous intervals of several figures: all of them hold together with a probability of at least 95 %. By Bonferroni's
 * correction for their number n each has the level 1 − .05 / n; a single one is a 95 % interval. Holm's correction rejects what
 * Bonferroni's does, and possibly more: an interval may contain 0 where {@link holm} gives a p-value below .05.
 *
 * @returns an interval for each figure, null where there is none
 */
export function simultaneousIntervals(figures: readonly (StudentEstimate | null)[]): (Interval | null)[] {
  const count = figures.filter((figure) => figure !== null && figure.standardError !== null).length
  return figures.map((figure) => {
    if (figure === null || figure.standardError === null) return null
    const margin = studentQuantile(figure.freedom, 0.05 / count) * figure.standardError
    return { lower: figure.value - margin, upper: figure.value + margin }
  })
}

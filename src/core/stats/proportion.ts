/**
 * Intervals of shares of successes that are never of width 0: mid-P intervals (Lancaster 1961; Agresti and Gottard 2007), which
 * invert the binomial test with half the probability of the observed number. A number of successes or of trials need not be a
 * whole one: ties count one half, and trials that depend on each other count as fewer (Korn and Graubard 1998).
 */
import { incompleteBeta } from './distributions.js'
import type { Interval } from './interval.js'
import { findRoot } from './optimise.js'

/** The probability beyond each end of a 95 % interval. */
export const TAIL = 0.025

/**
 * The interval of a share.
 *
 * @param successes from 0 to `trials`
 * @param trials more than 0
 * @param beyond probability beyond each end; default: of a 95 % interval
 */
export function shareInterval(successes: number, trials: number, beyond = TAIL): Interval {
  return {
    lower: lowerEnd(successes, trials, beyond),
    upper: 1 - lowerEnd(trials - successes, trials, beyond),
  }
}

/** The share for which `successes` and more, half of them themselves, have the probability `beyond`. */
function lowerEnd(successes: number, trials: number, beyond: number): number {
  if (successes <= 0) return 0
  const rest = trials - successes
  const tail = (share: number) => {
    const atLeast = incompleteBeta(share, successes, rest + 1)
    const more = rest <= 0 ? 0 : incompleteBeta(share, successes + 1, rest)
    return (atLeast + more) / 2 - beyond
  }
  // Less than one success in few trials can be too probable for every share.
  if (tail(0) >= 0) return 0
  return tail(1) <= 0 ? 1 : findRoot(tail, 0, 1)
}

/**
 * The 95 % interval of a mean of independent shares, from the intervals of each (Zou and Donner 2008, method of variance estimates
 * recovery).
 *
 * @param shares at least one
 */
export function meanShareInterval(
  shares: readonly { readonly successes: number; readonly trials: number }[],
): Interval {
  let [mean, below, above] = [0, 0, 0]
  for (const { successes, trials } of shares) {
    const share = successes / trials
    const { lower, upper } = shareInterval(successes, trials)
    mean += share / shares.length
    below += (share - lower) ** 2
    above += (upper - share) ** 2
  }
  return {
    lower: Math.max(0, mean - Math.sqrt(below) / shares.length),
    upper: Math.min(1, mean + Math.sqrt(above) / shares.length),
  }
}

import { findRoot } from './optimise.js'

/*
 * Normal and Student's t distribution. The t distribution comes from the incomplete beta function: Press et al.,
 * Numerical Recipes, 3rd edition, section 6.4 (continued fraction, modified Lentz), relative error below 1e-13.
 */

/** Terms after which the continued fraction has converged for the parameters used here. */
const MAX_TERMS = 10_000

const TINY = 1e-300

/**
 * The two-sided p-value of a t statistic: P(|T| ≥ |t|) for Student's t distribution, 0..1.
 *
 * @param freedom degrees of freedom, more than 0; Infinity for the normal distribution
 */
export function studentPValue(t: number, freedom: number): number {
  if (t === 0) return 1
  if (freedom > 1e7) return 2 * upperNormal(Math.abs(t))
  return incompleteBeta(freedom / (freedom + t * t), freedom / 2, 0.5)
}

/** The two-sided p-value of a standard normal statistic: P(|Z| ≥ |z|), 0..1. */
export function normalPValue(z: number): number {
  return studentPValue(z, Number.POSITIVE_INFINITY)
}

const quantiles = new Map<string, number>()

/**
 * The t with P(|T| ≥ t) = `outside` for Student's t distribution: half the width of an interval, in standard errors.
 *
 * @param freedom degrees of freedom, 1 or more
 * @param outside probability outside of the interval, more than 0 and at most .05: that of a 95 % interval
 */
export function studentQuantile(freedom: number, outside = 0.05): number {
  const key = `${freedom} ${outside}`
  const known = quantiles.get(key)
  if (known !== undefined) return known
  // The distribution with one degree of freedom has the largest quantile, 1 / tan(π · outside / 2).
  const largest = 2 / (Math.PI * outside) + 1
  const quantile = findRoot((t) => Math.log(studentPValue(t, freedom) / outside), 1.9, largest)
  if (quantiles.size < 10_000) quantiles.set(key, quantile)
  return quantile
}

/** P(Z ≤ z) for the standard normal distribution. */
export function normalCdf(z: number): number {
  return z < 0 ? upperNormal(-z) : 1 - upperNormal(z)
}

/** The z with P(Z ≤ z) = probability, for 0 < probability < 1. */
export function normalQuantile(probability: number): number {
  if (probability === 0.5) return 0
  const tail = Math.min(probability, 1 - probability)
  const z = findRoot((x) => Math.log(upperNormal(x) / tail), 0, 38)
  return probability < 0.5 ? -z : z
}

/** P(Z > z) for z ≥ 0. */
function upperNormal(z: number): number {
  if (z === 0) return 0.5
  if (z > 38) return 0
  const x = (z * z) / 2
  return 0.5 * (x < 1.5 ? 1 - lowerGammaHalf(x) : upperGammaHalf(x))
}

/** Regularised incomplete gamma function P(1/2, x), from its series. */
function lowerGammaHalf(x: number): number {
  let term = 2
  let sum = term
  for (let n = 1; n < MAX_TERMS && term > sum * Number.EPSILON; n++) {
    term *= x / (0.5 + n)
    sum += term
  }
  return sum * Math.exp(-x) * Math.sqrt(x / Math.PI)
}

/** Regularised incomplete gamma function Q(1/2, x), from its continued fraction. */
function upperGammaHalf(x: number): number {
  let b = x + 0.5
  let c = 1 / TINY
  let d = 1 / b
  let value = d
  for (let n = 1; n < MAX_TERMS; n++) {
    const a = -n * (n - 0.5)
    b += 2
    d = 1 / (a * d + b)
    c = b + a / c
    const factor = c * d
    value *= factor
    if (Math.abs(factor - 1) <= Number.EPSILON) break
  }
  return value * Math.exp(-x) * Math.sqrt(x / Math.PI)
}

/** Regularised incomplete beta function I_x(a, b), for a > 0 and b > 0. */
export function incompleteBeta(x: number, a: number, b: number): number {
  if (x <= 0) return 0
  if (x >= 1) return 1
  const front = Math.exp(a * Math.log(x) + b * Math.log1p(-x) - logBeta(a, b))
  return x < (a + 1) / (a + b + 2)
    ? (front * betaFraction(x, a, b)) / a
    : 1 - (front * betaFraction(1 - x, b, a)) / b
}

function betaFraction(x: number, a: number, b: number): number {
  let c = 1
  let d = 1 / nonZero(1 - ((a + b) * x) / (a + 1))
  let value = d
  for (let m = 1; m < MAX_TERMS; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m))
    d = 1 / nonZero(1 + even * d)
    c = nonZero(1 + even / c)
    value *= c * d
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1))
    d = 1 / nonZero(1 + odd * d)
    c = nonZero(1 + odd / c)
    const factor = c * d
    value *= factor
    if (Math.abs(factor - 1) <= 4 * Number.EPSILON) break
  }
  return value
}

function nonZero(x: number): number {
  return Math.abs(x) < TINY ? TINY : x
}

function logBeta(a: number, b: number): number {
  return logGamma(a) + logGamma(b) - logGamma(a + b)
}

/** ln Γ(x) for x > 0: Stirling's series, after shifting x to 10 or more. */
function logGamma(x: number): number {
  let shift = 0
  let y = x
  while (y < 10) shift += Math.log(y++)
  const inverse = 1 / y
  const square = inverse * inverse
  const series = inverse * (1 / 12 - square * (1 / 360 - square * (1 / 1260 - square / 1680)))
  return (y - 0.5) * Math.log(y) - y + 0.5 * Math.log(2 * Math.PI) + series - shift
}

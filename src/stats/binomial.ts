import type { Random } from './random.js'

/** Below this mean, inversion of the distribution function is faster than rejection. */
const REJECTION_MEAN = 10

/**
 * Draws from the binomial distribution: the number of successes in `trials` trials (integer ≥ 0) with success
 * probability `probability` (0..1). Exact: sequential inversion if the mean is small, otherwise transformed
 * rejection (BTRS), Hörmann (1993), "The generation of binomial random variates", J. Statist. Comput. Simul.
 * 46. The time does not depend on `trials`.
 */
export function drawBinomial(random: Random, trials: number, probability: number): number {
  if (probability > 0.5) return trials - drawBinomial(random, trials, 1 - probability)
  if (trials === 0 || probability <= 0) return 0
  return trials * probability < REJECTION_MEAN
    ? invert(random, trials, probability)
    : transformAndReject(random, trials, probability)
}

function invert(random: Random, trials: number, probability: number): number {
  const odds = probability / (1 - probability)
  let successes = 0
  let probabilityOfCount = Math.exp(trials * Math.log1p(-probability))
  let remaining = random.next()
  while (remaining >= probabilityOfCount && successes < trials) {
    remaining -= probabilityOfCount
    successes++
    probabilityOfCount *= (odds * (trials - successes + 1)) / successes
  }
  return successes
}

/** BTRS, with the paper's names of the constants. */
function transformAndReject(random: Random, trials: number, probability: number): number {
  const deviation = Math.sqrt(trials * probability * (1 - probability))
  const b = 1.15 + 2.53 * deviation
  const a = -0.0873 + 0.0248 * b + 0.01 * probability
  const c = trials * probability + 0.5
  const alpha = (2.83 + 5.1 / b) * deviation
  const vr = 0.92 - 4.2 / b
  for (;;) {
    const u = random.next() - 0.5
    const v = random.next()
    const us = 0.5 - Math.abs(u)
    const successes = Math.floor(((2 * a) / us + b) * u + c)
    if (us >= 0.07 && v <= vr) return successes
    if (successes < 0 || successes > trials) continue
    const logOdds = Math.log(probability / (1 - probability))
    const mode = Math.floor((trials + 1) * probability)
    const height =
      logFactorial(mode) +
      logFactorial(trials - mode) -
      logFactorial(successes) -
      logFactorial(trials - successes) +
      (successes - mode) * logOdds
    if (Math.log((v * alpha) / (a / (us * us) + b)) <= height) return successes
  }
}

const smallLogFactorials = new Float64Array(1024)
for (let n = 2; n < smallLogFactorials.length; n++)
  smallLogFactorials[n] = smallLogFactorials[n - 1] + Math.log(n)

/** ln n!, from a table for n < 1024, otherwise from Stirling's series with an error below 1e-15. */
function logFactorial(n: number): number {
  if (n < smallLogFactorials.length) return smallLogFactorials[n]
  const inverse = 1 / n
  return (
    (n + 0.5) * Math.log(n) -
    n +
    0.5 * Math.log(2 * Math.PI) +
    inverse * (1 / 12 - inverse * inverse * (1 / 360 - (inverse * inverse) / 1260))
  )
}

import { studentQuantile } from '../stats/distributions.js'
import { type GroupSizes, jackknifeCovariance, type Replicates, subtract } from '../stats/jackknife.js'

/** A point of a curve: a score with so many atoms. */
export interface ScorePoint {
  readonly atoms: number
  readonly score: number
}

/** A number of atoms that a score is worth. */
export interface Capacity {
  /** Interpolated on the curve; null beyond its ends. */
  readonly atoms: number | null
  /** BELOW: less than the first point (`limit`), ABOVE: more than the last one. */
  readonly beyond: 'BELOW' | 'ABOVE' | null
  /** The number of atoms of the end of the curve that the score is beyond; otherwise null. */
  readonly limit: number | null
}

/**
 * The number of atoms that a score is worth (Yao et al. 2016, table 1): by linear interpolation on the curve made monotone
 * by isotonic regression, in the logarithm of 1 + k. A score that is higher than all others has no number: the curve is
 * not extrapolated.
 *
 * @param curve at least one point, with different numbers of atoms
 */
export function capacityOf(score: number, curve: readonly ScorePoint[]): Capacity {
  const points = makeMonotone(curve)
  const [first] = points
  const last = points[points.length - 1]
  if (score < first.score) return { atoms: null, beyond: 'BELOW', limit: first.atoms }
  if (score > last.score) return { atoms: null, beyond: 'ABOVE', limit: last.atoms }
  const next = points.findIndex((point) => point.score >= score)
  const upper = points[next]
  if (upper.score === score) return { atoms: upper.atoms, beyond: null, limit: null }
  const lower = points[next - 1]
  const share = (score - lower.score) / (upper.score - lower.score)
  const [from, to] = [Math.log1p(lower.atoms), Math.log1p(upper.atoms)]
  return { atoms: Math.expm1(from + share * (to - from)), beyond: null, limit: null }
}

/** A point of a curve whose models were scored on the images of the system. */
export interface ModelPoint {
  readonly atoms: number
  /** Scores without each group of the images, of one model or of several that differ by seed: the score is their mean. */
  readonly models: readonly Replicates[]
}

/** The scores of a curve: means over models. */
export function curveOf(points: readonly ModelPoint[]): ScorePoint[] {
  return points.map(({ atoms, models }) => ({ atoms, score: meanOf(models, 0) }))
}

/** The ends of a 95 % interval of a number of atoms. */
export interface CapacityEnds {
  readonly lower: Capacity
  readonly upper: Capacity
}

/**
 * The 95 % interval of the number of atoms that a score is worth: the numbers at which the score does not differ from the
 * curve (Fieller 1954, "Some problems in interval estimation"). System and curve are scored on the same images, so that the
 * difference is a paired one. Where a point has several models, the variance between seeds is added, pooled over the points.
 * An end that is not reached on the curve is beyond it.
 *
 * @param system the score without each group of the images, as those of the models
 * @param points at least two, with different numbers of atoms
 */
export function capacityEnds(
  system: Replicates,
  points: readonly ModelPoint[],
  groups: GroupSizes,
): CapacityEnds {
  const { atoms, scores } = monotoneReplicates(points)
  const seeds = varianceOfSeeds(points)
  const counts = atoms.map((k) => points.find((point) => point.atoms === k)!.models.length)
  const accepted: number[] = []
  for (let i = 0; i + 1 < atoms.length; i++) {
    const [from, to] = [Math.log1p(atoms[i]), Math.log1p(atoms[i + 1])]
    const variances = [seeds.variance / counts[i], seeds.variance / counts[i + 1]] as const
    const shares = acceptedShares(
      subtract(system, scores[i]),
      subtract(scores[i + 1], scores[i]),
      groups,
      variances,
      seeds.freedom,
    )
    for (const share of shares) {
      // The points themselves, without rounding.
      if (share === 0 || share === 1) accepted.push(atoms[i + share])
      else accepted.push(Math.expm1(from + share * (to - from)))
    }
  }
  const [first, last] = [atoms[0], atoms[atoms.length - 1]]
  const below: Capacity = { atoms: null, beyond: 'BELOW', limit: first }
  const above: Capacity = { atoms: null, beyond: 'ABOVE', limit: last }
  if (accepted.length === 0) {
    const end = system[0] < scores[0][0] ? below : above
    return { lower: end, upper: end }
  }
  const [lowest, highest] = [Math.min(...accepted), Math.max(...accepted)]
  return {
    lower: lowest === first ? below : { atoms: lowest, beyond: null, limit: null },
    upper: highest === last ? above : { atoms: highest, beyond: null, limit: null },
  }
}

/**
 * Where on a straight line from one point to the next a score is not significantly different, as the ends of intervals in
 * 0..1.
 *
 * @param gap the score minus that of the first point
 * @param rise the score of the next point minus that of the first
 * @param seedVariances of the scores of the two points
 */
function acceptedShares(
  gap: Replicates,
  rise: Replicates,
  groups: GroupSizes,
  [ofFirst, ofNext]: readonly [number, number],
  seedFreedom: number,
): number[] {
  const gaps = jackknifeCovariance(gap, gap, groups)
  const rises = jackknifeCovariance(rise, rise, groups)
  const both = jackknifeCovariance(gap, rise, groups)
  if (gaps === null || rises === null || both === null) return []
  const seeds = (ofFirst + ofNext) / 4
  const middle = gaps.covariance - both.covariance + rises.covariance / 4
  const freedom = combineFreedom([middle, gaps.freedom], [seeds, seedFreedom])
  const t2 = studentQuantile(freedom) ** 2
  // (gap − share · rise)² − t² · variance, a quadratic function of the share.
  const constant = gap[0] ** 2 - t2 * (gaps.covariance + ofFirst)
  const linear = -2 * gap[0] * rise[0] + 2 * t2 * (both.covariance + ofFirst)
  const square = rise[0] ** 2 - t2 * (rises.covariance + ofFirst + ofNext)
  const isAccepted = (share: number) => constant + linear * share + square * share ** 2 <= 0
  const inside = roots(square, linear, constant).filter((share) => share > 0 && share < 1)
  return [...[0, 1].filter(isAccepted), ...inside]
}

function roots(square: number, linear: number, constant: number): number[] {
  if (square === 0) return linear === 0 ? [] : [-constant / linear]
  const discriminant = linear ** 2 - 4 * square * constant
  if (discriminant < 0) return []
  // Without cancellation.
  const q = -(linear + (linear < 0 ? -1 : 1) * Math.sqrt(discriminant)) / 2
  return q === 0 ? [0] : [q / square, constant / q]
}

/** Degrees of freedom of a sum of variances (Welch 1947). */
function combineFreedom(...parts: readonly (readonly [variance: number, freedom: number])[]): number {
  const total = parts.reduce((sum, [variance]) => sum + variance, 0)
  const weighted = parts.reduce((sum, [variance, freedom]) => sum + variance ** 2 / freedom, 0)
  return weighted > 0 ? total ** 2 / weighted : parts[0][1]
}

/** The variance of a model's score between seeds, pooled over points; 0 where no point has several models. */
function varianceOfSeeds(points: readonly ModelPoint[]): {
  readonly variance: number
  readonly freedom: number
} {
  let squares = 0
  let freedom = 0
  for (const { models } of points) {
    const mean = meanOf(models, 0)
    for (const [score] of models) squares += (score - mean) ** 2
    freedom += models.length - 1
  }
  return freedom === 0 ? { variance: 0, freedom: 1 } : { variance: squares / freedom, freedom }
}

/** Each replicate of a curve made monotone, by point. */
function monotoneReplicates(points: readonly ModelPoint[]): {
  readonly atoms: readonly number[]
  readonly scores: readonly Replicates[]
} {
  const sorted = [...points].sort((one, other) => one.atoms - other.atoms)
  const { length } = sorted[0].models[0]
  const scores = sorted.map(() => new Float64Array(length))
  for (let replicate = 0; replicate < length; replicate++) {
    const curve = sorted.map(({ atoms, models }) => ({ atoms, score: meanOf(models, replicate) }))
    makeMonotone(curve).forEach(({ score }, point) => {
      scores[point][replicate] = score
    })
  }
  return { atoms: sorted.map(({ atoms }) => atoms), scores }
}

function meanOf(models: readonly Replicates[], replicate: number): number {
  return models.reduce((sum, replicates) => sum + replicates[replicate], 0) / models.length
}

/** The curve by ascending atoms, its scores replaced by the nearest ones that do not fall (pool adjacent violators). */
export function makeMonotone(curve: readonly ScorePoint[]): ScorePoint[] {
  const pools: { score: number; atoms: number[] }[] = []
  for (const { atoms, score } of [...curve].sort((one, other) => one.atoms - other.atoms)) {
    let pool = { score, atoms: [atoms] }
    while (pools.length > 0 && pools[pools.length - 1].score > pool.score) {
      const before = pools.pop()!
      const [one, other] = [before.atoms.length, pool.atoms.length]
      pool = {
        score: (before.score * one + pool.score * other) / (one + other),
        atoms: [...before.atoms, ...pool.atoms],
      }
    }
    pools.push(pool)
  }
  return pools.flatMap(({ score, atoms }) => atoms.map((k) => ({ atoms: k, score })))
}

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

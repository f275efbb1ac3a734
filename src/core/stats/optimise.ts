/**
 * Finds a root of a continuous function between two points at which it has opposite signs, to floating-point
 * precision (near 0: to 1e-20 times the distance of the points). Uses inverse quadratic interpolation if it is
 * safe, otherwise bisection: Chandrupatla (1997), "A new hybrid quadratic/bisection algorithm for finding the
 * zero of a nonlinear function without using derivatives", Advances in Engineering Software 28.
 *
 * @throws RangeError if the function has the same sign at both points
 */
export function findRoot(f: (x: number) => number, from: number, to: number): number {
  // The root lies between a, the newest point, and b. c is the previous point.
  let a = to
  let b = from
  let fa = f(a)
  let fb = f(b)
  if (fa === 0) return a
  if (fb === 0) return b
  if (fa > 0 === fb > 0) throw new RangeError(`no sign change between ${from} and ${to}`)
  const minimumStep = 1e-20 * Math.abs(to - from)
  let share = 0.5
  for (;;) {
    const x = a + share * (b - a)
    const fx = f(x)
    let c = a
    let fc = fa
    if (fx > 0 !== fa > 0) {
      c = b
      fc = fb
      b = a
      fb = fa
    }
    a = x
    fa = fx
    const nearest = Math.abs(fa) < Math.abs(fb) ? a : b
    const margin = (2 * Number.EPSILON * Math.abs(nearest) + minimumStep) / Math.abs(b - a)
    if (fa === 0 || margin > 0.5) return nearest
    const xi = (a - b) / (c - b)
    const phi = (fa - fb) / (fc - fb)
    const interpolate = phi * phi < xi && (1 - phi) * (1 - phi) < 1 - xi
    share = interpolate
      ? (fa / (fb - fa)) * (fc / (fb - fc)) + ((c - a) / (b - a)) * (fa / (fc - fa)) * (fb / (fc - fb))
      : 0.5
    share = Math.min(1 - margin, Math.max(margin, share))
  }
}

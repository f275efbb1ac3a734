// Vectors of 128 bits with numbers of the type Real: 4 of type f32, or 2 of type f64. A module is compiled for each type.
import * as host from './host'

/** Bytes of a number. */
export const BYTES: usize = sizeof<Real>()

/** Bytes of a vector. */
export const VECTOR: usize = 16

/** A vector of equal numbers. */
export function splat(value: Real): v128 {
  return v128.splat<Real>(value)
}

export function add(x: v128, y: v128): v128 {
  return v128.add<Real>(x, y)
}

export function subtract(x: v128, y: v128): v128 {
  return v128.sub<Real>(x, y)
}

export function multiply(x: v128, y: v128): v128 {
  return v128.mul<Real>(x, y)
}

export function divide(x: v128, y: v128): v128 {
  return v128.div<Real>(x, y)
}

export function maximum(x: v128, y: v128): v128 {
  return v128.max<Real>(x, y)
}

/** √x */
export function root(x: v128): v128 {
  return v128.sqrt<Real>(x)
}

/** The sum of the numbers of a vector. */
export function sumOf(x: v128): Real {
  const sum = v128.extract_lane<Real>(x, 0) + v128.extract_lane<Real>(x, 1)
  if (sizeof<Real>() === 8) return sum
  return sum + v128.extract_lane<Real>(x, 2) + v128.extract_lane<Real>(x, 3)
}

export function maxOf(x: v128): Real {
  const largest = max<Real>(v128.extract_lane<Real>(x, 0), v128.extract_lane<Real>(x, 1))
  if (sizeof<Real>() === 8) return largest
  return max<Real>(max<Real>(largest, v128.extract_lane<Real>(x, 2)), v128.extract_lane<Real>(x, 3))
}

/** The exponentials of smaller numbers are 0, which avoids subnormal numbers in products with them. */
const EXP_LOWEST: f32 = -60
const EXP_HIGHEST: f32 = 88

/** e^x. Double precision serves to check the formulas: its exponentials are those of the host. */
export function exp(x: v128): v128 {
  if (sizeof<Real>() === 4) return exp4(x)
  return f64x2(host.exp(f64x2.extract_lane(x, 0)), host.exp(f64x2.extract_lane(x, 1)))
}

/** e^x = 2^n · e^r, |r| ≤ ln 2 / 2, by the polynomial of the Cephes library (expf). Relative error about 1e-7. */
function exp4(x: v128): v128 {
  const isRegular = f32x4.ge(x, f32x4.splat(EXP_LOWEST))
  x = f32x4.min(f32x4.max(x, f32x4.splat(EXP_LOWEST)), f32x4.splat(EXP_HIGHEST))
  const n = f32x4.nearest(f32x4.mul(x, f32x4.splat(<f32>Math.LOG2E)))
  let r = f32x4.sub(x, f32x4.mul(n, f32x4.splat(0.693359375)))
  r = f32x4.add(r, f32x4.mul(n, f32x4.splat(2.1219444e-4)))
  let sum = f32x4.splat(1.9875691e-4)
  sum = f32x4.add(f32x4.mul(sum, r), f32x4.splat(1.3981999e-3))
  sum = f32x4.add(f32x4.mul(sum, r), f32x4.splat(8.333452e-3))
  sum = f32x4.add(f32x4.mul(sum, r), f32x4.splat(4.1665796e-2))
  sum = f32x4.add(f32x4.mul(sum, r), f32x4.splat(0.16666665))
  sum = f32x4.add(f32x4.mul(sum, r), f32x4.splat(0.5))
  sum = f32x4.add(f32x4.mul(sum, r), f32x4.splat(1))
  sum = f32x4.add(f32x4.mul(sum, r), f32x4.splat(1))
  const power = i32x4.shl(i32x4.add(i32x4.trunc_sat_f32x4_s(n), i32x4.splat(127)), 23)
  return v128.and(isRegular, f32x4.mul(sum, power))
}

/** tanh x = 1 − 2 / (1 + e^2x) */
export function tanh(x: v128): v128 {
  return subtract(splat(1), divide(splat(2), add(splat(1), exp(add(x, x)))))
}

/** 1 / (1 + e^−x) */
export function sigmoid(x: v128): v128 {
  return divide(splat(1), add(splat(1), exp(subtract(splat(0), x))))
}

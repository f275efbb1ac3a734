// Functions of arrays of `count` numbers, a multiple of those of a vector.
import * as simd from './simd'
import { BYTES, VECTOR } from './simd'

export function add(x: usize, y: usize, count: usize): void {
  for (const end = x + count * BYTES; x < end; x += VECTOR, y += VECTOR)
    v128.store(x, simd.add(v128.load(x), v128.load(y)))
}

export function sum(x: usize, y: usize, z: usize, count: usize): void {
  for (const end = x + count * BYTES; x < end; x += VECTOR, y += VECTOR, z += VECTOR)
    v128.store(x, simd.add(v128.load(y), v128.load(z)))
}

export function clear(x: usize, count: usize): void {
  for (const end = x + count * BYTES; x < end; x += VECTOR) v128.store(x, simd.splat(0))
}

export function multiplyBy(x: usize, y: usize, count: usize): void {
  for (const end = x + count * BYTES; x < end; x += VECTOR, y += VECTOR)
    v128.store(x, simd.multiply(v128.load(x), v128.load(y)))
}

export function scale(x: usize, count: usize, factor: Real): void {
  for (const end = x + count * BYTES; x < end; x += VECTOR)
    v128.store(x, simd.multiply(v128.load(x), simd.splat(factor)))
}

export function tanh(x: usize, count: usize): void {
  for (const end = x + count * BYTES; x < end; x += VECTOR) v128.store(x, simd.tanh(v128.load(x)))
}

export function tanhGradient(dx: usize, y: usize, count: usize): void {
  for (const end = dx + count * BYTES; dx < end; dx += VECTOR, y += VECTOR) {
    const value = v128.load(y)
    const slope = simd.subtract(simd.splat(1), simd.multiply(value, value))
    v128.store(dx, simd.multiply(v128.load(dx), slope))
  }
}

export function max(x: usize, count: usize): Real {
  let largest = v128.load(x)
  for (const end = x + count * BYTES; x < end; x += VECTOR) largest = simd.maximum(largest, v128.load(x))
  return simd.maxOf(largest)
}

export function exponential(x: usize, count: usize, offset: Real): Real {
  let total = simd.splat(0)
  for (const end = x + count * BYTES; x < end; x += VECTOR) {
    const value = simd.exp(simd.subtract(v128.load(x), simd.splat(offset)))
    v128.store(x, value)
    total = simd.add(total, value)
  }
  return simd.sumOf(total)
}

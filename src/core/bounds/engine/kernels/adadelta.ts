import { add, BYTES, divide, multiply, root, splat, subtract, VECTOR } from './simd'

export function adadelta(
  x: usize,
  g: usize,
  squares: usize,
  updates: usize,
  count: usize,
  rho: Real,
  epsilon: Real,
  decay: Real,
): void {
  const end = x + count * BYTES
  for (; x < end; x += VECTOR, g += VECTOR, squares += VECTOR, updates += VECTOR) {
    const value = v128.load(x)
    const gradient = add(v128.load(g), multiply(splat(decay), value))
    const square = average(v128.load(squares), gradient, rho)
    const oldUpdate = v128.load(updates)
    const update = multiply(divide(rms(oldUpdate, epsilon), rms(square, epsilon)), gradient)
    v128.store(squares, square)
    v128.store(updates, average(oldUpdate, update, rho))
    v128.store(x, subtract(value, update))
  }
}

/** ρ E[v²] + (1 − ρ) v² */
function average(mean: v128, value: v128, rho: Real): v128 {
  const fresh = multiply(subtract(splat(1), splat(rho)), multiply(value, value))
  return add(multiply(splat(rho), mean), fresh)
}

/** √(E[v²] + ε) */
function rms(mean: v128, epsilon: Real): v128 {
  return root(add(mean, splat(epsilon)))
}

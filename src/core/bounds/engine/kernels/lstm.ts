import { add, BYTES, multiply, sigmoid, splat, subtract, tanh, VECTOR } from './simd'

export function step(z: usize, previous: usize, c: usize, h: usize, size: usize): void {
  const stride = size * BYTES
  for (const end = z + stride; z < end; z += VECTOR, previous += VECTOR, c += VECTOR, h += VECTOR) {
    const f = sigmoid(v128.load(z))
    const i = sigmoid(v128.load(z + stride))
    const o = sigmoid(v128.load(z + 2 * stride))
    const g = tanh(v128.load(z + 3 * stride))
    storeGates(z, stride, f, i, o, g)
    const state = add(multiply(f, v128.load(previous)), multiply(i, g))
    v128.store(c, state)
    v128.store(h, multiply(o, state))
  }
}

export function stepGradient(
  z: usize,
  previous: usize,
  c: usize,
  dh: usize,
  dc: usize,
  dz: usize,
  size: usize,
): void {
  const stride = size * BYTES
  for (let at: usize = 0; at < stride; at += VECTOR) {
    const f = v128.load(z + at)
    const i = v128.load(z + at + stride)
    const o = v128.load(z + at + 2 * stride)
    const g = v128.load(z + at + 3 * stride)
    const dOutput = v128.load(dh + at)
    const dState = add(v128.load(dc + at), multiply(dOutput, o))
    v128.store(dc + at, multiply(dState, f))
    storeGates(
      dz + at,
      stride,
      ofSigmoid(multiply(dState, v128.load(previous + at)), f),
      ofSigmoid(multiply(dState, g), i),
      ofSigmoid(multiply(dOutput, v128.load(c + at)), o),
      multiply(multiply(dState, i), subtract(splat(1), multiply(g, g))),
    )
  }
}

function storeGates(z: usize, stride: usize, f: v128, i: v128, o: v128, g: v128): void {
  v128.store(z, f)
  v128.store(z + stride, i)
  v128.store(z + 2 * stride, o)
  v128.store(z + 3 * stride, g)
}

/** From the gradient of y = sigmoid x to that of x. */
function ofSigmoid(gradient: v128, y: v128): v128 {
  return multiply(gradient, multiply(y, subtract(splat(1), y)))
}

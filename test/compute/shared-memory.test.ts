import { expect, test } from 'vitest'
import { allocateShared, moveToSharedMemory } from '../../src/compute/shared-memory.js'

test('typed arrays are moved to shared memory, each once', () => {
  const offsets = Int32Array.of(1, -2)
  const texts = ['a', 'b']
  const value = { offsets, lists: [{ offsets, weights: Float64Array.of(0.5) }], texts, n: 1, none: undefined }
  const shared = moveToSharedMemory(value)
  expect(shared.offsets.buffer).toBeInstanceOf(SharedArrayBuffer)
  expect(shared.lists[0].offsets).toBe(shared.offsets)
  expect(Array.from(shared.offsets)).toEqual([1, -2])
  expect(Array.from(shared.lists[0].weights)).toEqual([0.5])
  expect(shared.texts).toBe(texts)
  expect([shared.n, shared.none]).toEqual([1, undefined])
  expect(offsets.buffer).toBeInstanceOf(ArrayBuffer)
})

test.each([Uint8Array, Uint16Array, Uint32Array, Float32Array])(
  '%o keeps its type and its part',
  (Numbers) => {
    const shared = moveToSharedMemory(Numbers.of(7, 1, 2).subarray(1))
    expect(shared.buffer).toBeInstanceOf(SharedArrayBuffer)
    expect(shared).toEqual(Numbers.of(1, 2))
  },
)

test('arrays in shared memory and empty lists do not change', () => {
  const shared = allocateShared(3)
  expect(moveToSharedMemory({ shared, list: [] })).toEqual({ shared, list: [] })
  expect(moveToSharedMemory(shared)).toBe(shared)
})

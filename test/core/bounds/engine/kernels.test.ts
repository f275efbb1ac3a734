import { describe, expect, it } from 'vitest'
import { readKernels } from '../../../../src/compute/shared-model.js'
import { createKernels, scratchSize } from '../../../../src/core/bounds/engine/kernels.js'
import { createRandom } from '../../../../src/core/stats/random.js'

/** Positions of the matrices of a product, and of its scratch memory. */
const A = 0
const B = 10_000
const C = 30_000
const SCRATCH = 31_000

describe.each([
  ['single', 4, 1e-4],
  ['double', 8, 1e-12],
] as const)('products in %s precision', (precision, bytes, tolerance) => {
  const memory = new WebAssembly.Memory({ initial: 64, maximum: 64, shared: true })
  const kernels = createKernels(readKernels(precision), memory)
  // The types of typed arrays do not know that a memory may be shared.
  const buffer = memory.buffer as unknown as ArrayBuffer
  const numbers = bytes === 4 ? new Float32Array(buffer) : new Float64Array(buffer)
  const random = createRandom(3)

  it.each([
    [1, 8, 1],
    [4, 16, 7],
    [7, 24, 33],
    [5, 8, 800],
  ])('are those of the definition: %d rows, %d columns, depth %d', (m, n, k) => {
    for (const [isLeftTransposed, isRightTransposed, adds] of [
      [false, false, false],
      [true, false, true],
      [false, true, false],
      [true, true, true],
    ]) {
      for (let i = 0; i < SCRATCH; i++) numbers[i] = 2 * random.next() - 1
      const before = numbers.slice(C, SCRATCH)
      const end = SCRATCH + scratchSize(m)
      numbers.fill(7, end, end + 100)
      const [aRow, aColumn] = isLeftTransposed ? [1, m + 3] : [k + 5, 1]
      const [bRow, bColumn] = isRightTransposed ? [1, k + 2] : [n + 8, 1]
      const at = (position: number) => position * bytes
      kernels.multiply(
        at(C),
        at(n + 8),
        at(A),
        at(aRow),
        at(aColumn),
        at(B),
        at(bRow),
        at(bColumn),
        m,
        n,
        k,
        adds ? 1 : 0,
        at(SCRATCH),
      )
      const product = (row: number, column: number) => {
        let sum = adds ? before[row * (n + 8) + column] : 0
        for (let i = 0; i < k; i++)
          sum += numbers[A + row * aRow + i * aColumn] * numbers[B + i * bRow + column * bColumn]
        return sum
      }
      let largest = 0
      for (let position = 0; position < before.length; position++) {
        const [row, column] = [Math.floor(position / (n + 8)), position % (n + 8)]
        const expected = row < m && column < n ? product(row, column) : before[position]
        largest = Math.max(largest, Math.abs(numbers[C + position] - expected))
      }
      expect(largest).toBeLessThan(tolerance)
      expect(new Set(numbers.subarray(end, end + 100))).toEqual(new Set([7]))
    }
  })
})

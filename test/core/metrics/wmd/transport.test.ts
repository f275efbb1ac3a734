import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createTransportSolver } from '../../../../src/core/metrics/wmd/transport.js'

const solver = createTransportSolver()

function solve(supplies: readonly number[], demands: readonly number[], costs: readonly number[][]): number {
  return solver.solve(
    Int32Array.from(supplies),
    supplies.length,
    Int32Array.from(demands),
    demands.length,
    Float64Array.from(costs.flat()),
  )
}

describe('transport problems with known solutions', () => {
  test.each([
    { what: 'one place', supplies: [3], demands: [3], costs: [[2]], cost: 6 },
    {
      what: 'equal distributions',
      supplies: [2, 1],
      demands: [2, 1],
      costs: [
        [0, 5],
        [5, 0],
      ],
      cost: 0,
    },
    { what: 'a forced split', supplies: [4], demands: [1, 3], costs: [[1, 2]], cost: 7 },
    // The cheapest cell first costs 1 + 100; the optimum avoids it.
    {
      what: 'a greedy choice that is wrong',
      supplies: [1, 1],
      demands: [1, 1],
      costs: [
        [1, 2],
        [3, 100],
      ],
      cost: 5,
    },
    // Hillier and Lieberman, Introduction to Operations Research, 7th edition, section 8.1: P & T Company.
    {
      what: 'P & T Company',
      supplies: [75, 125, 100],
      demands: [80, 65, 70, 85],
      costs: [
        [464, 513, 654, 867],
        [352, 416, 690, 791],
        [995, 682, 388, 685],
      ],
      cost: 152_535,
    },
  ])('$what', ({ supplies, demands, costs, cost }) => {
    expect(solve(supplies, demands, costs)).toBe(cost)
  })

  test('unit supplies equal the best assignment', () => {
    const matrix = fc.array(fc.array(fc.integer({ min: 0, max: 20 }), { minLength: 5, maxLength: 5 }), {
      minLength: 5,
      maxLength: 5,
    })
    fc.assert(
      fc.property(matrix, (costs) => {
        const ones = [1, 1, 1, 1, 1]
        expect(solve(ones, ones, costs)).toBe(bestAssignment(costs, 0, new Set()))
      }),
    )
  })

  test('does not depend on the direction', () => {
    const costs = [
      [0.3, 1.2, 0.9],
      [0.8, 0.1, 0.4],
    ]
    const transposed = [0, 1, 2].map((column) => costs.map((row) => row[column]))
    expect(solve([5, 7], [4, 4, 4], costs)).toBeCloseTo(solve([4, 4, 4], [5, 7], transposed), 12)
  })
})

function bestAssignment(costs: readonly number[][], row: number, used: Set<number>): number {
  if (row === costs.length) return 0
  const choices = costs[row].flatMap((cost, column) =>
    used.has(column) ? [] : [cost + bestAssignment(costs, row + 1, new Set(used).add(column))],
  )
  return Math.min(...choices)
}

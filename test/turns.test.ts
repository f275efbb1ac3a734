import { expect, it } from 'vitest'
import { giveWay } from '../src/turns.js'

/** Computes without a pause. */
function compute(milliseconds: number): void {
  for (const end = performance.now() + milliseconds; performance.now() < end; );
}

it('lets other work run between the pieces of a computation', async () => {
  let others = 0
  const other = () => {
    others++
    timer = setImmediate(other)
  }
  let timer = setImmediate(other)
  for (let piece = 0; piece < 20; piece++) {
    await giveWay()
    compute(2)
  }
  clearImmediate(timer)
  expect(others).toBeGreaterThanOrEqual(5)
})

it('shares a turn between computations: none runs long before the others', async () => {
  const done = [0, 0, 0]
  const differences: number[] = []
  await Promise.all(
    done.map(async (_, index) => {
      for (let piece = 0; piece < 20; piece++) {
        await giveWay()
        compute(2)
        done[index]++
        differences.push(Math.max(...done) - Math.min(...done))
      }
    }),
  )
  expect(done).toEqual([20, 20, 20])
  expect(Math.max(...differences)).toBeLessThan(15)
})

it('returns at once while a turn is not used up', async () => {
  await new Promise((resolve) => setImmediate(resolve))
  const order: string[] = []
  setImmediate(() => order.push('next turn'))
  await giveWay()
  order.push('computation')
  await new Promise((resolve) => setImmediate(resolve))
  expect(order).toEqual(['computation', 'next turn'])
})

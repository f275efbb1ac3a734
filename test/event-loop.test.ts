import { execute, parse } from 'graphql'
import { expect, it, vi } from 'vitest'
import { apiSchema } from '../src/api/schema/schema.js'
import { yieldToEventLoop } from '../src/event-loop.js'

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
    await yieldToEventLoop()
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
        await yieldToEventLoop()
        compute(2)
        done[index]++
        differences.push(Math.max(...done) - Math.min(...done))
      }
    }),
  )
  expect(done).toEqual([20, 20, 20])
  expect(Math.max(...differences)).toBeLessThan(15)
})

it('lets a short computation wait for one turn of long ones, and a long one for a few of short ones', async () => {
  const order: string[] = []
  await new Promise((resolve) => setImmediate(resolve))
  await yieldToEventLoop()
  compute(5)
  const wait = async (name: string, isShort: boolean) => {
    await yieldToEventLoop(isShort)
    order.push(name)
    compute(5)
  }
  const long = Array.from({ length: 3 }, () => wait('long', false))
  const short = Array.from({ length: 6 }, () => wait('short', true))
  await Promise.all([...long, ...short])
  const first = order.indexOf('short')
  expect(first).toBeLessThanOrEqual(1)
  expect(order.indexOf('long', first)).toBeLessThan(first + 6)
  expect(order.filter((name) => name === 'long')).toHaveLength(3)
})

it('lets all short pieces that wait come before what follows them', async () => {
  const order: string[] = []
  await new Promise((resolve) => setImmediate(resolve))
  await yieldToEventLoop()
  compute(5)
  const request = async () => {
    await yieldToEventLoop(true)
    order.push('short')
    await yieldToEventLoop()
    order.push('rest')
  }
  await Promise.all(Array.from({ length: 20 }, request))
  // The last short piece is followed by the rest of its own computation within the turn.
  const early = order.slice(0, order.lastIndexOf('short')).filter((name) => name === 'rest')
  // A long piece has its turn where short ones have taken long, as on a busy machine.
  expect(early.length).toBeLessThan(10)
  expect(order.filter((name) => name === 'rest')).toHaveLength(20)
})

it('returns at once while a turn is not used up', async () => {
  await new Promise((resolve) => setImmediate(resolve))
  const order: string[] = []
  setImmediate(() => order.push('next turn'))
  await yieldToEventLoop()
  order.push('computation')
  await new Promise((resolve) => setImmediate(resolve))
  expect(order).toEqual(['computation', 'next turn'])
})

it('introspects the types of the schema in turns', async () => {
  let turns = 0
  const turn = () => {
    turns++
    timer = setImmediate(turn)
  }
  let timer = setImmediate(turn)
  // Everything seems to take long.
  let time = performance.now()
  const spy = vi.spyOn(performance, 'now').mockImplementation(() => (time += 5))
  try {
    const schema = apiSchema()
    const document = parse('{ __schema { types { name fields { name } } } }')
    const { data } = await execute({ schema, document })
    const count = Object.keys(schema.getTypeMap()).length
    expect((data as { __schema: { types: unknown[] } }).__schema.types).toHaveLength(count)
    expect(turns).toBeGreaterThan(count / 2)
  } finally {
    spy.mockRestore()
    clearImmediate(timer)
  }
})

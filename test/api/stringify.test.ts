import fc from 'fast-check'
import { expect, it } from 'vitest'
import { stringifyInTurns } from '../../src/api/http/stringify.js'
import { LIMITS } from '../../src/api/schema/limits.js'

it('is the JSON of the result', async () => {
  await fc.assert(
    fc.asyncProperty(fc.jsonValue(), async (value) => {
      const result = { errors: undefined, data: value, lists: [[value], [], [null, value], {}] }
      expect(await stringifyInTurns(result)).toBe(`${JSON.stringify(result)}\n`)
    }),
  )
  const numbers = Array.from({ length: 5001 }, (_, i) => i / 7)
  expect(await stringifyInTurns(numbers)).toBe(`${JSON.stringify(numbers)}\n`)
})

it('keeps texts of nothing but data', async () => {
  const data = { texts: Array.from({ length: 3000 }, () => 'x'.repeat(100)) }
  for (const extensions of [undefined, { cost: 1 }, undefined, { cost: 2 }, undefined]) {
    const result = { data, extensions }
    expect(await stringifyInTurns(result)).toBe(`${JSON.stringify(result)}\n`)
  }
})

it('lets others pass while it is long, and refuses what is too long', async () => {
  let turns = 0
  let isDone = false
  const count = () => {
    turns++
    if (!isDone) setImmediate(count)
  }
  setImmediate(count)
  const list = Array.from({ length: 40_000 }, (_, i) => ({ number: i / 7, text: 'x'.repeat(100) }))
  expect(await stringifyInTurns(list)).toBe(`${JSON.stringify(list)}\n`)
  isDone = true
  expect(turns).toBeGreaterThan(1)
  const long = Array.from({ length: 1100 }, () => ({ text: 'x'.repeat(LIMITS.string) }))
  await expect(stringifyInTurns(long)).rejects.toThrow('The response is too large')
})

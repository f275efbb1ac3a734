import { expect, it } from 'vitest'
import { writeJson } from '../../src/queue/json-pieces.js'

const rows = Array.from({ length: 3000 }, (_, row) => ({
  text: `row ${row} "quoted" \u00e9`,
  id: row,
  words: Array.from({ length: row === 7 ? 500 : 2 }, (_, word) => ({ word: `w${word}`, score: word / 3 })),
}))

async function write(value: unknown, sortKeys: boolean): Promise<string> {
  const pieces: string[] = []
  await writeJson(value, { sortKeys }, (piece) => pieces.push(piece))
  return pieces.join('')
}

it.each<[string, unknown, unknown]>([
  ['values', { b: 1, a: [null, 'x', { d: true, c: 0.5 }] }, { a: [null, 'x', { c: 0.5, d: true }], b: 1 }],
  ['undefined properties', { b: undefined, a: 1, c: undefined }, { a: 1 }],
  ['undefined properties beside long lists', { b: undefined, a: rows.map(({ id }) => id) }, undefined],
  ['long lists in rows of long lists', { rows, allowMissing: false }, undefined],
  ['a long list', rows.map(({ id }) => (id % 2 ? id : null)), undefined],
  ['null', null, null],
])('writes %s as JSON, with sorted keys if asked for', async (_what, value, sorted) => {
  expect(await write(value, false)).toBe(JSON.stringify(value))
  const text = await write(value, true)
  expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)))
  if (sorted !== undefined) expect(text).toBe(JSON.stringify(sorted))
  expect(text).not.toMatch(/"(id|b)":.*"a":/)
})

it('writes equal values in the same way, whatever the order of their keys', async () => {
  const reversed = rows.map(({ words, id, text }) => ({ words, id, text }))
  expect(await write({ dataset: 'a', rows: reversed }, true)).toBe(await write({ rows, dataset: 'a' }, true))
})

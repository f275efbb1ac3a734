import { describe, expect, it } from 'vitest'
import { readResults } from '../../../src/formats/captions/caption-files.js'
import { MAX_JSON_DEPTH, parseJson, parseJsonLine } from '../../../src/formats/io/json.js'
import { failureOf, temporaryFolder } from '../kit.js'

const { write, failure } = temporaryFolder()

const parse = (text: string) => parseJson(text, (place) => ({ source: 'a.json', place }))

describe('parseJson', () => {
  it.each([
    '{"a": {"a": 1}, "b": [{"a": 1}, {"a": 2}]}',
    '{"a:b": "c:d", "\\"": ":", "__proto__": {"a": 1}, "constructor": 1}',
    '[]',
    ' "a:b" ',
    '{"": 1, " ": 2}',
  ])('equals JSON.parse: %s', (text) => {
    expect(parse(text)).toEqual(JSON.parse(text))
  })

  it.each([
    ['{"a": 1, "b": 2, "a": 3}', 'a'],
    ['{"a": 1, "\\u0061": 3}', 'a'],
    ['{"b": [1, {"c": "x", "d": {"e": ":", "f": 2 , "e" : 1}}]}', 'b[1].d.e'],
    ['{"__proto__": 1, "__proto__": 2}', '__proto__'],
  ])('names a key that occurs twice: %s', (text, place) => {
    expect(failureOf(() => parse(text))).toBe(
      `INVALID_JSON a.json: ${place}: duplicate key: expected unique keys in an object, found it twice`,
    )
  })

  it('limits the depth', () => {
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
    expect(parse(nested(MAX_JSON_DEPTH))).toEqual(JSON.parse(nested(MAX_JSON_DEPTH)))
    expect(failureOf(() => parse(nested(MAX_JSON_DEPTH + 1)))).toMatch(/^INVALID_JSON a.json: too deep/)
  })
})

describe('files of JSON', () => {
  it('are refused for 5 MB of brackets, without memory for each of them', () => {
    const brackets = '['.repeat(5_000_000)
    const results = write('deep.json', `[{"image_id": 1, "caption": ${brackets}`)
    const before = process.memoryUsage().heapUsed
    expect(failure(() => [...readResults(results)])).toBe(
      'INVALID_JSON deep.json: [0]: too deep: expected at most 64 nested arrays and objects, found more',
    )
    expect(failureOf(() => parseJsonLine('a.jsonl', { number: 7, text: brackets }))).toMatch(
      /^INVALID_JSON a.jsonl: line 7: too deep/,
    )
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(100 << 20)
  })

  it('are refused for a key that occurs twice, with its place', () => {
    const results = write(
      'twice.json',
      '[{"image_id": 1, "caption": "a"}, {"image_id": 2, "caption": "a", "caption": "b"}]',
    )
    expect(failure(() => [...readResults(results)])).toBe(
      'INVALID_JSON twice.json: [1].caption: duplicate key: expected unique keys in an object, found it twice',
    )
  })

  it('are refused for captions that are too long', () => {
    const file = (caption: string) => write('long.json', [{ image_id: 1, caption }])
    const read = (caption: string) => [...readResults(file(caption))]
    expect(read('x'.repeat(10_000))).toHaveLength(1)
    expect(failure(() => read('x'.repeat(10_001)))).toBe(
      'OUT_OF_RANGE long.json: [0].caption: the caption is too long: expected at most 10000 characters, found 10001',
    )
    expect(failure(() => read('x '.repeat(2_001)))).toBe(
      'OUT_OF_RANGE long.json: [0].caption: the caption is too long: expected at most 2000 words, found 2001',
    )
  })
})

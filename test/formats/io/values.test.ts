import { describe, expect, it } from 'vitest'
import {
  describeValue,
  externalId,
  listKeys,
  locateElement,
  locateLine,
  optionalPixels,
  optionalString,
  requireId,
  requireObject,
  requireString,
} from '../../../src/formats/io/values.js'
import { failureOf } from '../kit.js'

const at = locateElement('file.json', 'images', 3)

describe('describeValue', () => {
  it.each<[unknown, string]>([
    [undefined, 'nothing'],
    [null, 'null'],
    [[1], 'an array'],
    [{}, 'an object'],
    ['a dog', 'the string "a dog"'],
    [4, 'the number 4'],
    [true, 'the boolean true'],
  ])('%j', (value, text) => {
    expect(describeValue(value)).toBe(text)
  })
})

describe('places', () => {
  it('are formatted like paths in the input', () => {
    expect(at()).toEqual({ source: 'file.json', place: 'images[3]' })
    expect(at('id')).toEqual({ source: 'file.json', place: 'images[3].id' })
    expect(locateLine('file.jsonl', 12)()).toEqual({ source: 'file.jsonl', place: 'line 12' })
    expect(locateLine('file.jsonl', 12)('image_id')).toEqual({
      source: 'file.jsonl',
      place: 'line 12, image_id',
    })
  })

  it('names several keys in one sentence', () => {
    expect([[], ['a'], ['a', 'b'], ['a', 'b', 'c']].map(listKeys)).toEqual([
      '',
      '"a"',
      '"a" and "b"',
      '"a", "b" and "c"',
    ])
  })
})

describe('values', () => {
  it('are returned if they are valid', () => {
    const record = { id: 139, name: 'a', width: 640, none: null }
    expect(requireObject(record, at)).toBe(record)
    expect(requireString(record, 'name', at)).toBe('a')
    expect(requireId(record, 'id', at)).toBe('139')
    expect(externalId('139', at)).toBe('139')
    expect(externalId(0, at)).toBe('0')
    expect(optionalString(record, 'name', at)).toBe('a')
    expect(optionalString(record, 'none', at)).toBeNull()
    expect(optionalString(record, 'absent', at)).toBeNull()
    expect(optionalPixels(record, 'width', at)).toBe(640)
    expect(optionalPixels(record, 'absent', at)).toBeNull()
  })

  it.each<[string, () => unknown, string]>([
    [
      'an array instead of an object',
      () => requireObject([], at),
      'INVALID_SHAPE file.json: images[3]: wrong shape: expected an object, found an array',
    ],
    [
      'null instead of an object',
      () => requireObject(null, at),
      'INVALID_SHAPE file.json: images[3]: wrong shape: expected an object, found null',
    ],
    [
      'a missing string',
      () => requireString({}, 'name', at),
      'INVALID_SHAPE file.json: images[3].name: wrong shape: expected a string, found nothing',
    ],
    [
      'a number instead of an optional string',
      () => optionalString({ name: 4 }, 'name', at),
      'INVALID_SHAPE file.json: images[3].name: wrong shape: expected a string, found the number 4',
    ],
    [
      'a string instead of pixels',
      () => optionalPixels({ width: '640' }, 'width', at),
      'INVALID_SHAPE file.json: images[3].width: wrong shape: expected a number of pixels, found the string "640"',
    ],
    [
      'zero pixels',
      () => optionalPixels({ width: 0 }, 'width', at),
      'INVALID_VALUE file.json: images[3].width: invalid size: expected a positive integer number of pixels, found 0',
    ],
    [
      'an empty id',
      () => requireId({ id: '' }, 'id', at),
      'INVALID_VALUE file.json: images[3].id: empty id: expected an integer or a string, found ""',
    ],
    [
      'a non-integer id',
      () => requireId({ id: 1.5 }, 'id', at),
      'INVALID_VALUE file.json: images[3].id: invalid id: expected an integer of at most 9007199254740991 or a string, found 1.5',
    ],
    [
      'an id that is not a safe integer',
      () => requireId({ id: 2 ** 53 }, 'id', at),
      'INVALID_VALUE file.json: images[3].id: invalid id: expected an integer of at most 9007199254740991 or a string, found 9007199254740992',
    ],
    [
      'a boolean id',
      () => requireId({ id: true }, 'id', at),
      'INVALID_SHAPE file.json: images[3].id: wrong shape: expected an integer or a string, found the boolean true',
    ],
  ])('%s', (_, action, message) => {
    expect(failureOf(action)).toBe(message)
  })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  decodeLexicon,
  decodeSceneGraphModel,
  decodeTaggerModel,
  encodeLexicon,
  encodeSceneGraphModel,
  encodeTaggerModel,
} from '../../../src/formats/english/english.js'
import { decodeTextIndex, encodeTextIndex, type TextIndexRow } from '../../../src/formats/io/text-index.js'

const KIND = 7

describe('a text index', () => {
  const text = fc.stringMatching(/^[a-z\t -]{0,6}$/)
  const list = fc.array(fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }), { maxLength: 4 })

  it('finds the rows that were encoded, and no others', () => {
    const rows = fc.uniqueArray(fc.tuple(text, list, list), { selector: ([text]) => text })
    fc.assert(
      fc.property(rows, fc.array(text), (rows, others) => {
        const index = decodeTextIndex(encodeTextIndex(KIND, 2, rows), KIND)!
        rows.forEach(([text, first, second], row) => {
          expect(index.find(text)).toBe(row)
          expect(index.findJoined(text.split(' '), ' ')).toBe(row)
          expect(index.textOf(row)).toBe(text)
          expect([...index.valuesOf(row, 0)]).toEqual(first)
          expect([...index.valuesOf(row, 1)]).toEqual(second)
        })
        const texts = new Set(rows.map(([text]) => text))
        for (const other of [...others, 'é', '__proto__'])
          if (!texts.has(other)) expect(index.find(other)).toBe(-1)
      }),
    )
  })

  it('abuse: other bytes, another kind of file, and texts that it cannot contain', () => {
    const rows: TextIndexRow[] = [['dog', [1]]]
    const bytes = encodeTextIndex(KIND, 1, rows)
    expect(decodeTextIndex(bytes, KIND)).not.toBeNull()
    expect(decodeTextIndex(bytes, KIND + 1)).toBeNull()
    for (const wrong of [new Uint8Array(0), new Uint8Array(64), bytes.slice(0, -1), bytes.toReversed()]) {
      expect(decodeTextIndex(wrong, KIND)).toBeNull()
      expect(decodeLexicon(wrong)).toBeNull()
      expect(decodeTaggerModel(wrong)).toBeNull()
      expect(decodeSceneGraphModel(wrong)).toBeNull()
    }
    expect(() => encodeTextIndex(KIND, 1, [['café', [1]]])).toThrow(RangeError)
  })
})

describe('an encoded lexicon', () => {
  const lexicon = decodeLexicon(
    encodeLexicon(
      new Map([
        ['geese', { counts: [], bases: [['n', 'goose']] }],
        [
          'goose',
          {
            counts: [
              ['n', 12],
              ['v', 0],
            ],
            bases: [],
          },
        ],
        ['saw', { counts: [['n', 0]], bases: [['v', 'see']] }],
      ]),
    ),
  )!

  it('has the frequency of lemmas', () => {
    expect(lexicon.countOf('goose', 'n')).toBe(12)
    expect(lexicon.countOf('goose', 'v')).toBe(0)
    expect(lexicon.countOf('goose', 'a')).toBeUndefined()
    expect(lexicon.countOf('geese', 'n')).toBeUndefined()
    expect(lexicon.countOf('constructor', 'n')).toBeUndefined()
  })

  it('has the lemmas of irregular forms', () => {
    expect(lexicon.basesOf('geese', 'n')).toEqual(['goose'])
    expect(lexicon.basesOf('saw', 'v')).toEqual(['see'])
    expect(lexicon.basesOf('saw', 'n')).toEqual([])
    expect(lexicon.basesOf('unknown', 'n')).toEqual([])
  })
})

describe('an encoded model of the tagger', () => {
  it('has the tags and the weights of each feature', () => {
    const model = decodeTaggerModel(
      encodeTaggerModel('JJ NN\n0w\tdog\t0:-12 1:7\n0w\t“\t0:1\nbias\t\t1:3\n'),
    )!
    expect(model.tags).toEqual(['JJ', 'NN'])
    expect([...model.weightsOf(['0w', 'dog'])!]).toEqual([0, -12, 1, 7])
    expect([...model.weightsOf(['bias', ''])!]).toEqual([1, 3])
    expect(model.weightsOf(['0w', '“'])).toBeUndefined()
    expect(model.weightsOf(['0w', 'constructor'])).toBeUndefined()
    expect(model.weightsOf(['none', 'dog'])).toBeUndefined()
  })
})

describe('the encoded model of the scene graph parser', () => {
  it('has the weight of each feature, 0 for others', () => {
    const { weightOf } = decodeSceneGraphModel(
      encodeSceneGraphModel('at last\t-3\nlav é\t5\nsu first true\t12\n'),
    )!
    const features = [
      ['at', 'last'],
      ['su', 'first true'],
      ['su', 'first', 'true'],
      ['lav', 'é'],
      ['atlast'],
      [],
    ]
    expect(features.map(weightOf)).toEqual([-3, 12, 12, 0, 0, 0])
  })

  it('has the variants of each name in their order, none for others', () => {
    const { variantsOf, weightOf } = decodeSceneGraphModel(
      encodeSceneGraphModel('=object guy\tperson\tman\n=relation lie on\tlay on\tperson\nguy\t4\n'),
    )!
    expect(variantsOf('object', 'guy')).toEqual(['person', 'man'])
    expect(variantsOf('relation', 'lie on')).toEqual(['lay on', 'person'])
    expect([variantsOf('relation', 'guy'), variantsOf('object', 'person')]).toEqual([[], []])
    expect(weightOf(['guy'])).toBe(4)
  })
})

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeWordNet, encodeWordNet } from '../../../src/formats/english/wordnet-index.js'

const word = fc.stringMatching(/^[a-z_.'0-9-]{1,6}$/)

test('finds what was encoded, and nothing else', () => {
  const synsets = fc.dictionary(word, fc.array(fc.nat(), { minLength: 1, maxLength: 4 }), {
    noNullPrototype: true,
  })
  const forms = fc.dictionary(word, fc.uniqueArray(word, { minLength: 1, maxLength: 3 }), {
    noNullPrototype: true,
  })
  fc.assert(
    fc.property(synsets, forms, fc.array(word), (synsetsOf, formsOf, others) => {
      const content = { synsets: new Map(Object.entries(synsetsOf)), forms: new Map(Object.entries(formsOf)) }
      const tables = decodeWordNet(encodeWordNet(content), 'WordNet')
      const words = [...content.synsets.keys(), ...[...content.forms].flat(2), ...others, '', 'é', 'unknown']
      for (const text of words) {
        const bases = [...content.forms].flatMap(([base, irregular]) =>
          irregular.includes(text) ? [base] : [],
        )
        expect(tables?.synsetsOf(text)).toEqual(content.synsets.get(text))
        expect(tables?.baseFormsOf(text)).toEqual(bases.length === 0 ? undefined : bases)
      }
      expect(tables?.name).toBe('WordNet')
    }),
  )
})

test('abuse: bytes that are no index, and words that it cannot contain', () => {
  const bytes = encodeWordNet({ synsets: new Map([['dog', [1]]]), forms: new Map() })
  for (const wrong of [
    new Uint8Array(0),
    new Uint8Array(64),
    bytes.slice(0, -1),
    Uint8Array.of(...bytes, 0),
    bytes.toReversed(),
  ]) {
    expect(decodeWordNet(wrong, 'x')).toBeNull()
  }
  expect(() => encodeWordNet({ synsets: new Map([['café', [1]]]), forms: new Map() })).toThrow(RangeError)
})

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ENGLISH_FUNCTION_WORDS } from '../../../src/core/metrics/meteor/normalize.js'
import { createMeteor } from '../../../src/core/metrics/meteor.js'
import { decodeWordNet, encodeWordNet, readMeteorData } from '../../../src/formats/english/meteor-data.js'
import { trialOf } from '../../core/metrics/meteor/kit.js'
import { temporaryFolder } from '../kit.js'

const files = temporaryFolder()
const SYNSETS = 'car\n0002 0001 \nauto\n0001\ncomic_strip\n0003\n'
const EXCEPTIONS = 'comic_strip\ncomics funnies\nfunny\nfunnies\n'
let folders = 0

/** A METEOR data folder with the given files. */
function folderOf(content: Readonly<Record<string, string | Buffer>>): string {
  const name = `meteor${folders++}`
  mkdirSync(files.path(name))
  for (const [file, text] of Object.entries(content)) files.write(join(name, file), text)
  return files.path(name)
}

const folderWith = (content: Readonly<Record<string, string | Buffer>>) =>
  folderOf({ 'english.synsets': SYNSETS, 'english.exceptions': EXCEPTIONS, ...content })

const failureOf = (action: () => unknown) => files.failure(action).replaceAll(/meteor\d+/g, 'DIR')

describe('WordNet', () => {
  test('synsets by lemma, base forms by irregular form', () => {
    const { wordNet } = readMeteorData(folderWith({}))
    expect(wordNet.synsetsOf('car')).toEqual([2, 1])
    expect(wordNet.synsetsOf('cars')).toBeUndefined()
    expect(wordNet.synsetsOf('comic_strip')).toEqual([3])
    expect(wordNet.baseFormsOf('funnies')).toEqual(['comic_strip', 'funny'])
    expect(wordNet.baseFormsOf('funny')).toBeUndefined()
  })

  test('Windows line endings', () => {
    const crlf = (text: string) => text.replaceAll('\n', '\r\n')
    const folder = folderOf({ 'english.synsets': crlf(SYNSETS), 'english.exceptions': crlf(EXCEPTIONS) })
    const { wordNet } = readMeteorData(folder)
    expect(wordNet.synsetsOf('car')).toEqual([2, 1])
    expect(wordNet.baseFormsOf('comics')).toEqual(['comic_strip'])
  })

  test('the name identifies the version', () => {
    const nameOf = (content: Record<string, string>) => readMeteorData(folderWith(content)).wordNet.name
    expect(nameOf({})).toBe(nameOf({}))
    expect(nameOf({ 'english.synsets': 'car\n1\n' })).not.toBe(nameOf({}))
  })
})

describe('function words', () => {
  test('are read from the folder', () => {
    const { functionWords, functionWordsName } = readMeteorData(
      folderWith({ 'english.function.words': 'the\r\nof\r\n' }),
    )
    expect([...functionWords]).toEqual(['the', 'of'])
    expect(functionWordsName).toMatch(/^sha256:/)
  })

  test('default to the METEOR 1.5 list, also if the folder contains the same list', () => {
    expect(ENGLISH_FUNCTION_WORDS.size).toBe(93)
    const same = folderWith({ 'english.function.words': `${[...ENGLISH_FUNCTION_WORDS].join('\n')}\n` })
    for (const folder of [folderWith({}), same]) {
      const { functionWords, functionWordsName } = readMeteorData(folder)
      expect(functionWords).toEqual(ENGLISH_FUNCTION_WORDS)
      expect(functionWordsName).toBe('METEOR-1.5')
    }
  })
})

describe('the paraphrase table', () => {
  const table = '0.5\nin front of\nbefore\n0.1\nunknown word\nbefore\n-1e-3\ncar\na  car \n'

  test('returns the entries that consist of the given words, in order', () => {
    const { paraphrases } = readMeteorData(folderWith({ 'paraphrase-en.gz': table }))
    const words = ['a', 'before', 'car', 'front', 'in', 'of']
    const { tokens, offsets } = paraphrases!.entriesOf(words)
    expect(Array.from(tokens, (token) => words[token])).toEqual([
      'in',
      'front',
      'of',
      'before',
      'car',
      'a',
      'car',
    ])
    expect(Array.from(offsets)).toEqual([0, 3, 4, 5, 7])
    expect(paraphrases!.entriesOf([]).tokens).toHaveLength(0)
  })

  test('changes the score and the signature', () => {
    const { corpus, trial } = trialOf([['it is in front of', 'it is before']])
    const scoreWith = (folder: string) => {
      const meteor = createMeteor(readMeteorData(folder))
      const scores = new Float64Array(1)
      meteor.imageScores(meteor.measure(meteor.prepare(corpus), trial), 0, scores)
      return { score: scores[0], parameters: meteor.metrics[0].parameters }
    }
    const without = scoreWith(folderWith({}))
    const withTable = scoreWith(folderWith({ 'paraphrase-en.gz': table }))
    expect(withTable.score).toBeGreaterThan(without.score)
    expect(without.parameters).not.toHaveProperty('paraphrases')
    expect(withTable.parameters.paraphrases).toMatch(/^sha256:[0-9a-f]{12}$/)
  })
})

describe('abuse', () => {
  test('a missing folder', () => {
    expect(failureOf(() => readMeteorData(files.path('nowhere')))).toBe(
      'RESOURCE_MISSING nowhere: METEOR data folder not found: expected a folder with english.synsets and ' +
        'english.exceptions, or with paraphrase-en.gz, found nothing',
    )
    expect(failureOf(() => readMeteorData(files.write('file', 'x')))).toMatch(
      /^RESOURCE_MISSING file: .* found a file$/,
    )
  })

  test('a folder without METEOR data, or with only one of two required files', () => {
    expect(failureOf(() => readMeteorData(folderOf({})))).toBe(
      'RESOURCE_MISSING DIR: no METEOR data in the folder: expected english.synsets and english.exceptions, ' +
        'or paraphrase-en.gz, found none of them',
    )
    expect(failureOf(() => readMeteorData(folderOf({ 'english.synsets': SYNSETS })))).toBe(
      'RESOURCE_MISSING DIR: incomplete METEOR data folder: expected english.exceptions in addition to ' +
        'english.synsets, found no english.exceptions',
    )
    expect(failureOf(() => readMeteorData(folderOf({ 'english.exceptions': EXCEPTIONS })))).toMatch(
      /^RESOURCE_MISSING DIR: .* found no english.synsets$/,
    )
  })

  test.each([
    [
      'english.synsets',
      '',
      'DIR/english.synsets: line 1: invalid METEOR data file: expected a lemma, found the end of the file',
    ],
    [
      'english.synsets',
      'car\n',
      'DIR/english.synsets: line 2: invalid METEOR data file: expected synset numbers, found the end of the file',
    ],
    [
      'english.synsets',
      'car\n1\n\n2\n',
      'DIR/english.synsets: line 3: invalid METEOR data file: expected a lemma, found an empty line',
    ],
    [
      'english.synsets',
      'car\nauto\n',
      'DIR/english.synsets: line 2: invalid METEOR data file: expected synset numbers, found "auto"',
    ],
    [
      'english.exceptions',
      'car\n \n',
      'DIR/english.exceptions: line 2: invalid METEOR data file: expected irregular forms, found " "',
    ],
  ])('%s of %j', (file, text, message) => {
    expect(failureOf(() => readMeteorData(folderWith({ [file]: text })))).toBe(`INVALID_SHAPE ${message}`)
  })

  test('invalid synset numbers after the first character are reported on lookup', () => {
    const { wordNet } = readMeteorData(folderWith({ 'english.synsets': 'a\n1\ncar\n1 x\n' }))
    expect(wordNet.synsetsOf('a')).toEqual([1])
    expect(failureOf(() => wordNet.synsetsOf('car'))).toBe(
      'INVALID_SHAPE DIR/english.synsets: line 4: invalid METEOR data file: expected synset numbers, found "1 x"',
    )
  })

  test.each([
    [
      '0.5\nin front\n',
      'line 1: invalid METEOR paraphrase table: expected three lines: probability, phrase, paraphrase, found the end of the file',
    ],
    [
      '0.5\nin front',
      'line 1: invalid METEOR paraphrase table: expected three lines: probability, phrase, paraphrase, found the end of the file',
    ],
    [
      '0.5\na\nb\nin front\nbefore\n0.5\n',
      'line 4: invalid METEOR paraphrase table: expected a probability, found "in front"',
    ],
    ['0.5\n\nb\n', 'line 2: invalid METEOR paraphrase table: expected a phrase, found an empty line'],
    ['0.5\na\n \n', 'line 3: invalid METEOR paraphrase table: expected a paraphrase, found an empty line'],
  ])('a table of %j', (text, message) => {
    const { paraphrases } = readMeteorData(folderWith({ 'paraphrase-en.gz': text }))
    expect(failureOf(() => paraphrases!.entriesOf(['a', 'b', 'in', 'front']))).toBe(
      `INVALID_SHAPE DIR/paraphrase-en.gz: ${message}`,
    )
  })

  test('a truncated table', () => {
    const folder = folderWith({})
    writeFileSync(join(folder, 'paraphrase-en.gz'), gzipSync('0.5\na\nb\n').subarray(0, 20))
    const { paraphrases } = readMeteorData(folder)
    expect(failureOf(() => paraphrases!.entriesOf(['a', 'b']))).toMatch(
      /^INVALID_VALUE DIR\/paraphrase-en.gz: the gzip file is truncated/,
    )
  })
})

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

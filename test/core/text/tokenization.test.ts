import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { createTokenNumbers, tokenizeCorpus } from '../../../src/core/text/token-numbers.js'
import {
  defaultTokenizer,
  parseLanguage,
  parseTokenizer,
  tokenizerOfVersion,
  versionOf,
} from '../../../src/core/text/tokenization.js'
import { createTokenizer, splitCharacters, splitMteval } from '../../../src/core/text/tokenizers.js'
import type { TokenizerName } from '../../../src/shared/choices.js'
import { failureOf as failure } from '../../formats/kit.js'

/** Output of sacrebleu 2.6.0, `Tokenizer13a`. */
const MTEVAL: readonly (readonly [string, string])[] = [
  ['Ein Hund, der 3,5 kg wiegt, läuft -- schnell!', 'Ein Hund , der 3,5 kg wiegt , läuft -- schnell !'],
  ["A man's t-shirt costs $3.50 (or 2-3 €).", "A man's t-shirt costs $ 3.50 ( or 2 - 3 € ) ."],
  ['&quot;Stop&quot; &lt;sign&gt; &amp; tree', '" Stop " < sign > & tree'],
  ['end-\nof line\nnext.', 'endof line next .'],
  ['"¿Qué?" dijo él... 1.', '" ¿Qué ? " dijo él . . . 1 .'],
  ['10-year-old boy/girl @home', '10 - year-old boy / girl @ home'],
  ['a\u00a0b c.d .5 5.', 'a b c . d . 5 5 .'],
  ['<skipped>x {a|b}~ [c]_d^e`f`', 'x { a | b } ~ [ c ] _ d ^ e ` f `'],
  ["L'homme d’affaires, U.S.A. 1,000.5", "L'homme d’affaires , U . S . A . 1,000.5"],
]

/** Output of sacrebleu 2.6.0, `TokenizerZh`. */
const CHINESE: readonly (readonly [string, string])[] = [
  ['一个男人在骑自行车。', '一 个 男 人 在 骑 自 行 车 。'],
  ['一只狗（棕色）跑,很快!', '一 只 狗 （ 棕 色 ） 跑 , 很 快 !'],
  ['他说“你好”—然后走了…', '他 说 “ 你 好 ” — 然 后 走 了 …'],
  ['NBA球员 投篮3.5次,10-2', 'NBA 球 员 投 篮 3.5 次 , 10 - 2'],
]

/** Output of sacrebleu 2.6.0, `TokenizerChar`, where no letters of other scripts follow each other. */
const CHARACTERS: readonly (readonly [string, string])[] = [
  ['一个男人在骑自行车。', '一 个 男 人 在 骑 自 行 车 。'],
  ['男の子が走る', '男 の 子 が 走 る'],
  ['두 사람', '두 사 람'],
  ['a b', 'a b'],
]

test.each(MTEVAL)('13a cuts %j as sacrebleu does', (text, tokens) => {
  expect(splitMteval(text)).toEqual(tokens.split(' '))
})

test.each([...CHINESE, ...CHARACTERS])('character cuts %j as sacrebleu does', (text, tokens) => {
  expect(splitCharacters(text)).toEqual(tokens.split(' '))
})

it('separates ideographs beyond the basic plane, which zh of sacrebleu means to do', () => {
  expect(splitCharacters('𠀀𠀁')).toEqual(['𠀀', '𠀁'])
})

describe('tokens by language', () => {
  const cut = (language: string, tokenizer: TokenizerName, caption: string) =>
    createTokenizer({ language, tokenizer })(caption)

  test.each([
    ['de', 'Ein Hund, der 3,5 kg wiegt – süß!', 'ein hund der 3,5 kg wiegt süß'],
    ['fr', "L’homme (à vélo) court qu'il voit d'ici.", 'l homme à vélo court qu il voit d ici'],
    ['it', "L'uomo sull'erba, un po' stanco", 'l uomo sull erba un po stanco'],
    ['ca', "L'home d’aigua", 'l home d aigua'],
    ['en', "the man's hat", "the man's hat"],
    ['ko', '한 남자가 자전거를 탄다.', '한 남자가 자전거를 탄다'],
    ['tr', 'KIZ, ISLAK İP', 'kız ıslak ip'],
    ['vi', 'Mo\u0323\u0302t con chó', 'một con chó'],
  ])('unicode, %s', (language, caption, tokens) => {
    expect(cut(language, 'unicode', caption)).toEqual(tokens.split(' '))
  })

  // Which words these are depends on the dictionaries of ICU.
  test.each([
    ['zh', '一个男人骑自行车。'],
    ['ja', '男の子が自転車に乗っている。'],
    ['th', 'ผู้ชายขี่จักรยาน'],
    ['km', 'បុរសជិះកង់'],
  ])('unicode finds words without spaces, %s', (language, caption) => {
    const words = cut(language, 'unicode', caption)
    expect(words.join('')).toBe(caption.replace('。', ''))
    expect(words.length).toBeGreaterThan(1)
    expect(words.length).toBeLessThan(caption.length - 1)
  })

  it('unicode finds the same words in parts between spaces as in the caption', () => {
    const words = fc.array(
      fc.constantFrom(
        ...[
          ' ',
          'a',
          'ß',
          '\u0301',
          "'",
          '.',
          ':',
          ',',
          '1',
          '-',
          '\u200d',
          '男',
          'の',
          'ก',
          'า',
          '🐕',
          '\u00a0',
        ],
      ),
      { maxLength: 30 },
    )
    fc.assert(
      fc.property(words, fc.constantFrom('de', 'ja', 'th'), (parts, language) => {
        const caption = parts.join('').normalize('NFC')
        const segments = new Intl.Segmenter(language, { granularity: 'word' }).segment(caption)
        const whole = Array.from(segments, ({ segment }) => segment).filter((text) =>
          /[\p{L}\p{N}]/u.test(text),
        )
        expect(cut(language, 'unicode', caption)).toEqual(whole)
      }),
    )
  })

  it('none gives tokens back as they are given', () => {
    expect(cut('ja', 'none', ' 男の子 が  Tシャツ を\u3000着 て いる 。\n')).toEqual([
      ...['男の子', 'が', 'Tシャツ', 'を', '着', 'て', 'いる', '。'],
    ])
    expect(tokenizeCorpus(['Dog dog'], { language: 'en', tokenizer: 'none' }).texts).toEqual(['Dog', 'dog'])
  })

  it('others are in lower case', () => {
    expect(cut('de', '13a', 'Ein Hund.')).toEqual(['ein', 'hund', '.'])
    expect(cut('zh', 'character', 'NBA球')).toEqual(['nba', '球'])
  })

  it('ptb is the tokenizer of English, and of no other language unless it is named', () => {
    expect(['en', 'en-GB', 'de', 'zh-Hant'].map(defaultTokenizer)).toEqual([
      'ptb',
      'ptb',
      'unicode',
      'unicode',
    ])
    expect(cut('de', 'ptb', 'Ein Hund, süß.')).toEqual(['ein', 'hund', 'süß'])
  })

  it('numbers tokens in order of appearance', () => {
    const numbers = createTokenNumbers({ language: 'zh', tokenizer: 'character' })
    expect([...numbers.numbersOf('狗和狗')]).toEqual([0, 1, 0])
    expect(numbers.texts).toEqual(['狗', '和'])
  })
})

describe('names', () => {
  it('have the version of what they depend on', () => {
    const unicode = `unicode-icu${process.versions.icu}`
    expect(versionOf({ language: 'en', tokenizer: 'ptb' })).toBe('ptb-3.4.1')
    expect(versionOf({ language: 'fr', tokenizer: '13a' })).toBe('13a')
    expect(versionOf({ language: 'de', tokenizer: 'unicode' })).toBe(unicode)
    expect(versionOf({ language: 'fr-CA', tokenizer: 'unicode' })).toBe(`${unicode}-elision`)
    for (const tokenizer of ['ptb', '13a', 'unicode', 'character', 'none'] as const)
      expect(tokenizerOfVersion(versionOf({ language: 'it', tokenizer }))).toBe(tokenizer)
  })

  it('of languages are canonical', () => {
    expect(['EN', 'zh-hant-tw', 'DE-at'].map((tag) => parseLanguage(tag))).toEqual([
      'en',
      'zh-Hant-TW',
      'de-AT',
    ])
  })

  test.each([
    ['english', 'en'],
    [' German ', 'de'],
    ['FRENCH', 'fr'],
    ['hebrew', 'he'],
    ['Romanian', 'ro'],
    ['Cantonese', 'yue'],
    ['Bengali', 'bn'],
    ['traditional chinese', 'zh-Hant'],
    ['British_English', 'en-GB'],
    ['eng', 'en'],
    ['yue-HK', 'yue-HK'],
    ['qaa-Latn', 'qaa-Latn'],
  ])('of %j is %s', (name, tag) => {
    expect(parseLanguage(name)).toBe(tag)
  })

  test.each([
    'german!',
    'd',
    '',
    '--',
    'e'.repeat(100),
    'englisch',
    'simple',
    'xx',
    'xx-Latn',
    'qzz',
    'und',
    'mul',
    'zxx',
    'english-GB',
  ])('%j is no language', (tag) => {
    expect(failure(() => parseLanguage(tag))).toMatch(/^INVALID_VALUE language: no language/)
  })

  it('of tokenizers that do not exist are refused', () => {
    expect(failure(() => parseTokenizer('mecab'))).toMatch(/one of ptb, 13a, unicode, character, none/)
  })
})

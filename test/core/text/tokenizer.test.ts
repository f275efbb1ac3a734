import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createScanner } from '../../../src/core/text/penn-rules.js'
import { tokenizeCorpus } from '../../../src/core/text/token-numbers.js'
import { ENGLISH } from '../../../src/core/text/tokenization.js'
import { PUNCTUATION, tokenize, tokenizePenn } from '../../../src/core/text/tokenizer.js'
import { toCorpus } from '../../kit/corpus.js'

/** Caption, and its tokens separated by spaces; `~` stands for a no-break space inside a token. */
const CASES: Readonly<Record<string, readonly (readonly [caption: string, tokens: string])[]>> = {
  'plain captions': [
    ['A man rides a horse.', 'a man rides a horse .'],
    ['A man , a dog and  a cat', 'a man , a dog and a cat'],
    ['two dogs\nplay in\r\nthe snow \n', 'two dogs play in the snow'],
    ['', ''],
    [' \t ', ''],
  ],
  contractions: [
    ["A man can't ride, but he'll walk.", "a man ca n't ride , but he 'll walk ."],
    ["it's a dog that I'd keep", "it 's a dog that i 'd keep"],
    ["Don't won't isn't", "do n't wo n't is n't"],
    ['I cannot; cannot.', 'i can not ; can not .'],
    ["gonna gotta lemme gimme wanna 'tis 'twas", "gon na got ta lem me gim me wan na 't is 't was"],
    ["the boss's desk, the dogs' toys", "the boss 's desk , the dogs ' toys"],
    ["o'clock O'Neil ma'am c'mon d'art", "o'clock o'neil ma'am c'mon d'art"],
    ["rock 'n' roll with 'em and y'all", "rock 'n' roll with 'em and y' all"],
    ['a man who ca nt', 'a man who ca nt'],
  ],
  'abbreviations and acronyms': [
    ['Mr. Smith of St. Louis', 'mr. smith of st. louis'],
    ['a car from the U.S. Army', 'a car from the u.s. army'],
    ['made in the U.S. The dog', 'made in the u.s. . the dog'],
    ['watching T.V.', 'watching t.v. .'],
    ['plan B. The', 'plan b . the'],
    ['fruits, nuts, etc. on a table', 'fruits , nuts , etc. on a table'],
    ['fruits, nuts, etc.', 'fruits , nuts , etc. .'],
    ['No. 5 bus, no. I', 'no. 5 bus , no . i'],
    ['a miss. Miss. Daisy', 'a miss . miss. . daisy'],
    ['e.g. a dog, i.e. an animal, a.k.a. pet', 'e.g. a dog , i.e. an animal , a.k.a. pet'],
    ['on 5th Ave.', 'on 5th ave.'],
  ],
  'hyphens, slashes and dashes': [
    ['a semi-truck, a t-shirt and a B-52', 'a semi-truck , a t-shirt and a b-52'],
    ['a black/white co-worker', 'a black/white co-worker'],
    ['a man and/or s/he', 'a man and/or s/he'],
    ['yes - no -- maybe --- well ----- ok', 'yes - no -- maybe -- well ----- ok'],
    ['day – night — dusk', 'day -- night -- dusk'],
    ['foo_bar dog.jpg', 'foo_bar dog.jpg'],
  ],
  numbers: [
    ['3.5 of 1,000 at 10:30', '3.5 of 1,000 at 10:30'],
    ['1/2 or 2 1/2 or ½ cup', '1/2 or 2~1/2 or 1/2 cup'],
    ["the '95 car of the 1990s, 2nd.", "the '95 car of the 1990s , 2nd ."],
    ['$5 €5 £5 50¢ 50%', '$ 5 $ 5 # 5 50 cents 50 %'],
    ['12/25/2012 and 5\'1"', "12/25/2012 and 5 ' 1 ''"],
    ['(650) 723-0293 or 650.723.0293', '-lrb-650-rrb-~723-0293 or 650.723.0293'],
  ],
  'quotes and brackets': [
    ['a "stop" sign', "a `` stop '' sign"],
    ["a 'stop' sign", "a ` stop ' sign"],
    ['“stop” ‘go’ it’s', "`` stop '' ` go ' it 's"],
    ['a &quot;stop&quot; sign', "a `` stop '' sign"],
    ['a &QUOT;stop&QUOT; sign', 'a &quot; stop &quot; sign'],
    ['a &APOS;cat&APOS; sign', 'a &apos; cat &apos; sign'],
    ['a (left) [x] {y}', 'a -lrb- left -rrb- -lsb- x -rsb- -lcb- y -rcb-'],
    [":-) <b>bold</b> <3 <a href='x y'>", ":--rrb- <b> bold </b> < 3 <a~href='x~y'>"],
  ],
  'dots and punctuation': [
    ['wait... what?! no. . . so…', 'wait ... what ?! no ... so ...'],
    ['dogs;cats:birds', 'dogs ; cats : birds'],
    ['one.two what?no', 'one.two what?no'],
    ['AT&amp;T R&B A & B *', 'at&t r&b a & b *'],
  ],
  addresses: [
    ['see http://a.com/b, now', 'see http://a.com/b , now'],
    ['www.flickr.com/photos. me@x.org', 'www.flickr.com/photos . me@x.org'],
    ['@home #dog # @', '@home #dog # @'],
    ...['\u00a0', '\u00a0 ', '\u2003\n', '\u3000', '\u00a0\u00a0'].map((end): [string, string] => [
      `see http://a.com${end}`,
      'see http://a.com',
    ]),
    ['www.a.com/bc\u00a0', 'www.a.com/bc'],
    // A space inside the line is one of the characters that an address may have.
    ['http://a.com\u00a0now', 'http://a.com~now'],
  ],
  'other scripts and symbols': [
    ['Ein Café in Zürich', 'ein café in zürich'],
    ['caf&eacute; with soft­hyphen', 'caf&eacute; with softhyphen'],
    ['cafe\u0301 for two', 'cafe\u0301 for two'],
    ['שני כלבים, גדולים', 'שני כלבים , גדולים'],
    ['一只狗 Собака', '一只狗 собака'],
    ['a 🐕 runs👍🏽 fast', 'a 🐕 runs 👍🏽 fast'],
    ['a 👨‍👩‍👧 and 🇫🇷', 'a 👨‍👩‍👧 and 🇫🇷'],
    ['I ❤️ dogs', 'i ❤ dogs'],
    ['dog\u0000 cat\u0007 a\u200Bb \uFFFD', 'dog cat a b'],
    ['\ud83d dog', 'dog'],
  ],
}

describe('tokenizePenn', () => {
  for (const [name, cases] of Object.entries(CASES)) {
    it.each(cases)(`${name}: %j`, (caption, tokens) => {
      expect(tokenizePenn(caption).join(' ')).toBe(tokens.replaceAll('~', '\u00A0'))
    })
  }
})

describe('tokenize', () => {
  it('removes punctuation, but not lower-case brackets', () => {
    expect(tokenize('A dog (brown) - "Rex" - sits; it\'s happy...!')).toEqual([
      'a',
      'dog',
      '-lrb-',
      'brown',
      '-rrb-',
      'rex',
      'sits',
      'it',
      "'s",
      'happy',
    ])
  })

  it('returns no tokens for a caption of punctuation', () => {
    expect(tokenize('... !? - "')).toEqual(['!?'])
    expect(tokenize('. , ; : - -- ...')).toEqual([])
  })

  it('uses the punctuation list of the reference toolkit', () => {
    expect([...PUNCTUATION].sort()).toEqual(
      "'' ' `` ` -LRB- -RRB- -LCB- -RCB- . ? ! , : - -- ... ;".split(' ').sort(),
    )
  })
})

const PIECES = fc.constantFrom(
  ...'a man Dogs the U.S. t.v. T.V St. etc. co. no. Miss miss. Ph.D. 5 3.5 1,000 1/2 cannot gonna'.split(' '),
  ..."it's don't can't 'em 'tis '90s dogs' O'Neil t-shirt and/or w/ A&W #1 @home $5 foo_bar x.jpg".split(' '),
  ...'a@b.co www.a.com http://a.b/c <b> &amp; &nbsp; :) ( ) [ " \' `` - -- --- . .. ... , ; : ! ? * / é 漢 👍'.split(
    ' ',
  ),
  ...['\n', '\u00A0', '\u00AD', '\u200D', ' ', '  '],
)
const CAPTIONS = fc
  .array(fc.tuple(PIECES, fc.constantFrom(' ', ' ', ' ', '')))
  .map((pieces) => pieces.flat().join(''))

describe('properties', () => {
  it('the fast path for plain tokens equals the rules', () => {
    fc.assert(
      fc.property(CAPTIONS, (caption) => {
        expect(tokenizePenn(caption)).toEqual(tokenizeByRules(caption))
      }),
      { numRuns: 200 },
    )
  })

  it('the corpus of captions has the tokens of each caption', () => {
    fc.assert(
      fc.property(fc.array(CAPTIONS), (captions) => {
        expect(tokenizeCorpus(captions, ENGLISH)).toEqual(toCorpus(captions.map(tokenize)))
      }),
    )
  })

  it('tokens are not empty and contain no spaces for any text', () => {
    const texts = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }), CAPTIONS)
    fc.assert(
      fc.property(texts, (text) => {
        for (const token of tokenizePenn(text)) expect(token).toMatch(/^[^ \n\r]+$/)
      }),
      { numRuns: 200 },
    )
  })

  it('preserves all letters, marks and digits', () => {
    const texts = fc.array(fc.constantFrom(...'aBéñЖ漢ش१7\u0301 .,-\'"!_👍'.split(''), ' '), {
      maxLength: 40,
    })
    const content = (text: string) =>
      text
        .toLowerCase()
        .match(/[\p{L}\p{M}\p{N}]/gu)
        ?.join('') ?? ''
    fc.assert(
      fc.property(texts, (characters) => {
        const text = characters.join('')
        expect(content(tokenizePenn(text).join(' '))).toBe(content(text))
      }),
      { numRuns: 200 },
    )
  })

  it('splits captions of plain words and commas at spaces', () => {
    const words = fc.array(fc.stringMatching(/^[a-z]{8,12}$/), { minLength: 1 })
    fc.assert(
      fc.property(words, (plain) => {
        expect(tokenize(`${plain.join(', ')}.`)).toEqual(plain)
        expect(tokenizePenn(plain.join(' '))).toEqual(plain)
      }),
    )
  })

  it.each([
    ['iyewzcne', 'rmwztzf'],
    ['gilodspi', 'aaytlfld'],
  ])('numbers %s and %s apart, which have the same hash', (one, other) => {
    expect(tokenizeCorpus([`${one} ${other}`, `${other} ${one}`], ENGLISH)).toEqual({
      texts: [one, other],
      tokens: Int32Array.of(0, 1, 1, 0),
      offsets: Int32Array.of(0, 2, 4),
    })
  })
})

describe('abuse', () => {
  it('tokenizes a caption of 10,000 words', () => {
    expect(tokenize("the dog's bone, ".repeat(10_000))).toHaveLength(40_000)
  })

  it.each([
    ['(', 100_000],
    ['-', 1],
    ['a.', 2],
    ['a', 1],
    ['é-', 2],
    ['a;', 100_000],
    ['a,', 100_000],
    ['a@', 1],
    ['&a', 100_000],
    ['1a.', 50_002],
    ['<!a', 100_002],
    ['www.a;', 33_334],
    ["n't ", 25_000],
    ['\u0301', 1],
    ['\u0000', 0],
  ])('tokenizes 100,000 characters of %j', (unit, count) => {
    expect(tokenizePenn(unit.repeat(Math.ceil(100_000 / unit.length)))).toHaveLength(count)
  })

  it('tokenizes a caption of several million characters without a space', () => {
    const tokens = tokenizePenn('a-'.repeat(1_500_000))
    expect(tokens.join('').length).toBeGreaterThan(2_999_000)
  })
})

/** Spaces at the end of a caption belong to no address. */
function tokenizeByRules(caption: string): string[] {
  const line = caption.replaceAll('\n', ' ').trimEnd()
  const scan = createScanner(`${line}\nA `)
  const tokens: string[] = []
  for (let position = 0; position < line.length; ) {
    const { token, end } = scan(position)
    if (token !== '') tokens.push(token.toLowerCase())
    position = end
  }
  return tokens
}

import { expect, test } from 'vitest'
import { marksOf, splitAtTokens, splitAtWords } from '../../web/app/caption-words.js'

test.each([
  ['A dog, a cat.', ['a', 'dog', 'a', 'cat'], ['', 'A', ' ', 'dog', ', ', 'a', ' ', 'cat', '.']],
  [
    '猫が鳥を見る。',
    ['猫', 'が', '鳥', 'を', '見る'],
    ['', '猫', '', 'が', '', '鳥', '', 'を', '', '見る', '。'],
  ],
  // Tokens that the caption does not have are passed over.
  ['(a dog)', ['-lrb-', 'a', 'dog', '-rrb-'], ['(', 'a', ' ', 'dog', ')']],
  ['', [], ['']],
])('%j has its tokens at odd positions', (text, tokens, pieces) => {
  expect(splitAtTokens(text, tokens)).toEqual(pieces)
})

test('words are found by letters, and by dictionary where there are no spaces', () => {
  expect(splitAtWords("A man's t-shirt.", 'en')).toEqual(
    ['A', "man's", 't-shirt'].flatMap((word, i) => [i ? ' ' : '', word]).concat('.'),
  )
  const pieces = splitAtWords('男の子が走る。', 'ja')
  expect(pieces.join('')).toBe('男の子が走る。')
  expect(pieces.length).toBeGreaterThan(5)
  expect(pieces.at(-1)).toBe('。')
})

test('marks of captions are what another person uses, what nobody else does, and objects that nothing confirms', () => {
  const caption = (isHuman: boolean, text: string, ...unconfirmed: string[]) => ({
    isHuman,
    tokens: text.split(' '),
    unconfirmed,
  })
  const captions = [
    caption(true, 'A dog runs .'),
    caption(true, 'the dog sits .'),
    caption(false, 'a dog sits near water', 'water'),
    caption(false, 'water runs and runs past Bodies and knives', 'water', 'body', 'knife'),
  ]
  const found = marksOf(captions, new Set(['dog', 'runs', 'sits', 'water']))
  expect(
    found.map(({ confirmed, alone, unconfirmed }) => [[...confirmed], [...alone], [...unconfirmed]]),
  ).toEqual([
    // The system that says "runs" as well is no person; "a" is no word that tells much.
    [['dog'], [], []],
    [['dog'], ['the'], []],
    [['dog', 'sits'], ['near'], ['water']],
    // Two systems say "water", which no person confirms.
    [['runs'], ['and', 'past', 'bodies', 'knives'], ['water', 'bodies', 'knives']],
  ])
})

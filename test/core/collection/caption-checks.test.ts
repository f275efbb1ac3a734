import { expect, test } from 'vitest'
import {
  checkCaption,
  cleanText,
  comparedTokens,
  EXAMPLES,
  INSTRUCTIONS,
} from '../../../src/core/collection/caption-checks.js'
import { readLexicon } from '../../../src/formats/english/english.js'

const lexicon = readLexicon()
const NEW = { isOfImage: false, isOfAnnotator: false }
const problems = (caption: string, earlier = NEW) => checkCaption(caption, earlier, lexicon)

test.each([
  ['a brown dog chases a ball across the lawn', []],
  ['A brown dog chases a ball across lawns.', []],
  ['A brown dog chases a ball, outside.', ['TOO_SHORT']],
  ['The man’s dog isn’t chasing a ball.', ['TOO_SHORT']],
  ['8 dogs and 3 cats sit on 2 mats', []],
  ['- - - - - - - - - - - -', ['TOO_SHORT']],
  ['', ['TOO_SHORT']],
  ['There is a brown dog that chases a ball.', ['THERE_IS']],
  ['“There’s a brown dog that chases a ball.”', ['THERE_IS']],
  ['THERE ARE two dogs that chase a small ball.', ['THERE_IS']],
  ['A dog runs on the lawn. There is a ball.', ['THERE_IS']],
  ['A dog runs to where there is a red ball.', []],
  ['Thereafter is a word that starts no such sentence.', []],
  ['There is a dog.', ['TOO_SHORT', 'THERE_IS']],
  ['Ein Mann in einer roten Jacke reitet ein Pferd am Strand.', ['NOT_ENGLISH']],
  ['Un homme en veste rouge monte un cheval brun sur la plage.', ['NOT_ENGLISH']],
  ['Un hombre con una chaqueta roja monta un caballo en la playa.', ['NOT_ENGLISH']],
  ['asdf jkl qwer uiop zxcv bnm fghj rtyu dfgh', ['NOT_ENGLISH']],
  ['A skateborder riding down the raillings of a stairway.', []],
  ['A black-and-white cow stands in a knee-deep river.', []],
  ['x'.repeat(501), ['TOO_LONG']],
])('%j: %j', (caption, expected) => expect(problems(caption)).toEqual(expected))

test('a copy of a caption of the image or of the annotator is a problem', () => {
  const caption = 'A brown dog chases a ball across the lawn.'
  expect(problems(caption, { isOfImage: true, isOfAnnotator: false })).toEqual(['COPY_OF_CAPTION'])
  expect(problems(caption, { isOfImage: false, isOfAnnotator: true })).toEqual(['REPEATED'])
  for (const example of EXAMPLES) {
    expect(problems(` ${example.toUpperCase()}!`)).toEqual(['COPY_OF_EXAMPLE'])
    expect(problems(`${example} Today`)).toEqual([])
  }
})

test('captions are compared by their tokens', () => {
  expect(comparedTokens('A dog,  and a CAT.')).toBe(comparedTokens('a dog and a cat'))
  expect(comparedTokens('A dog and a cat')).not.toBe(comparedTokens('A cat and a dog'))
})

test('a caption is stored on one line', () => {
  expect(cleanText('  A dog\n\tand\u2028a cat. ')).toBe('A dog and a cat.')
  expect(cleanText('a \ud800 b')).toBe('a \ufffd b')
})

test('there are seven instructions', () => expect(new Set(INSTRUCTIONS).size).toBe(7))

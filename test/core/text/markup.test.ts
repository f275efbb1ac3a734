import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findMarkup, findRepeatedPrompt, stripMarkup } from '../../../src/core/text/markup.js'

describe('markup of models', () => {
  it.each<[string, string, string[]]>([
    ['a dog runs</s>', 'a dog runs', ['</s>']],
    ['<s> a dog runs </s><pad><pad>', 'a dog runs', ['<s>', '</s>', '<pad>']],
    ['a <unk> dog <EOS>', 'a dog', ['<unk>', '<EOS>']],
    ['<start> a dog <end>', 'a dog', ['<start>', '<end>']],
    ['[CLS] a dog [PAD]', 'a dog', ['[CLS]', '[PAD]']],
    ['<|im_start|>assistant\nA dog.<|im_end|>', 'A dog.', ['<|im_start|>', '<|im_end|>']],
    [
      '<|start_header_id|>assistant<|end_header_id|>\n\nA dog.<|eot_id|>',
      'A dog.',
      ['<|start_header_id|>', '<|end_header_id|>', '<|eot_id|>'],
    ],
    ['</s>', '', ['</s>']],
    ['Two dogs.</s>\n# One', 'Two dogs.\nOne', ['</s>', 'Markdown']],
    ['Assistant: A dog.', 'A dog.', ['"Assistant:"']],
    [' ASSISTANT : A dog.', 'A dog.', ['"ASSISTANT:"']],
    ['Answer: Caption: A dog.', 'A dog.', ['"Answer:"', '"Caption:"']],
    ['**Image caption:** A dog.', 'A dog.', ['Markdown', '"Image caption:"']],
    ['- a dog\n  - a cat\n* a cow\n• a hen', 'a dog\na cat\na cow\na hen', ['Markdown']],
    ['* a dog', 'a dog', ['Markdown']],
    ['1. a dog\n2) a cat', 'a dog\na cat', ['Markdown']],
    ['# Caption\nA dog.', 'Caption\nA dog.', ['Markdown']],
    ['## 3 dogs', '3 dogs', ['Markdown']],
    ['A **big** *brown* ***wild*** _old_ __fat__ `dog`.', 'A big brown wild old fat dog.', ['Markdown']],
  ])('%j is %j', (text, plain, found) => {
    expect(stripMarkup(text)).toBe(plain)
    expect(findMarkup(text)).toEqual(found)
  })

  it.each([
    'a sign that says <stop>',
    'a sign that says <start> and <end> in red',
    'a heart <3 and an arrow ->',
    'the time on the clock is 5:10',
    'a sign reads: answer',
    'The caption: a dog',
    'assistant coach',
    'a well-known man - with a hat - on a bench',
    '-5 degrees',
    '2. Bundesliga',
    '1. a dog',
    '#1 fan',
    '# 12 bus',
    'a player of M*A*S*H',
    'f**k and sh*t',
    'five * stars * hotel ****',
    'snake_case_name and _____',
    'a dog`s and a cat`s bowl',
    'the `50s and the `60s',
    '  two  spaces\nand a line ',
    '一只狗在草地上',
    '',
  ])('there is none in %j', (text) => {
    expect(findMarkup(text)).toEqual([])
    expect(stripMarkup(text)).toBe(text)
  })

  const part = fc.constantFrom(
    ...[
      '</s>',
      '<unk>',
      '<start>',
      '<end>',
      '<|im_start|>',
      'assistant',
      ':',
      '[INST]',
      'Answer: ',
      '**',
      '*',
      '_',
    ],
    ...['`', '- ', '1. ', '# ', '\n', ' ', 'a', 'dog', 'Describe', 'the', 'image', '3', '<', '|>'],
  )
  const texts = fc.array(part, { maxLength: 25 }).map((parts) => parts.join(''))
  const prompts = fc.constantFrom([], ['Describe', 'the', 'image'], ['a'])

  it('is removed at once, and found exactly where something is removed', () => {
    fc.assert(
      fc.property(texts, prompts, (text, prompt) => {
        const plain = stripMarkup(text, prompt)
        expect(stripMarkup(plain, prompt)).toBe(plain)
        expect(findMarkup(plain, prompt)).toEqual([])
        expect(findMarkup(text, prompt).length > 0).toBe(plain !== text)
      }),
      { numRuns: 2000 },
    )
  })

  it('is not in words with ordinary punctuation', () => {
    const word = fc.stringMatching(/^[a-z]{1,8}[,.;!?]?$/)
    fc.assert(
      fc.property(fc.array(word), (words) => {
        const text = words.join(' ')
        expect(stripMarkup(text)).toBe(text)
      }),
    )
  })
})

describe('a prompt that is repeated', () => {
  const animals = (count: number, toText: (animal: string) => string) =>
    Array.from({ length: count }, (_, index) => toText(`animal${index} runs`))

  it('is the start of nearly all captions, without the markup before it', () => {
    const captions = animals(98, (animal) => `<s>a picture of ${animal}`)
    expect(findRepeatedPrompt([...captions, 'a dog', 'a cat'])).toEqual(['a', 'picture', 'of'])
    expect(findRepeatedPrompt([...captions, 'a dog', 'a cat', 'a hen', ''])).toEqual([])
  })

  it('ends with its last sentence', () => {
    const captions = animals(50, (animal) => `Describe the image.\nThere is one ${animal}`)
    expect(findRepeatedPrompt(captions)).toEqual(['Describe', 'the', 'image.'])
  })

  it('has three words, and something else after it', () => {
    expect(findRepeatedPrompt(animals(50, (animal) => `there is ${animal}`))).toEqual([])
    expect(findRepeatedPrompt(animals(49, (animal) => `a picture of ${animal}`))).toEqual([])
    expect(findRepeatedPrompt(animals(50, () => 'a man riding a wave'))).toEqual([])
    expect(findRepeatedPrompt([])).toEqual([])
  })

  it('is removed with any space, where something follows', () => {
    const prompt = ['a', 'picture', 'of']
    expect(stripMarkup('a  picture\nof a dog', prompt)).toBe('a dog')
    expect(findMarkup('a picture of a dog', prompt)).toEqual(['the start "a picture of"'])
    for (const text of ['a picture of', 'a picture office', 'one picture of a dog', 'A picture of a dog'])
      expect(stripMarkup(text, prompt)).toBe(text)
  })
})

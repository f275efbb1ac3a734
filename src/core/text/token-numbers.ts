import type { Corpus } from './sequences.js'
import type { Tokenization } from './tokenization.js'
import { createPennAppender } from './tokenizer.js'
import { createTokenizer } from './tokenizers.js'

/** Numbers the tokens of captions from 0 in order of appearance. */
export interface TokenNumbers {
  /** The tokens by number. */
  readonly texts: readonly string[]
  /** The numbers of a caption's tokens. */
  numbersOf(caption: string): Int32Array
}

export function createTokenNumbers(tokenization: Tokenization): TokenNumbers {
  const { texts, append } = createAppender(tokenization)
  return {
    texts,
    numbersOf(caption) {
      const numbers: number[] = []
      append(caption, numbers)
      return Int32Array.from(numbers)
    },
  }
}

/** The tokens of captions, numbered in order of appearance. */
export function tokenizeCorpus(captions: readonly string[], tokenization: Tokenization): Corpus {
  const { texts, append } = createAppender(tokenization)
  const tokens: number[] = []
  const offsets = new Int32Array(captions.length + 1)
  for (let caption = 0; caption < captions.length; caption++) {
    append(captions[caption], tokens)
    offsets[caption + 1] = tokens.length
  }
  return { tokens: Int32Array.from(tokens), offsets, texts }
}

/** `append` adds the numbers of a caption's tokens to a list. */
function createAppender(tokenization: Tokenization): {
  readonly texts: readonly string[]
  readonly append: (caption: string, to: number[]) => void
} {
  if (tokenization.tokenizer === 'ptb') return createPennAppender()
  const tokenize = createTokenizer(tokenization)
  const texts: string[] = []
  const numbers = new Map<string, number>()
  const numberOf = (token: string) => {
    let number = numbers.get(token)
    if (number === undefined) {
      number = texts.push(token) - 1
      numbers.set(token, number)
    }
    return number
  }
  return {
    texts,
    append(caption, to) {
      for (const token of tokenize(caption)) to.push(numberOf(token))
    },
  }
}

import { STOP_WORDS } from '../metrics/wmd/stop-words.js'
import { ENDINGS, type Lexicon, type WordClass } from '../text/lemmatizer.js'
import { PUNCTUATION, tokenizePenn } from '../text/tokenizer.js'
import { wellFormed } from '../text/well-formed.js'

/** The task of COCO Captions (Chen et al. 2015), section 2: what annotators are told. */

/** The seven instructions of the paper, in its order and words. */
export const INSTRUCTIONS: readonly string[] = [
  'Describe all the important parts of the scene.',
  'Do not start the sentences with “There is”.',
  'Do not describe unimportant details.',
  'Do not describe things that might have happened in the future or past.',
  'Do not describe what a person might say.',
  'Do not give people proper names.',
  'The sentences should contain at least 8 words.',
]

/** Captions that show annotators what is wanted. They are no captions of the images that are described. */
export const EXAMPLES: readonly string[] = [
  'A man in a red jacket rides a brown horse along the beach.',
  'Two children share a slice of pizza at a small wooden table.',
]

/**
 * The checks of collected captions that a program can make: COCO Captions (Chen et al. 2015), section 2. Captions are
 * compared by their tokens, so that case, punctuation and spaces make no difference.
 */

/**
 * What is wrong with a caption, in the order in which problems are named, with the message for its annotator. `NOT_ACCEPTED` stands
 * for those that would tell captions of a private dataset.
 */
export const CAPTION_PROBLEMS = {
  TOO_SHORT: 'Write at least 8 words.',
  TOO_LONG: 'Write at most 500 characters.',
  THERE_IS: 'Do not start a sentence with “There is” or “There are”.',
  NOT_ENGLISH: 'Write in English. Most of the words are not in the dictionary.',
  COPY_OF_EXAMPLE: 'This is an example of the instructions. Describe the picture.',
  COPY_OF_CAPTION: 'Somebody has described this picture in the same words. Use your own.',
  REPEATED: 'You have used the same caption for another picture. Describe this one.',
  NOT_ACCEPTED: 'This caption cannot be accepted. Describe the picture in other words.',
} as const

export type CaptionProblem = keyof typeof CAPTION_PROBLEMS

/** What annotators have written already. */
export interface EarlierCaptions {
  /** Whether another caption of the image has the same tokens. */
  readonly isOfImage: boolean
  /** Whether the annotator has described another image by the same tokens. */
  readonly isOfAnnotator: boolean
}

const MIN_WORDS = 8

/** Code units. A row of the queue of captions, and of the form, is never large. */
export const MAX_CAPTION_LENGTH = 500

/** Least share of the words of a caption that are English. Of COCO val2017, 11 of 25,014 captions have less. */
const MIN_KNOWN_SHARE = 3 / 4

/** A text as it is stored: well-formed, without spaces at its ends, and with one space for line breaks and several spaces. */
export function cleanText(text: string): string {
  return wellFormed(text).trim().replace(/\s+/gu, ' ')
}

/** The tokens by which captions are compared. */
export function comparedTokens(caption: string): string {
  return tokensOf(caption).join(' ')
}

/** The problems of a caption; none if it can be accepted. */
export function checkCaption(
  caption: string,
  { isOfImage, isOfAnnotator }: EarlierCaptions,
  lexicon: Lexicon,
): CaptionProblem[] {
  // A longer text is not read.
  if (caption.length > MAX_CAPTION_LENGTH) return ['TOO_LONG']
  const words = tokensOf(caption).filter(isWord)
  const found: Partial<Record<CaptionProblem, boolean>> = {
    TOO_SHORT: words.length < MIN_WORDS,
    THERE_IS: THERE_IS.test(tokenizePenn(caption).join(' ')),
    NOT_ENGLISH: !isEnglish(words, lexicon),
    COPY_OF_EXAMPLE: EXAMPLE_TOKENS.has(comparedTokens(caption)),
    COPY_OF_CAPTION: isOfImage,
    REPEATED: isOfAnnotator,
  }
  return (Object.keys(CAPTION_PROBLEMS) as CaptionProblem[]).filter((problem) => found[problem])
}

function tokensOf(caption: string): string[] {
  return tokenizePenn(caption).filter((token) => !PUNCTUATION.has(token))
}

const EXAMPLE_TOKENS: ReadonlySet<string> = new Set(EXAMPLES.map(comparedTokens))

/** Whether a token is a word or a number: clitics, as in "man's" and "isn't", are parts of words. */
function isWord(token: string): boolean {
  return /^[\p{L}\p{N}]/u.test(token) && token !== "n't"
}

/** A sentence that starts with "there is", "there's" or "there are", in tokens. Quotation marks may precede it. */
const THERE_IS = /(?:^|[.!?] )(?:[^\p{L}\p{N}]+ )?there (?:is|are|'s)(?: |$)/u

/** Whether most of the words are known; numbers do not count. A caption without words is too short, but not in another language. */
function isEnglish(words: readonly string[], lexicon: Lexicon): boolean {
  const counted = words.filter((word) => !/^\p{N}/u.test(word))
  const known = counted.filter((word) => isKnown(word, lexicon))
  return known.length >= MIN_KNOWN_SHARE * counted.length
}

/** Whether a lower-case word is a function word, or a form of a word of WordNet. Of a compound, each part. */
function isKnown(word: string, lexicon: Lexicon): boolean {
  return (
    STOP_WORDS.has(word) ||
    CLASSES.some((wordClass) => isForm(word, wordClass, lexicon)) ||
    isCompound(word, lexicon)
  )
}

const CLASSES: readonly WordClass[] = ['n', 'v', 'a', 'r']

function isForm(word: string, wordClass: WordClass, lexicon: Lexicon): boolean {
  const isLemma = (lemma: string) => lexicon.countOf(lemma, wordClass) !== undefined
  return (
    isLemma(word) ||
    lexicon.basesOf(word, wordClass).length > 0 ||
    ENDINGS[wordClass].some(
      ([ending, replacement]) =>
        word.endsWith(ending) && isLemma(word.slice(0, word.length - ending.length) + replacement),
    )
  )
}

function isCompound(word: string, lexicon: Lexicon): boolean {
  const parts = word.split('-')
  return parts.length > 1 && parts.every((part) => part === '' || isKnown(part, lexicon))
}

import type { PartOfSpeech } from '../../shared/choices.js'
import { requireDataset } from '../../store/datasets.js'
import type { Session } from '../../store/engine/session.js'
import type { Dataset, Word } from '../../store/schema/dataset-tables.js'
import { listVocabulary, listWords } from '../../store/words.js'
import { requireEnglish } from '../shared/tokens.js'

/** Words of a vocabulary. */
export interface WordChoice {
  /** Default: all. */
  readonly partOfSpeech?: readonly PartOfSpeech[] | null
  /**
   * Name of another dataset: only words that its vocabulary has too. Such words are chosen without the captions that are
   * measured, unlike those with a PHR, which are chosen by human recall on the same images.
   */
  readonly vocabularyOf?: string | null
}

/** Words and references that figures are computed from. */
export interface VocabularyOptions extends WordChoice {
  /** k. Default: K − 1. */
  readonly references?: number | null
}

/**
 * Words of the vocabulary in vocabulary order.
 *
 * @throws AccordError UNKNOWN_DATASET; LANGUAGE_NOT_SUPPORTED for parts of speech where no word has one: Accord finds those of
 *   English words, and a vocabulary file may state others
 */
export async function readVocabularyWords(
  session: Session,
  dataset: Dataset,
  choice: WordChoice = {},
): Promise<Word[]> {
  return choose(session, dataset, await listVocabulary(session, dataset), choice)
}

/** @param words to choose from */
async function choose(
  session: Session,
  dataset: Dataset,
  words: readonly Word[],
  { partOfSpeech, vocabularyOf }: WordChoice,
): Promise<Word[]> {
  if (partOfSpeech != null && words.every((word) => word.partOfSpeech === 'OTHER')) {
    requireEnglish(dataset, 'parts of speech')
  }
  const others = vocabularyOf == null ? null : await vocabularyTexts(session, vocabularyOf)
  return words.filter(
    (word) =>
      (partOfSpeech == null || partOfSpeech.includes(word.partOfSpeech)) &&
      (others === null || others.has(word.text)),
  )
}

async function vocabularyTexts(session: Session, dataset: string): Promise<Set<string>> {
  const words = await listVocabulary(session, await requireDataset(session, dataset))
  return new Set(words.map(({ text }) => text))
}

/** The words that the captions of systems are scored on. */
export interface WordsOfCaptions {
  readonly words: readonly Word[]
  /** Whether they are the most used ones of the same captions: no system can then be compared with the people who wrote these. */
  readonly areChosenByPeople: boolean
}

/**
 * The words that a mean word precision of captions is over: all words of the dataset, in its vocabulary or not. If the vocabulary
 * was given by the user, its words. The most used words of the dataset are those that its people happened to use more often than
 * others do: over these, other people would be better than they are.
 */
export async function readWordsOfCaptions(
  session: Session,
  dataset: Dataset,
  choice: WordChoice = {},
): Promise<WordsOfCaptions> {
  const vocabulary = await listVocabulary(session, dataset)
  const rest = await listWords(session, dataset.id, { vocabulary: 'OUT' })
  const words = isMostUsed(vocabulary, rest) ? [...vocabulary, ...rest] : vocabulary
  return {
    words: await choose(session, dataset, words, choice),
    areChosenByPeople:
      choice.vocabularyOf != null && (await isChosenBy(session, dataset, choice.vocabularyOf)),
  }
}

/** Whether the vocabulary of another dataset is that of the same captions. */
async function isChosenBy(session: Session, { revision }: Dataset, name: string): Promise<boolean> {
  const other = await requireDataset(session, name)
  if (other.revision !== revision) return false
  const rest = await listWords(session, other.id, { vocabulary: 'OUT' })
  return isMostUsed(await listVocabulary(session, other), rest)
}

/** Number of words of a vocabulary that nobody gave. */
const VOCABULARY_SIZE = 1000

type CountedWord = Pick<Word, 'text' | 'captionCount'>

/** The vocabulary of a dataset for which none is given: the words that most captions use. */
export function mostUsed(words: readonly CountedWord[]): string[] {
  return words
    .filter(({ captionCount }) => captionCount > 0)
    .sort((one, other) => other.captionCount - one.captionCount || (one.text < other.text ? -1 : 1))
    .slice(0, VOCABULARY_SIZE)
    .map(({ text }) => text)
}

/** Whether a vocabulary is the one that nobody gave. @param rest the other words of the dataset */
function isMostUsed(vocabulary: readonly CountedWord[], rest: readonly CountedWord[]): boolean {
  const expected = mostUsed([...vocabulary, ...rest])
  return vocabulary.length === expected.length && vocabulary.every(({ text }, i) => text === expected[i])
}

import { PARTS_OF_SPEECH, type PartOfSpeech } from '../../shared/choices.js'
import type { Lexicon } from './lemmatizer.js'
import { createPennTagger, type TaggerModel } from './tagger.js'
import { lexicalTags } from './tagger-features.js'

/** Returns the part of speech of each token of a sentence. */
export type Tagger = (sentence: readonly string[]) => PartOfSpeech[]

/**
 * Maps a Penn Treebank tag to a part of speech. Wh-words (`WDT`, `WP`), `to`, particles (`RP`), adverbs,
 * numbers, modals, conjunctions and punctuation are `OTHER`.
 */
export function partOfSpeechOf(pennTag: string): PartOfSpeech {
  return BY_PENN_TAG.get(pennTag) ?? 'OTHER'
}

const PENN_TAGS: Readonly<Record<Exclude<PartOfSpeech, 'OTHER'>, readonly string[]>> = {
  NN: ['NN', 'NNS', 'NNP', 'NNPS'],
  VB: ['VB', 'VBD', 'VBG', 'VBN', 'VBP', 'VBZ'],
  JJ: ['JJ', 'JJR', 'JJS'],
  DT: ['DT', 'PDT'],
  PRP: ['PRP', 'PRP$'],
  IN: ['IN'],
}

const BY_PENN_TAG: ReadonlyMap<string, PartOfSpeech> = new Map(
  Object.entries(PENN_TAGS).flatMap(([tag, pennTags]) =>
    pennTags.map((pennTag) => [pennTag, tag as PartOfSpeech] as const),
  ),
)

/** Creates a tagger that maps the tags of {@link createPennTagger} to parts of speech. */
export function createTagger(model: TaggerModel, lexicon: Lexicon): Tagger {
  const tag = createPennTagger(model, lexicon)
  return (sentence) => tag(sentence).map(partOfSpeechOf)
}

/**
 * Weight of WordNet, in occurrences of the word in the sentences. It decides where the sentences are almost evenly
 * divided or few.
 */
const LEXICON_WEIGHT = 0.5

/** Share of each form in the occurrences of a lemma, in the train part of UD English EWT. */
// biome-ignore format: a table
const FORM_SHARES: Readonly<Record<string, number>> = {
  NN: 0.76, NNS: 0.24,
  VB: 0.46, VBZ: 0.14, VBN: 0.29, VBG: 0.1,
  JJ: 0.92, JJR: 0.04, JJS: 0.04,
  RB: 0.96, RBR: 0.03,
}

/**
 * Returns the part of speech of each word in the sentences. Each occurrence is a vote. The word classes of WordNet
 * have {@link LEXICON_WEIGHT} votes together, divided by the frequency of the word's lemmas. The part of speech with
 * the most votes is returned; OTHER, which stands for many tags, needs more than half of them.
 */
export function tagWords(
  tagger: Tagger,
  lexicon: Lexicon,
  sentences: Iterable<readonly string[]>,
): Map<string, PartOfSpeech> {
  const counts = new Map<string, Float64Array>()
  for (const sentence of sentences) {
    const tags = tagger(sentence)
    for (let position = 0; position < sentence.length; position++) {
      countTag(counts, sentence[position], tags[position])
    }
  }
  for (const [word, votes] of counts) {
    if (!hasClosedClass(votes)) addLexiconVotes(votes, lexicalTags(word, lexicon))
  }
  return new Map(Array.from(counts, ([word, votes]) => [word, electedTag(votes)]))
}

const INDEX_OF_TAG: ReadonlyMap<PartOfSpeech, number> = new Map(
  PARTS_OF_SPEECH.map((tag, index) => [tag, index]),
)

function countTag(counts: Map<string, Float64Array>, word: string, tag: PartOfSpeech): void {
  let votes = counts.get(word)
  if (votes === undefined) {
    votes = new Float64Array(PARTS_OF_SPEECH.length)
    counts.set(word, votes)
  }
  votes[INDEX_OF_TAG.get(tag)!]++
}

/** Whether the word was used as a determiner, pronoun or preposition, which WordNet does not have. */
function hasClosedClass(votes: Float64Array): boolean {
  return (['DT', 'PRP', 'IN'] as const).some((tag) => votes[INDEX_OF_TAG.get(tag)!] > 0)
}

/** Adds half an occurrence to each count: lemmas that do not occur in WordNet's corpora are possible. */
function addLexiconVotes(votes: Float64Array, tags: ReadonlyMap<string, number>): void {
  const shares = Array.from(tags, ([tag, count]) => [tag, (count + 0.5) * (FORM_SHARES[tag] ?? 0)] as const)
  const total = shares.reduce((sum, [, share]) => sum + share, 0)
  if (total === 0) return
  for (const [tag, share] of shares) {
    votes[INDEX_OF_TAG.get(partOfSpeechOf(tag))!] += (LEXICON_WEIGHT * share) / total
  }
}

function electedTag(votes: Float64Array): PartOfSpeech {
  const total = votes.reduce((sum, count) => sum + count, 0)
  const other = INDEX_OF_TAG.get('OTHER')!
  const candidates = 2 * votes[other] > total ? votes : votes.slice(0, other)
  return PARTS_OF_SPEECH[candidates.indexOf(Math.max(...candidates))]
}

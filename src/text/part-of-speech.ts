import type { Lexicon } from './lexicon.js'
import { createPennTagger, type TaggerModel } from './tagger.js'

/** Part of speech, in the classes of Fang et al. 2015 and Chen et al. 2015 (Microsoft COCO Captions), section 4.2. */
export type PartOfSpeech = 'NN' | 'VB' | 'JJ' | 'DT' | 'PRP' | 'IN' | 'OTHER'

/** All parts of speech in display order. Ties between tags are resolved by this order. */
export const PARTS_OF_SPEECH: readonly PartOfSpeech[] = ['NN', 'VB', 'JJ', 'DT', 'PRP', 'IN', 'OTHER']

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

/** Returns the most frequent part of speech of each word in the sentences. */
export function tagWords(tagger: Tagger, sentences: Iterable<readonly string[]>): Map<string, PartOfSpeech> {
  const counts = new Map<string, Uint32Array>()
  for (const sentence of sentences) {
    const tags = tagger(sentence)
    for (let position = 0; position < sentence.length; position++) {
      countTag(counts, sentence[position], tags[position])
    }
  }
  return new Map(Array.from(counts, ([word, tagCounts]) => [word, mostFrequent(tagCounts)]))
}

const INDEX_OF_TAG: ReadonlyMap<PartOfSpeech, number> = new Map(
  PARTS_OF_SPEECH.map((tag, index) => [tag, index]),
)

function countTag(counts: Map<string, Uint32Array>, word: string, tag: PartOfSpeech): void {
  let tagCounts = counts.get(word)
  if (tagCounts === undefined) {
    tagCounts = new Uint32Array(PARTS_OF_SPEECH.length)
    counts.set(word, tagCounts)
  }
  tagCounts[INDEX_OF_TAG.get(tag)!]++
}

function mostFrequent(tagCounts: Uint32Array): PartOfSpeech {
  return PARTS_OF_SPEECH[tagCounts.indexOf(Math.max(...tagCounts))]
}

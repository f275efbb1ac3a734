/** A part of speech as words are grouped by it: the classes of Fang et al. 2015 and COCO Captions §4.2. */
export type PartOfSpeech = 'NN' | 'VB' | 'JJ' | 'DT' | 'PRP' | 'IN' | 'OTHER'

/** All parts of speech, in the order they are listed in; ties between tags go to the earlier one. */
export const PARTS_OF_SPEECH: readonly PartOfSpeech[] = ['NN', 'VB', 'JJ', 'DT', 'PRP', 'IN', 'OTHER']

/** Gives each token of a sentence its part of speech. */
export type Tagger = (sentence: readonly string[]) => PartOfSpeech[]

/**
 * The part of speech of a Penn Treebank tag. Wh-words (`WDT`, `WP`), `to`, particles (`RP`), adverbs,
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

/**
 * A tagger over the library wink-pos-tagger. Its lexicon takes a quarter of a second to load, so it is
 * loaded by the first call and not by the import of this module.
 */
export async function createTagger(): Promise<Tagger> {
  const { default: createPosTagger } = await import('wink-pos-tagger')
  const { tagRawTokens } = createPosTagger()
  return (sentence) => tagRawTokens(sentence).map(({ pos }) => partOfSpeechOf(pos))
}

/** The part of speech that each word has most often in these sentences. */
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

const POSITIONS: ReadonlyMap<PartOfSpeech, number> = new Map(
  PARTS_OF_SPEECH.map((tag, index) => [tag, index]),
)

function countTag(counts: Map<string, Uint32Array>, word: string, tag: PartOfSpeech): void {
  let tagCounts = counts.get(word)
  if (tagCounts === undefined) {
    tagCounts = new Uint32Array(PARTS_OF_SPEECH.length)
    counts.set(word, tagCounts)
  }
  tagCounts[POSITIONS.get(tag)!]++
}

function mostFrequent(tagCounts: Uint32Array): PartOfSpeech {
  return PARTS_OF_SPEECH[tagCounts.indexOf(Math.max(...tagCounts))]
}

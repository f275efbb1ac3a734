import { ENGLISH_FUNCTION_WORDS } from '../../../../src/core/metrics/meteor/normalize.js'
import type { Trial } from '../../../../src/core/metrics/metric.js'
import type {
  MeteorResources,
  ParaphraseTable,
  WordNetTables,
} from '../../../../src/core/metrics/resources.js'
import type { Corpus } from '../../../../src/core/text/sequences.js'

/** A corpus of captions given as words separated by spaces. */
export function corpusOf(captions: readonly string[]): Corpus {
  const ids = new Map<string, number>()
  const sequences = captions.map((caption) =>
    caption
      .split(' ')
      .filter((word) => word !== '')
      .map((word) => {
        if (!ids.has(word)) ids.set(word, ids.size)
        return ids.get(word)!
      }),
  )
  const offsets = [0]
  for (const sequence of sequences) offsets.push(offsets.at(-1)! + sequence.length)
  return {
    tokens: Int32Array.from(sequences.flat()),
    offsets: Int32Array.from(offsets),
    texts: [...ids.keys()],
  }
}

export function textOf({ tokens, offsets, texts }: Corpus, caption: number): string {
  return Array.from(tokens.subarray(offsets[caption], offsets[caption + 1]), (token) => texts[token]).join(
    ' ',
  )
}

/** An image: its candidate, then its references. */
export type ImageCaptions = readonly [candidate: string, ...references: string[]]

/** Images in one corpus, and the trial of their candidates. */
export function trialOf(images: readonly ImageCaptions[]): { corpus: Corpus; trial: Trial } {
  const candidates: number[] = []
  const references: number[] = []
  const referenceOffsets = [0]
  let caption = 0
  for (const [, ...others] of images) {
    candidates.push(caption++)
    for (const _ of others) references.push(caption++)
    referenceOffsets.push(references.length)
  }
  return {
    corpus: corpusOf(images.flat()),
    trial: {
      candidates: Int32Array.from(candidates),
      references: Int32Array.from(references),
      referenceOffsets: Int32Array.from(referenceOffsets),
    },
  }
}

/** A WordNet of a few lemmas. */
export function wordNetOf(
  synsets: Readonly<Record<string, readonly number[]>>,
  irregular: Readonly<Record<string, readonly string[]>> = {},
): WordNetTables {
  return {
    name: 'toy',
    synsetsOf: (lemma) => (Object.hasOwn(synsets, lemma) ? synsets[lemma] : undefined),
    baseFormsOf: (form) => (Object.hasOwn(irregular, form) ? irregular[form] : undefined),
  }
}

/** A paraphrase table of pairs `[phrase, paraphrase]` of words as METEOR's normaliser leaves them. */
export function paraphrasesOf(entries: readonly (readonly [string, string])[]): ParaphraseTable {
  return {
    name: 'toy',
    entriesOf(words) {
      const known = entries.filter((entry) =>
        entry.every((text) => text.split(' ').every((w) => words.includes(w))),
      )
      const sequences = known.flat().map((text) => text.split(' ').map((word) => words.indexOf(word)))
      const offsets = [0]
      for (const sequence of sequences) offsets.push(offsets.at(-1)! + sequence.length)
      return { tokens: Int32Array.from(sequences.flat()), offsets: Int32Array.from(offsets) }
    },
  }
}

export const TOY: MeteorResources = {
  functionWords: ENGLISH_FUNCTION_WORDS,
  functionWordsName: 'METEOR-1.5',
  wordNet: wordNetOf(
    { auto: [1], car: [1, 2], railcar: [2], man: [3], person: [3, 4], soul: [4] },
    { men: ['man'] },
  ),
}

import { type CaptionForm, type Corpus, sequence, type TokenSequences } from '../text/sequences.js'

/** What counts as an object, and how captions mention it. Objects are numbers, the same ones for all corpora of a process. */
export interface ObjectVocabulary {
  /** Enter signatures. */
  readonly parameters: Readonly<Record<string, string>>
  /** What it reads of captions: `raw`, as they are written (`Corpus.written`). */
  readonly text: CaptionForm
  /** The objects that a caption mentions, in order, each as often as it is mentioned. */
  mentionsOf(corpus: Corpus, caption: number): readonly number[]
  /** The objects that the name of an annotated one stands for; none if it is no object here. */
  objectsNamed(name: string): readonly number[]
  nameOf(object: number): string
  /**
   * Which objects of an image are the same: synonyms, and what a chain of them connects.
   *
   * @param objects of the image
   * @returns for any object one that stands for it: one of those of the image, or itself
   */
  groupsOf(objects: Iterable<number>): (object: number) => number
}

/** The mentions of all captions of a corpus. */
export function mentionSequences(corpus: Corpus, vocabulary: ObjectVocabulary): TokenSequences {
  const mentions: number[] = []
  const offsets = new Int32Array(corpus.offsets.length)
  for (let caption = 0; caption + 1 < offsets.length; caption++) {
    for (const object of vocabulary.mentionsOf(corpus, caption)) mentions.push(object)
    offsets[caption + 1] = mentions.length
  }
  return { tokens: Int32Array.from(mentions), offsets }
}

/** The objects that the names of annotated ones stand for, as sequences. @param annotated names, one sequence per image */
export function namedObjects(annotated: Corpus, vocabulary: ObjectVocabulary): TokenSequences {
  const objects = annotated.texts.map((name) => vocabulary.objectsNamed(name))
  const offsets = new Int32Array(annotated.offsets.length)
  const tokens: number[] = []
  for (let image = 0; image + 1 < offsets.length; image++) {
    for (const name of sequence(annotated, image)) tokens.push(...objects[name])
    offsets[image + 1] = tokens.length
  }
  return { tokens: Int32Array.from(tokens), offsets }
}

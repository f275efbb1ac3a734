/** The first input of a caption, which is not one of its words. */
export const BEGIN = 0
/** The end of a caption, its last word. */
export const END = 1
/** Every word that is not in the vocabulary. */
export const UNKNOWN = 2

/** Captions with their bags of atoms. */
export interface Examples {
  /** Caption i is words[wordOffsets[i]] … words[wordOffsets[i + 1] − 1]; its last word is END. */
  readonly words: Int32Array
  readonly wordOffsets: Int32Array
  /** Distinct atoms of each caption, likewise. */
  readonly atoms: Int32Array
  readonly atomOffsets: Int32Array
}

/** Distinct atoms of captions. */
export type Bags = Pick<Examples, 'atoms' | 'atomOffsets'>

/** Selects captions of examples, as views. */
export function selectRange(examples: Examples, first: number, end: number): Examples {
  return {
    words: examples.words,
    wordOffsets: examples.wordOffsets.subarray(first, end + 1),
    atoms: examples.atoms,
    atomOffsets: examples.atomOffsets.subarray(first, end + 1),
  }
}

/** The words that are inputs, with repetitions. */
export function* inputsOf({ words, wordOffsets }: Examples): Generator<number> {
  yield BEGIN
  for (let caption = 0; caption + 1 < wordOffsets.length; caption++)
    for (let i = wordOffsets[caption]; i < wordOffsets[caption + 1] - 1; i++) yield words[i]
}

/** The word that is the input of a step: the word before. */
export function inputOf({ words, wordOffsets }: Examples, caption: number, step: number): number {
  return step === 0 ? BEGIN : words[wordOffsets[caption] + step - 1]
}

/** Captions in the order of the computation: step by step, the longest first, so that a step continues the first rows. */
export interface Schedule {
  /** Captions by descending number of words. */
  readonly captions: readonly number[]
  /** Step i computes word i of the first `count` captions, in the rows from `first` on. */
  readonly steps: readonly { readonly first: number; readonly count: number }[]
  /** The number of words of all captions. */
  readonly rowCount: number
}

export function scheduleOf({ wordOffsets }: Examples): Schedule {
  const lengthOf = (caption: number) => wordOffsets[caption + 1] - wordOffsets[caption]
  const captions = Array.from({ length: wordOffsets.length - 1 }, (_, caption) => caption)
  captions.sort((one, other) => lengthOf(other) - lengthOf(one) || one - other)
  const steps: { first: number; count: number }[] = []
  let rowCount = 0
  for (let step = 0; captions.length > 0 && step < lengthOf(captions[0]); step++) {
    const count = captions.findLastIndex((caption) => lengthOf(caption) > step) + 1
    steps.push({ first: rowCount, count })
    rowCount += count
  }
  return { captions, steps, rowCount }
}

import { AccordError } from '../../errors.js'
import type { AtomKind, BoundSettings } from '../../shared/choices.js'
import { createRandom, type Random, shuffle } from '../stats/random.js'
import { type Atom, type CountedAtom, kindsOf } from './atoms.js'
import { END, type Examples, UNKNOWN } from './engine/examples.js'

/** A human caption: its words, and its atoms in the order of its words. */
export interface AnalysedCaption {
  readonly words: readonly string[]
  readonly atoms: readonly Atom[]
}

/** Words and atoms of a model. */
export interface Vocabulary {
  /** By id. The first three are the begin, the end, and every unknown word. */
  readonly words: readonly string[]
  /** By id, by kind and rank. */
  readonly atoms: readonly Atom[]
}

/** Names of the first three words, which no token can have. */
const SPECIAL_WORDS = ['<begin>', '<end>', '<unknown>']

/** Longer captions are cut off. */
const MAX_CAPTION_WORDS = 60

/** The words that occur at least `minCount` times, the most frequent first; ties are in the order of their texts. */
export function chooseWords(captions: Iterable<AnalysedCaption>, minCount: number): string[] {
  const counts = new Map<string, number>()
  for (const { words } of captions) for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  const chosen = Array.from(counts).filter(([, count]) => count >= minCount)
  chosen.sort(([word, count], [other, otherCount]) => otherCount - count || (word < other ? -1 : 1))
  return [...SPECIAL_WORDS, ...chosen.map(([word]) => word)]
}

/**
 * The first k atoms of each kind of a bound.
 *
 * @param ranked atoms of the training captions, by kind and rank
 * @param isVisual which atoms a bound with only visual atoms may have
 * @throws AccordError OUT_OF_RANGE where no kind has k atoms
 */
export function chooseAtoms(
  ranked: readonly CountedAtom[],
  { kind, atoms: k, visualOnly }: Pick<BoundSettings, 'kind' | 'atoms' | 'visualOnly'>,
  isVisual: (atom: Atom) => boolean,
): Atom[] {
  const allowed = visualOnly ? ranked.filter(isVisual) : ranked
  const ofKinds = kindsOf(kind).map((one) => allowed.filter((atom) => atom.kind === one))
  const most = Math.max(...ofKinds.map((atoms) => atoms.length))
  if (k > most) {
    throw new AccordError('OUT_OF_RANGE', 'there are fewer atoms', {
      source: 'atoms',
      expected: `at most ${most}, the number of ${visualOnly ? 'visual atoms' : 'atoms'} of the training captions`,
      found: String(k),
    })
  }
  return ofKinds.flatMap((atoms) => atoms.slice(0, k)).map(({ kind, text }) => ({ kind, text }))
}

/** Converts captions to numbers. */
interface Encoder {
  /** The words of a caption and its end. */
  words(caption: AnalysedCaption): number[]
  /**
   * The atoms of a caption that the model has, each once, ascending; a share of them is replaced by random others.
   *
   * @param random for the replacements
   */
  bag(caption: AnalysedCaption, random: Random): number[]
}

/** @param replaced r: the share of the atoms of a bag that is replaced */
export function createEncoder({ words, atoms }: Vocabulary, replaced: number): Encoder {
  const wordIds = new Map(words.map((word, id) => [word, id]))
  for (const special of SPECIAL_WORDS) wordIds.delete(special)
  const keyOf = ({ kind, text }: { readonly kind: AtomKind; readonly text: string }) => `${kind} ${text}`
  const atomIds = new Map(atoms.map((atom, id) => [keyOf(atom), id]))
  return {
    words: (caption) => [
      ...caption.words.slice(0, MAX_CAPTION_WORDS).map((word) => wordIds.get(word) ?? UNKNOWN),
      END,
    ],
    bag(caption, random) {
      const bag = new Set(caption.atoms.flatMap((atom) => atomIds.get(keyOf(atom)) ?? []))
      const ids = [...bag].sort((one, other) => one - other)
      return replaced === 0 ? ids : replaceAtoms(ids, atoms.length, replaced, random)
    },
  }
}

/**
 * Replaces a share r of the atoms of a bag, chosen at random, by random atoms that are not in the bag, section 6.4.3. Where
 * too few others exist, the bag becomes smaller.
 *
 * @param atomCount number of all atoms
 */
export function replaceAtoms(
  bag: readonly number[],
  atomCount: number,
  share: number,
  random: Random,
): number[] {
  const remaining = [...bag]
  const count = Math.round(share * bag.length)
  for (let i = 0; i < count; i++) remaining.splice(random.below(remaining.length), 1)
  const excluded = new Set(bag)
  const replacements: number[] = []
  while (replacements.length < Math.min(count, atomCount - bag.length)) {
    const atom = random.below(atomCount)
    if (excluded.has(atom)) continue
    excluded.add(atom)
    replacements.push(atom)
  }
  return [...remaining, ...replacements].sort((one, other) => one - other)
}

/** Joins encoded captions and bags; without words, for captions that are searched, `words` is empty. */
export function toExamples(
  captions: readonly { readonly words: readonly number[]; readonly bag: readonly number[] }[],
): Examples {
  const wordOffsets = new Int32Array(captions.length + 1)
  const atomOffsets = new Int32Array(captions.length + 1)
  for (const [index, { words, bag }] of captions.entries()) {
    wordOffsets[index + 1] = wordOffsets[index] + words.length
    atomOffsets[index + 1] = atomOffsets[index] + bag.length
  }
  return {
    words: Int32Array.from(captions.flatMap(({ words }) => words)),
    wordOffsets,
    atoms: Int32Array.from(captions.flatMap(({ bag }) => bag)),
    atomOffsets,
  }
}

/** Selects captions of examples by index. */
export function selectExamples(examples: Examples, captions: Int32Array): Examples {
  const { words, wordOffsets, atoms, atomOffsets } = examples
  return toExamples(
    Array.from(captions, (caption) => ({
      words: Array.from(words.subarray(wordOffsets[caption], wordOffsets[caption + 1])),
      bag: Array.from(atoms.subarray(atomOffsets[caption], atomOffsets[caption + 1])),
    })),
  )
}

/** Words of the longest caption, its end included. */
export function longestCaption(...parts: readonly Examples[]): number {
  let longest = 1
  for (const { wordOffsets } of parts)
    for (let i = 1; i < wordOffsets.length; i++)
      longest = Math.max(longest, wordOffsets[i] - wordOffsets[i - 1])
  return longest
}

/** Random numbers for the replacements of one caption. */
export function replacementRandom(seed: number, key: number): Random {
  return createRandom((seed % 2 ** 20) * 2 ** 32 + key)
}

/** Ids of images, ascending, for the three uses of a dataset. */
export interface Split {
  readonly training: Int32Array
  /** For choosing the best model. */
  readonly validation: Int32Array
  /** For the figures. */
  readonly test: Int32Array
}

/** Identifies a split of a dataset. */
interface SplitSettings {
  readonly validationImages: number
  readonly testImages: number
}

export const splitKey = ({ validationImages, testImages }: SplitSettings) =>
  `${validationImages} for validation, ${testImages} for testing`

/** One for all trainings, so that those with different seeds have the same test images. */
const SPLIT_SEED = 1

/**
 * Divides images at random.
 *
 * @param imageIds of the images with human captions
 * @throws AccordError NOT_APPLICABLE where fewer images are left for training than for testing
 */
export function splitForTraining(imageIds: Int32Array, settings: SplitSettings): Split {
  const { validationImages, testImages } = settings
  const held = validationImages + testImages
  if (imageIds.length - held < testImages) {
    throw new AccordError('NOT_APPLICABLE', 'the dataset is too small to be split', {
      source: 'dataset',
      expected: `at least ${held + testImages} images with human captions, for ${validationImages} for validation, ${testImages} for testing and as many for training`,
      found: String(imageIds.length),
    })
  }
  const order = imageIds.slice()
  shuffle(order, createRandom(SPLIT_SEED))
  return {
    training: order.slice(held).sort(),
    validation: order.slice(0, validationImages).sort(),
    test: order.slice(validationImages, held).sort(),
  }
}

/** Human judgements on captions, for judging metrics: Sharif et al. 2018, section 5. */
import type { SystemComparisons } from './bradley-terry.js'

/** How well a caption describes its image, as rated by one person or several. */
export interface Rating {
  /** Null where the source does not tell who gave which rating. */
  readonly rater: string | null
  readonly value: number
}

/** Which of two captions of an image people prefer. */
export interface Preference {
  /** Positions of the two captions among all judged captions. */
  readonly first: number
  readonly second: number
  /** 0 for the first caption, 1 for the second, null for a tie. */
  readonly preferred: 0 | 1 | null
  readonly category: string
}

export type JudgementKind = 'RATINGS' | 'PREFERENCES'

/** Judgements on captions 0 … n − 1, each of which has a score. */
export type Judgements = { readonly images: CaptionImages } & (
  | {
      readonly kind: 'RATINGS'
      /** Caption c has the ratings `ratings[offsets[c]] … ratings[offsets[c + 1] - 1]`. */
      readonly ratings: Float64Array
      readonly offsets: Int32Array
      /** Null where the source names none. */
      readonly systems: CaptionSystems | null
    }
  | {
      readonly kind: 'PREFERENCES'
      /** Per preference, the position of the preferred caption and of the other one. */
      readonly preferred: Int32Array
      readonly other: Int32Array
      /** Per preference, the position of its category. */
      readonly categories: Int32Array
      readonly categoryNames: readonly string[]
      /** All preferences, ties among them, as comparisons of systems; null where the source names none. */
      readonly contest: { readonly comparisons: SystemComparisons; readonly names: readonly string[] } | null
      /** The captions of all comparisons. */
      readonly pairs: CaptionsOfPairs
    }
)

/** Per preference, the positions of its captions. */
export interface CaptionsOfPairs {
  readonly first: Int32Array
  readonly second: Int32Array
}

/** The images of captions: those of one image share its references, so that whole images are resampled. */
export interface CaptionImages {
  /** Per caption, the position of its image. */
  readonly positions: Int32Array
  readonly count: number
}

/** The systems that wrote captions. */
export interface CaptionSystems {
  /** Per caption, the position of its system. */
  readonly positions: Int32Array
  readonly names: readonly string[]
  /** Whether each of them stands for people. */
  readonly arePeople: readonly boolean[]
}

/** Words for people, alone or before what they write, maybe numbered. */
const PEOPLE =
  /^(?:people|persons?|humans?|human ?beings?|human ?written|(?:human )?annotators?|crowd ?workers?|human ?performance|ground ?truths?|gt)(?: ?(?:captions?|references?|agreement))?(?: \d+)?$/

/**
 * Whether the name of a system stands for people, in any case and with any punctuation. Judgements name people like systems, which is
 * where their kind is told ({@link systemsOf}); no system that is imported has such a name.
 */
export function isPeople(system: string): boolean {
  const words = system
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/\((e?s)\)/g, '$1')
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
  return PEOPLE.test(words.trim())
}

/** Numbers the systems of captions, in the order of their first captions; null where captions name none. */
export function systemsOf(captions: readonly { readonly system: string | null }[]): CaptionSystems | null {
  const names = [...new Set(captions.flatMap(({ system }) => system ?? []))]
  if (names.length === 0) return null
  const places = new Map(names.map((name, place) => [name, place]))
  return {
    positions: Int32Array.from(captions, ({ system }) => places.get(system as string) as number),
    names,
    arePeople: names.map(isPeople),
  }
}

/** Numbers the images of captions, in the order of their first captions. */
export function imagesOf(captions: readonly { readonly imageId: number }[]): CaptionImages {
  const places = new Map<number, number>()
  const positions = Int32Array.from(captions, ({ imageId }) => {
    const place = places.get(imageId) ?? places.size
    places.set(imageId, place)
    return place
  })
  return { positions, count: places.size }
}

/** Ratings of captions as {@link Judgements}. */
export function ratingsOf(
  captions: readonly (readonly Rating[])[],
  images: CaptionImages,
  systems: CaptionSystems | null,
): Judgements & { kind: 'RATINGS' } {
  const offsets = new Int32Array(captions.length + 1)
  for (const [index, ratings] of captions.entries()) offsets[index + 1] = offsets[index] + ratings.length
  const ratings = Float64Array.from(captions.flatMap((own) => own.map(({ value }) => value)))
  return { kind: 'RATINGS', ratings, offsets, images, systems }
}

/** Preferences as {@link Judgements}, without ties, categories in the order of their names. */
export function preferencesOf(
  all: readonly Preference[],
  images: CaptionImages,
  systems: CaptionSystems | null,
): Judgements & { readonly kind: 'PREFERENCES' } {
  const preferences = all.filter(({ preferred }) => preferred !== null)
  const categoryNames = [...new Set(preferences.map(({ category }) => category))].sort()
  const places = new Map(categoryNames.map((name, place) => [name, place]))
  const choose = (isPreferred: boolean) =>
    Int32Array.from(preferences, ({ first, second, preferred }) =>
      (preferred === 0) === isPreferred ? first : second,
    )
  return {
    kind: 'PREFERENCES',
    preferred: choose(true),
    other: choose(false),
    categories: Int32Array.from(preferences, ({ category }) => places.get(category) as number),
    categoryNames,
    images,
    pairs: {
      first: Int32Array.from(all, ({ first }) => first),
      second: Int32Array.from(all, ({ second }) => second),
    },
    contest: systems && { names: systems.names, comparisons: compareSystems(all, images, systems) },
  }
}

/** Preferences as comparisons of their systems. */
function compareSystems(
  preferences: readonly Preference[],
  images: CaptionImages,
  { positions, names }: CaptionSystems,
): SystemComparisons {
  return {
    systemCount: names.length,
    first: Int32Array.from(preferences, ({ first }) => positions[first]),
    second: Int32Array.from(preferences, ({ second }) => positions[second]),
    outcomes: Float64Array.from(preferences, ({ preferred }) => (preferred === null ? 0.5 : 1 - preferred)),
    images: Int32Array.from(preferences, ({ first }) => images.positions[first]),
    imageCount: images.count,
  }
}

/**
 * Published figures of metrics on two sets of judgements, to show beside ours.
 *
 * Flickr8k-Expert (Hodosh et al. 2013), τ-c: Hessel et al. 2021 (CLIPScore), table 1; SPICE: Li et al. 2023 (FACTUAL).
 * PASCAL-50S (Vedantam et al. 2015), accuracy: Sharif et al. 2018, table 2.
 */

/** Published figures of one metric: τ-c on ratings, or the accuracy by category. */
export type PublishedFigures =
  | { readonly tauC: number }
  | { readonly accuracy: Readonly<Record<string, number>>; readonly mean: number }

const FLICKR8K_EXPERT: Readonly<Record<string, number>> = {
  'BLEU-1': 0.323,
  'BLEU-4': 0.308,
  'ROUGE-L': 0.323,
  METEOR: 0.418,
  'CIDEr-D': 0.439,
  SPICE: 0.449,
}

/** HC, HI, HM, MM and their mean. */
export const PASCAL_50S: Readonly<Record<string, readonly [number, number, number, number, number]>> = {
  'BLEU-4': [0.537, 0.932, 0.856, 0.61, 0.734],
  'ROUGE-L': [0.565, 0.953, 0.934, 0.585, 0.759],
  METEOR: [0.611, 0.976, 0.946, 0.62, 0.788],
  CIDEr: [0.578, 0.98, 0.888, 0.682, 0.782],
  SPICE: [0.58, 0.967, 0.884, 0.716, 0.787],
  WMD: [0.562, 0.984, 0.917, 0.715, 0.795],
  EvalMS: [0.628, 0.979, 0.935, 0.696, 0.809],
  EvalCS: [0.595, 0.983, 0.907, 0.713, 0.799],
  EvalMCS: [0.602, 0.983, 0.918, 0.718, 0.805],
  EvalWCS: [0.582, 0.987, 0.917, 0.706, 0.798],
  EvalMWS: [0.569, 0.984, 0.913, 0.712, 0.794],
  EvalMWCS: [0.59, 0.985, 0.907, 0.702, 0.796],
}

/** The published sets by the content hash of their judgements. */
const SETS: Readonly<Record<string, 'FLICKR8K_EXPERT' | 'PASCAL_50S'>> = {
  '40a350d693b2e7b92afe99a0889748f03d82af7df5fa9cce8bbc7e24cd40b21f': 'FLICKR8K_EXPERT',
  '82ac1a669af5bceb2decb922f4d99d7e0dd77c4de3ad6698abde81e92b4e7842': 'PASCAL_50S',
}

/** The published figures of a metric on a set of judgements; null where there are none. */
export function publishedFigures(setHash: string, metric: string): PublishedFigures | null {
  switch (SETS[setHash]) {
    case 'FLICKR8K_EXPERT': {
      const tauC = FLICKR8K_EXPERT[metric]
      return tauC === undefined ? null : { tauC }
    }
    case 'PASCAL_50S': {
      const figures = PASCAL_50S[metric]
      if (figures === undefined) return null
      const [HC, HI, HM, MM, mean] = figures
      return { accuracy: { HC, HI, HM, MM }, mean }
    }
    default:
      return null
  }
}

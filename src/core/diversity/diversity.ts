/**
 * Diversity and length of captions, METHODS section 14, of systems beside a person (after van Miltenburg et al. 2018, "Measuring
 * the diversity of automatic image descriptions", and Shetty et al. 2017).
 *
 * Sizes are matched, since types and distinct captions depend on them: all sides describe the same images with one caption each,
 * and types are counted in as many tokens of each. The rest is chance: {@link SAMPLES} times the images are put in a random order,
 * and of each image a random one of its K captions is the person's. Figures are means over samples. Tokens of a sample are
 * those of its captions in that order; bigrams are neighbouring tokens of one caption.
 *
 * Length and local recall need no samples: people have them over all K captions and folds.
 *
 * METHODS has local recall at c of the K people. A person is one of these: beside a system, c are among the other K − 1, for both
 * in the same folds (METHODS section 3). Of systems there is the same with c of all K people.
 */
import { type Progress, step } from '../../progress.js'
import type { UndefinedReason } from '../../shared/undefined-reason.js'
import { createRandom, shuffle } from '../stats/random.js'
import { sequence, type TokenSequences } from '../text/sequences.js'

/** Increased whenever the same captions get other figures. */
export const DIVERSITY_REVISION = 1

/** Random samples. */
export const SAMPLES = 10

/** Tokens, or bigrams, of a segment for a type-token ratio. */
export const SEGMENT_LENGTH = 1000

/** Captions of the same images, in the same order. */
export interface DiversityCaptions {
  /** K captions of each image, one image after the other. */
  readonly people: TokenSequences
  /** K, at least 1. */
  readonly captionsPerImage: number
  /** Of each system a caption of each image. */
  readonly systems: readonly TokenSequences[]
  /** Captions that systems were trained with; null if none are given. */
  readonly training: CaptionSet | null
}

/** Captions by their tokens. */
export interface CaptionSet {
  add(captions: TokenSequences): void
  has(captions: TokenSequences, caption: number): boolean
}

export function createCaptionSet(): CaptionSet {
  const texts = new Set<string>()
  return {
    add(captions) {
      for (let caption = 0; caption + 1 < captions.offsets.length; caption++)
        texts.add(textOf(captions, caption))
    },
    has: (captions, caption) => texts.has(textOf(captions, caption)),
  }
}

/** Equal for captions of the same tokens. */
function textOf(captions: TokenSequences, caption: number): string {
  return sequence(captions, caption).join(' ')
}

/** Null with a reason. */
export interface DiversityFigure {
  readonly value: number | null
  readonly undefinedReason: UndefinedReason | null
}

/** Figures of a system, or of a person. */
export interface Diversity {
  /** Mean number of tokens of a caption. */
  readonly meanLength: DiversityFigure
  /** Standard deviation of the number of tokens, with n − 1. */
  readonly lengthDeviation: DiversityFigure
  /** Distinct tokens in the first {@link MeasuredDiversity.tokenCount} tokens of a sample. */
  readonly types: DiversityFigure
  /** Distinct tokens / tokens of a segment, 0 to 1: the mean over the full segments of a sample. */
  readonly wordTypeTokenRatio: DiversityFigure
  /** The same of bigrams. */
  readonly bigramTypeTokenRatio: DiversityFigure
  /** Distinct captions / captions, 0 to 1. */
  readonly distinctShare: DiversityFigure
  /** Of the types of the other K − 1 captions of all images, the share that is among the {@link types}, 0 to 1. */
  readonly vocabularyShare: DiversityFigure
  /**
   * Entry c − 1: of the words that c of the other K − 1 people use for an image, the share that the caption of this image has, 0
   * to 1; sums over images and folds first. Words are types.
   */
  readonly localRecall: readonly DiversityFigure[]
  /** The same with c of all K people, of a system: entry c − 1, c = 1 … K. None for people. */
  readonly localRecallOfAll: readonly DiversityFigure[]
  /** Captions that are not among those of training / captions, 0 to 1. Null if none are given. */
  readonly unseenShare: DiversityFigure | null
}

export interface MeasuredDiversity {
  /** Tokens in which types are counted: those of the shortest sample of any side. */
  readonly tokenCount: number
  readonly people: Diversity
  readonly systems: readonly Diversity[]
}

/** Measures people and systems. Time: linear in tokens × {@link SAMPLES}. @param seed a safe integer */
export function measureDiversity(
  { people, captionsPerImage, systems, training }: DiversityCaptions,
  seed: number,
  progress: Progress = () => {},
): MeasuredDiversity {
  const imageCount = (people.offsets.length - 1) / captionsPerImage
  const samples = drawSamples(imageCount, captionsPerImage, seed)
  const sides = [
    { captions: people, numbers: numberCaptions(people), chosen: samples.map(({ person }) => person) },
    ...systems.map((captions) => ({
      captions,
      numbers: numberCaptions(captions),
      chosen: samples.map(({ order }) => order),
    })),
  ]
  const tokenCount = Math.min(
    ...sides.flatMap(({ captions, chosen }) => chosen.map((sample) => countTokens(captions, sample))),
  )
  const sums = sides.map(() => new Float64Array(SAMPLED))
  for (const [index, { person }] of samples.entries()) {
    step(progress, index, SAMPLES)(0, 'measuring diversity')
    const vocabulary = typesOfOthers(people, person)
    for (const [side, { captions, numbers, chosen }] of sides.entries()) {
      const figures = measureSample(captions, numbers, chosen[index], vocabulary, tokenCount)
      figures.forEach((figure, place) => {
        sums[side][place] += figure
      })
    }
  }
  const recalls = localRecalls(people, captionsPerImage, systems)
  const [ofPeople, ...ofSystems] = sides.map(({ captions }, side) =>
    toDiversity(
      captions,
      sums[side].map((sum) => sum / SAMPLES),
      recalls[side],
      training,
      captionsPerImage,
    ),
  )
  return { tokenCount, people: ofPeople, systems: ofSystems }
}

interface Sample {
  /** The images. */
  readonly order: Uint32Array
  /** Of each image, in this order, the caption of the person. */
  readonly person: Uint32Array
}

function drawSamples(imageCount: number, captionsPerImage: number, seed: number): Sample[] {
  const random = createRandom(seed)
  return Array.from({ length: SAMPLES }, () => {
    const order = Uint32Array.from({ length: imageCount }, (_, image) => image)
    shuffle(order, random)
    const person = order.map((image) => image * captionsPerImage + random.below(captionsPerImage))
    return { order, person }
  })
}

/** A number for each caption, the same for captions of the same tokens. */
function numberCaptions(captions: TokenSequences): Uint32Array {
  const numbers = new Map<string, number>()
  return Uint32Array.from({ length: captions.offsets.length - 1 }, (_, index) => {
    const text = textOf(captions, index)
    const number = numbers.get(text) ?? numbers.size
    numbers.set(text, number)
    return number
  })
}

function countTokens({ offsets }: TokenSequences, chosen: Uint32Array): number {
  return chosen.reduce((sum, caption) => sum + offsets[caption + 1] - offsets[caption], 0)
}

/** The types of the captions that are not the person's. */
function typesOfOthers({ tokens, offsets }: TokenSequences, person: Uint32Array): ReadonlySet<number> {
  const isPerson = new Uint8Array(offsets.length)
  for (const caption of person) isPerson[caption] = 1
  const types = new Set<number>()
  for (let caption = 0; caption + 1 < offsets.length; caption++) {
    if (isPerson[caption]) continue
    for (let i = offsets[caption]; i < offsets[caption + 1]; i++) types.add(tokens[i])
  }
  return types
}

/** Figures of a sample, NaN where they are undefined. */
const TYPES = 0
const WORD_RATIO = 1
const BIGRAM_RATIO = 2
const DISTINCT = 3
const VOCABULARY = 4
const SAMPLED = 5

function measureSample(
  captions: TokenSequences,
  numbers: Uint32Array,
  chosen: Uint32Array,
  vocabulary: ReadonlySet<number>,
  tokenCount: number,
): Float64Array {
  const figures = new Float64Array(SAMPLED)
  const { words, bigrams } = readSample(captions, chosen)
  const types = new Set(words.subarray(0, tokenCount))
  let known = 0
  for (const type of types) if (vocabulary.has(type)) known++
  figures[TYPES] = tokenCount === 0 ? Number.NaN : types.size
  figures[WORD_RATIO] = typeTokenRatio(words)
  figures[BIGRAM_RATIO] = typeTokenRatio(bigrams)
  figures[DISTINCT] = new Set(chosen.map((caption) => numbers[caption])).size / chosen.length
  figures[VOCABULARY] = tokenCount === 0 ? Number.NaN : known / vocabulary.size
  return figures
}

/** More than numbers of tokens, and few enough that numbers of bigrams are exact. */
const MAX_TOKENS = 2 ** 26

/** The tokens of the captions, one after the other, and a number for each bigram. */
function readSample(
  captions: TokenSequences,
  chosen: Uint32Array,
): { readonly words: Int32Array; readonly bigrams: Float64Array } {
  const words = new Int32Array(countTokens(captions, chosen))
  const bigrams = new Float64Array(words.length)
  let wordCount = 0
  let bigramCount = 0
  for (const caption of chosen) {
    const tokens = sequence(captions, caption)
    words.set(tokens, wordCount)
    wordCount += tokens.length
    for (let i = 1; i < tokens.length; i++) bigrams[bigramCount++] = tokens[i - 1] * MAX_TOKENS + tokens[i]
  }
  return { words, bigrams: bigrams.subarray(0, bigramCount) }
}

/** NaN without a full segment. */
function typeTokenRatio(values: Int32Array | Float64Array): number {
  const segments = Math.floor(values.length / SEGMENT_LENGTH)
  let types = 0
  for (let segment = 0; segment < segments; segment++)
    types += new Set(values.subarray(segment * SEGMENT_LENGTH, (segment + 1) * SEGMENT_LENGTH)).size
  return types / (segments * SEGMENT_LENGTH)
}

/** Local recall by the number of people, NaN where no word is used by as many. */
interface LocalRecalls {
  /** At 1 … K − 1 of the others. */
  readonly ofOthers: Float64Array
  /** At 1 … K; empty for people. */
  readonly ofAll: Float64Array
}

/** Of people, then of each system. */
function localRecalls(
  people: TokenSequences,
  captionsPerImage: number,
  systems: readonly TokenSequences[],
): LocalRecalls[] {
  const totals = new Float64Array(captionsPerImage)
  const found = [people, ...systems].map(() => new Float64Array(captionsPerImage))
  const totalsOfAll = new Float64Array(captionsPerImage)
  const foundOfAll = systems.map(() => new Float64Array(captionsPerImage))
  const imageCount = (people.offsets.length - 1) / captionsPerImage
  for (let image = 0; image < imageCount; image++) {
    const users = countUsers(people, image * captionsPerImage, captionsPerImage)
    for (const count of users.values()) {
      totalsOfAll[count - 1]++
      // In the folds of its users a word has one user less among the others.
      totals[count - 1] += count
      found[0][count - 1] += count
      if (count < captionsPerImage) totals[count] += captionsPerImage - count
    }
    for (const [index, captions] of systems.entries()) {
      for (const word of new Set(sequence(captions, image))) {
        const count = users.get(word)
        if (count === undefined) continue
        foundOfAll[index][count - 1]++
        found[index + 1][count - 1] += count
        if (count < captionsPerImage) found[index + 1][count] += captionsPerImage - count
      }
    }
  }
  return found.map((counts, side) => ({
    ofOthers: counts.map((count, others) => count / totals[others]).subarray(1),
    ofAll: (foundOfAll[side - 1] ?? new Float64Array(0)).map((count, all) => count / totalsOfAll[all]),
  }))
}

/** Of each word of an image, the captions that have it. */
function countUsers(captions: TokenSequences, first: number, length: number): Map<number, number> {
  const users = new Map<number, number>()
  for (let caption = first; caption < first + length; caption++)
    for (const word of new Set(sequence(captions, caption))) users.set(word, (users.get(word) ?? 0) + 1)
  return users
}

function toDiversity(
  captions: TokenSequences,
  means: Float64Array,
  { ofOthers, ofAll }: LocalRecalls,
  training: CaptionSet | null,
  captionsPerImage: number,
): Diversity {
  const { offsets } = captions
  const captionCount = offsets.length - 1
  const figure = (value: number, reason: UndefinedReason = 'UNDEFINED_FIGURE'): DiversityFigure => {
    if (!Number.isNaN(value)) return { value, undefinedReason: null }
    return { value: null, undefinedReason: captionCount === 0 ? 'NO_IMAGES' : reason }
  }
  const meanLength = offsets[captionCount] / captionCount
  let squares = 0
  for (let caption = 0; caption < captionCount; caption++)
    squares += (offsets[caption + 1] - offsets[caption] - meanLength) ** 2
  return {
    meanLength: figure(meanLength),
    lengthDeviation: figure(captionCount < 2 ? Number.NaN : Math.sqrt(squares / (captionCount - 1))),
    types: figure(means[TYPES]),
    wordTypeTokenRatio: figure(means[WORD_RATIO], 'TOO_FEW_TOKENS'),
    bigramTypeTokenRatio: figure(means[BIGRAM_RATIO], 'TOO_FEW_TOKENS'),
    distinctShare: figure(means[DISTINCT]),
    vocabularyShare: figure(means[VOCABULARY], captionsPerImage === 1 ? 'ONE_CAPTION' : 'UNDEFINED_FIGURE'),
    localRecall: Array.from(ofOthers, (recall) => figure(recall)),
    localRecallOfAll: Array.from(ofAll, (recall) => figure(recall)),
    unseenShare: training && figure(countUnseen(captions, training) / captionCount),
  }
}

function countUnseen(captions: TokenSequences, training: CaptionSet): number {
  let count = 0
  for (let caption = 0; caption + 1 < captions.offsets.length; caption++)
    if (!training.has(captions, caption)) count++
  return count
}

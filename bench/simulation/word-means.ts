import { scoredWordEstimates } from '../../src/core/agreement/system-word-intervals.js'
import { createWordReplicator } from '../../src/core/agreement/word-replicates.js'
import { FEW_WORD_IMAGES } from '../../src/core/stats/interval.js'
import {
  ARCSINE,
  createReplicateMean,
  type Estimate,
  estimate,
  estimateDifference,
  type ImageGroups,
  imageGroups,
  type Replicates,
  subtract,
  WORD_MEAN_FREEDOM,
} from '../../src/core/stats/jackknife.js'
import { createRandom, type Random } from '../../src/core/stats/random.js'
import { drawSubsets, rarefiedEstimate } from '../../src/core/stats/rarefaction.js'
import type { Population, PopulationWord } from '../population.js'
import { contains, createTally, describeOutside, type Section, type Tally } from './tally.js'

const FIGURES = ['human precision', 'PHR', 'AP', 'PHR − human precision'] as const
type Figure = (typeof FIGURES)[number]

/** Noise of the two detectors that are compared, on the log-odds of their scores. */
const NOISE = 0.3

/** Coverage of intervals of means over words, and size of the test of two detectors. */
export function simulateWordMeans(
  population: Population,
  sizes: readonly number[],
  samples: number,
  seed: number,
): Section {
  const random = createRandom(seed)
  const coverage = createTally()
  const rejections = createTally()
  const bias: string[] = []
  const everywhere = Int32Array.from({ length: population.imageCount }, (_, image) => image)
  const truths = measure(population, everywhere, imageGroups(everywhere.length, seed))
  for (const size of sizes) {
    const estimates = FIGURES.map((): { value: number; lower: number; upper: number }[] => [])
    const subsets = drawSubsets(size, seed)
    const expectedOfSubsets = subsets ? expectedMeans(population, subsets.size, random) : []
    for (let sample = 0; sample < samples; sample++) {
      const images = Int32Array.from({ length: size }, () => random.below(population.imageCount))
      const groups = imageGroups(size, sample)
      const measured = measure(population, images, groups)
      if (subsets) {
        const rarefied = measure(population, images, subsets.groups)
        FIGURES.forEach((figure, index) => {
          const replicates = mean(rarefied, figure, subsets.groups)
          const found = rarefiedEstimate(replicates, subsets, figure !== 'PHR − human precision')
          if (found?.interval && expectedOfSubsets[index] !== null) {
            const row = `${figure}, rarefied, as in the population`
            coverage.count(row, String(size), contains(found.interval, expectedOfSubsets[index]))
          }
        })
      }
      countSingleWords(coverage, population, images, truths, groups)
      FIGURES.forEach((figure, index) => {
        const found = estimateMean(measured, figure, groups)
        if (found?.interval) estimates[index].push({ value: found.value, ...found.interval })
      })
      const [one, other] = [0, 1].map(() => mean(measure(population, images, groups, random), 'PHR', groups))
      const difference = estimateDifference(subtract(one, other), groups, WORD_MEAN_FREEDOM)
      if (difference?.pValue != null) rejections.count('mean PHR', String(size), difference.pValue <= 0.05)
    }
    FIGURES.forEach((figure, index) => {
      const expected = meanOf(estimates[index].map(({ value }) => value))
      if (expected === null) return
      for (const interval of estimates[index]) {
        coverage.count(
          `${figure}, all words, as in other samples`,
          String(size),
          contains(interval, expected),
        )
      }
      const truth = meanOf(truths.map((word) => word[figure]?.[0])) ?? 0
      bias.push(`| ${figure} | ${size} | ${expected.toFixed(3)} | ${truth.toFixed(3)} |`)
    })
  }
  const table = coverage.table('mean of')
  const sizeTable = rejections.table('figure')
  return [
    '## Means over words',
    '',
    `Coverage of the jackknife over quarters of the images, ${samples.toLocaleString('en')} samples per number of images. ` +
      'A mean over all words depends on the number of images, because figures of rare words are biased and words without a figure ' +
      'are left out: its interval covers the mean of other samples of as many images, not that of more images (table ' +
      'below), so that only means over the same images can be compared; a note says so. *Rarefied* means are expected for random subsets of 10, 20, ' +
      '50, 100, … images, at most half of them, whatever the number of images: their intervals cover the figure of the population ' +
      'for as many images. PHR, AP and gap to people of a single word have ' +
      `intervals on the logit scale, if at least ${FEW_WORD_IMAGES} images have the word and as many do not; those of words ` +
      'that most of fewer than 200 images use are too wide, and a note says so.',
    '',
    ...table,
    '',
    describeOutside(table, () => true, 0.93, 0.97),
    '',
    '| mean over all words of | images | expected | population |',
    '|---|--:|--:|--:|',
    ...bias,
    '',
    'Share of samples in which two equally good detectors are told apart at the level of 5 %. The test is conservative: ' +
      'it finds a difference less often than it could. A note beside such comparisons says so.',
    '',
    ...sizeTable,
    '',
    describeOutside(sizeTable, () => true, 0.04, 0.06),
  ]
}

/** Samples that the expected mean over a number of images is taken from. */
const TRUTH_SAMPLES = 2000

/** The means that samples of a number of images have on average. */
function expectedMeans(population: Population, size: number, random: Random): (number | null)[] {
  const found = FIGURES.map((): (number | undefined)[] => [])
  for (let sample = 0; sample < TRUTH_SAMPLES; sample++) {
    const images = Int32Array.from({ length: size }, () => random.below(population.imageCount))
    const none = imageGroups(size, sample, { partitions: 1, groups: 1 })
    const words = measure(population, images, none)
    FIGURES.forEach((figure, index) => {
      found[index].push(mean(words, figure, none)[0])
    })
  }
  return found.map(meanOf)
}

/** Bins of the number of images with a word, for PHR and AP of single words. */
const BINS = [
  { name: `used in ${FEW_WORD_IMAGES} to 49 images`, least: FEW_WORD_IMAGES },
  { name: 'used in 50 to 99 images', least: 50 },
  { name: 'used in 100 images and more', least: 100 },
]

function countSingleWords(
  coverage: Tally,
  { words, captionsPerImage }: Population,
  images: Int32Array,
  truths: readonly WordFigures[],
  groups: ImageGroups,
): void {
  const references = captionsPerImage - 1
  const replicator = createWordReplicator(groups, captionsPerImage, references)
  const imageCount = images.length
  const sample = { replicator, groups, imageCount, captionsPerImage, references }
  const positions = Int32Array.from(images, (_, position) => position)
  words.forEach((word, index) => {
    const used = wordImages(word, images)
    const bin = BINS.findLast(({ least }) => used.images.length >= least)
    if (!bin || imageCount - used.images.length < FEW_WORD_IMAGES) return
    const scores = Float32Array.from(images, (image) => word.scores[image])
    const found = scoredWordEstimates(sample, used, { images: positions, scores })
    for (const [figure, estimated] of [
      ['PHR', found.precisionAtHumanRecall],
      ['AP', found.averagePrecision],
      ['PHR − human precision', found.gapToPeople],
    ] as const) {
      const truth = truths[index][figure]?.[0]
      if (!estimated?.interval || truth === undefined || Number.isNaN(truth)) continue
      coverage.count(
        `${figure} of a single word ${bin.name}`,
        String(imageCount),
        contains(estimated.interval, truth),
      )
    }
  })
}

type WordFigures = Partial<Record<Figure, Replicates>> & { readonly used: number }

/** All words on some images. With `noise`, the scores are those of a detector with random errors of its own. */
function measure(
  { words, captionsPerImage }: Population,
  images: Int32Array,
  groups: ImageGroups,
  noise?: Random,
): WordFigures[] {
  const replicator = createWordReplicator(groups, captionsPerImage, captionsPerImage - 1)
  const positions = Int32Array.from(images, (_, position) => position)
  return words.map((word) => {
    const used = wordImages(word, images)
    const scores = Float32Array.from(images, (image) => disturb(word.scores[image], noise))
    const { precisionAtHumanRecall, averagePrecision } = replicator.ranking(used, {
      images: positions,
      scores,
    })
    const { precision } = replicator.human(used)
    return {
      used: used.images.length,
      'human precision': precision,
      PHR: precisionAtHumanRecall,
      AP: averagePrecision,
      'PHR − human precision': subtract(precisionAtHumanRecall, precision),
    }
  })
}

function wordImages({ counts }: PopulationWord, images: Int32Array) {
  const used = { images: [] as number[], counts: [] as number[] }
  images.forEach((image, position) => {
    if (counts[image] === 0) return
    used.images.push(position)
    used.counts.push(counts[image])
  })
  return used
}

function disturb(score: number, random: Random | undefined): number {
  if (!random) return score
  const share = Math.min(1 - 1e-6, Math.max(1e-6, score))
  // The difference of two uniform numbers, scaled: triangular noise.
  return Math.log(share / (1 - share)) + NOISE * (random.next() - random.next())
}

/** A mean with the interval that Accord reports. */
function estimateMean(words: readonly WordFigures[], figure: Figure, groups: ImageGroups): Estimate | null {
  const replicates = mean(words, figure, groups)
  return figure === 'PHR − human precision'
    ? estimateDifference(replicates, groups, WORD_MEAN_FREEDOM)
    : estimate(replicates, groups, ARCSINE)
}

function mean(words: readonly WordFigures[], figure: Figure, groups: ImageGroups): Replicates {
  const sum = createReplicateMean(groups)
  for (const word of words) {
    const replicates = word[figure]
    if (replicates) sum.add(replicates)
  }
  return sum.mean()
}

function meanOf(values: readonly (number | undefined)[]): number | null {
  const defined = values.filter((value): value is number => value !== undefined && !Number.isNaN(value))
  return defined.length === 0 ? null : defined.reduce((sum, value) => sum + value, 0) / defined.length
}

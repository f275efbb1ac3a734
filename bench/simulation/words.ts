import { humanWordAgreement, humanWordIntervals } from '../../src/core/agreement/words.js'
import { percentileInterval } from '../../src/core/stats/bootstrap.js'
import { createRandom, type Random } from '../../src/core/stats/random.js'
import type { Population } from '../population.js'
import { contains, createTally, describeOutside, type Section } from './tally.js'

/** Words that fewer images of the population use have no meaningful figure to cover. */
const MIN_POPULATION_IMAGES = 50

/** Bins of the number of images with the word in the sample. */
const BINS = [
  { name: '1 to 4 images', least: 1 },
  { name: '5 to 9', least: 5 },
  { name: '10 to 19', least: 10 },
  { name: '20 to 99', least: 20 },
  { name: '100 and more', least: 100 },
]

/** Word intervals per sample, at most. */
const WORDS_PER_SAMPLE = 20

/** Coverage of the intervals of a single word's human precision and recall. */
export function simulateWords(
  population: Population,
  sizes: readonly number[],
  samples: number,
  seed: number,
): Section {
  const tally = createTally(BINS.map(({ name }) => name))
  const random = createRandom(seed)
  const { captionsPerImage } = population
  const references = captionsPerImage - 1
  const words = population.words
    .map(({ counts }) => ({ counts, histogram: histogramOf(counts, captionsPerImage) }))
    .filter(({ counts, histogram }) => counts.length - histogram[0] >= MIN_POPULATION_IMAGES)
    .map((word) => ({ ...word, truth: humanWordAgreement(word.histogram, references) }))
  for (const size of sizes) {
    for (let sample = 0; sample < samples; sample++) {
      const images = Int32Array.from({ length: size }, () => random.below(population.imageCount))
      for (let i = 0; i < WORDS_PER_SAMPLE; i++) {
        const { counts, truth } = words[random.below(words.length)]
        const drawn = Uint8Array.from(images, (image) => counts[image])
        const histogram = histogramOf(drawn, captionsPerImage)
        const used = size - histogram[0]
        if (used === 0) continue
        const bin = BINS.findLast(({ least }) => used >= least)?.name ?? ''
        const { precisionInterval, recallInterval } = humanWordIntervals(histogram, references)
        const pct = resampleWord(histogram, references, random)
        for (const [figure, interval, competitor] of [
          ['precision', precisionInterval, pct.precision],
          ['recall', recallInterval, pct.recall],
        ] as const) {
          const value = truth[figure]
          if (value === null || interval === null) continue
          tally.count(bin, `${figure}: profile`, contains(interval, value))
          tally.count(bin, `${figure}: pct`, contains(competitor, value))
        }
      }
    }
  }
  const table = tally.table('used in')
  return [
    '## Single words',
    '',
    "Coverage of a word's human precision and recall, by the number of images of the sample that use the word, for " +
      `samples of ${sizes.join(', ')} images and words that at least ${MIN_POPULATION_IMAGES} images of the ` +
      'population use. *profile*: the likelihood interval that Accord reports. *pct*: percentile interval of resampled ' +
      'images (for comparison). Words used in fewer than 20 images are marked wherever they are shown.',
    '',
    ...table,
    '',
    describeOutside(table, (column) => column.endsWith(': profile'), 0.93, 0.97),
  ]
}

function histogramOf(counts: Uint8Array, captionsPerImage: number): number[] {
  const histogram = new Array<number>(captionsPerImage + 1).fill(0)
  for (const count of counts) histogram[count]++
  return histogram
}

const RESAMPLES = 200

/** Percentile intervals from resampled images with the word. */
function resampleWord(histogram: readonly number[], references: number, random: Random) {
  const images = histogram.slice(1).flatMap((times, count) => new Array<number>(times).fill(count + 1))
  const precision = new Float64Array(RESAMPLES)
  const recall = new Float64Array(RESAMPLES)
  const resampled = new Array<number>(histogram.length)
  for (let resample = 0; resample < RESAMPLES; resample++) {
    resampled.fill(0)
    for (let i = 0; i < images.length; i++) resampled[images[random.below(images.length)]]++
    const figures = humanWordAgreement(resampled, references)
    precision[resample] = figures.precision ?? 0
    recall[resample] = figures.recall ?? 0
  }
  return { precision: percentileInterval(precision), recall: percentileInterval(recall) }
}

import { type WordUsage, wordRate, wordRates, wordUsage } from '../../src/core/agreement/word-rates.js'
import { FEW_WORD_IMAGES } from '../../src/core/stats/interval.js'
import { createRandom, type Random } from '../../src/core/stats/random.js'
import type { Population, PopulationWord } from '../population.js'
import { createTally, describeOutside, type Section } from './tally.js'

/** Bins of the number of images of the sample in which the system or people use the word. */
const BINS = [
  { name: '20 to 49 images', least: FEW_WORD_IMAGES },
  { name: '50 to 99', least: 50 },
  { name: '100 and more', least: 100 },
]

/** Systems made of one or two of the people, the others being people, with the ratio of their rates. */
const SYSTEMS = [
  { name: 'a person (ratio 1)', people: 1, kept: 1 },
  { name: 'half of the uses of a person (ratio .5)', people: 1, kept: 0.5 },
  { name: 'uses of either of two people', people: 2, kept: 1 },
]

type Words = Pick<Population, 'imageCount' | 'captionsPerImage' | 'words'>

/** Coverage of the interval of a word's rate, and how often a person as a system is said to use a word too often. */
export function simulateWordRates(
  population: Words,
  sizes: readonly number[],
  samples: number,
  seed: number,
): Section {
  const random = createRandom(seed)
  const [coverage, claims] = [createTally(BINS.map(({ name }) => name)), createTally()]
  const truths = SYSTEMS.map((system) => population.words.map((word) => ratioOf(word, system)))
  for (const size of sizes) {
    for (let sample = 0; sample < samples; sample++) {
      const images = Int32Array.from({ length: size }, () => random.below(population.imageCount))
      // People describe images in no order: who is the system is drawn for each image.
      const first = images.map(() => random.below(population.captionsPerImage))
      SYSTEMS.forEach((system, index) => {
        const humans = population.captionsPerImage - system.people
        const usages = population.words.map((word) => usageOf(word, images, first, system, random))
        usages.forEach((usage, word) => {
          const truth = truths[index][word]
          const bin = BINS.findLast(({ least }) => usage.usedImages >= least)
          if (!bin || truth === null) return
          const { lower, upper } = wordRate(usage, humans).interval
          coverage.count(bin.name, system.name, lower <= truth && (upper === null || truth <= upper))
        })
        if (index > 0) return
        const isClaimed = wordRates(usages, humans).some((rate) => rate?.use)
        claims.count('any word is called overused or underused', String(size), isClaimed)
      })
    }
  }
  const table = coverage.table('word used in')
  const falseClaims = claims.table('claim')
  return [
    '## How often a word is used',
    '',
    "Coverage of the 95 % interval of a system's rate of a word over that of people, by the number of images in which either " +
      `uses it, for samples of ${sizes.join(', ')} images, ${samples.toLocaleString('en')} samples each. Systems are made of ` +
      'captions of people, chosen anew for each image, the others of the image being people.',
    '',
    ...table,
    '',
    describeOutside(table, () => true, 0.93, 0.97),
    '',
    'Share of samples in which a person as a system is said to use a word more or less often than people. The intervals of ' +
      'the words of a system hold together with 95 %.',
    '',
    ...falseClaims,
    '',
    describeOutside(falseClaims, () => true, 0, 0.06),
  ]
}

interface MadeSystem {
  /** Number of people whose words it uses. */
  readonly people: number
  /** Share of their uses. */
  readonly kept: number
}

/** The ratio in the population, over all choices of people. Null for words that nobody uses. */
function ratioOf({ counts, users }: PopulationWord, { people, kept }: MadeSystem): number | null {
  let [own, all] = [0, 0]
  const captions = users.length
  for (const count of counts) {
    all += count / captions
    own += people === 1 ? count / captions : 1 - without(count, captions)
  }
  return all === 0 ? null : (kept * own) / all
}

/** The probability that neither of two of the captions is one of `count`. */
function without(count: number, captions: number): number {
  return ((captions - count) * (captions - count - 1)) / (captions * (captions - 1))
}

function usageOf(
  { users }: PopulationWord,
  images: Int32Array,
  first: Int32Array,
  { people, kept }: MadeSystem,
  random: Random,
): WordUsage {
  const word = { images: [] as number[], counts: [] as number[] }
  const predicted: number[] = []
  images.forEach((image, position) => {
    let [own, others] = [0, 0]
    users.forEach((uses, person) => {
      const place = (person - first[position] + users.length) % users.length
      if (place < people) own += uses[image]
      else others += uses[image]
    })
    if (own > 0 && (kept === 1 || random.next() < kept)) predicted.push(position)
    if (others === 0) return
    word.images.push(position)
    word.counts.push(others)
  })
  return wordUsage(word, predicted, images.length)
}

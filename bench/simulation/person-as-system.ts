import { createHeldOutPrecision, type PeopleOfWord } from '../../src/core/agreement/held-out-precision.js'
import {
  estimateDifference,
  imageGroups,
  subtract,
  THIRDS,
  WORD_MEAN_FREEDOM,
} from '../../src/core/stats/jackknife.js'
import { createRandom } from '../../src/core/stats/random.js'
import type { Population, PopulationWord } from '../population.js'
import { createTally, describeOutside, type Section } from './tally.js'

/** The mean difference of word precision from people, of a person whose captions are scored as those of a system. */
export function simulatePersonAsSystem(
  population: Population,
  sizes: readonly number[],
  samples: number,
  seed: number,
): Section {
  const random = createRandom(seed)
  const rejections = createTally()
  const rows = sizes.map((size) => {
    const gaps = Array.from({ length: samples }, (_, sample) => {
      const person = random.below(population.captionsPerImage)
      const images = Int32Array.from({ length: size }, () => random.below(population.imageCount))
      const { value, pValue } = measureGap(population, images, person, sample)
      if (pValue !== null) rejections.count('difference from people', String(size), pValue <= 0.05)
      return value
    })
    const mean = gaps.reduce((sum, gap) => sum + gap, 0) / samples
    const deviation = Math.sqrt(gaps.reduce((sum, gap) => sum + (gap - mean) ** 2, 0) / (samples - 1))
    return `| ${size} | ${mean.toFixed(4)} | ${(deviation / Math.sqrt(samples)).toFixed(4)} |`
  })
  const table = rejections.table('test of the')
  return [
    '## A person as a system',
    '',
    `One of the ${population.captionsPerImage} captions of each image, the same in a sample, scored as those of a captioning ` +
      'system against the others: the mean difference of word precision from people should be 0. ' +
      `${samples.toLocaleString('en')} samples of images with replacement.`,
    '',
    '| images | mean difference | standard error |',
    '|--:|--:|--:|',
    ...rows,
    '',
    'Share of samples in which the difference is significant at the level of 5 %, by the jackknife over thirds of the images.',
    '',
    ...table,
    '',
    describeOutside(table, () => true, 0.03, 0.07),
  ]
}

function measureGap(
  { words, captionsPerImage }: Population,
  images: Int32Array,
  person: number,
  seed: number,
) {
  const groups = imageGroups(images.length, seed, THIRDS)
  const [system, people] = [0, 1].map(() =>
    createHeldOutPrecision(groups, captionsPerImage - 1, captionsPerImage - 2),
  )
  for (const word of words) {
    const { used, predicted } = splitPeople(word, images, person)
    system.add(used, predicted)
    people.add(used, null)
  }
  const found = estimateDifference(subtract(system.mean(), people.mean()), groups, WORD_MEAN_FREEDOM)
  return { value: found?.value ?? 0, pValue: found?.pValue ?? null }
}

/** Where the other people use a word, and where one does. */
function splitPeople({ counts, users }: PopulationWord, images: Int32Array, system: number) {
  const used = {
    images: [] as number[],
    counts: [] as number[],
    users: users.slice(1).map((): number[] => []),
  }
  const predicted: number[] = []
  images.forEach((image, position) => {
    if (counts[image] === 0) return
    let others = 0
    users.forEach((uses, person) => {
      if (uses[image] === 0) return
      if (person === system) predicted.push(position)
      else {
        used.users[person < system ? person : person - 1].push(position)
        others++
      }
    })
    if (others === 0) return
    used.images.push(position)
    used.counts.push(others)
  })
  const people: PeopleOfWord = used
  return { used: people, predicted }
}

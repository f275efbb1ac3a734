import { createWordReplicator } from '../../src/core/agreement/word-replicates.js'
import { createReplicateMean, imageGroups, subtract } from '../../src/core/stats/jackknife.js'
import { createRandom, shuffle } from '../../src/core/stats/random.js'
import type { Population, PopulationWord } from '../population.js'
import type { Section } from './tally.js'

/** The mean difference of word precision from people, of a person whose captions are scored as those of a system. */
export function simulatePersonAsSystem(
  population: Population,
  sizes: readonly number[],
  samples: number,
  seed: number,
): Section {
  const random = createRandom(seed)
  const order = Int32Array.from({ length: population.imageCount }, (_, image) => image)
  const rows = sizes.map((size) => {
    const gaps = Array.from({ length: samples }, () => {
      shuffle(order, random)
      return gapOf(population, order.subarray(0, size))
    })
    const mean = gaps.reduce((sum, gap) => sum + gap, 0) / samples
    const deviation = Math.sqrt(gaps.reduce((sum, gap) => sum + (gap - mean) ** 2, 0) / (samples - 1))
    return `| ${size} | ${mean.toFixed(3)} | ${(deviation / Math.sqrt(samples)).toFixed(3)} |`
  })
  return [
    '## A person as a system',
    '',
    `The last of the ${population.captionsPerImage} captions of each image, scored as those of a captioning system against the ` +
      'others, on different images: the mean difference of word precision from people should be 0, as people describe the images in no order. On few ' +
      'images it is above 0. Words that nobody among the people uses in the images have no human precision and are left out, and ' +
      'with them mistakes of the system, but none of people. A note beside such differences says so.',
    '',
    '| images | mean difference | standard error |',
    '|--:|--:|--:|',
    ...rows,
  ]
}

/** The mean over the words that both have a precision of. */
function gapOf({ words, captionsPerImage }: Population, images: Int32Array): number {
  const whole = imageGroups(images.length, 0, { partitions: 1, groups: 1 })
  const replicator = createWordReplicator(whole, captionsPerImage - 1, captionsPerImage - 2)
  const mean = createReplicateMean(whole)
  for (const word of words) {
    const { used, predicted } = splitPeople(word, images)
    if (predicted.length === 0 || used.images.length === 0) continue
    const { precision } = replicator.captioning(used, predicted)
    mean.add(subtract(precision, replicator.human(used).precision))
  }
  return mean.mean()[0]
}

/** How many of the other people use a word, and where the last one does. */
function splitPeople({ counts, lastCounts }: PopulationWord, images: Int32Array) {
  const used = { images: [] as number[], counts: [] as number[] }
  const predicted: number[] = []
  images.forEach((image, position) => {
    if (lastCounts[image] === 1) predicted.push(position)
    const others = counts[image] - lastCounts[image]
    if (others === 0) return
    used.images.push(position)
    used.counts.push(others)
  })
  return { used, predicted }
}

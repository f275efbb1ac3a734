import { createRandom } from '../../src/core/stats/random.js'
import { nameOfPeople } from '../../src/shared/coverage-sentence.js'
import type { Population } from '../population.js'
import { contains, createTally, describeOutside, type Section } from './tally.js'

const FIGURES = ['coverage', 'consensusCoverage', 'confirmedShare'] as const

/** Coverage, consensus coverage and confirmed share of people and of a system, with and without weights of words. */
export function simulateCoverage(
  population: Population,
  sizes: readonly number[],
  samples: number,
  seed: number,
): Section {
  const random = createRandom(seed)
  const tally = createTally()
  const all = Int32Array.from({ length: population.imageCount }, (_, image) => image)
  const figuresOf = (images: Int32Array, isWeighted: boolean) => {
    const { people, last } = population.cover(images, isWeighted)
    return [
      ...people.map((point) => ({ name: nameOfPeople(point.people), figures: point })),
      { name: population.systems.at(-1) as string, figures: last },
    ]
  }
  const truths = [false, true].map((isWeighted) => figuresOf(all, isWeighted))
  for (const size of sizes) {
    for (let sample = 0; sample < samples; sample++) {
      const images = Int32Array.from({ length: size }, () => random.below(population.imageCount))
      for (const isWeighted of [false, true]) {
        for (const [index, { name, figures }] of figuresOf(images, isWeighted).entries()) {
          for (const figure of FIGURES) {
            const { interval } = figures[figure]
            const truth = truths[Number(isWeighted)][index].figures[figure].value
            if (interval !== null && truth !== null)
              tally.count(
                `${name}, ${figure}`,
                `${size}: ${isWeighted ? 'words' : 'types'}`,
                contains(interval, truth),
              )
          }
        }
      }
    }
  }
  const table = tally.table('figure')
  return [
    '## Coverage and confirmed share',
    '',
    'Of people as one and of a system, beside two references. *types*: distinct words alike; *words*: weighed by the images of the ' +
      'sample, so that the figures fall as the number of images grows, which no interval covers: a note says so.',
    '',
    ...table,
    '',
    describeOutside(table, (column) => column.endsWith('types'), 0.93, 0.97),
  ]
}

import type { CoverageFigure } from '../../src/core/coverage/coverage-figures.js'
import { LEVEL, testTable } from '../../src/core/stats/min-p.js'
import { createRandom } from '../../src/core/stats/random.js'
import { nameOfPeople } from '../../src/shared/coverage-sentence.js'
import type { Population, WordWeights } from '../population.js'
import { contains, createTally, describeOutside, type Section } from './tally.js'

/** What a column compares intervals with. */
const COLUMNS = { types: 'types', population: 'fixed', own: 'own' } as const satisfies Record<
  WordWeights,
  string
>

const WEIGHTS = Object.keys(COLUMNS) as WordWeights[]

/** A sample's figures by name. */
type Figures = Readonly<Record<string, CoverageFigure>>

/** Figures of people and of a system, with words alike, and weighed by the images of the population or of the sample. */
export function simulateCoverage(
  population: Population,
  sizes: readonly number[],
  samples: number,
  seed: number,
): Section {
  const random = createRandom(seed)
  const tally = createTally()
  const all = Int32Array.from({ length: population.imageCount }, (_, image) => image)
  const truths = new Map(WEIGHTS.map((weights) => [weights, figuresOf(population, all, weights)]))
  const lines: string[] = []
  for (const size of sizes) {
    const found = new Map<WordWeights, Figures[]>(WEIGHTS.map((weights) => [weights, []]))
    for (let sample = 0; sample < samples; sample++) {
      const images = Int32Array.from({ length: size }, () => random.below(population.imageCount))
      for (const weights of WEIGHTS) found.get(weights)?.push(figuresOf(population, images, weights))
    }
    for (const [weights, figures] of found) {
      const truth = truths.get(weights) as Figures
      for (const name of Object.keys(truth)) {
        const values = figures.flatMap((all) => all[name].value ?? [])
        const mean = values.reduce((sum, value) => sum + value, 0) / values.length
        const count = (column: string, target: number | null) => {
          for (const { interval } of figures.map((all) => all[name]))
            if (interval !== null && target !== null)
              tally.count(name, `${size}: ${column}`, contains(interval, target))
        }
        count(COLUMNS[weights], truth[name].value)
        if (weights !== 'own') continue
        count('own, conditional', mean)
        lines.push(`| ${name} | ${size} | ${mean.toFixed(3)} | ${truth[name].value?.toFixed(3) ?? ''} |`)
      }
    }
  }
  const table = tally.table('figure')
  const verdicts = countVerdicts(population, sizes, samples, seed)
  return [
    '## Coverage and confirmed share',
    '',
    'Of people as one and of a system, beside two references. *types*: distinct words alike. *fixed*: words weigh by the images of the ' +
      'population, as those of `--document-frequencies coco` do. *own*: by the images of the sample, as by default. Words that people ' +
      'say rarely get their full weight only from many images, so that the figures fall as the number of images grows: intervals ' +
      'contain the mean of such samples (*own, conditional*), but not the figure of the population (*own*). Accord leaves them out. ' +
      'To count words anew in each replicate of the jackknife changes these shares by at most .05.',
    '',
    ...table,
    '',
    describeOutside(table, (column) => /types|fixed/.test(column), 0.93, 0.97),
    '',
    'Share of samples in which a random person of each image, as a system, is said to say more or less than one of the others, or to ' +
      'have more or less of it confirmed.',
    '',
    ...verdicts,
    '',
    '| own weights | images | expected | population |',
    '|---|--:|--:|--:|',
    ...lines,
  ]
}

function figuresOf(population: Population, images: Int32Array, weights: WordWeights): Figures {
  const { people, last, together } = population.cover(images, weights)
  const subjects = [
    ...people.map((point) => ({ name: nameOfPeople(point.people), shares: point })),
    { name: population.systems.at(-1) as string, shares: last },
    { name: TOGETHER, shares: together },
  ]
  return Object.fromEntries([
    ...subjects.flatMap(({ name, shares: { coverage, consensusCoverage, confirmedShare } }) => [
      [`${name}, coverage`, coverage],
      [`${name}, consensus coverage`, consensusCoverage],
      [`${name}, confirmed share`, confirmedShare],
    ]),
    [`${TOGETHER}, people equivalent`, together.peopleEquivalent],
    [`${TOGETHER}, confirmed share beside people`, together.confirmedShareBesidePeople],
  ])
}

/** Longer than a person: within the human curve. */
const TOGETHER = 'all systems as one'

/** Share of samples in which a person as a system is said to differ from one person, by what test each figure has alone. */
function countVerdicts(
  population: Population,
  sizes: readonly number[],
  samples: number,
  seed: number,
): string[] {
  const random = createRandom(seed)
  const tally = createTally()
  for (const size of sizes) {
    for (let sample = 0; sample < samples; sample++) {
      const images = Int32Array.from({ length: size }, () => random.below(population.imageCount))
      for (const weights of WEIGHTS) {
        const tested = population
          .coverPerson(images, weights, random)
          .filter(({ figure, people }) => figure !== 'coverage' || people === 1)
        for (const { figure, difference, uncertainty } of tested) {
          if (difference === null || uncertainty === null) continue
          const [{ alone }] = testTable([{ difference, ...uncertainty }]).rows
          tally.count(FIGURES[figure], `${size}: ${COLUMNS[weights]}`, (alone.pValue ?? 1) < LEVEL)
        }
      }
    }
  }
  return tally.table('a person differs by')
}

const FIGURES = {
  coverage: 'coverage',
  consensusCoverage: 'consensus coverage',
  confirmedShare: 'confirmed share beside people, where the person says at least as much',
} as const

import type { Interval } from '../../src/core/stats/interval.js'
import { type Estimate, scoreEstimates } from '../../src/core/stats/jackknife.js'
import { createRandom } from '../../src/core/stats/random.js'
import type { Population } from '../population.js'
import { differenceEstimates } from './differences.js'
import { meanScores } from './scores.js'
import { contains, createTally, describeOutside, type Section, takeRows } from './tally.js'

/** With document frequencies of the sample, the mean of samples (conditional) and the figure of the population. */
const METHODS = {
  coco: 'coco',
  conditional: 'own, conditional',
  unconditional: 'own, unconditional',
} as const

/** CIDEr-D with document frequencies of the population and of the sample: coverage, and what is expected of samples. */
export function simulateFrequencies(
  population: Population,
  sizes: readonly number[],
  samples: number,
  seed: number,
): Section {
  const { families, systemRows, humanRows, foldRows } = population
  const index = families.findIndex(({ metrics }) => metrics.some(({ name }) => name === 'CIDEr-D'))
  const family = families[index]
  const metric = family.metrics.findIndex(({ name }) => name === 'CIDEr-D')
  const fixed = {
    first: systemRows[index][0],
    last: systemRows[index].at(-1) as Float64Array,
    people: humanRows[index],
    folds: foldRows[index],
  }
  const measurement = (trials: readonly Float64Array[]) => ({ family, trials: [...trials] })
  const estimatesOf = ({ first, last, people, folds }: typeof fixed): Record<string, Estimate | null> => ({
    system: scoreEstimates(measurement([first]))[metric],
    'difference of systems': differenceEstimates(measurement([first]), measurement([last]))[metric],
    people: scoreEstimates(measurement(people))[metric],
    'people − system': differenceEstimates(measurement(people), measurement(folds))[metric],
  })
  const score = (trials: readonly Float64Array[]) => meanScores(family, trials)[metric]
  const truths = {
    system: score([fixed.first]),
    'difference of systems': score([fixed.first]) - score([fixed.last]),
    people: score(fixed.people),
    'people − system': score(fixed.people) - score(fixed.folds),
  }
  const random = createRandom(seed)
  const coverage = createTally()
  const lines: string[] = []
  for (const size of sizes) {
    const found = { own: new Map<string, Estimate[]>(), coco: new Map<string, Estimate[]>() }
    const add = (to: Map<string, Estimate[]>, estimates: Record<string, Estimate | null>) => {
      for (const [name, estimate] of Object.entries(estimates))
        if (estimate?.interval) to.set(name, [...(to.get(name) ?? []), estimate])
    }
    for (let sample = 0; sample < samples; sample++) {
      const images = Int32Array.from({ length: size }, () => random.below(population.imageCount))
      const take = (rows: Float64Array) => takeRows(rows, family.width, images)
      const { first, last, people, folds } = fixed
      add(found.own, estimatesOf({ ...population.recount(images) }))
      add(
        found.coco,
        estimatesOf({
          first: take(first),
          last: take(last),
          people: people.map(take),
          folds: folds.map(take),
        }),
      )
    }
    for (const [name, truth] of Object.entries(truths)) {
      const [own, coco] = [found.own, found.coco].map((all) => all.get(name) ?? [])
      const [expected, expectedCoco] = [own, coco].map(meanValue)
      const count = (method: string, { interval }: Estimate, value: number) =>
        coverage.count(`${name}, ${method}`, String(size), contains(interval as Interval, value))
      for (const estimate of coco) count(METHODS.coco, estimate, truth)
      for (const estimate of own) {
        count(METHODS.conditional, estimate, expected)
        count(METHODS.unconditional, estimate, truth)
      }
      const cells = [expected, expectedCoco, truth].map((value) => value.toFixed(3))
      const ratios = [expected, expectedCoco].map((value) => (value / truth).toFixed(2))
      lines.push(`| ${[name, size, ...cells, ...ratios].join(' | ')} |`)
    }
  }
  const table = coverage.table('CIDEr-D, document frequencies')
  return [
    '## Document frequencies',
    '',
    `Coverage of 95 % intervals of CIDEr-D, ${samples.toLocaleString('en')} samples per number of images. *coco*: with the ` +
      'document frequencies of the population, as `--document-frequencies coco` has. *own*: with those of the images of the ' +
      'sample, as by default: *conditional*, the coverage of the mean of such samples, and *unconditional*, that of the ' +
      'figure of the population, which a note says is not covered below 5,000 images. Differences are paired: both sides have ' +
      'the same document frequencies, and their intervals cover the difference in the population.',
    '',
    ...table,
    '',
    describeOutside(table, () => true, 0.93, 0.97),
    '',
    '| CIDEr-D | images | expected, own | expected, coco | population | ratio, own | ratio, coco |',
    '|---|--:|--:|--:|--:|--:|--:|',
    ...lines,
  ]
}

function meanValue(estimates: readonly Estimate[]): number {
  return estimates.reduce((sum, { value }) => sum + value, 0) / estimates.length
}

import { compareSides, type MeasuredSide, measureSide } from '../../src/core/metrics/paired-test.js'
import { testTable } from '../../src/core/stats/min-p.js'
import { createRandom, type Random, shuffle } from '../../src/core/stats/random.js'
import type { Population } from '../population.js'
import { createTally, describeOutside, type Section, takeRows } from './tally.js'

/** Systems of a table: every pair of them is compared by every metric. */
const SYSTEMS = 4

/**
 * Tables of every pair of four systems by every metric, with the intervals and tests that Accord reports of them together:
 *
 * - equal systems: each image's rows are given to the systems at random; a table that says that one is better is wrong;
 * - different systems: all intervals of a table should contain the differences in the population.
 */
export function simulateTables(
  population: Population,
  sizes: readonly number[],
  samples: number,
  seed: number,
): Section {
  const tally = createTally()
  const random = createRandom(seed)
  const all = Int32Array.from({ length: population.imageCount }, (_, image) => image)
  const truth = differencesOf(measure(population, all, null), population)
  for (const size of sizes) {
    for (let sample = 0; sample < samples; sample++) {
      const images = Int32Array.from({ length: size }, () => random.below(population.imageCount))
      const equal = tableOf(measure(population, images, random), population)
      tally.count(
        'equal systems: one is called better',
        String(size),
        equal.some(({ together }) => together.pValue !== null && together.pValue < 0.05),
      )
      const different = tableOf(measure(population, images, null), population)
      const holds = different.map(
        ({ together: { interval } }, row) =>
          interval === null || (interval.lower <= truth[row] && interval.upper >= truth[row]),
      )
      tally.count('different systems: all intervals hold', String(size), holds.every(Boolean))
      tally.count(
        'different systems: an interval and its verdict contradict each other',
        String(size),
        different.some(
          ({ together: { interval, pValue } }) =>
            interval !== null && (interval.lower > 0 || interval.upper < 0) !== (pValue ?? 1) < 0.05,
        ),
      )
    }
  }
  const table = tally.table('tables')
  const [head, line, wrong, held, contradicting] = table
  return [
    '## Tables of comparisons',
    '',
    `Share of ${samples.toLocaleString('en')} tables of every pair of ${SYSTEMS} systems by every metric of the population, together: ` +
      'single-step min-P. *Equal systems*: rows of the systems given to each image at random.',
    '',
    ...table,
    '',
    describeOutside([head, line, wrong], () => true, 0.035, 0.065),
    '',
    describeOutside([head, line, held], () => true, 0.93, 1),
    '',
    describeOutside([head, line, contradicting], () => true, 0, 0),
  ]
}

/** By family the systems on some images. @param random with which the rows of an image are given to the systems; null: as they are */
function measure(
  { families, systemRows }: Population,
  images: Int32Array,
  random: Random | null,
): readonly (readonly MeasuredSide[])[] {
  const imageIds = Int32Array.from(images, (_, index) => index)
  const orders = Array.from(images, () => {
    const order = Array.from({ length: SYSTEMS }, (_, system) => system)
    if (random) shuffle(order, random)
    return order
  })
  return families.map((family, index) => {
    const rows = systemRows[index].slice(0, SYSTEMS).map((own) => takeRows(own, family.width, images))
    return rows.map((_, place) => {
      const statistics = new Float64Array(images.length * family.width)
      orders.forEach((order, image) => {
        const start = image * family.width
        statistics.set(rows[order[place]].subarray(start, start + family.width), start)
      })
      return measureSide(family, { imageIds, statistics }, imageIds)
    })
  })
}

function pairsOf(sides: readonly (readonly MeasuredSide[])[], { families }: Population) {
  return sides.flatMap((systems, index) =>
    families[index].metrics.flatMap((_, metric) =>
      systems.flatMap((first, place) =>
        systems.slice(place + 1).map((second) => compareSides(first, second, metric)),
      ),
    ),
  )
}

const differencesOf = (...measured: Parameters<typeof pairsOf>) =>
  pairsOf(...measured).map(({ difference }) => difference as number)

function tableOf(...measured: Parameters<typeof pairsOf>) {
  const rows = pairsOf(...measured).flatMap(({ difference, uncertainty }) =>
    difference === null || uncertainty === null ? [] : [{ difference, ...uncertainty }],
  )
  return testTable(rows).rows
}

import { capacityEnds, capacityOf } from '../../src/core/bounds/capacity.js'
import { replicateScores, scoreEstimates } from '../../src/core/stats/jackknife.js'
import { createRandom } from '../../src/core/stats/random.js'
import type { Population } from '../population.js'
import { meanScores } from './scores.js'
import { createTally, describeOutside, type Section, takeRows } from './tally.js'

/** Numbers of atoms that the worst and the best system stand for. */
const ATOMS = [10, 100] as const

/**
 * Coverage of the interval of a capacity, with systems in the place of models: the worst and the best are the points of the
 * curve, and the others are worth a number of atoms between them.
 */
export function simulateCapacities(
  { families, systems, systemRows, imageCount }: Population,
  sizes: readonly number[],
  samples: number,
  seed: number,
): Section {
  const random = createRandom(seed)
  const tally = createTally()
  families.forEach((family, index) => {
    family.metrics.forEach(({ name }, metric) => {
      if (!['CIDEr-D', 'METEOR'].includes(name)) return
      const ranked = systems
        .map((system, i) => ({ system, rows: systemRows[index][i] }))
        .map((one) => ({ ...one, score: meanScores(family, [one.rows])[metric] }))
        .sort((one, other) => one.score - other.score)
      const [worst, best] = [ranked[0], ranked[ranked.length - 1]]
      const curve = [worst, best].map(({ score }, i) => ({ atoms: ATOMS[i], score }))
      for (const size of sizes) {
        for (let sample = 0; sample < samples; sample++) {
          const images = Int32Array.from({ length: size }, () => random.below(imageCount))
          const measured = (rows: Float64Array) => ({
            family,
            trials: [takeRows(rows, family.width, images)],
          })
          const replicatesOf = ({ rows }: typeof worst) => replicateScores(measured(rows)).replicates[metric]
          const points = [worst, best].map((one, i) => ({ atoms: ATOMS[i], models: [replicatesOf(one)] }))
          const read = points.map(({ atoms, models }) => ({ atoms, score: models[0][0] }))
          for (const one of ranked.slice(1, -1)) {
            const truth = capacityOf(one.score, curve).atoms as number
            const { groups, replicates } = replicateScores(measured(one.rows))
            const { lower, upper } = capacityEnds(replicates[metric], points, groups)
            const isInside = (low: number | null, high: number | null) =>
              (low ?? 0) <= truth && truth <= (high ?? Number.POSITIVE_INFINITY)
            const row = `${name}, ${one.system}`
            tally.count(row, `${size}: paired`, isInside(lower.atoms, upper.atoms))
            const score = scoreEstimates(measured(one.rows))[metric]?.interval
            if (!score) continue
            const [low, high] = [score.lower, score.upper].map((end) => capacityOf(end, read))
            tally.count(
              row,
              `${size}: score`,
              isInside(
                low.beyond === 'ABOVE' ? Number.POSITIVE_INFINITY : low.atoms,
                high.beyond === 'BELOW' ? 0 : high.atoms,
              ),
            )
          }
        }
      }
    })
  })
  const table = tally.table('capacity by')
  return [
    '## Capacities',
    '',
    `Coverage of the interval of a semantic capacity, ${samples.toLocaleString('en')} samples per number of images. Systems ` +
      `stand for models: the worst is the point of the curve with ${ATOMS[0]} atoms, the best the one with ${ATOMS[1]}. ` +
      '*paired*: the interval that Accord reports. *score*: the ends of the interval of the score, read off the curve (for ' +
      'comparison). These systems are close to each other, so that 30 or 100 images hardly tell the curve: intervals of all ' +
      'numbers that are not rejected are then too wide. A note says so below 1,000 test images.',
    '',
    ...table,
    '',
    describeOutside(table, (column) => column.endsWith(': paired'), 0.93, 0.97),
  ]
}

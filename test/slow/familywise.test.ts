/**
 * Size of the tests that ship: how often a table of equal systems says that one is better, through import and comparison on
 * defaults, on samples of COCO val2017, which is larger than they are.
 */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { createRandom, shuffle } from '../../src/core/stats/random.js'
import { compareFigures } from '../../src/services/comparisons/comparisons.js'
import { usualMetrics } from '../../src/services/evaluations/metrics.js'
import { dataFile, dataPresent } from '../kit/data.js'
import { initWorld } from '../kit/seed.js'
import { SYSTEMS } from '../parity/golden.js'

const REPETITIONS = 500
const CAPTIONS = 'coco/captions_val2017.json'
const resultsOf = (system: string) => `coco/captions_val2017_${system}_results.json`
const isPresent = dataPresent('the size of tests', [CAPTIONS, ...SYSTEMS.map(resultsOf)])

interface Captioned {
  readonly people: string[]
  readonly systems: string[]
}

function readPopulation(): Captioned[] {
  const images = new Map<number, Captioned>()
  const json = (name: string) => JSON.parse(readFileSync(dataFile(name), 'utf8'))
  const imageOf = (id: number) => {
    const image = images.get(id) ?? { people: [], systems: [] }
    images.set(id, image)
    return image
  }
  for (const { image_id: id, caption } of json(CAPTIONS).annotations) imageOf(id).people.push(caption)
  for (const system of SYSTEMS) {
    for (const { image_id: id, caption } of json(resultsOf(system))) imageOf(id).systems.push(caption)
  }
  return [...images.values()].filter(({ people }) => people.length >= 5)
}

describe.skipIf(!isPresent)('a table of equal systems', async () => {
  const population = isPresent ? readPopulation() : []
  const world = await initWorld()

  /** A sample on which each image's captions are given to the systems at random, as its tables say. */
  async function sample(size: number, seed: number) {
    const random = createRandom(seed)
    const drawn = Array.from({ length: size }, (_, index) => {
      const { people, systems } = population[random.below(population.length)]
      const given = [...systems]
      shuffle(given, random)
      return [`i${index}`, { people: people.slice(0, 5), given }] as const
    })
    const name = `sample ${size} ${seed}`
    const dataset = await world.dataset(name, {
      images: Object.fromEntries(drawn.map(([id, { people }]) => [id, people])),
    })
    const systems = ['a', 'b', 'c']
    for (const [index, system] of systems.entries()) {
      await dataset.captionSystem(
        system,
        Object.fromEntries(drawn.map(([id, { given }]) => [id, given[index]])),
      )
    }
    const figures = usualMetrics(world.accord).map((metric) => ({ kind: 'METRIC' as const, metric }))
    const compared = await compareFigures(world.accord, { dataset: name, systems, figures })
    return compared.flatMap(({ comparisons }) => comparisons)
  }

  it.each([30, 100])(
    'of %i images says that one is better in 5 % of samples',
    async (size) => {
      let [together, alone, contradictions] = [0, 0, 0]
      for (let repetition = 1; repetition <= REPETITIONS; repetition++) {
        const rows = await sample(size, repetition)
        if (rows.some((row) => row.together.better !== null)) together++
        const [asked] = rows.filter(({ figure }) => figure.kind === 'METRIC' && figure.metric === 'CIDEr-D')
        if (asked.alone.better !== null) alone++
        for (const row of rows) {
          for (const { interval, better } of [row.alone, row.together]) {
            if (interval && (interval.lower > 0 || interval.upper < 0) !== (better !== null)) contradictions++
          }
        }
      }
      expect(contradictions).toBe(0)
      for (const [what, count, margin] of [
        ['a table', together, 0.015],
        ['a question alone', alone, 0.02],
      ] as const) {
        const share = count / REPETITIONS
        expect(Math.abs(share - 0.05), `${what}: ${share}`).toBeLessThanOrEqual(margin)
      }
    },
    1_800_000,
  )
})

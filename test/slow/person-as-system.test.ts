/**
 * Size of the test of a captioning system and people over words, through import and comparison on defaults: a person whose
 * captions are imported as those of a system is neither better nor worse than the others. Over the most used words of a sample,
 * the usual vocabulary, it would be better or worse in 20 % of samples.
 */
import { expect, it } from 'vitest'
import { withImports } from '../../bench/simulation/imported.js'
import { compareWithPeople, draw } from '../../bench/simulation/person-as-system.js'
import { createRandom, type Random } from '../../src/core/stats/random.js'

const REPETITIONS = 200
/** So many that people use more words than a vocabulary has. */
const IMAGES = 240
const PEOPLE = 5
const TOPICS = 60

/** Images of topics: people name what is usual for the topic and what is in the image, each with a probability, and two words more. */
function createPopulation(images: number, random: Random) {
  const below = (limit: number) => Math.floor(limit ** random.next())
  const anyWord = () => `w${below(20_000)}`
  const anyThing = () => ({ word: anyWord(), probability: random.next() })
  const topics = Array.from({ length: TOPICS }, () => Array.from({ length: 12 }, anyThing))
  return Array.from({ length: images }, () => {
    const things = [...topics[below(TOPICS)], ...Array.from({ length: 2 }, anyThing)]
    const people = Array.from({ length: PEOPLE }, () => {
      const named = things.filter(({ probability }) => random.next() < probability)
      return [...named.map(({ word }) => word), anyWord(), anyWord()].join(' ')
    })
    return { people }
  })
}

it('a person is called better or worse than people in 5 % of samples', async () => {
  const random = createRandom(1)
  const population = createPopulation(5000, random)
  let rejected = 0
  await withImports(async (sample) => {
    for (let repetition = 0; repetition < REPETITIONS; repetition++) {
      const { alone } = await compareWithPeople(sample, draw(population, IMAGES, random))
      if (alone.better !== null) rejected++
    }
  })
  const share = rejected / REPETITIONS
  expect(Math.abs(share - 0.05), `${share}`).toBeLessThanOrEqual(0.02)
}, 600_000)

import { describe, expect, it } from 'vitest'
import { createHeldOutPrecision } from '../../../src/core/agreement/held-out-precision.js'
import { imageGroups } from '../../../src/core/stats/jackknife.js'
import { createRandom } from '../../../src/core/stats/random.js'

/** Captions of people as sets of words: entry [image][person]. */
type Captions = readonly (readonly string[])[]

const whole = (images: number) => imageGroups(images, 0, { partitions: 1, groups: 1 })

/** The figure by its definition, with all other captions as references. */
function byDefinition(people: Captions, system: readonly string[] | null): number {
  const K = people[0].length
  const folds = Array.from({ length: K }, (_, held) => {
    const captions = people.map((image, i) => new Set((system?.[i] ?? image[held]).split(' ')))
    const others = people.map((image) =>
      image.filter((_, person) => person !== held).map((text) => new Set(text.split(' '))),
    )
    const words = new Set(captions.flatMap((caption) => [...caption]))
    const precisions = [...words]
      .filter((word) => others.some((image) => image.some((caption) => caption.has(word))))
      .map((word) => {
        let [hits, misses] = [0, 0]
        captions.forEach((caption, i) => {
          if (!caption.has(word)) return
          const users = others[i].filter((other) => other.has(word)).length
          hits += users
          if (users === 0) misses++
        })
        return hits / (hits + misses)
      })
    return precisions.reduce((sum, value) => sum + value, 0) / precisions.length
  })
  return folds.reduce((sum, value) => sum + value, 0) / K
}

function measured(people: Captions, system: readonly string[] | null): number {
  const K = people[0].length
  const vocabulary = [...new Set([...people.flat(), ...(system ?? [])].flatMap((text) => text.split(' ')))]
  const mean = createHeldOutPrecision(whole(people.length), K, K - 1)
  for (const word of vocabulary) {
    const uses = (text: string) => text.split(' ').includes(word)
    const counts = people.map((image) => image.filter(uses).length)
    const images = [...counts.keys()].filter((i) => counts[i] > 0)
    const users = Array.from({ length: K }, (_, person) =>
      [...people.keys()].filter((i) => uses(people[i][person])),
    )
    const predicted = system && [...system.keys()].filter((i) => uses(system[i]))
    mean.add({ images, counts: images.map((i) => counts[i]), users }, predicted)
  }
  return mean.mean()[0]
}

const CAPTIONS: Captions = [
  ['a dog runs', 'a dog', 'brown dog'],
  ['a cat', 'a cat sits', 'a kitten'],
  ['two dogs', 'dogs play', 'a dog'],
]

describe('word precision with one caption of people held out', () => {
  it.each([
    ['people', null],
    ['a system', ['a dog', 'a dog', 'two dogs']],
    ['a system with words of nobody', ['zebra dog', 'a zebra', 'kitten']],
  ] as const)('of %s is that of the definition', (_, system) => {
    expect(measured(CAPTIONS, system)).toBeCloseTo(byDefinition(CAPTIONS, system), 12)
  })

  it('of a person as a system is that of people, on average over who the person is', () => {
    const random = createRandom(3)
    const words = ['dog', 'cat', 'red', 'runs', 'sits', 'big', 'old', 'car']
    const everybody = Array.from({ length: 8 }, () =>
      Array.from({ length: 4 }, () => Array.from({ length: 3 }, () => words[random.below(8)]).join(' ')),
    )
    const differences = [0, 1, 2, 3].map((person) => {
      const others = everybody.map((image) => image.filter((_, i) => i !== person))
      const system = everybody.map((image) => image[person])
      return measured(others, system) - measured(others, null)
    })
    expect(differences.reduce((sum, value) => sum + value, 0)).toBeCloseTo(0, 12)
  })
})

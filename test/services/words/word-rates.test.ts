import { describe, expect, it } from 'vitest'
import { requireSystems } from '../../../src/services/systems/systems.js'
import { listByUse, rateWords } from '../../../src/services/words/word-rates.js'
import { reportWords } from '../../../src/services/words/word-report.js'
import { initWorld } from '../../kit/seed.js'

const ANIMALS = ['dog', 'cat', 'horse', 'bird']

/** 60 images with a dog, a cat, a horse or a bird, and a cat in each caption of the system; it describes 50 of them. */
const IMAGES = Object.fromEntries(
  Array.from({ length: 60 }, (_, index) => {
    const animal = ANIMALS[index % ANIMALS.length]
    return [`image ${index}`, [`A ${animal}.`, `The ${animal}${index === 8 ? ' on the moon' : ''}.`]]
  }),
)
const CAPTIONS = Object.fromEntries(
  Object.keys(IMAGES)
    .slice(0, 50)
    .map((id, index) => [id, index === 3 ? 'A cat on the moon.' : 'A cat.']),
)
const VOCABULARY = { cat: 'NN', dog: 'NN', moon: 'NN', a: 'OTHER' } as const

describe('rates of words', () => {
  it('are of the images of the system, and list words by how surely they are used too often or too rarely', async () => {
    const { accord, dataset } = await initWorld({ engine: 'sqlite' })
    const zoo = await dataset('zoo', { images: IMAGES, vocabulary: VOCABULARY })
    await zoo.captionSystem('feline', CAPTIONS)
    await zoo.scoreSystem('detector', { 'image 0': { dog: 0.9 } })
    const [feline, detector] = await requireSystems(accord, zoo.row, ['feline', 'detector'])
    const rates = await rateWords(accord, zoo.row, feline)
    // "moon" is used once, and dogs are in 13 of the 50 images.
    expect(rates.map(({ word }) => word.text)).toEqual(['cat', 'a'])
    expect(rates[0]).toMatchObject({ captionCount: 50, humanCaptionCount: 26, rate: 1, humanRate: 0.26 })
    expect(rates[0].interval.lower).toBeGreaterThan(1)
    expect(listByUse(rates, 'OVERUSED').map(({ word }) => word.text)).toEqual(['cat', 'a'])
    expect(listByUse(rates, 'UNDERUSED')).toEqual([])
    expect(await rateWords(accord, zoo.row, feline)).toBe(rates)
    expect(await rateWords(accord, zoo.row, detector)).toEqual([])
    const report = await reportWords(accord, {
      dataset: 'zoo',
      systems: ['feline', 'detector'],
      partOfSpeech: ['NN'],
    })
    expect(Array.from(report.rates, ([name, of]) => [name, of.map(({ word }) => word.text)])).toEqual([
      ['feline', ['cat']],
    ])
  })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { coverage } from '../../../src/core/metrics/coverage.js'
import { images } from './properties.js'
import { score, type WrittenImage } from './trials.js'

const NAMES = ['coverage', 'consensus-coverage', 'confirmed-share']

const wordsOf = (text: string) => new Set(text.split(' ').filter((word) => word !== ''))

/** METHODS section 14 word by word, with sets. */
function expectedOf(written: readonly WrittenImage[]) {
  const saidOf = written.map(({ references }) => references.map(wordsOf))
  const imagesWith = (word: string) =>
    saidOf.filter((references) => references.some((words) => words.has(word))).length
  const weigh = (words: Iterable<string>) =>
    [...words].reduce((sum, word) => sum + Math.log(written.length / Math.max(1, imagesWith(word))), 0)
  const sums = written.map(({ candidate }, image) => {
    const said = [...wordsOf(candidate)]
    const all = new Set(saidOf[image].flatMap((words) => [...words]))
    const shared = [...all].filter((word) => saidOf[image].every((words) => words.has(word)))
    return {
      said: weigh(said),
      confirmed: weigh(said.filter((word) => all.has(word))),
      agreed: weigh(said.filter((word) => shared.includes(word))),
      all: weigh(all),
      shared: weigh(shared),
    }
  })
  const figures = (rows: typeof sums) => {
    const sum = (name: keyof (typeof sums)[number]) => rows.reduce((total, row) => total + row[name], 0)
    const ratio = (part: number, whole: number) => (whole > 1e-12 ? part / whole : Number.NaN)
    return [
      ratio(sum('confirmed'), sum('all')),
      ratio(sum('agreed'), sum('shared')),
      ratio(sum('confirmed'), sum('said')),
    ]
  }
  return { corpus: figures(sums), images: sums.map((row) => figures([row])) }
}

const near = (value: number) => (Number.isNaN(value) ? Number.NaN : expect.closeTo(value, 10))

describe('coverage, consensus coverage and confirmed share', () => {
  it('weigh words by how few images have them', () => {
    const { corpus, images } = score(coverage, [
      { candidate: 'a dog dog runs', references: ['a dog', 'a brown dog'] },
      { candidate: 'a cat', references: ['a horse', 'a dog eats'] },
      { candidate: 'red', references: ['a', 'a'] },
    ])
    const [two, three] = [Math.log(3 / 2), Math.log(3)]
    // All images have "a", which weighs nothing; dog is in two, brown, horse, eats and words of candidates alone in one.
    expect(images[0].coverage).toBeCloseTo(two / (two + three), 12)
    expect(images[0]['consensus-coverage']).toBeCloseTo(1, 12)
    expect(images[0]['confirmed-share']).toBeCloseTo(two / (two + three), 12)
    expect(images[1]).toEqual({ coverage: 0, 'consensus-coverage': Number.NaN, 'confirmed-share': 0 })
    expect(images[2]).toEqual({
      coverage: Number.NaN,
      'consensus-coverage': Number.NaN,
      'confirmed-share': 0,
    })
    expect(corpus.coverage).toBeCloseTo(two / (two + three + (three + two + three)), 12)
    expect(corpus['consensus-coverage']).toBeCloseTo(1, 12)
    expect(corpus['confirmed-share']).toBeCloseTo(two / (two + three + three + three), 12)
  })

  it('are those of sets of words', () => {
    fc.assert(
      fc.property(images, (written) => {
        const found = score(coverage, written)
        const expected = expectedOf(written)
        for (const [metric, name] of NAMES.entries()) {
          expect(found.corpus[name]).toEqual(near(expected.corpus[metric]))
          for (const [image, scores] of found.images.entries())
            expect(scores[name]).toEqual(near(expected.images[image][metric]))
        }
      }),
    )
  })
})

import { describe, expect, it } from 'vitest'
import { readKernels } from '../../../src/compute/shared-model.js'
import { searchCaptions } from '../../../src/core/bounds/beam.js'
import { BEGIN, END, UNKNOWN } from '../../../src/core/bounds/engine/examples.js'
import { computeLogProbabilities } from '../../../src/core/bounds/engine/language-model.js'
import { createLayout, createMemory, initialize } from '../../../src/core/bounds/engine/layout.js'
import { openLanguageModel } from '../../../src/core/bounds/engine/memory.js'
import { toExamples } from '../../../src/core/bounds/material.js'
import { createRandom } from '../../../src/core/stats/random.js'

const CAPTIONS = 12
const MAX_LENGTH = 7
const layout = createLayout(
  { words: 13, atoms: 6, embedding: 6, state: 7 },
  { precision: 'single', captionsPerPart: CAPTIONS, maxLength: MAX_LENGTH + 1, parts: 1 },
)
const model = openLanguageModel(readKernels('single'), createMemory(layout), layout)
const [arena] = layout.arenas
initialize(model.numbers, layout, createRandom(4))
// Larger weights, so that words differ in probability.
for (let i = 0; i < layout.parameters.d.start; i++) model.numbers[i] *= 3

const bagRandom = createRandom(2)
const bags = Array.from({ length: CAPTIONS }, () => [0, 1, 2, 3, 4, 5].filter(() => bagRandom.next() < 0.5))
const examples = toExamples(bags.map((bag) => ({ words: [], bag })))
const search = (width: number) => searchCaptions(model, arena, examples, { width, maxLength: MAX_LENGTH })

/** Log-probabilities of the words of a caption and its end. */
const score = (words: readonly number[], bag: readonly number[]) =>
  computeLogProbabilities(model, arena, toExamples([{ words: [...words, END], bag }]))
const sum = (values: Float64Array) => values.reduce((total, value) => total + value, 0)

describe('beam search', () => {
  it('of width 1 is greedy search', () => {
    for (const [index, { words }] of search(1).entries()) {
      const greedy: number[] = []
      while (greedy.length < MAX_LENGTH) {
        const candidates = Array.from({ length: 13 }, (_, word) => word).filter(
          (word) => word !== BEGIN && word !== UNKNOWN,
        )
        const scores = candidates.map((word) => score([...greedy, word], bags[index])[greedy.length])
        const best = candidates[scores.indexOf(Math.max(...scores))]
        if (best === END) break
        greedy.push(best)
      }
      expect(words).toEqual(greedy)
    }
  })

  it('never finds a less probable caption with a wider beam', () => {
    const widths = [1, 2, 3, 4, 5].map(search)
    for (let index = 0; index < CAPTIONS; index++) {
      const found = widths.map((captions) => captions[index].logProbability)
      expect(found).toEqual([...found].sort((one, other) => one - other))
    }
    expect(sum(Float64Array.from(widths[4], (caption) => caption.logProbability))).toBeGreaterThan(
      sum(Float64Array.from(widths[0], (caption) => caption.logProbability)),
    )
  })

  it('returns the log-probability of the caption and its end', () => {
    for (const [index, { words, logProbability }] of search(3).entries()) {
      expect(words.length).toBeLessThanOrEqual(MAX_LENGTH)
      expect(logProbability).toBeCloseTo(sum(score(words, bags[index])), 4)
    }
  })
})

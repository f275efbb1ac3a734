import { afterAll, describe, expect, it } from 'vitest'
import { logProbabilities, trainStep } from '../../src/compute/model.js'
import { createThreads, type Threads } from '../../src/compute/pool.js'
import { createRandomModel, type OpenedModel, openModel } from '../../src/compute/shared-model.js'
import { END, type Examples } from '../../src/core/bounds/engine/examples.js'
import { createRandom } from '../../src/core/stats/random.js'

const SPECIFICATION = { size: { words: 12, atoms: 4, embedding: 5, state: 6 }, batch: 10, maxLength: 6 }

/** Captions of 1 to 5 words. */
function randomCaptions(count: number, seed: number): Examples {
  const random = createRandom(seed)
  const captions = Array.from({ length: count }, () => [
    ...Array.from({ length: random.below(5) }, () => 2 + random.below(10)),
    END,
  ])
  const bags = captions.map(() => [0, 1, 2, 3].filter(() => random.next() < 0.5))
  const offsets = (lists: readonly (readonly number[])[]) =>
    Int32Array.from([0, ...lists]).map((_, i) => lists.slice(0, i).flat().length)
  return {
    words: Int32Array.from(captions.flat()),
    wordOffsets: offsets(captions),
    atoms: Int32Array.from(bags.flat()),
    atomOffsets: offsets(bags),
  }
}

describe('training', () => {
  const pools = [1, 3].map((threadCount) => createThreads({ threadCount }))
  afterAll(() => Promise.all(pools.map((threads) => threads.close())))

  async function train(
    threads: Threads,
    sizes: readonly number[],
  ): Promise<OpenedModel & { loss: number[] }> {
    const opened = createRandomModel(SPECIFICATION, 5)
    const loss: number[] = []
    for (const [step, size] of sizes.entries()) {
      const options = { dropout: 0.3, decay: 0.01, seed: 5, step }
      loss.push(await trainStep(threads, opened, randomCaptions(size, step), options))
    }
    return { ...opened, loss }
  }

  it('gives the same weights with any number of threads', async () => {
    // The last mini-batch has fewer parts.
    const [one, three] = await Promise.all(pools.map((threads) => train(threads, [10, 9, 2])))
    const weightsOf = ({ model: { numbers, layout } }: OpenedModel) =>
      numbers.slice(layout.weights, layout.parameterCount)
    expect(three.loss).toEqual(one.loss)
    expect(weightsOf(three)).toEqual(weightsOf(one))
    expect(weightsOf(one)).not.toEqual(weightsOf(createRandomModel(SPECIFICATION, 5)))
  })

  it('reaches a perplexity near 1 on ten captions', async () => {
    const opened = createRandomModel({ ...SPECIFICATION, size: { ...SPECIFICATION.size, state: 32 } }, 5)
    const captions = randomCaptions(10, 1)
    // Equal bags: the words differ by their order alone.
    for (let step = 0; step < 400; step++)
      await trainStep(pools[0], opened, captions, { dropout: 0, decay: 0, seed: 5, step })
    const values = await logProbabilities(pools[0], opened, captions)
    const perplexity = Math.exp(-values.reduce((sum, value) => sum + value, 0) / values.length)
    expect(perplexity).toBeLessThan(1.3)
  })

  it('computes log-probabilities of any number of captions', async () => {
    const opened = createRandomModel(SPECIFICATION, 5)
    const captions = randomCaptions(23, 1)
    // One after the other: both use the memory of the same model.
    const one = await logProbabilities(pools[0], opened, captions)
    const three = await logProbabilities(pools[1], opened, captions)
    expect(one).toHaveLength(captions.words.length)
    expect(three).toEqual(one)
    expect(openModel(opened.shared).model).toBe(openModel(opened.shared).model)
  })
})

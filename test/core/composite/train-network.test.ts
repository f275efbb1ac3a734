import { describe, expect, test } from 'vitest'
import type { Epoch } from '../../../src/core/composite/artefact.js'
import { standardise, toFeatures } from '../../../src/core/composite/features.js'
import { createNetwork } from '../../../src/core/composite/network.js'
import { train } from '../../../src/core/composite/train-network.js'
import { createRandom } from '../../../src/core/stats/random.js'

/** Captions of people have higher features; ratings follow the same quality. */
function data(seed: number) {
  const random = createRandom(seed)
  const quality = (count: number) => Array.from({ length: count }, () => random.next())
  const features = (values: readonly number[]) =>
    Float64Array.from(
      values.flatMap((value) => [value + 0.3 * random.next(), value ** 2 + 0.3 * random.next()]),
    )
  const labels = Float64Array.from({ length: 400 }, (_, row) => row % 2)
  const trained = Array.from(labels, (label) => 0.4 * label + 0.6 * random.next())
  const rated = quality(100)
  return {
    examples: { features: features(trained), labels },
    validation: {
      features: features(rated),
      ratings: Float64Array.from(rated, (value) => Math.ceil(4 * value)),
      offsets: Int32Array.from({ length: 101 }, (_, i) => i),
    },
  }
}

const OPTIONS = { seed: 3, maxEpochs: 6 }

describe('training', () => {
  const { examples, validation } = data(1)

  test('is deterministic for a seed, and differs for another', async () => {
    const one = await train(2, examples, validation, OPTIONS)
    expect(await train(2, examples, validation, OPTIONS)).toEqual(one)
    const other = await train(2, examples, validation, { ...OPTIONS, seed: 4 })
    expect(other.weights).not.toEqual(one.weights)
  })

  test('lowers the loss, and retains the epoch of the highest τ', async () => {
    const epochs: Epoch[] = []
    const shapes = [{ hidden: [8], activation: 'tanh', dropout: 0 }] as const
    const trained = await train(2, examples, validation, {
      ...OPTIONS,
      shapes,
      maxEpochs: 30,
      onEpoch(curve) {
        expect(curve).toMatchObject({ position: 0, network: { inputs: 2, ...shapes[0] } })
        epochs.push(curve.epochs[curve.epochs.length - 1])
      },
    })
    expect(trained.epochs).toEqual(epochs)
    expect(epochs[epochs.length - 1].loss).toBeLessThan(epochs[0].loss)
    const taus = epochs.map(({ tau }) => tau as number)
    expect(taus[trained.bestEpoch]).toBe(Math.max(...taus))
    expect(taus[trained.bestEpoch]).toBeGreaterThan(0.5)
    const predicted = createNetwork(trained.shape).predict(trained.weights, validation.features)
    expect(Math.min(...predicted)).toBeGreaterThan(0)
    expect(Math.max(...predicted)).toBeLessThan(1)
  })

  test('stops early where τ does not rise', async () => {
    const backwards = { ...validation, ratings: validation.ratings.map((rating) => -rating) }
    const { epochs } = await train(2, examples, backwards, {
      seed: 3,
      maxEpochs: 200,
      shapes: [{ hidden: [], activation: 'tanh', dropout: 0 }],
    })
    expect(epochs.length).toBeLessThan(200)
  })

  test('ends where it is cancelled', async () => {
    let epochs = 0
    const cancelled = () =>
      train(2, examples, validation, {
        ...OPTIONS,
        onEpoch: () => {
          if (++epochs === 2) throw new Error('cancelled')
        },
      })
    await expect(cancelled()).rejects.toThrow('cancelled')
    expect(epochs).toBe(2)
  })
})

test('features are standardised; a constant one is 0', () => {
  const columns = [Float64Array.of(1, 2, 3), Float64Array.of(5, 5, 5)]
  const standardisations = standardise(columns)
  expect(standardisations[1]).toEqual({ mean: 5, deviation: 1 })
  const rows = toFeatures(columns, standardisations)
  const deviation = Math.sqrt(2 / 3)
  expect([...rows]).toEqual([-1 / deviation, 0, 0, 0, 1 / deviation, 0])
})

import { describe, expect, test } from 'vitest'
import type { Epoch } from '../../../src/core/composite/artefact.js'
import { standardise, toFeatures } from '../../../src/core/composite/features.js'
import { createNetwork } from '../../../src/core/composite/network.js'
import { compareJudgements, compareOrigins, train } from '../../../src/core/composite/train-network.js'
import { preferencesOf } from '../../../src/core/judgements/judgement.js'
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
    examples: { features: features(trained), comparisons: compareOrigins(labels) },
    validation: {
      features: features(rated),
      judgements: {
        kind: 'RATINGS',
        ratings: Float64Array.from(rated, (value) => Math.ceil(4 * value)),
        offsets: Int32Array.from({ length: 101 }, (_, i) => i),
        images: { positions: new Int32Array(100), count: 1 },
        systems: null,
      } as const,
    },
  }
}

const OPTIONS = { seeds: [3], maxEpochs: 6 }

describe('training', () => {
  const { examples, validation } = data(1)

  test('is deterministic for a seed, and differs for another', async () => {
    const [one] = await train(2, examples, validation, OPTIONS)
    const both = await train(2, examples, validation, { ...OPTIONS, seeds: [3, 4] })
    expect(both.find(({ seed }) => seed === 3)).toEqual(one)
    expect(both.find(({ seed }) => seed === 4)?.weights).not.toEqual(one.weights)
    const [best, other] = both.map(({ epochs, bestEpoch }) => epochs[bestEpoch].agreement as number)
    expect(best).toBeGreaterThanOrEqual(other)
  })

  test('lowers the loss, and retains the epoch of the highest τ', async () => {
    const epochs: Epoch[] = []
    const shapes = [{ hidden: [8], activation: 'tanh', dropout: 0 }] as const
    const [trained] = await train(2, examples, validation, {
      ...OPTIONS,
      shapes,
      maxEpochs: 30,
      onEpoch(curve) {
        expect(curve).toMatchObject({ position: 0, seed: 3, network: { inputs: 2, ...shapes[0] } })
        epochs.push(curve.epochs[curve.epochs.length - 1])
      },
    })
    expect(trained.epochs).toEqual(epochs)
    expect(epochs[epochs.length - 1].loss).toBeLessThan(epochs[0].loss)
    const taus = epochs.map(({ agreement }) => agreement as number)
    expect(taus[trained.bestEpoch]).toBe(Math.max(...taus))
    expect(taus[trained.bestEpoch]).toBeGreaterThan(0.5)
    const predicted = createNetwork(trained.shape).predict(trained.weights, validation.features)
    expect(Math.min(...predicted)).toBeGreaterThan(0)
    expect(Math.max(...predicted)).toBeLessThan(1)
  })

  test('stops early where τ does not rise', async () => {
    const backwards = {
      ...validation,
      judgements: {
        ...validation.judgements,
        ratings: validation.judgements.ratings.map((rating) => -rating),
      },
    }
    const [{ epochs }] = await train(2, examples, backwards, {
      seeds: [3],
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

test('ratings are compared within images, without ties and excluded captions; preferences as they are', () => {
  const images = { positions: Int32Array.of(0, 0, 0, 1, 1), count: 2 }
  const rated = {
    kind: 'RATINGS',
    ratings: Float64Array.of(1, 3, 2, 4, 4, 1, 9),
    offsets: Int32Array.of(0, 2, 3, 4, 5, 7),
    images,
    systems: null,
  } as const
  // Mean ratings 2, 2, 4 of the first image, 4 and 5 of the second one.
  expect(compareJudgements(rated, () => true)).toEqual({
    better: Int32Array.of(2, 2, 4),
    worse: Int32Array.of(0, 1, 3),
  })
  expect(compareJudgements(rated, (caption) => caption !== 0).worse).toEqual(Int32Array.of(1, 3))
  const preferences = preferencesOf(
    [
      { first: 0, second: 1, preferred: 1, category: 'HC' },
      { first: 3, second: 4, preferred: null, category: 'HC' },
    ],
    images,
    null,
  )
  expect(compareJudgements(preferences, () => true)).toEqual({
    better: Int32Array.of(1),
    worse: Int32Array.of(0),
  })
})

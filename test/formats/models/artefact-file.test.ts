import { describe, expect, it } from 'vitest'
import type { ArtefactHeader } from '../../../src/core/composite/artefact.js'
import { encodeArtefact, finishArtefact, readArtefact } from '../../../src/formats/models/artefact-file.js'
import { temporaryFolder } from '../kit.js'

const { write, failure } = temporaryFolder()

const feature = (metric: string) => ({ metric, signature: `${metric}|rev:1`, mean: 0.5, deviation: 0.1 })
const HEADER: ArtefactHeader = {
  format: 1,
  name: 'Two',
  features: [feature('ROUGE-L'), feature('BLEU-1')],
  network: { inputs: 2, hidden: [], activation: 'tanh', dropout: 0 },
  others: [],
  training: {
    objective: 'ORIGIN',
    dataset: 'd',
    revision: 'r',
    systems: [{ name: 's', content: 'c' }],
    captionCount: 2,
    comparisonCount: 2,
    excludedImageCount: 0,
  },
  validation: { kind: 'RATINGS', dataset: 'v', revision: 'r', captionCount: 3 },
  seed: 1,
  epochs: [{ loss: 0.5, agreement: null }],
  bestEpoch: 0,
}
const WEIGHTS = [0.5, 0.25, -1]

/** A file with a correct hash. */
function fileOf(change: object, weights: readonly number[] = WEIGHTS): string {
  const header = { ...HEADER, ...change } as ArtefactHeader
  return write('made.json', encodeArtefact(finishArtefact(header, Float64Array.from(weights))))
}

describe('readArtefact', () => {
  it('reads what is written', () => {
    expect(readArtefact(fileOf({}))).toMatchObject({ header: HEADER, weights: Float64Array.from(WEIGHTS) })
  })

  it.each([
    ['no features', { features: null }, WEIGHTS, 'header.features: wrong shape: expected array, found null'],
    [
      'an epoch that is not there',
      { bestEpoch: 1e9 },
      WEIGHTS,
      'header.bestEpoch: wrong shape: expected one of 1 epochs',
    ],
    [
      'a weight that is no number',
      {},
      [0.5, Number.NaN, 0],
      'weights[1]: invalid weight: expected a finite number',
    ],
    ['fewer weights', {}, [0.5], 'weights: wrong shape: expected 3 numbers, found 1'],
    [
      'a network of another width',
      { network: { ...HEADER.network, inputs: 3 } },
      WEIGHTS,
      'header.network.inputs: wrong shape: expected 2, as many as features, found 3',
    ],
    [
      'another network of another width',
      { others: [{ seed: 2, network: { ...HEADER.network, inputs: 1 } }] },
      [...WEIGHTS, 0, 0],
      'header.others[0].network.inputs: wrong shape: expected 2, as many as features, found 1',
    ],
    [
      'the weights of one of two networks',
      { others: [{ seed: 2, network: HEADER.network }] },
      WEIGHTS,
      'weights: wrong shape: expected 6 numbers, found 3',
    ],
    [
      'a huge network',
      { network: { ...HEADER.network, hidden: [1e9, 1e9] } },
      WEIGHTS,
      'header.network.hidden[0]: wrong shape: expected <= 1000',
    ],
    [
      'a deviation of 0',
      { features: [feature('ROUGE-L'), { ...feature('BLEU-1'), deviation: 0 }] },
      WEIGHTS,
      'header.features[1].deviation: wrong shape: expected > 0, found the number 0',
    ],
    [
      'a name that is no text',
      { name: 7 },
      WEIGHTS,
      'header.name: wrong shape: expected string, found the number 7',
    ],
  ])('refuses a file with a correct hash and %s', (_what, change, weights, message) => {
    const file = fileOf(change, weights)
    expect(failure(() => readArtefact(file))).toContain(`made.json: ${message}`)
  })
})

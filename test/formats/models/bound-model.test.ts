import { describe, expect, it } from 'vitest'
import { readKernels } from '../../../src/compute/shared-model.js'
import { END } from '../../../src/core/bounds/engine/examples.js'
import { computeLogProbabilities } from '../../../src/core/bounds/engine/language-model.js'
import { createLayout, createMemory, initialize } from '../../../src/core/bounds/engine/layout.js'
import { openLanguageModel } from '../../../src/core/bounds/engine/memory.js'
import { toExamples } from '../../../src/core/bounds/material.js'
import { createRandom } from '../../../src/core/stats/random.js'
import { decodeHeader, encodeModel, loadWeights } from '../../../src/formats/models/bound-model.js'
import { DEFAULT_BOUND_SETTINGS } from '../../../src/shared/choices.js'

const WORDS = ['<begin>', '<end>', '<unknown>', 'a', 'dog', 'runs']
const ATOMS = [
  { kind: 'entity', text: 'dog' },
  { kind: 'action', text: 'run' },
] as const
const size = { words: WORDS.length, atoms: ATOMS.length, embedding: 3, state: 5 }
const options = { precision: 'single', captionsPerPart: 2, maxLength: 6, parts: 1 } as const

function createFile() {
  const layout = createLayout(size, options)
  const model = openLanguageModel(readKernels('single'), createMemory(layout), layout)
  initialize(model.numbers, layout, createRandom(9))
  const content = {
    settings: { ...DEFAULT_BOUND_SETTINGS, embedding: size.embedding, state: size.state },
    specification: { size, batch: 8, maxLength: 6 },
    training: { steps: 3, bestStep: 2, validationLoss: 1.5 },
    words: WORDS,
    atoms: ATOMS,
  }
  const file = encodeModel(content, layout, model.numbers as Float32Array)
  return { layout, model, content, file }
}

/** The log-likelihood of a caption, from the documented format of the file and the formulas of the paper alone. */
function recompute(file: Buffer, words: readonly number[], atoms: readonly number[]): number {
  const end = file.indexOf('\n') + 1
  const header = JSON.parse(file.toString('utf8', 0, end))
  let position = end
  const tensors: Record<string, number[][]> = {}
  for (const { name, rows, columns } of header.tensors) {
    tensors[name] = Array.from({ length: rows }, () =>
      Array.from({ length: columns }, () => {
        position += 4
        return file.readFloatLE(position - 4)
      }),
    )
  }
  const times = (matrix: number[][], x: number[]) =>
    matrix.map((row) => row.reduce((sum, value, i) => sum + value * x[i], 0))
  const plus = (...vectors: number[][]) => vectors[0].map((_, i) => vectors.reduce((sum, v) => sum + v[i], 0))
  const column = (name: string) => tensors[name].map(([value]) => value)
  const bag = plus(new Array(header.tensors[0].columns).fill(0), ...atoms.map((atom) => tensors.E_a[atom]))
  const sigmoid = (x: number) => 1 / (1 + Math.exp(-x))
  let h: number[] = new Array(column('b_f').length).fill(0)
  let c = h
  let input = 0
  let logLikelihood = 0
  for (const word of words) {
    const gate = (name: string, activate: (x: number) => number) =>
      plus(
        times(tensors[`W_${name}`], tensors.E_w[input]),
        times(tensors[`U_${name}`], h),
        times(tensors[`A_${name}`], bag),
        column(`b_${name}`),
      ).map(activate)
    const [f, i, o] = ['f', 'i', 'o'].map((name) => gate(name, sigmoid))
    const candidate = gate('c', Math.tanh)
    c = c.map((value, k) => f[k] * value + i[k] * candidate[k])
    h = c.map((value, k) => o[k] * value)
    const output = plus(times(tensors.W_p, h), column('b_p')).map(Math.tanh)
    const logits = plus(times(tensors.U_p, output), column('d'))
    logLikelihood += logits[word] - Math.log(logits.reduce((sum, logit) => sum + Math.exp(logit), 0))
    input = word
  }
  return logLikelihood
}

describe('the file of a model', () => {
  const { layout, model, content, file } = createFile()
  const captions = [
    { words: [3, 4, 5, END], bag: [0, 1] },
    { words: [3, 2, END], bag: [] },
  ]

  it('is enough to recompute log-likelihoods', () => {
    const values = computeLogProbabilities(model, layout.arenas[0], toExamples(captions))
    const sum = (part: Float64Array) => part.reduce((total, value) => total + value, 0)
    expect(recompute(file, captions[0].words, captions[0].bag)).toBeCloseTo(sum(values.subarray(0, 4)), 5)
    expect(recompute(file, captions[1].words, captions[1].bag)).toBeCloseTo(sum(values.subarray(4)), 5)
  })

  it('restores the model', () => {
    const header = decodeHeader(file, 'bound.model')
    expect(header).toMatchObject(content)
    const restored = openLanguageModel(readKernels('single'), createMemory(layout), layout)
    loadWeights(file, layout, restored.numbers)
    const examples = toExamples(captions)
    expect(computeLogProbabilities(restored, layout.arenas[0], examples)).toEqual(
      computeLogProbabilities(model, layout.arenas[0], examples),
    )
  })

  it.each([
    ['text', Buffer.from('a dog\n'), /not a model of a bound: .* found other content/],
    ['nothing', Buffer.alloc(0), /found other content/],
    ['part of a model', file.subarray(0, file.length - 8), /an incomplete model/],
    [
      'another version',
      Buffer.from(file.toString('latin1').replace('"version":1', '"version":9'), 'latin1'),
      /found version 9/,
    ],
  ])('is refused where it is %s', (_name, content, message) => {
    expect(() => decodeHeader(content, 'bound.model')).toThrow(message)
  })

  /** The file with another header. */
  function withHeader(change: object): Buffer {
    const end = file.indexOf('\n')
    const header = { ...JSON.parse(file.toString('utf8', 0, end)), ...change }
    return Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), file.subarray(end + 1)])
  }

  it.each([
    ['no words', { words: null }, /header, words: wrong shape: expected array, found null/],
    ['fewer words', { words: WORDS.slice(1) }, /size\.words: wrong shape: expected 5, found 6/],
    ['a word twice', { words: [...WORDS.slice(1), 'dog'] }, /words: wrong shape: .*duplicate items/],
    [
      'other settings',
      { settings: { ...DEFAULT_BOUND_SETTINGS } },
      /size\.embedding: wrong shape: expected 256/,
    ],
    ['no settings', { settings: {} }, /header, settings: wrong shape: expected the key 'kind'/],
    ['an unknown kind', { atoms: [ATOMS[0], { kind: 'thing', text: 'x' }] }, /atoms\[1\]\.kind: .*entity/],
    [
      'a huge batch',
      { specification: { size, batch: 1e9, maxLength: 6 } },
      /batch: wrong shape: expected <= 1024/,
    ],
    ['other parameters', { tensors: [] }, /header, tensors: wrong shape/],
  ])('is refused with %s', (_name, change, message) => {
    expect(() => decodeHeader(withHeader(change), 'bound.model')).toThrow(message)
  })

  it('is refused with a parameter that is not a number', () => {
    const changed = Buffer.from(file)
    changed.writeFloatLE(Number.NaN, changed.length - 4)
    expect(() => decodeHeader(changed, 'bound.model')).toThrow(/parameter \d+: invalid parameter/)
  })
})

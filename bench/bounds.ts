import { readFileSync } from 'node:fs'
import { searchAll, trainStep } from '../src/compute/model.js'
import { createThreads } from '../src/compute/pool.js'
import { createRandomModel } from '../src/compute/shared-model.js'
import { END } from '../src/core/bounds/engine/examples.js'
import { toExamples } from '../src/core/bounds/material.js'
import { countDocumentFrequencies } from '../src/core/metrics/document-frequencies.js'
import type { ReferenceLists } from '../src/core/metrics/reference-lists.js'
import { createRandom } from '../src/core/stats/random.js'
import { tokenizeCorpus } from '../src/core/text/token-numbers.js'
import { ENGLISH } from '../src/core/text/tokenization.js'
import { type Figure, sized } from './measure.js'

/** Captions of 13 words, the end included; words are as frequent as in Zipf's law. */
const BATCH = sized(128, 8)
const LENGTH = 13
const WORDS = sized(5000, 50)
const ATOMS = sized(600, 10)
const STEPS = sized(12, 2)

const RETRIEVED = ['BLEU-4', 'ROUGE-L', 'CIDEr-D', 'METEOR']

/** Every n-th image is for testing, and the next one for validation. */
const TEST_SHARE = 10

/**
 * Training and beam search of the language model of upper bounds, with embeddings and a state of 256; retrieval bounds.
 *
 * @param source a file of COCO captions
 */
export async function benchBounds(source: string): Promise<Figure[]> {
  return [...(await benchModels()), ...(await benchRetrieval(source))]
}

async function benchModels(): Promise<Figure[]> {
  process.stderr.write('training language models\n')
  const figures: Figure[] = []
  for (const [threadCount, asked] of [
    [1, '1,800'],
    [2, '3,200'],
  ] as const) {
    const { tokensPerSecond, captionsPerSecond } = await measure(threadCount)
    figures.push({
      what: `training of a language model on ${threadCount} ${threadCount === 1 ? 'core' : 'cores'}, words per second`,
      measured: tokensPerSecond.toFixed(0),
      asked,
    })
    if (threadCount === 1) continue
    figures.push({
      what: 'beam search of width 3, captions per second',
      measured: captionsPerSecond.toFixed(0),
      asked: '200',
    })
  }
  return figures
}

async function measure(threadCount: number) {
  const threads = createThreads({ threadCount })
  try {
    const size = { words: WORDS, atoms: ATOMS, embedding: 256, state: 256 }
    const opened = createRandomModel({ size, batch: BATCH, maxLength: LENGTH }, 1)
    const random = createRandom(1)
    const draw = () =>
      toExamples(
        Array.from({ length: BATCH }, () => ({
          words: [...Array.from({ length: LENGTH - 1 }, () => Math.floor(WORDS ** random.next())), END],
          bag: [...new Set(Array.from({ length: 6 }, () => random.below(ATOMS)))],
        })),
      )
    const steps: number[] = []
    for (let step = 0; step < STEPS; step++) {
      const batch = draw()
      const start = performance.now()
      await trainStep(threads, opened, batch, { dropout: 0.5, decay: 0, seed: 1, step })
      steps.push(performance.now() - start)
    }
    // Captions are as long as possible.
    opened.model.numbers[opened.model.layout.parameters.d.start + END] = -100
    const bags = draw()
    const searches: number[] = []
    for (let round = 0; round < 4; round++) {
      const start = performance.now()
      await searchAll(threads, opened, bags, 3)
      searches.push(performance.now() - start)
    }
    const median = (values: number[]) =>
      values.sort((one, other) => one - other)[Math.floor(values.length / 2)]
    return {
      tokensPerSecond: (1000 * BATCH * LENGTH) / median(steps),
      captionsPerSecond: (1000 * BATCH) / median(searches),
    }
  } finally {
    await threads.close()
  }
}

/** The best training caption of each test image, on all cores. */
async function benchRetrieval(source: string): Promise<Figure[]> {
  process.stderr.write('finding the best training captions\n')
  const texts = new Map<number, string[]>()
  for (const { image_id: image, caption } of JSON.parse(readFileSync(source, 'utf8')).annotations)
    texts.set(image, [...(texts.get(image) ?? []), caption])
  const images = [...texts.values()]
  const corpus = tokenizeCorpus(images.flat(), ENGLISH)
  let end = 0
  const positions = images.map((captions) => captions.map(() => end++))
  const listOf = (lists: readonly number[][]): ReferenceLists => {
    let offset = 0
    const referenceOffsets = Int32Array.from([0, ...lists.map(({ length }) => (offset += length))])
    return { references: Int32Array.from(lists.flat()), referenceOffsets }
  }
  const candidates = Int32Array.from(positions.filter((_, image) => image % TEST_SHARE > 1).flat())
  const references = listOf(positions.filter((_, image) => image % TEST_SHARE === 0))
  const [documentFrequencies] = countDocumentFrequencies(corpus, [listOf(positions)])
  const threads = createThreads()
  try {
    const seconds: string[] = []
    for (const name of RETRIEVED) {
      const [family] = threads.registry.choose([name]).families
      const metric = family.metrics.findIndex((one) => one.name === name)
      const start = performance.now()
      const input = { corpus, family: family.name, metric, candidates, references, documentFrequencies }
      await threads.run('retrieve', input, references.referenceOffsets.length - 1)
      seconds.push(`${((performance.now() - start) / 1000).toFixed(1)} s`)
    }
    return [
      {
        what: `best of ${candidates.length.toLocaleString('en')} captions for each of ${references.referenceOffsets.length - 1} images by ${RETRIEVED.join(', ')}`,
        measured: seconds.join('; '),
        asked: '–',
      },
    ]
  } finally {
    await threads.close()
  }
}

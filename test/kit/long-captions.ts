/**
 * Counts the work of captions of two lengths, in a thread of its own: `test/core/long-captions.test.ts`. Work is how often pieces of
 * code are executed, the body of a loop once per turn: unlike time, it is the same on every machine.
 */
import { Session } from 'node:inspector'
import { parentPort, workerData } from 'node:worker_threads'
import { CANDIDATE_WIDTH, createImageMeasure, peopleWidth } from '../../src/core/coverage/image-coverage.js'
import { createUnitCounter } from '../../src/core/coverage/unit-weights.js'
import { measureDiversity } from '../../src/core/diversity/diversity.js'
import { bleu } from '../../src/core/metrics/bleu.js'
import { cider } from '../../src/core/metrics/cider.js'
import { coverage } from '../../src/core/metrics/coverage.js'
import type { MetricFamily } from '../../src/core/metrics/metric.js'
import { rougeL } from '../../src/core/metrics/rouge-l.js'
import { rougeN } from '../../src/core/metrics/rouge-n.js'
import { rougeS } from '../../src/core/metrics/rouge-s.js'
import { createRandom } from '../../src/core/stats/random.js'
import type { Corpus } from '../../src/core/text/sequences.js'
import { toCorpus } from './corpus.js'

/** Six captions, whose words are as often the same at any length. */
function corpusOf(length: number): Corpus {
  return toCorpus(
    [1, 2, 3, 4, 5, 6].map((seed) => {
      const random = createRandom(seed)
      return Array.from({ length }, () => `w${random.below(length / 2)}`)
    }),
  )
}

const score =
  (family: Pick<MetricFamily, 'prepare' | 'measure'>) =>
  (corpus: Corpus): void =>
    void family.measure(family.prepare(corpus), {
      candidates: Int32Array.of(0, 1),
      references: Int32Array.of(2, 3, 4, 5),
      referenceOffsets: Int32Array.of(0, 2, 4),
    })

const WORKS = {
  BLEU: score(bleu),
  'ROUGE-L': score(rougeL),
  'ROUGE-N': score(rougeN),
  'ROUGE-S': score(rougeS),
  CIDEr: score(cider),
  coverage: score(coverage),
  'what they say beside people': (corpus: Corpus) => {
    const design = { captionsPerImage: 5, references: 2 }
    const units = createUnitCounter()
    units.add(corpus, 0, 5)
    const measure = createImageMeasure(design, units.weights())
    measure.addPeople(corpus, 0, new Float64Array(peopleWidth(design)))
    measure.addSystem(corpus.tokens.subarray(corpus.offsets[5]), new Float64Array(CANDIDATE_WIDTH))
  },
  'how varied they are': ({ tokens, offsets }: Corpus) => {
    const people = { tokens: tokens.subarray(0, offsets[5]), offsets: offsets.subarray(0, 6) }
    const system = { tokens: tokens.subarray(offsets[5]), offsets: Int32Array.of(0, offsets[6] - offsets[5]) }
    measureDiversity({ people, captionsPerImage: 5, systems: [system], training: null }, 1)
  },
} as const satisfies Record<string, (corpus: Corpus) => void>

/** What is counted. */
export type Work = keyof typeof WORKS

const session = new Session()
session.connect()
session.post('Profiler.enable')
session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })

function takeCounts(): number {
  let sum = 0
  session.post('Profiler.takePreciseCoverage', (error, { result }) => {
    if (error) throw error
    for (const { functions } of result.filter(({ url }) => url.startsWith('data:')))
      for (const { ranges } of functions) for (const { count } of ranges) sum += count
  })
  return sum
}

const lengths: readonly number[] = workerData
parentPort?.postMessage(
  Object.fromEntries(
    Object.entries(WORKS).map(([name, work]) => [
      name,
      lengths.map(corpusOf).map((corpus) => {
        takeCounts()
        work(corpus)
        return takeCounts()
      }),
    ]),
  ),
)

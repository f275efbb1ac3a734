import type { DocumentFrequencies } from '../../metrics/document-frequencies.js'
import type { ReferenceLists } from '../../metrics/metric.js'
import type { MetricRegistry } from '../../metrics/registry.js'
import type { Corpus } from '../../text/sequences.js'
import type { Threads } from './threads.js'

/** What a retrieval bound is computed from. */
export interface RetrievalInput {
  readonly corpus: Corpus
  /** Name of a family of metrics, and the index of the metric in it. */
  readonly family: string
  readonly metric: number
  /** Positions of the captions that any image may be given. */
  readonly candidates: Int32Array
  /** Of each image. */
  readonly references: ReferenceLists
  readonly documentFrequencies?: DocumentFrequencies
}

/** For each image the best score that a candidate reaches, on all threads. */
export async function computeRetrieval(
  threads: Threads,
  input: RetrievalInput,
  onProgress: (share: number) => void,
): Promise<Float64Array> {
  const imageCount = input.references.referenceOffsets.length - 1
  return Float64Array.from(await threads.run('retrieve', input, imageCount, onProgress))
}

/** Prepares the captions once; the result scores one image. */
export function prepareRetrieval(
  { corpus, family: name, metric, candidates, references, documentFrequencies }: RetrievalInput,
  registry: MetricRegistry,
): (image: number) => number {
  const family = registry.family(name)
  const { higherIsBetter } = family.metrics[metric]
  const prepared = family.prepare(corpus)
  const scores = new Float64Array(family.metrics.length)
  return (image) => {
    const own = references.references.subarray(
      references.referenceOffsets[image],
      references.referenceOffsets[image + 1],
    )
    const repeated = new Int32Array(own.length * candidates.length)
    for (let index = 0; index < candidates.length; index++) repeated.set(own, index * own.length)
    const rows = family.measure(prepared, {
      candidates,
      references: repeated,
      referenceOffsets: Int32Array.from({ length: candidates.length + 1 }, (_, index) => index * own.length),
      documentFrequencies,
    })
    let best = Number.NEGATIVE_INFINITY
    for (let index = 0; index < candidates.length; index++) {
      family.imageScores(rows, index * family.width, scores)
      best = Math.max(best, higherIsBetter ? scores[metric] : -scores[metric])
    }
    return higherIsBetter ? best : -best
  }
}

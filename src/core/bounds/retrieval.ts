import type { DocumentFrequencies } from '../metrics/document-frequencies.js'
import type { ReferenceLists } from '../metrics/reference-lists.js'
import type { MetricRegistry } from '../metrics/registry.js'
import type { Corpus } from '../text/sequences.js'

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

/** Number of candidates that are measured first. */
const FIRST_CANDIDATES = 16

/** Limits that rounding made too small must not exclude a candidate. */
const ROUNDING = 1e-9

/**
 * Prepares the captions once; the result finds the best score of one image. Only candidates whose limit is not below the
 * best score so far are measured.
 */
export function prepareRetrieval(input: RetrievalInput, registry: MetricRegistry): (image: number) => number {
  const { corpus, metric, candidates, references, documentFrequencies } = input
  const family = registry.family(input.family)
  const sign = family.metrics[metric].higherIsBetter ? 1 : -1
  const prepared = family.prepare(corpus)
  const computeLimits =
    (sign === 1 && family.createLimits?.(prepared, { candidates, metric, documentFrequencies })) || null
  const scores = new Float64Array(family.metrics.length)

  /** The best score of some candidates; NaN where all are undefined. */
  function measureBest(chosen: Int32Array, own: Int32Array): number {
    const { length } = own
    const repeated = new Int32Array(length * chosen.length)
    for (let index = 0; index < chosen.length; index++) repeated.set(own, index * length)
    const referenceOffsets = Int32Array.from({ length: chosen.length + 1 }, (_, index) => index * length)
    const trial = { candidates: chosen, references: repeated, referenceOffsets, documentFrequencies }
    const rows = family.measure(prepared, trial)
    let best = Number.NEGATIVE_INFINITY
    for (let index = 0; index < chosen.length; index++) {
      family.imageScores(rows, index * family.width, scores)
      if (sign * scores[metric] > best) best = sign * scores[metric]
    }
    return best === Number.NEGATIVE_INFINITY ? Number.NaN : sign * best
  }

  return (image) => {
    const { referenceOffsets } = references
    const own = references.references.subarray(referenceOffsets[image], referenceOffsets[image + 1])
    if (computeLimits === null) return measureBest(candidates, own)
    const limits = computeLimits(own)
    const first = findGreatest(limits, FIRST_CANDIDATES)
    const best = measureBest(
      first.map((index) => candidates[index]),
      own,
    )
    for (const index of first) limits[index] = Number.NEGATIVE_INFINITY
    // All remain where no score is defined so far.
    const others = candidates.filter((_, index) => !(limits[index] <= best - ROUNDING))
    if (others.length === 0) return best
    const rest = measureBest(others, own)
    return rest > best || Number.isNaN(best) ? rest : best
  }
}

/** Positions of the greatest values, in no particular order. */
function findGreatest(values: Float64Array, count: number): Int32Array {
  const found = Int32Array.from({ length: Math.min(count, values.length) }, (_, index) => index)
  if (found.length === 0) return found
  let least = placeOfLeast(values, found)
  for (let index = found.length; index < values.length; index++) {
    if (values[index] <= values[found[least]]) continue
    found[least] = index
    least = placeOfLeast(values, found)
  }
  return found
}

function placeOfLeast(values: Float64Array, positions: Int32Array): number {
  let least = 0
  for (let place = 1; place < positions.length; place++)
    if (values[positions[place]] < values[positions[least]]) least = place
  return least
}

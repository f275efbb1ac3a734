/**
 * Word Mover's Distance: Kusner, Sun, Kolkin, Weinberger 2015; as a similarity of captions Kilickaya et al. 2017;
 * Sharif et al. 2018, section 3.
 *
 *     d(candidate, reference) = min Σ flow(v, w) · |v − w|      flow moves the words of one to those of the other
 *     weight of a word = its count / length of the caption      |v − w| Euclidean, vectors of unit length
 *     WMD = exp(−d) of the nearest reference
 *
 * Stop words (of English alone) and words without a vector are dropped; 0 where the candidate or all references have no other words. The
 * transport is exact. Two lower bounds spare most of it: the distance of the mean vectors (word centroid distance),
 * and each word moving to its nearest one (relaxed distance). Corpus: mean over images. Range 0 to 1.
 */
import type { Corpus } from '../text/sequences.js'
import {
  type ComputeLimits,
  type FamilyDefinition,
  type FamilyDescription,
  type Metric,
  type MetricFamily,
  meanOfImageScores,
  measureImages,
  TOKENS_ONLY,
  type Trial,
} from './metric.js'
import { countImages } from './reference-lists.js'
import { STOP_WORDS } from './wmd/stop-words.js'
import { createTransportSolver, type WordVectors } from './wmd/transport.js'

const description: FamilyDescription = {
  name: 'WMD',
  layoutRevision: 1,
  width: 1,
  isDefault: false,
  needs: { ...TOKENS_ONLY, english: true, resources: ['vectors'] },
  metrics: [
    {
      name: 'WMD',
      description:
        'Similarity exp(−d) to the nearest reference, d being the least total distance that the words of the ' +
        'candidate move to become those of the reference: Euclidean distance of unit-length word vectors, words ' +
        'weighted by count / length, stop words and words without a vector dropped. 0 where nothing is left.',
      lowest: 0,
      highest: 1,
      higherIsBetter: true,
      citation:
        'Kusner, Sun, Kolkin, Weinberger 2015: From Word Embeddings To Document Distances; Kilickaya et al. 2017: ' +
        'Re-evaluating Automatic Metrics for Image Captioning',
      revision: 1,
    },
  ],
}

export const wmd: FamilyDefinition = {
  ...description,
  create: (resourceOf) => createWmd(resourceOf('vectors')) as MetricFamily,
  inLanguage(language, { vectors }) {
    const described = {
      ...description,
      name: `${description.name} ${language}`,
      needs: { ...description.needs, english: vectors.read().isBuiltIn },
    }
    return {
      ...described,
      create: (resourceOf) => createWmd(resourceOf('vectors'), described, NO_STOP_WORDS) as MetricFamily,
    }
  },
}

/** Words that are dropped, and their name in signatures. */
interface StopWords {
  readonly name: string
  readonly words: ReadonlySet<string>
}

const ENGLISH_STOP_WORDS: StopWords = { name: 'nltk', words: STOP_WORDS }
const NO_STOP_WORDS: StopWords = { name: 'none', words: new Set() }

/** The words of captions that have a vector: caption c has those from `offsets[c]` to `offsets[c + 1] - 1`. */
interface WordBags {
  /** Rows of the distinct words. */
  readonly rows: Int32Array
  /** How often the caption contains each of them. */
  readonly counts: Int32Array
  readonly offsets: Int32Array
  /** Per caption the sum of its counts. */
  readonly lengths: Int32Array
  readonly dimension: number
  readonly values: Float64Array
}

export function createWmd(
  vectors: WordVectors,
  described: FamilyDescription = description,
  stop: StopWords = ENGLISH_STOP_WORDS,
): MetricFamily<WordBags> {
  return {
    ...described,
    metrics: described.metrics.map(
      (metric): Metric => ({ ...metric, parameters: { vectors: vectors.name, stop: stop.name } }),
    ),
    prepare: (corpus) => collectWords(corpus, vectors, stop.words),
    measure(bags, trial, progress) {
      const images = countImages(trial)
      const statistics = new Float64Array(images)
      const nearest = createNearest(bags)
      measureImages(images, progress, (start, end) => {
        for (let image = start; image < end; image++) statistics[image] = Math.exp(-nearest(trial, image))
      })
      return statistics
    },
    createLimits: (bags, { candidates }) => createRelaxedLimits(bags, candidates),
    ...meanOfImageScores,
  }
}

/** Limits by the relaxed distance to all references together: each word moves to its nearest one in any reference. */
function createRelaxedLimits(bags: WordBags, candidates: Int32Array): ComputeLimits {
  const { rows, counts, offsets, lengths, dimension, values } = bags
  const distances = new Float64Array(values.length / dimension)
  const limits = new Float64Array(candidates.length)
  return (references) => {
    const targets = new Set<number>()
    for (const reference of references)
      for (let i = offsets[reference]; i < offsets[reference + 1]; i++) targets.add(rows[i])
    for (let row = 0; row < distances.length; row++) distances[row] = nearestDistance(bags, row, targets)
    for (let c = 0; c < candidates.length; c++) {
      const candidate = candidates[c]
      let sum = 0
      for (let i = offsets[candidate]; i < offsets[candidate + 1]; i++) sum += counts[i] * distances[rows[i]]
      limits[c] = lengths[candidate] === 0 ? 0 : Math.exp(-sum / lengths[candidate])
    }
    return limits
  }
}

/** The distance of a word to the nearest of others; Infinity where there are none. */
function nearestDistance({ values, dimension }: WordBags, row: number, others: ReadonlySet<number>): number {
  if (others.has(row)) return 0
  let least = Number.POSITIVE_INFINITY
  for (const other of others)
    least = Math.min(least, squaredDistance(values, dimension, row * dimension, other * dimension))
  return Math.sqrt(least)
}

function squaredDistance(values: Float64Array, dimension: number, first: number, second: number): number {
  let squares = 0
  for (let d = 0; d < dimension; d++) {
    const difference = values[first + d] - values[second + d]
    squares += difference * difference
  }
  return squares
}

function collectWords(
  { tokens, offsets, texts }: Corpus,
  vectors: WordVectors,
  stopWords: ReadonlySet<string>,
): WordBags {
  const isUsed = new Uint8Array(texts.length)
  for (let i = 0; i < tokens.length; i++) isUsed[tokens[i]] = 1
  const used: number[] = []
  for (let token = 0; token < texts.length; token++) {
    if (isUsed[token] === 1 && !stopWords.has(texts[token])) used.push(token)
  }
  const found = vectors.lookUp(used.map((token) => texts[token]))
  const rowOfToken = new Int32Array(texts.length).fill(-1)
  for (let i = 0; i < used.length; i++) rowOfToken[used[i]] = found.rows[i]
  const captionCount = offsets.length - 1
  const rows = new Int32Array(tokens.length)
  const counts = new Int32Array(tokens.length)
  const bagOffsets = new Int32Array(captionCount + 1)
  const lengths = new Int32Array(captionCount)
  let size = 0
  for (let caption = 0; caption < captionCount; caption++) {
    const start = size
    for (let i = offsets[caption]; i < offsets[caption + 1]; i++) {
      const row = rowOfToken[tokens[i]]
      if (row < 0) continue
      let place = start
      while (place < size && rows[place] !== row) place++
      if (place === size) rows[size++] = row
      counts[place]++
      lengths[caption]++
    }
    bagOffsets[caption + 1] = size
  }
  const { dimension, values } = found
  return {
    rows: rows.slice(0, size),
    counts: counts.slice(0, size),
    offsets: bagOffsets,
    lengths,
    dimension,
    values,
  }
}

/** Lower bounds that rounding made too large must not exclude a reference. */
const ROUNDING = 1e-9

/** Finds the distance of an image's candidate to its nearest reference; Infinity where one side has no words. */
function createNearest({
  rows,
  counts,
  offsets,
  lengths,
  dimension,
  values,
}: WordBags): (trial: Trial, image: number) => number {
  const solver = createTransportSolver()
  const candidateMean = new Float64Array(dimension)
  const referenceMean = new Float64Array(dimension)
  let costs = new Float64Array(0)
  let supplies = new Int32Array(0)
  let demands = new Int32Array(0)
  const order: number[] = []
  const bounds: number[] = []

  function meanVector(caption: number, target: Float64Array): void {
    target.fill(0)
    for (let i = offsets[caption]; i < offsets[caption + 1]; i++) {
      const start = rows[i] * dimension
      for (let d = 0; d < dimension; d++) target[d] += counts[i] * values[start + d]
    }
    for (let d = 0; d < dimension; d++) target[d] /= lengths[caption]
  }

  /** Word centroid distance to the candidate whose mean vector is known. */
  function centroidBound(reference: number): number {
    meanVector(reference, referenceMean)
    let squares = 0
    for (let d = 0; d < dimension; d++) squares += (candidateMean[d] - referenceMean[d]) ** 2
    return Math.sqrt(squares)
  }

  /** Writes the distances of all words, row by row. */
  function measureWords(candidate: number, reference: number): void {
    const firstCandidate = offsets[candidate]
    const firstReference = offsets[reference]
    const candidateCount = offsets[candidate + 1] - firstCandidate
    const referenceCount = offsets[reference + 1] - firstReference
    if (candidateCount * referenceCount > costs.length) {
      costs = new Float64Array(2 * candidateCount * referenceCount)
    }
    for (let i = 0; i < candidateCount; i++) {
      const row = rows[firstCandidate + i] * dimension
      for (let j = 0; j < referenceCount; j++) {
        const other = rows[firstReference + j] * dimension
        costs[i * referenceCount + j] =
          row === other ? 0 : Math.sqrt(squaredDistance(values, dimension, row, other))
      }
    }
  }

  /** The larger of both relaxed distances: each word moves to its nearest one. */
  function relaxedBound(candidate: number, reference: number): number {
    const firstCandidate = offsets[candidate]
    const firstReference = offsets[reference]
    const candidateCount = offsets[candidate + 1] - firstCandidate
    const referenceCount = offsets[reference + 1] - firstReference
    let forward = 0
    for (let i = 0; i < candidateCount; i++) {
      let least = Number.POSITIVE_INFINITY
      for (let j = 0; j < referenceCount; j++) least = Math.min(least, costs[i * referenceCount + j])
      forward += counts[firstCandidate + i] * least
    }
    let backward = 0
    for (let j = 0; j < referenceCount; j++) {
      let least = Number.POSITIVE_INFINITY
      for (let i = 0; i < candidateCount; i++) least = Math.min(least, costs[i * referenceCount + j])
      backward += counts[firstReference + j] * least
    }
    return Math.max(forward / lengths[candidate], backward / lengths[reference])
  }

  /** Transport of the words whose distances are known, in whole numbers: counts times the other caption's length. */
  function transport(candidate: number, reference: number): number {
    const rowCount = offsets[candidate + 1] - offsets[candidate]
    const columnCount = offsets[reference + 1] - offsets[reference]
    if (rowCount > supplies.length) supplies = new Int32Array(2 * rowCount)
    if (columnCount > demands.length) demands = new Int32Array(2 * columnCount)
    for (let i = 0; i < rowCount; i++) supplies[i] = counts[offsets[candidate] + i] * lengths[reference]
    for (let j = 0; j < columnCount; j++) demands[j] = counts[offsets[reference] + j] * lengths[candidate]
    const total = solver.solve(supplies, rowCount, demands, columnCount, costs)
    return total / (lengths[candidate] * lengths[reference])
  }

  return ({ candidates, references, referenceOffsets }, image) => {
    const candidate = candidates[image]
    if (lengths[candidate] === 0) return Number.POSITIVE_INFINITY
    meanVector(candidate, candidateMean)
    order.length = 0
    bounds.length = 0
    for (let r = referenceOffsets[image]; r < referenceOffsets[image + 1]; r++) {
      if (lengths[references[r]] === 0) continue
      order.push(order.length)
      bounds.push(r, centroidBound(references[r]))
    }
    order.sort((one, other) => bounds[2 * one + 1] - bounds[2 * other + 1])
    let least = Number.POSITIVE_INFINITY
    for (const place of order) {
      if (bounds[2 * place + 1] > least + ROUNDING) break
      const reference = references[bounds[2 * place]]
      measureWords(candidate, reference)
      if (relaxedBound(candidate, reference) > least + ROUNDING) continue
      least = Math.min(least, transport(candidate, reference))
    }
    return least
  }
}

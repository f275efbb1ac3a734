/**
 * BLEU-1 to BLEU-4: Papineni, Roukos, Ward, Zhu 2002; COCO Captions (Chen et al. 2015), section 3.3.
 *
 *     B_n = brevity · (Π_{j ≤ n} (correct_j + t) / (guess_j + s))^(1/n)        t = 1e-15, s = 1e-9
 *     brevity = exp(1 − 1/ratio) where ratio < 1, else 1
 *     ratio = (length of candidate + t) / (length of closest reference + s)
 *
 * correct_j counts the candidate's j-grams, each at most as often as the one reference that has it most
 * often; guess_j = max(0, length − j + 1). Of two references equally close in length the shorter counts. For
 * a corpus all counts are summed over images first. t and s are the reference toolkit's: the paper has none,
 * and gives 0 where an order has no match. An empty candidate scores 0. Range 0 to 1.
 */
import {
  type CorpusNgrams,
  clearCounts,
  corpusNgrams,
  invertCounts,
  MAX_ORDER,
  type NgramCounts,
  type NgramPostings,
  spreadCounts,
} from '../text/ngrams.js'
import type { TokenSequences } from '../text/sequences.js'
import {
  type MeasureProgress,
  type Metric,
  type MetricFamily,
  measureImages,
  stepProgress,
  TOKENS_ONLY,
  type Trial,
} from './metric.js'
import { countImages } from './reference-lists.js'

const TINY = 1e-15
const SMALL = 1e-9

/** Columns of the statistics: correct_1 … correct_4, guess_1 … guess_4 (guess_1 is the length), reference length. */
const CORRECT = 0
const GUESS = MAX_ORDER
const REFERENCE_LENGTH = 2 * MAX_ORDER
const WIDTH = REFERENCE_LENGTH + 1

export const bleu: MetricFamily<CorpusNgrams> = {
  name: 'BLEU',
  layoutRevision: 1,
  width: WIDTH,
  needs: { ...TOKENS_ONLY, ngrams: true },
  metrics: Array.from({ length: MAX_ORDER }, (_, index) => describe(index + 1)),
  prepare: corpusNgrams,

  measure({ orders, words }, trial, progress) {
    const images = countImages(trial)
    const statistics = new Float64Array(images * WIDTH)
    measureLengths(words, trial, images, statistics)
    for (let order = 0; order < MAX_ORDER; order++) {
      const column = CORRECT + order
      measureMatches(orders[order], trial, statistics, column, stepProgress(progress, order, MAX_ORDER))
    }
    return statistics
  },

  /** The scores themselves, from the candidates that have each n-gram of the references. */
  createLimits({ orders, words }, { candidates, metric }) {
    const used = orders.slice(0, metric + 1)
    const postings = used.map((order) => invertCounts(order, candidates))
    const correct = used.map(() => new Int32Array(candidates.length))
    const limits = new Float64Array(candidates.length)
    const row = new Float64Array(WIDTH)
    const scores = new Float64Array(MAX_ORDER)
    return (references) => {
      used.forEach((order, index) => {
        countAllMatches(greatestCounts(order, references), postings[index], correct[index])
      })
      for (let i = 0; i < candidates.length; i++) {
        const length = captionLength(words.offsets, candidates[i])
        writeLengths(words, length, references, 0, references.length, row, 0)
        for (let order = 0; order < used.length; order++) row[CORRECT + order] = correct[order][i]
        score(row, 0, scores)
        limits[i] = scores[metric]
      }
      return limits
    }
  },

  imageScores: score,
  corpusScores: { from: 'sums', score: (sums, _images, scores) => score(sums, 0, scores) },
}

function score(statistics: Float64Array, offset: number, scores: Float64Array): void {
  const ratio = (statistics[offset + GUESS] + TINY) / (statistics[offset + REFERENCE_LENGTH] + SMALL)
  const brevity = ratio < 1 ? Math.exp(1 - 1 / ratio) : 1
  let product = 1
  for (let order = 0; order < MAX_ORDER; order++) {
    product *= (statistics[offset + CORRECT + order] + TINY) / (statistics[offset + GUESS + order] + SMALL)
    scores[order] = product ** (1 / (order + 1)) * brevity
  }
}

function measureLengths(words: TokenSequences, trial: Trial, images: number, statistics: Float64Array): void {
  const { candidates, references, referenceOffsets } = trial
  for (let image = 0; image < images; image++) {
    const length = captionLength(words.offsets, candidates[image])
    const start = referenceOffsets[image]
    const end = referenceOffsets[image + 1]
    writeLengths(words, length, references, start, end, statistics, image * WIDTH)
  }
}

/** Writes the lengths of a candidate and of the closest of the references `start` … `end` − 1 to the row at `offset`. */
function writeLengths(
  { offsets }: TokenSequences,
  length: number,
  references: Int32Array,
  start: number,
  end: number,
  statistics: Float64Array,
  offset: number,
): void {
  for (let order = 0; order < MAX_ORDER; order++)
    statistics[offset + GUESS + order] = Math.max(0, length - order)
  statistics[offset + REFERENCE_LENGTH] = closestLength(offsets, length, references, start, end)
}

function closestLength(
  offsets: Int32Array,
  length: number,
  references: Int32Array,
  start: number,
  end: number,
): number {
  let closest = Number.POSITIVE_INFINITY
  for (let i = start; i < end; i++) {
    const candidate = captionLength(offsets, references[i])
    const closer = Math.abs(candidate - length) - Math.abs(closest - length)
    if (closer < 0 || (closer === 0 && candidate < closest)) closest = candidate
  }
  return closest
}

/** Writes each image's clipped matches of one order to `column`. */
function measureMatches(
  order: NgramCounts,
  trial: Trial,
  statistics: Float64Array,
  column: number,
  progress: MeasureProgress | undefined,
): void {
  const wanted = new Int32Array(order.distinct)
  const matched = new Int32Array(order.distinct)
  measureImages(trial.candidates.length, progress, (start, end) => {
    countMatches(order, trial, start, end, wanted, matched, statistics, column)
  })
}

/** @param wanted, matched arrays of zeros, one entry per n-gram; left as they were */
function countMatches(
  order: NgramCounts,
  { candidates, references, referenceOffsets }: Trial,
  start: number,
  end: number,
  wanted: Int32Array,
  matched: Int32Array,
  statistics: Float64Array,
  column: number,
): void {
  const { ids, counts, offsets } = order
  for (let image = start; image < end; image++) {
    spreadCounts(order, candidates[image], wanted)
    let correct = 0
    for (let r = referenceOffsets[image]; r < referenceOffsets[image + 1]; r++) {
      const reference = references[r]
      for (let i = offsets[reference]; i < offsets[reference + 1]; i++) {
        const id = ids[i]
        if (wanted[id] === 0) continue
        const matches = Math.min(wanted[id], counts[i])
        if (matches <= matched[id]) continue
        correct += matches - matched[id]
        matched[id] = matches
      }
    }
    statistics[image * WIDTH + column] = correct
    clearCounts(order, candidates[image], wanted)
    clearCounts(order, candidates[image], matched)
  }
}

/** How often the reference that has an n-gram most often has it. */
function greatestCounts(
  { ids, counts, offsets }: NgramCounts,
  references: Int32Array,
): ReadonlyMap<number, number> {
  const greatest = new Map<number, number>()
  for (const reference of references)
    for (let i = offsets[reference]; i < offsets[reference + 1]; i++)
      greatest.set(ids[i], Math.max(counts[i], greatest.get(ids[i]) ?? 0))
  return greatest
}

/** Writes the clipped matches of all candidates. */
function countAllMatches(
  greatest: ReadonlyMap<number, number>,
  { captions, counts, offsets }: NgramPostings,
  correct: Int32Array,
): void {
  correct.fill(0)
  for (const [id, count] of greatest)
    for (let i = offsets[id]; i < offsets[id + 1]; i++) correct[captions[i]] += Math.min(counts[i], count)
}

function captionLength(offsets: Int32Array, caption: number): number {
  return offsets[caption + 1] - offsets[caption]
}

function describe(order: number): Metric {
  return {
    name: `BLEU-${order}`,
    description:
      `Geometric mean of the clipped precisions of n-grams of 1 to ${order} words, times a penalty where ` +
      'candidates are shorter than the references closest to them in length. Counts are summed over the ' +
      'corpus first. As the reference toolkit does, 1e-15 is added to matches and 1e-9 to totals, so that an ' +
      'image without a match scores nearly, not exactly, 0.',
    lowest: 0,
    highest: 1,
    higherIsBetter: true,
    citation:
      'Papineni, Roukos, Ward, Zhu 2002: BLEU: a Method for Automatic Evaluation of Machine Translation; ' +
      'COCO Captions 2015, section 3.3',
    revision: 1,
    parameters: { n: String(order), length: 'closest' },
  }
}

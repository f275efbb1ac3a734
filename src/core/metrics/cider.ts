/**
 * CIDEr and CIDEr-D: Vedantam, Zitnick, Parikh 2015; COCO Captions (Chen et al. 2015), section 3.6.
 *
 *     idf(g) = ln N − ln max(1, number of images whose references contain g)       N images
 *     vector of a caption, per n = 1..4: g ↦ count(g) · idf(g)
 *     CIDEr   = 10 · mean over n, mean over references of  Σ cand · ref / (|cand| |ref|)
 *     CIDEr-D = 10 · mean over n, mean over references of
 *                    exp(−(l_c − l_r)² / (2 · 6²)) · Σ min(cand, ref) · ref / (|cand| |ref|)
 *
 * l is the number of a caption's bigrams, as in the reference toolkit (the paper: its length). A zero norm
 * gives 0. No stemming, as in the toolkit. Corpus: mean over images. Range 0 to 10. With one image every idf
 * is 0, and so is every score, as where all images have all n-grams of the candidates or of the references: `warnings`
 * says so.
 */
import { invertCounts, MAX_ORDER, type NgramCounts } from '../text/ngrams.js'
import type { TokenSequences } from '../text/sequences.js'
import {
  type MeasureProgress,
  type MetricFamily,
  meanOfImageScores,
  measureImages,
  stepProgress,
  TOKENS_ONLY,
  type Trial,
} from './metric.js'
import { ngramWeights, type PreparedNgrams, prepareNgrams, weightsInTable } from './ngram-weights.js'
import { countImages } from './reference-lists.js'

const SIGMA = 6
const SCALE = 10

/** Columns of the statistics. */
const CIDER = 0
const CIDER_D = 1
/** 1 where an n-gram of the candidate and one of a reference have a weight. */
const IS_WEIGHTED = 2
const WIDTH = 3

const common = {
  lowest: 0,
  highest: SCALE,
  higherIsBetter: true,
  citation:
    'Vedantam, Zitnick, Parikh 2015: CIDEr: Consensus-based Image Description Evaluation; ' +
    'COCO Captions 2015, section 3.6',
  revision: 1,
}

export const cider: MetricFamily<PreparedNgrams> = {
  name: 'CIDEr',
  layoutRevision: 3,
  width: WIDTH,
  needs: { ...TOKENS_ONLY, documentFrequencies: true, ngrams: true },
  metrics: [
    {
      ...common,
      name: 'CIDEr',
      description:
        'Ten times the mean cosine of candidate and reference as vectors of n-grams (n = 1..4) weighted by ' +
        'frequency and by how few images have them. Without the clipping and the length penalty of CIDEr-D, ' +
        'and, as in the reference toolkit, without the stemming of the paper.',
      parameters: { n: String(MAX_ORDER) },
    },
    {
      ...common,
      name: 'CIDEr-D',
      description:
        'CIDEr made harder to game: weights of the candidate are clipped to those of the reference, and a ' +
        'Gaussian of the difference in length (σ = 6) penalises. As in the reference toolkit, length is the ' +
        'number of bigrams. The figure that COCO publishes.',
      parameters: { n: String(MAX_ORDER), sigma: String(SIGMA) },
    },
  ],
  prepare: prepareNgrams,

  measure(prepared, trial, progress) {
    const { orders, words } = prepared.ngrams
    const statistics = new Float64Array(countImages(trial) * WIDTH)
    const penalties = lengthPenalties(words, trial)
    for (let order = 0; order < MAX_ORDER; order++) {
      const idf = ngramWeights(prepared, trial, order)
      const orderProgress = stepProgress(progress, order, MAX_ORDER)
      addSimilarities(orders[order], trial, idf, penalties, statistics, orderProgress)
    }
    return statistics
  },

  /**
   * One sparse product with the sum of the references gives the sum of the cosines. CIDEr-D is at most that, as clipping
   * makes products smaller, times the penalty of the reference that is closest in length.
   */
  createLimits(prepared, { candidates, metric, documentFrequencies }) {
    if (documentFrequencies === undefined) return null
    const { orders, words } = prepared.ngrams
    const cosines = orders.map((ngrams, order) =>
      createCosines(ngrams, weightsInTable(prepared, documentFrequencies, order), candidates),
    )
    const limits = new Float64Array(candidates.length)
    return (references) => {
      limits.fill(0)
      for (const addCosines of cosines) addCosines(references, limits)
      const scale = SCALE / MAX_ORDER / references.length
      for (let i = 0; i < candidates.length; i++) {
        const penalty = metric === CIDER_D ? greatestPenalty(words, candidates[i], references) : 1
        limits[i] *= scale * penalty
      }
      return limits
    }
  },

  ...meanOfImageScores,

  warnings(trial, sums) {
    if ((trial.documentFrequencies?.imageCount ?? trial.candidates.length) === 1)
      return [
        'CIDEr and CIDEr-D are 0 whatever the captions say: document frequencies come from one image only, ' +
          'so that every n-gram has the weight ln 1 = 0.',
      ]
    if (sums[IS_WEIGHTED] > 0) return []
    return [
      'CIDEr and CIDEr-D are 0: no n-gram of any candidate, or of its references, has a weight. All images that document ' +
        'frequencies are counted in have these n-grams, or the candidates are empty.',
    ]
  },
}

/** Adds to each sum the cosines of a candidate and the references, by n-grams of one order. */
type AddCosines = (references: Int32Array, sums: Float64Array) => void

/** @param idf weights of the n-grams */
function createCosines(ngrams: NgramCounts, idf: Float64Array, candidates: Int32Array): AddCosines {
  const { ids, counts, offsets } = ngrams
  const normOf = (caption: number) => {
    let squares = 0
    for (let i = offsets[caption]; i < offsets[caption + 1]; i++) squares += (counts[i] * idf[ids[i]]) ** 2
    return Math.sqrt(squares)
  }
  const norms = Float64Array.from(candidates, normOf)
  const postings = invertCounts(ngrams, candidates)

  /** Of the n-grams of the references, the sums of their weights, each divided by the norm of the reference. */
  function sumReferences(references: Int32Array): Map<number, number> {
    const weights = new Map<number, number>()
    for (const reference of references) {
      const norm = normOf(reference)
      if (norm === 0) continue
      for (let i = offsets[reference]; i < offsets[reference + 1]; i++)
        weights.set(ids[i], (counts[i] * idf[ids[i]]) / norm + (weights.get(ids[i]) ?? 0))
    }
    return weights
  }

  return (references, sums) => {
    for (const [id, weight] of sumReferences(references)) {
      const factor = weight * idf[id]
      // A candidate whose norm is 0 has no n-gram with a weight.
      if (factor === 0) continue
      for (let i = postings.offsets[id]; i < postings.offsets[id + 1]; i++)
        sums[postings.captions[i]] += (factor * postings.counts[i]) / norms[postings.captions[i]]
    }
  }
}

/** The penalties of every reference of the trial. */
function lengthPenalties(words: TokenSequences, trial: Trial): Float64Array {
  const penalties = new Float64Array(trial.references.length)
  for (let image = 0; image < trial.candidates.length; image++) {
    const length = bigramCount(words, trial.candidates[image])
    for (let r = trial.referenceOffsets[image]; r < trial.referenceOffsets[image + 1]; r++)
      penalties[r] = penaltyOf(length - bigramCount(words, trial.references[r]))
  }
  return penalties
}

function greatestPenalty(words: TokenSequences, candidate: number, references: Int32Array): number {
  const length = bigramCount(words, candidate)
  let least = Number.POSITIVE_INFINITY
  for (const reference of references)
    least = Math.min(least, Math.abs(length - bigramCount(words, reference)))
  return penaltyOf(least)
}

function bigramCount({ offsets }: TokenSequences, caption: number): number {
  return Math.max(0, offsets[caption + 1] - offsets[caption] - 1)
}

/** exp(−(l_c − l_r)² / 2σ²), l being numbers of bigrams. */
function penaltyOf(difference: number): number {
  return Math.exp(-(difference ** 2) / (2 * SIGMA ** 2))
}

/** Adds what n-grams of one order contribute to CIDEr and CIDEr-D of every image. */
function addSimilarities(
  order: NgramCounts,
  trial: Trial,
  idf: Float64Array,
  penalties: Float64Array,
  statistics: Float64Array,
  progress: MeasureProgress | undefined,
): void {
  const candidateWeights = new Float64Array(order.distinct)
  measureImages(trial.candidates.length, progress, (start, end) => {
    addSimilaritiesOfImages(order, trial, start, end, idf, candidateWeights, penalties, statistics)
  })
}

/** @param candidateWeights an array of zeros, one entry per n-gram; left as it was */
function addSimilaritiesOfImages(
  { ids, counts, offsets }: NgramCounts,
  { candidates, references, referenceOffsets }: Trial,
  firstImage: number,
  endImage: number,
  idf: Float64Array,
  candidateWeights: Float64Array,
  penalties: Float64Array,
  statistics: Float64Array,
): void {
  for (let image = firstImage; image < endImage; image++) {
    const start = offsets[candidates[image]]
    const end = offsets[candidates[image] + 1]
    let candidateSquares = 0
    for (let i = start; i < end; i++) {
      const weight = counts[i] * idf[ids[i]]
      candidateWeights[ids[i]] = weight
      candidateSquares += weight * weight
    }
    let cosines = 0
    let clippedCosines = 0
    let isReferenceWeighted = false
    for (let r = referenceOffsets[image]; r < referenceOffsets[image + 1]; r++) {
      let squares = 0
      let product = 0
      let clippedProduct = 0
      for (let i = offsets[references[r]]; i < offsets[references[r] + 1]; i++) {
        const weight = counts[i] * idf[ids[i]]
        const candidateWeight = candidateWeights[ids[i]]
        squares += weight * weight
        product += candidateWeight * weight
        clippedProduct += Math.min(candidateWeight, weight) * weight
      }
      if (squares > 0) isReferenceWeighted = true
      if (product === 0) continue
      const norms = Math.sqrt(candidateSquares) * Math.sqrt(squares)
      cosines += product / norms
      clippedCosines += (clippedProduct / norms) * penalties[r]
    }
    const scale = SCALE / MAX_ORDER / (referenceOffsets[image + 1] - referenceOffsets[image])
    if (candidateSquares > 0 && isReferenceWeighted) statistics[image * WIDTH + IS_WEIGHTED] = 1
    statistics[image * WIDTH + CIDER] += cosines * scale
    statistics[image * WIDTH + CIDER_D] += clippedCosines * scale
    for (let i = start; i < end; i++) candidateWeights[ids[i]] = 0
  }
}

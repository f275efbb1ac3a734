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
 * is 0, and so is every score: `warnings` says so.
 */
import { type CorpusNgrams, corpusNgrams, MAX_ORDER, type NgramCounts } from '../text/ngrams.js'
import type { TokenSequences } from '../text/sequences.js'
import {
  countImages,
  type MetricFamily,
  meanOfImageScores,
  type ReferenceLists,
  type Trial,
} from './metric.js'

const SIGMA = 6
const SCALE = 10

/** Columns of the statistics. */
const CIDER = 0
const CIDER_D = 1
const WIDTH = 2

const common = {
  lowest: 0,
  highest: SCALE,
  higherIsBetter: true,
  citation:
    'Vedantam, Zitnick, Parikh 2015: CIDEr: Consensus-based Image Description Evaluation; ' +
    'COCO Captions 2015, section 3.6',
  usesDocumentFrequency: true,
}

export const cider: MetricFamily<CorpusNgrams> = {
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
  width: WIDTH,
  prepare: corpusNgrams,

  measure({ orders, words }, trial) {
    const statistics = new Float64Array(countImages(trial) * WIDTH)
    const penalties = lengthPenalties(words, trial)
    for (const order of orders) {
      addSimilarities(
        order,
        trial,
        inverseDocumentFrequencies(order, trial.documents ?? trial),
        penalties,
        statistics,
      )
    }
    return statistics
  },

  ...meanOfImageScores,

  warnings(trial) {
    if ((trial.documents ?? trial).referenceOffsets.length !== 2) return []
    return [
      'CIDEr and CIDEr-D are 0 whatever the captions say: document frequencies come from one image only, ' +
        'so that every n-gram has the weight ln 1 = 0.',
    ]
  },
}

/** ln N − ln max(1, df) per n-gram; N images, df the number of them whose references contain the n-gram. */
function inverseDocumentFrequencies(order: NgramCounts, documents: ReferenceLists): Float64Array {
  const { ids, offsets, distinct } = order
  const { references, referenceOffsets } = documents
  const images = countImages(documents)
  const frequencies = new Int32Array(distinct)
  const lastImage = new Int32Array(distinct).fill(-1)
  for (let image = 0; image < images; image++) {
    for (let r = referenceOffsets[image]; r < referenceOffsets[image + 1]; r++) {
      const reference = references[r]
      for (let i = offsets[reference]; i < offsets[reference + 1]; i++) {
        const id = ids[i]
        if (lastImage[id] === image) continue
        lastImage[id] = image
        frequencies[id]++
      }
    }
  }
  const logarithms = Float64Array.from({ length: images + 1 }, (_, count) => Math.log(Math.max(1, count)))
  const logImages = Math.log(images)
  const weights = new Float64Array(distinct)
  for (let id = 0; id < distinct; id++) weights[id] = logImages - logarithms[frequencies[id]]
  return weights
}

/** exp(−(l_c − l_r)² / 2σ²) for every reference of the trial, l being numbers of bigrams. */
function lengthPenalties({ offsets }: TokenSequences, trial: Trial): Float64Array {
  const penalties = new Float64Array(trial.references.length)
  const bigrams = (caption: number) => Math.max(0, offsets[caption + 1] - offsets[caption] - 1)
  for (let image = 0; image < trial.candidates.length; image++) {
    const length = bigrams(trial.candidates[image])
    for (let r = trial.referenceOffsets[image]; r < trial.referenceOffsets[image + 1]; r++) {
      const difference = length - bigrams(trial.references[r])
      penalties[r] = Math.exp(-(difference ** 2) / (2 * SIGMA ** 2))
    }
  }
  return penalties
}

/** Adds what n-grams of one order contribute to CIDEr and CIDEr-D of every image. */
function addSimilarities(
  { ids, counts, offsets, distinct }: NgramCounts,
  { candidates, references, referenceOffsets }: Trial,
  idf: Float64Array,
  penalties: Float64Array,
  statistics: Float64Array,
): void {
  const candidateWeights = new Float64Array(distinct)
  for (let image = 0; image < candidates.length; image++) {
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
      if (product === 0) continue
      const norms = Math.sqrt(candidateSquares) * Math.sqrt(squares)
      cosines += product / norms
      clippedCosines += (clippedProduct / norms) * penalties[r]
    }
    const scale = SCALE / MAX_ORDER / (referenceOffsets[image + 1] - referenceOffsets[image])
    statistics[image * WIDTH + CIDER] += cosines * scale
    statistics[image * WIDTH + CIDER_D] += clippedCosines * scale
    for (let i = start; i < end; i++) candidateWeights[ids[i]] = 0
  }
}

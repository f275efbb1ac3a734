/**
 * Coverage, consensus coverage and confirmed share of a caption: METHODS section 14, with all references of an image.
 *
 *     coverage           = Σ w(C ∩ ∪R) / Σ w(∪R)     of what the references say, how much the caption says
 *     consensus coverage = Σ w(C ∩ ∩R) / Σ w(∩R)     of what all references say, how much the caption says
 *     confirmed share    = Σ w(C ∩ ∪R) / Σ w(C)      of what the caption says, how much a reference says
 *
 * C and R are sets of words, and w = ln N − ln df of a word that df of N images have in their references. Corpus figures are ratios
 * of sums. Range 0 to 1. `accord coverage` compares systems with one, two and three people by the same figures.
 */
import { type Metric, type MetricFamily, measureImages, TOKENS_ONLY } from './metric.js'
import { ngramWeights, type PreparedNgrams, prepareNgrams } from './ngram-weights.js'
import { countImages } from './reference-lists.js'

/** Columns of a row: sums of weights. */
const SAID = 0
const CONFIRMED = 1
const SHARED = 2
const REFERENCES_SAY = 3
const REFERENCES_SHARE = 4
const WIDTH = 5

const UNIGRAMS = 0

const describe = (metric: Pick<Metric, 'name' | 'description'>): Metric => ({
  ...metric,
  lowest: 0,
  highest: 1,
  higherIsBetter: true,
  citation: 'Accord 2026: Captions of any length, beside people',
  revision: 1,
  parameters: { units: 'words' },
})

export const coverage: MetricFamily<PreparedNgrams> = {
  name: 'coverage',
  layoutRevision: 1,
  width: WIDTH,
  isDefault: false,
  needs: { ...TOKENS_ONLY, documentFrequencies: true, ngrams: true },
  metrics: [
    describe({
      name: 'coverage',
      description:
        'Of the words that the references of an image use, the share that the caption uses. Words that few images have weigh more, ' +
        'by ln(N/df). Does not fall with length: see confirmed-share beside it.',
    }),
    describe({
      name: 'consensus-coverage',
      description:
        'Of the words that all references of an image use, the share that the caption uses, with the weights of coverage. ' +
        'Undefined where the references have no word in common.',
    }),
    describe({
      name: 'confirmed-share',
      description:
        'Of the words that a caption uses, the share that a reference uses, with the weights of coverage: what others do not say ' +
        'lowers it. Rewards caution, and short captions.',
    }),
  ],
  prepare: prepareNgrams,

  measure(prepared, trial, progress) {
    const images = countImages(trial)
    const statistics = new Float64Array(images * WIDTH)
    const { ids, offsets, distinct } = prepared.ngrams.orders[UNIGRAMS]
    const weights = ngramWeights(prepared, trial, UNIGRAMS)
    /** Number of the image, from 1, whose references have a word, and how many of them have it. */
    const lastImage = new Int32Array(distinct)
    const referenceCounts = new Int32Array(distinct)
    measureImages(images, progress, (start, end) => {
      for (let image = start; image < end; image++) {
        const row = statistics.subarray(image * WIDTH, (image + 1) * WIDTH)
        const first = trial.referenceOffsets[image]
        const references = trial.referenceOffsets[image + 1] - first
        for (let r = first; r < first + references; r++) {
          const caption = trial.references[r]
          for (let i = offsets[caption]; i < offsets[caption + 1]; i++) {
            const word = ids[i]
            if (lastImage[word] !== image + 1) {
              lastImage[word] = image + 1
              referenceCounts[word] = 0
              row[REFERENCES_SAY] += weights[word]
            }
            if (++referenceCounts[word] === references) row[REFERENCES_SHARE] += weights[word]
          }
        }
        const candidate = trial.candidates[image]
        for (let i = offsets[candidate]; i < offsets[candidate + 1]; i++) {
          const word = ids[i]
          row[SAID] += weights[word]
          if (lastImage[word] !== image + 1) continue
          row[CONFIRMED] += weights[word]
          if (referenceCounts[word] === references) row[SHARED] += weights[word]
        }
      }
    })
    return statistics
  },

  imageScores(statistics, offset, scores) {
    score(statistics.subarray(offset, offset + WIDTH), 1, scores)
  },
  corpusScores: { from: 'sums', score },
}

/** NaN where nothing that weighs is said. */
function score(sums: Float64Array, _images: number, scores: Float64Array): void {
  scores[0] = ratio(sums[CONFIRMED], sums[REFERENCES_SAY])
  scores[1] = ratio(sums[SHARED], sums[REFERENCES_SHARE])
  scores[2] = ratio(sums[CONFIRMED], sums[SAID])
}

function ratio(part: number, whole: number): number {
  return whole > 0 ? part / whole : Number.NaN
}

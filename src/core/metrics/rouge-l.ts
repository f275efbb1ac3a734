/**
 * ROUGE-L: Lin 2004; COCO Captions (Chen et al. 2015), section 3.4.
 *
 *     P = max over references of LCS / length of candidate
 *     R = max over references of LCS / length of reference
 *     F = (1 + β²) P R / (R + β² P), β = 1.2; 0 where P or R is 0
 *
 * P and R may come from different references. Corpus: mean over images. Range 0 to 1. As in the reference
 * toolkit, an empty caption counts as one empty word: it scores 0 unless a reference is empty as well.
 */
import type { Corpus, TokenSequences } from '../text/sequences.js'
import { type MetricFamily, meanOfImageScores, measureImages, TOKENS_ONLY, type Trial } from './metric.js'
import { countImages } from './reference-lists.js'

const BETA = 1.2

/** Match bits of a candidate are stored in words of 31 bits, so that a sum with carry stays below 2³². */
const WORD_BITS = 31
const WORD_MASK = 0x7fffffff

export const rougeL: MetricFamily<Corpus> = {
  name: 'ROUGE-L',
  layoutRevision: 1,
  width: 1,
  needs: TOKENS_ONLY,
  metrics: [
    {
      name: 'ROUGE-L',
      description:
        'F-measure (β = 1.2, favouring recall) of the longest common subsequence of candidate and reference. ' +
        'Precision and recall are each the best over references, and may come from different ones; the ' +
        'corpus score is the mean over images. As in the reference toolkit, two empty captions match.',
      lowest: 0,
      highest: 1,
      higherIsBetter: true,
      citation:
        'Lin 2004: ROUGE: A Package for Automatic Evaluation of Summaries; COCO Captions 2015, section 3.4',
      revision: 1,
      parameters: { beta: String(BETA) },
    },
  ],
  prepare: (corpus) => corpus,

  measure(corpus, trial, progress) {
    const images = countImages(trial)
    const statistics = new Float64Array(images)
    const matcher = createMatcher(corpus)
    measureImages(images, progress, (start, end) => {
      for (let image = start; image < end; image++) {
        statistics[image] = scoreImage(corpus, trial, image, matcher)
      }
    })
    return statistics
  },

  /** A common subsequence has at most the words that the candidate shares with the references together. */
  createLimits({ tokens, offsets, texts }, { candidates }) {
    const counts = new Int32Array(texts.length)
    const greatest = new Int32Array(texts.length)
    const limits = new Float64Array(candidates.length)
    return (references) => {
      let shortest = Number.POSITIVE_INFINITY
      for (const reference of references) {
        const [start, end] = [offsets[reference], offsets[reference + 1]]
        shortest = Math.min(shortest, Math.max(1, end - start))
        for (let i = start; i < end; i++) {
          counts[tokens[i]]++
          greatest[tokens[i]] = Math.max(greatest[tokens[i]], counts[tokens[i]])
        }
        for (let i = start; i < end; i++) counts[tokens[i]] = 0
      }
      for (let c = 0; c < candidates.length; c++) {
        const [start, end] = [offsets[candidates[c]], offsets[candidates[c] + 1]]
        // An empty caption may equal an empty reference.
        let shared = start === end ? 1 : 0
        for (let i = start; i < end; i++) if (greatest[tokens[i]]-- > 0) shared++
        for (let i = start; i < end; i++) greatest[tokens[i]]++
        limits[c] = fMeasure(shared / Math.max(1, end - start), Math.min(1, shared / shortest))
      }
      for (const reference of references)
        for (let i = offsets[reference]; i < offsets[reference + 1]; i++) greatest[tokens[i]] = 0
      return limits
    }
  },

  ...meanOfImageScores,
}

/** (1 + β²)PR / (R + β²P) with the β of ROUGE-L, and 0 where P or R is 0. */
export function fMeasure(precision: number, recall: number): number {
  if (precision === 0 || recall === 0) return 0
  return ((1 + BETA ** 2) * precision * recall) / (recall + BETA ** 2 * precision)
}

function scoreImage({ offsets }: Corpus, trial: Trial, image: number, matcher: Matcher): number {
  const length = matcher.setCandidate(trial.candidates[image])
  let precision = 0
  let recall = 0
  for (let i = trial.referenceOffsets[image]; i < trial.referenceOffsets[image + 1]; i++) {
    const reference = trial.references[i]
    const referenceLength = offsets[reference + 1] - offsets[reference]
    const common = length === 0 && referenceLength === 0 ? 1 : matcher.commonSubsequence(reference)
    precision = Math.max(precision, common / Math.max(1, length))
    recall = Math.max(recall, common / Math.max(1, referenceLength))
  }
  return fMeasure(precision, recall)
}

interface Matcher {
  /** Chooses the caption that others are compared with; returns its length. */
  setCandidate(caption: number): number
  /** Length of the longest common subsequence of the candidate and a caption. */
  commonSubsequence(caption: number): number
}

/**
 * Longest common subsequences by bit-parallel dynamic programming (Hyyrö 2004, Crochemore et al. 2001): a
 * column of the table is a bit vector over the candidate's positions, and one word of the reference costs one
 * addition per 31 positions. Time O(|candidate|/31 · |reference|); memory O(|candidate|²/31) at most.
 */
function createMatcher({ tokens, offsets, texts }: TokenSequences & Pick<Corpus, 'texts'>): Matcher {
  /** Row of a token in `matches`, counted from 1; 0 for tokens that the candidate does not have. */
  const rows = new Int32Array(texts.length)
  /** Per distinct token of the candidate, a bit vector of the positions where it occurs. */
  let matches = new Int32Array(64)
  let column = new Int32Array(1)
  let start = 0
  let end = 0
  let words = 0

  return {
    setCandidate(caption) {
      for (let i = start; i < end; i++) rows[tokens[i]] = 0
      start = offsets[caption]
      end = offsets[caption + 1]
      words = Math.ceil((end - start) / WORD_BITS)
      if (matches.length < (end - start) * words) matches = new Int32Array((end - start) * words)
      if (column.length < words) column = new Int32Array(words)
      let distinct = 0
      for (let i = start; i < end; i++) {
        if (rows[tokens[i]] === 0) {
          rows[tokens[i]] = ++distinct
          matches.fill(0, (distinct - 1) * words, distinct * words)
        }
        const position = i - start
        const word = Math.floor(position / WORD_BITS)
        matches[(rows[tokens[i]] - 1) * words + word] |= 1 << (position % WORD_BITS)
      }
      return end - start
    },

    commonSubsequence(caption) {
      column.fill(WORD_MASK, 0, words)
      for (let i = offsets[caption]; i < offsets[caption + 1]; i++) {
        if (rows[tokens[i]] === 0) continue
        const row = (rows[tokens[i]] - 1) * words
        let carry = 0
        for (let word = 0; word < words; word++) {
          const bits = column[word]
          const match = matches[row + word]
          const sum = bits + (bits & match) + carry
          carry = sum >>> WORD_BITS
          column[word] = (sum | (bits & ~match)) & WORD_MASK
        }
      }
      let common = 0
      for (let word = 0; word < words; word++) common += countBits(~column[word] & WORD_MASK)
      return common
    },
  }
}

function countBits(bits: number): number {
  let count = 0
  for (let rest = bits; rest !== 0; rest &= rest - 1) count++
  return count
}

/**
 * ROUGE-S: Lin 2004, section 5; COCO Captions (Chen et al. 2015), section 3.4.
 *
 *     matches = Σ over skip bigrams of min(count in candidate, count in reference)
 *     P = max over references of matches / skip bigrams of candidate
 *     R = max over references of matches / skip bigrams of reference
 *     F = (1 + β²) P R / (R + β² P), β = 1.2; 0 where P or R is 0
 *
 * A skip bigram is an ordered pair of words at positions i < j with j − i ≤ 4, the COCO paper's "distance of
 * at most 4 from each other" (Lin's ROUGE-S4 lets 4 words stand between them, j − i ≤ 5). Corpus: mean over
 * images. Range 0 to 1. A caption of fewer than two words has no skip bigram: it scores 0.
 */
import type { Corpus } from '../text/sequences.js'
import { type MetricFamily, meanOfImageScores, measureImages, TOKENS_ONLY, type Trial } from './metric.js'
import { countImages } from './reference-lists.js'
import { fMeasure } from './rouge-l.js'

const DISTANCE = 4

export const rougeS: MetricFamily<Corpus> = {
  name: 'ROUGE-S',
  layoutRevision: 1,
  width: 1,
  needs: TOKENS_ONLY,
  metrics: [
    {
      name: 'ROUGE-S',
      description:
        'F-measure (β = 1.2, favouring recall) of skip bigrams: ordered pairs of words at most 4 positions ' +
        'apart. Precision and recall are each the best over references; the corpus score is the mean over ' +
        'images. 0 where the candidate has fewer than two words.',
      lowest: 0,
      highest: 1,
      higherIsBetter: true,
      citation:
        'Lin 2004: ROUGE: A Package for Automatic Evaluation of Summaries, section 5; ' +
        'COCO Captions 2015, section 3.4',
      revision: 1,
      parameters: { beta: '1.2', distance: String(DISTANCE) },
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

  ...meanOfImageScores,
}

function scoreImage({ offsets }: Corpus, trial: Trial, image: number, matcher: Matcher): number {
  const candidate = trial.candidates[image]
  const candidateTotal = countSkipBigrams(offsets[candidate + 1] - offsets[candidate])
  matcher.setCandidate(candidate)
  let precision = 0
  let recall = 0
  for (let i = trial.referenceOffsets[image]; i < trial.referenceOffsets[image + 1]; i++) {
    const reference = trial.references[i]
    const matches = matcher.countMatches(reference)
    if (matches === 0) continue
    precision = Math.max(precision, matches / candidateTotal)
    recall = Math.max(recall, matches / countSkipBigrams(offsets[reference + 1] - offsets[reference]))
  }
  return fMeasure(precision, recall)
}

/** The number of skip bigrams, repeats included, of a caption of `length` words. */
function countSkipBigrams(length: number): number {
  const reach = Math.min(DISTANCE, Math.max(0, length - 1))
  return reach * length - (reach * (reach + 1)) / 2
}

interface Matcher {
  /** Chooses the caption that others are compared with. */
  setCandidate(caption: number): void
  /** The number of skip bigrams that a caption shares with the candidate, each as often as both have it. */
  countMatches(caption: number): number
}

/**
 * The candidate's skip bigrams in a hash table with open addressing, at most half full. Its words are numbered,
 * so that the words of a reference that the candidate does not have are passed over.
 */
function createMatcher({ tokens, offsets, texts }: Corpus): Matcher {
  /** Number of a token in the candidate, from 1; 0 for tokens that the candidate does not have. */
  const numbers = new Int32Array(texts.length)
  let start = 0
  let end = 0
  /** Entry + 1 of the bigram in a slot, 0 for a free slot. */
  let slots = new Int32Array(256)
  let mask = 0
  let lefts = new Int32Array(128)
  let rights = new Int32Array(128)
  let counts = new Int32Array(128)
  /** Per entry, how often the reference had it so far. */
  let matched = new Int32Array(128)
  let size = 0

  return {
    setCandidate(caption) {
      for (let i = start; i < end; i++) numbers[tokens[i]] = 0
      start = offsets[caption]
      end = offsets[caption + 1]
      clear(countSkipBigrams(end - start))
      let distinct = 0
      for (let i = start; i < end; i++) if (numbers[tokens[i]] === 0) numbers[tokens[i]] = ++distinct
      for (let i = start; i < end; i++) {
        const last = Math.min(i + DISTANCE, end - 1)
        for (let j = i + 1; j <= last; j++) add(numbers[tokens[i]], numbers[tokens[j]])
      }
    },

    countMatches(caption) {
      matched.fill(0, 0, size)
      const captionEnd = offsets[caption + 1]
      let matches = 0
      for (let i = offsets[caption]; i < captionEnd; i++) {
        const left = numbers[tokens[i]]
        if (left === 0) continue
        const last = Math.min(i + DISTANCE, captionEnd - 1)
        for (let j = i + 1; j <= last; j++) {
          const right = numbers[tokens[j]]
          if (right === 0) continue
          const entry = slots[slotOf(left, right)] - 1
          if (entry < 0 || matched[entry] === counts[entry]) continue
          matched[entry]++
          matches++
        }
      }
      return matches
    },
  }

  /** Empties the table and makes room for `bigrams` entries. */
  function clear(bigrams: number): void {
    const capacity = 2 ** Math.ceil(Math.log2(2 * bigrams + 2))
    if (slots.length < capacity) {
      slots = new Int32Array(capacity)
      lefts = new Int32Array(capacity / 2)
      rights = new Int32Array(capacity / 2)
      counts = new Int32Array(capacity / 2)
      matched = new Int32Array(capacity / 2)
    } else slots.fill(0, 0, capacity)
    mask = capacity - 1
    size = 0
  }

  function add(left: number, right: number): void {
    const slot = slotOf(left, right)
    if (slots[slot] === 0) {
      lefts[size] = left
      rights[size] = right
      counts[size] = 0
      slots[slot] = ++size
    }
    counts[slots[slot] - 1]++
  }

  function slotOf(left: number, right: number): number {
    const hash = Math.imul(Math.imul(left, 0x9e3779b1) ^ right, 0x85ebca6b)
    let slot = (hash ^ (hash >>> 15)) & mask
    for (; slots[slot] !== 0; slot = (slot + 1) & mask) {
      const entry = slots[slot] - 1
      if (lefts[entry] === left && rights[entry] === right) break
    }
    return slot
  }
}

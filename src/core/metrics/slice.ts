import { type Corpus, sequence } from '../text/sequences.js'
import type { Trial } from './metric.js'

/** Some images of trials, over a corpus of their own. */
interface TrialSlice {
  readonly corpus: Corpus
  readonly trials: readonly Trial[]
}

/**
 * The images `start` … `end` − 1 of trials over one corpus, with the captions that they use. Document
 * frequencies stay those given: where a metric needs them, give every trial those of all its images.
 */
export function sliceTrials(
  corpus: Corpus,
  trials: readonly Trial[],
  start: number,
  end: number,
): TrialSlice {
  const positions = new Map<number, number>()
  const renumber = (captions: Int32Array) =>
    captions.map((caption) => {
      let position = positions.get(caption)
      if (position === undefined) {
        position = positions.size
        positions.set(caption, position)
      }
      return position
    })
  const slices = trials.map((trial): Trial => {
    const { candidates, references, referenceOffsets, documentFrequencies, external } = trial
    const first = referenceOffsets[start]
    return {
      candidates: renumber(candidates.subarray(start, end)),
      references: renumber(references.subarray(first, referenceOffsets[end])),
      referenceOffsets: referenceOffsets.subarray(start, end + 1).map((offset) => offset - first),
      documentFrequencies,
      external:
        external &&
        Object.fromEntries(
          Object.entries(external).map(([metric, scores]) => [metric, scores.subarray(start, end)]),
        ),
    }
  })
  return { corpus: selectCaptions(corpus, [...positions.keys()]), trials: slices }
}

function selectCaptions(corpus: Corpus, captions: readonly number[]): Corpus {
  const offsets = new Int32Array(captions.length + 1)
  captions.forEach((caption, index) => {
    offsets[index + 1] = offsets[index] + corpus.offsets[caption + 1] - corpus.offsets[caption]
  })
  const tokens = new Int32Array(offsets[captions.length])
  captions.forEach((caption, index) => {
    tokens.set(sequence(corpus, caption), offsets[index])
  })
  return { tokens, offsets, texts: corpus.texts }
}

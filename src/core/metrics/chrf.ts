/**
 * chrF: Popović 2015, chrF: character n-gram F-score for automatic MT evaluation, as sacrebleu computes it by default (characters
 * 1 to 6, no words, beta 2).
 *
 *     P = mean over n of (n-grams in both / n-grams of the candidate), R likewise of the reference
 *     chrF = (1 + β²) P R / (β² P + R), β = 2
 *
 * It reads the caption as it is written: cased, with punctuation, without blanks, in any language, whatever the tokenizer. The means are
 * over the n for which candidate and reference both have n-grams. Of several references the one of the highest score counts, the first
 * of equal ones. Corpus: the counts of the best references are summed over images, and P and R computed from the sums. Range 0 to 1,
 * where sacrebleu prints 0 to 100.
 */
import { clearCounts, clippedMatches, countNgrams, type NgramCounts, spreadCounts } from '../text/ngrams.js'
import type { Corpus, TokenSequences } from '../text/sequences.js'
import { type MetricFamily, measureImages, TOKENS_ONLY } from './metric.js'
import { countImages } from './reference-lists.js'

const ORDER = 6
const BETA = 2

/** Columns of a row for each n: n-grams of the candidate, of the reference, and in both. */
const COLUMNS = 3
const WIDTH = COLUMNS * ORDER

export const chrf: MetricFamily<readonly NgramCounts[]> = {
  name: 'chrF',
  layoutRevision: 1,
  width: WIDTH,
  isDefault: false,
  needs: { ...TOKENS_ONLY, text: 'raw' },
  metrics: [
    {
      name: 'chrF',
      description:
        'The F-score of sequences of one to six characters, recall counting twice as much as precision, of the caption as it is written, without blanks: against the reference for which it is highest. The corpus score is that of the counts of all images together.',
      notes: ['chrF reads captions as they are written: case and punctuation count.'],
      lowest: 0,
      highest: 1,
      higherIsBetter: true,
      citation:
        'Popović 2015: chrF: character n-gram F-score for automatic MT evaluation; sacrebleu, Post 2018',
      revision: 1,
      parameters: { chars: String(ORDER), words: '0', beta: String(BETA) },
    },
  ],
  prepare: (corpus) => countNgrams(readCharacters(corpus), ORDER),

  measure(orders, trial, progress) {
    const images = countImages(trial)
    const statistics = new Float64Array(images * WIDTH)
    const tables = orders.map(({ distinct }) => new Int32Array(distinct))
    const row = new Float64Array(WIDTH)
    measureImages(images, progress, (start, end) => {
      for (let image = start; image < end; image++) {
        const candidate = trial.candidates[image]
        orders.forEach((order, n) => {
          spreadCounts(order, candidate, tables[n])
        })
        let best = -1
        for (let i = trial.referenceOffsets[image]; i < trial.referenceOffsets[image + 1]; i++) {
          for (let n = 0; n < ORDER; n++) {
            const ofReference = countAll(orders[n], trial.references[i])
            // As in sacrebleu: n-grams of the candidate do not count where the reference has none.
            row[COLUMNS * n] = ofReference > 0 ? countAll(orders[n], candidate) : 0
            row[COLUMNS * n + 1] = ofReference
            row[COLUMNS * n + 2] = clippedMatches(orders[n], trial.references[i], tables[n])
          }
          const score = fScore(row, 0)
          if (score > best) {
            best = score
            statistics.set(row, image * WIDTH)
          }
        }
        orders.forEach((order, n) => {
          clearCounts(order, candidate, tables[n])
        })
      }
    })
    return statistics
  },

  imageScores(statistics, offset, scores) {
    scores[0] = fScore(statistics, offset)
  },
  corpusScores: {
    from: 'sums',
    score(sums, _images, scores) {
      scores[0] = fScore(sums, 0)
    },
  },
}

/** From the counts of a row. 0 where nothing is in both. */
function fScore(counts: Float64Array, offset: number): number {
  let precision = 0
  let recall = 0
  let orders = 0
  for (let i = offset; i < offset + WIDTH; i += COLUMNS) {
    if (counts[i] === 0 || counts[i + 1] === 0) continue
    precision += counts[i + 2] / counts[i]
    recall += counts[i + 2] / counts[i + 1]
    orders++
  }
  if (precision + recall === 0) return 0
  precision /= orders
  recall /= orders
  return ((1 + BETA ** 2) * precision * recall) / (BETA ** 2 * precision + recall)
}

/** Number of n-grams of a caption, repeats included. */
function countAll({ counts, offsets }: NgramCounts, caption: number): number {
  let total = 0
  for (let i = offsets[caption]; i < offsets[caption + 1]; i++) total += counts[i]
  return total
}

/** What Python takes for a blank. */
function isBlank(character: string): boolean {
  return /\p{White_Space}/u.test(character) || (character >= '\u001c' && character <= '\u001f')
}

/** The characters of captions as they are written, without blanks, numbered by code point. */
function readCharacters({ written }: Corpus): TokenSequences {
  if (written === undefined) throw new TypeError('chrF reads captions as they are written')
  const offsets = new Int32Array(written.length + 1)
  const tokens: number[] = []
  written.forEach((caption, index) => {
    for (const character of caption) {
      if (!isBlank(character)) tokens.push(character.codePointAt(0) as number)
    }
    offsets[index + 1] = tokens.length
  })
  return { tokens: Int32Array.from(tokens), offsets }
}

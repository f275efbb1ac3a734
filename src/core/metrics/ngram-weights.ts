/**
 * Weights of n-grams by how few images have them: CIDEr (Vedantam, Zitnick, Parikh 2015), and METHODS section 14.
 *
 *     idf(g) = ln N − ln max(1, number of images whose references contain g)       N images
 */
import { type CorpusNgrams, corpusNgrams, type NgramCounts } from '../text/ngrams.js'
import type { Corpus } from '../text/sequences.js'
import { type DocumentFrequencies, findNgrams, type NgramTable } from './document-frequencies.js'
import { findHashes, type HashedFrequencies, type NgramHashes } from './hashed-frequencies.js'
import type { Trial } from './metric.js'
import { countImages, type ReferenceLists } from './reference-lists.js'

/** The n-grams of a corpus, and what was looked up for them. */
export interface PreparedNgrams {
  readonly ngrams: CorpusNgrams
  /** Of the corpus's tokens. */
  readonly texts: readonly string[]
  /** Per order, the numbers of the corpus's n-grams in the table that was used last. */
  found: { readonly table: NgramTable | NgramHashes; readonly numbers: readonly Int32Array[] } | undefined
}

export function prepareNgrams(corpus: Corpus): PreparedNgrams {
  return { ngrams: corpusNgrams(corpus), texts: corpus.texts, found: undefined }
}

/** idf of the n-grams of one order, by the document frequencies of a trial, or else counted in its references. */
export function ngramWeights(prepared: PreparedNgrams, trial: Trial, order: number): Float64Array {
  return trial.documentFrequencies
    ? weightsInTable(prepared, trial.documentFrequencies, order)
    : inverseDocumentFrequencies(countInReferences(prepared.ngrams.orders[order], trial))
}

/** idf of the n-grams of one order. */
export function weightsInTable(
  prepared: PreparedNgrams,
  table: DocumentFrequencies | HashedFrequencies,
  order: number,
): Float64Array {
  return inverseDocumentFrequencies(frequenciesInTable(prepared, table, order))
}

function frequenciesInTable(
  prepared: PreparedNgrams,
  { imageCount, ngrams, counts }: DocumentFrequencies | HashedFrequencies,
  order: number,
): Frequencies {
  return { imageCount, counts: lookUp(counts, numbersInTable(prepared, ngrams)[order]) }
}

/** Folds of one corpus share the n-grams of their tables, which are searched once. */
function numbersInTable(prepared: PreparedNgrams, table: NgramTable | NgramHashes): readonly Int32Array[] {
  const { ngrams, texts, found } = prepared
  if (found?.table === table) return found.numbers
  const numbers = 'hashes' in table ? findHashes(ngrams, texts, table) : findNgrams(ngrams, table)
  prepared.found = { table, numbers }
  return numbers
}

/** Document frequencies of the n-grams of one order. */
interface Frequencies {
  /** N, the number of images that they were counted in. */
  readonly imageCount: number
  /** Per n-gram, the number of images whose references contain it. */
  readonly counts: Int32Array
}

/** The counts of n-grams by their numbers in a table. Those that it does not have occur in at most one image. */
function lookUp(tableCounts: Int32Array, numbers: Int32Array): Int32Array {
  const counts = new Int32Array(numbers.length)
  for (let ngram = 0; ngram < numbers.length; ngram++) {
    if (numbers[ngram] !== 0) counts[ngram] = tableCounts[numbers[ngram] - 1]
  }
  return counts
}

/** Counts the n-grams of one order in the trial's own references. */
function countInReferences({ ids, offsets, distinct }: NgramCounts, lists: ReferenceLists): Frequencies {
  const { references, referenceOffsets } = lists
  const imageCount = countImages(lists)
  const counts = new Int32Array(distinct)
  const lastImage = new Int32Array(distinct).fill(-1)
  for (let image = 0; image < imageCount; image++) {
    for (let r = referenceOffsets[image]; r < referenceOffsets[image + 1]; r++) {
      const reference = references[r]
      for (let i = offsets[reference]; i < offsets[reference + 1]; i++) {
        const id = ids[i]
        if (lastImage[id] === image) continue
        lastImage[id] = image
        counts[id]++
      }
    }
  }
  return { imageCount, counts }
}

/** ln N − ln max(1, df) per n-gram. */
function inverseDocumentFrequencies({ imageCount, counts }: Frequencies): Float64Array {
  const logImages = Math.log(imageCount)
  const weights = new Float64Array(counts.length)
  for (let ngram = 0; ngram < counts.length; ngram++) {
    weights[ngram] = counts[ngram] < 2 ? logImages : logImages - Math.log(counts[ngram])
  }
  return weights
}

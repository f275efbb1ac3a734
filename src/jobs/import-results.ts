import { captioningWordAgreement } from '../agreement/words.js'
import { checkResults, type SubmittedCaption } from '../formats/coco-results.js'
import type { Database } from '../store/database.js'
import type { Dataset, SystemWord, Word } from '../store/entities.js'
import { type ReferenceCaptions, readImageIds, readReferenceCaptions } from '../store/images.js'
import { assertSystemNameFree, insertCaptionSystem } from '../store/systems.js'
import { listWords } from '../store/words.js'
import { type Corpus, sequence, toCorpus } from '../text/sequences.js'
import { type Progress, part } from './progress.js'
import { tokenizeAll } from './tokenize.js'

export interface ImportResultsInput {
  /** Where the captions came from: a file, or the name of an argument. */
  readonly source: string
  readonly captions: Iterable<SubmittedCaption>
  readonly system: string
  /** Keep a system that gives no caption for some images. */
  readonly allowMissing: boolean
}

export interface ImportSystemReport {
  readonly systemId: number
  readonly imageCount: number
  /** External ids of images that the system left out, in the order of the data set. */
  readonly missing: readonly string[]
}

/**
 * Imports a system's captions, one per image, with the system's precision and recall of every word.
 *
 * @throws AccordError NAME_TAKEN, and what the captions' reader and `checkResults` throw
 */
export async function importResults(
  database: Database,
  dataset: Dataset,
  { source, captions: submitted, system, allowMissing }: ImportResultsInput,
  progress: Progress,
): Promise<ImportSystemReport> {
  assertSystemNameFree(database, dataset.id, system)
  const imageIds = readImageIds(database, dataset.id)
  progress(0, 'reading')
  const { captions, missing } = checkResults(submitted, imageIds, { source, allowMissing })
  const corpus = toCorpus(tokenizeAll(captions, part(progress, 0.2, 0.5)))
  const numbered = captions.map(({ imageId, text }) => ({ imageId: imageIds.get(imageId) as number, text }))
  progress(0.5, 'comparing words')
  const words = await listWords(database, dataset.id, {})
  const references = readReferenceCaptions(database, dataset.id)
  const histograms = systemHistograms(numbered, corpus, references, words, dataset.captionsPerImage)
  progress(0.8, 'writing')
  const systemId = insertCaptionSystem(database, {
    datasetId: dataset.id,
    name: system,
    imageCount: captions.length,
    missingImageCount: missing.length,
    captions: numbered,
    sequences: corpus,
    texts: corpus.texts,
    words: wordResults(words, histograms, dataset.captionsPerImage),
  })
  progress(1, 'done')
  return { systemId, imageCount: captions.length, missing }
}

/**
 * For each word that the system uses, s_0 … s_K: the number of images where exactly c of the K human captions
 * and the system's caption use it.
 */
function systemHistograms(
  captions: readonly { readonly imageId: number }[],
  corpus: Corpus,
  references: ReferenceCaptions,
  words: readonly Word[],
  captionsPerImage: number,
): Map<Word, Int32Array> {
  const wordOfText = new Map(words.map((word) => [word.text, word]))
  const indexOfImage = new Map(Array.from(references.imageIds, (id, index) => [id, index]))
  const histograms = new Map<Word, Int32Array>()
  for (const [index, { imageId }] of captions.entries()) {
    const counts = countTokens(references, indexOfImage.get(imageId) as number, captionsPerImage)
    if (!counts) continue
    for (const token of new Set(sequence(corpus, index))) {
      const word = wordOfText.get(corpus.texts[token])
      if (!word) continue
      let histogram = histograms.get(word)
      if (!histogram) {
        histogram = new Int32Array(captionsPerImage + 1)
        histograms.set(word, histogram)
      }
      histogram[counts.get(word.tokenId) ?? 0]++
    }
  }
  return histograms
}

/** How many of an image's first K captions use each token; null where it has fewer than K captions. */
function countTokens(
  { firstCaption, sequences }: ReferenceCaptions,
  image: number,
  captionsPerImage: number,
): Map<number, number> | null {
  const first = firstCaption[image]
  if (firstCaption[image + 1] - first < captionsPerImage) return null
  const counts = new Map<number, number>()
  for (let index = first; index < first + captionsPerImage; index++) {
    for (const token of new Set(sequence(sequences, index))) counts.set(token, (counts.get(token) ?? 0) + 1)
  }
  return counts
}

function wordResults(
  words: readonly Word[],
  histograms: ReadonlyMap<Word, Int32Array>,
  captionsPerImage: number,
): Omit<SystemWord, 'systemId'>[] {
  const unused = new Int32Array(captionsPerImage + 1)
  const results: Omit<SystemWord, 'systemId'>[] = []
  for (let references = 1; references < captionsPerImage; references++) {
    for (const word of words) {
      const used = histograms.get(word) ?? unused
      const agreement = captioningWordAgreement(used, word.histogram, references)
      results.push({
        referenceCount: references,
        wordId: word.id,
        precisionAtHumanRecall: null,
        averagePrecision: null,
        precision: agreement.precision,
        recall: agreement.recall,
        undefinedReason: agreement.undefinedReason,
      })
    }
  }
  return results
}

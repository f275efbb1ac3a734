import type { TokenSequences } from './sequences.js'

/**
 * The number of captions of each image that use each word, as parallel arrays of (word, image, captions) triples,
 * sorted by word, then image. Repetitions of a word within a caption count once.
 */
export interface WordCounts {
  readonly words: Int32Array
  readonly images: Int32Array
  readonly captionCounts: Int32Array
}

/**
 * Counts words over the first `captionsPerImage` captions of each image.
 *
 * @param captions captions of all images; those of one image are consecutive and in order
 * @param firstCaption index of the first caption of each image, and the total number of captions as last entry
 * @param captionsPerImage K; images with fewer captions are ignored
 * @param wordCount tokens in `captions` are in 0 … wordCount − 1
 */
export function countWords(
  captions: TokenSequences,
  firstCaption: Int32Array,
  captionsPerImage: number,
  wordCount: number,
): WordCounts {
  const { tokens, offsets } = captions
  // Every token makes at most one triple.
  const byImage = newCounts(tokens.length)
  const lastCaptionWith = new Int32Array(wordCount).fill(-1)
  /** Index of a word's triple of the current image. */
  const triples = new Int32Array(wordCount)
  let total = 0
  for (let image = 0; image + 1 < firstCaption.length; image++) {
    const first = firstCaption[image]
    if (firstCaption[image + 1] - first < captionsPerImage) continue
    for (let caption = first; caption < first + captionsPerImage; caption++) {
      for (let i = offsets[caption]; i < offsets[caption + 1]; i++) {
        const word = tokens[i]
        const last = lastCaptionWith[word]
        if (last === caption) continue
        lastCaptionWith[word] = caption
        if (last < first) {
          triples[word] = total
          byImage.words[total] = word
          byImage.images[total++] = image
        }
        byImage.captionCounts[triples[word]]++
      }
    }
  }
  return sortByWord(byImage, total, wordCount)
}

/**
 * Histograms of all words in one array: `histograms[word * (K + 1) + c]` is the number of images in which exactly c
 * of the first K captions use the word. Initially, all images are in h_0.
 *
 * @param imageCount number of images with at least K captions
 */
export function emptyHistograms(captionsPerImage: number, imageCount: number, wordCount: number): Int32Array {
  const width = captionsPerImage + 1
  const histograms = new Int32Array(wordCount * width)
  for (let word = 0; word < wordCount; word++) histograms[word * width] = imageCount
  return histograms
}

/** Adds the counts of a subset of the images to {@link emptyHistograms}. The counts of each image must be added once. */
export function addToHistograms(histograms: Int32Array, counts: WordCounts, captionsPerImage: number): void {
  const width = captionsPerImage + 1
  for (let i = 0; i < counts.words.length; i++) {
    const row = counts.words[i] * width
    histograms[row]--
    histograms[row + counts.captionCounts[i]]++
  }
}

/** Sorts the first `total` triples by word. The sort is stable. */
function sortByWord(triples: WordCounts, total: number, wordCount: number): WordCounts {
  const next = new Int32Array(wordCount + 1)
  for (let i = 0; i < total; i++) next[triples.words[i] + 1]++
  for (let word = 0; word < wordCount; word++) next[word + 1] += next[word]
  const sorted = newCounts(total)
  for (let i = 0; i < total; i++) {
    const target = next[triples.words[i]]++
    sorted.words[target] = triples.words[i]
    sorted.images[target] = triples.images[i]
    sorted.captionCounts[target] = triples.captionCounts[i]
  }
  return sorted
}

function newCounts(length: number): WordCounts {
  return {
    words: new Int32Array(length),
    images: new Int32Array(length),
    captionCounts: new Int32Array(length),
  }
}

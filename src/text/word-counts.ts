import type { TokenSequences } from './sequences.js'

/**
 * How many captions of each image use each word, as parallel arrays of (word, captions, image) triples,
 * sorted by word, then captions, then image: the order of the store's index. A word occurs in a caption
 * once, however often it is repeated.
 */
export interface WordCounts {
  readonly words: Int32Array
  readonly captionCounts: Int32Array
  readonly images: Int32Array
}

/**
 * Counts words over the first `captionsPerImage` captions of each image.
 *
 * @param captions the captions of all images, those of one image side by side and in order
 * @param firstCaption for each image the index of its first caption, with one entry more than images
 * @param captionsPerImage K; images with fewer captions are left out
 * @param wordCount tokens in `captions` are 0 … wordCount − 1
 */
export function countWords(
  captions: TokenSequences,
  firstCaption: Int32Array,
  captionsPerImage: number,
  wordCount: number,
): WordCounts {
  const { tokens, offsets } = captions
  const images = firstCaption.length - 1
  const lastCaptionWith = new Int32Array(wordCount).fill(-1)
  const count = new Int32Array(wordCount)
  const keys: number[] = []
  for (let image = 0; image < images; image++) {
    if (firstCaption[image + 1] - firstCaption[image] < captionsPerImage) continue
    const used: number[] = []
    for (let caption = firstCaption[image]; caption < firstCaption[image] + captionsPerImage; caption++) {
      for (let i = offsets[caption]; i < offsets[caption + 1]; i++) {
        const word = tokens[i]
        if (lastCaptionWith[word] === caption) continue
        lastCaptionWith[word] = caption
        if (count[word] === 0) used.push(word)
        count[word]++
      }
    }
    for (const word of used) {
      // One number orders the triple: all three parts stay far below 2^53 together.
      keys.push((word * (captionsPerImage + 1) + count[word]) * images + image)
      count[word] = 0
    }
  }
  const sorted = Float64Array.from(keys).sort()
  const result = {
    words: new Int32Array(sorted.length),
    captionCounts: new Int32Array(sorted.length),
    images: new Int32Array(sorted.length),
  }
  for (let i = 0; i < sorted.length; i++) {
    const wordAndCount = Math.floor(sorted[i] / images)
    result.images[i] = sorted[i] - wordAndCount * images
    result.words[i] = Math.floor(wordAndCount / (captionsPerImage + 1))
    result.captionCounts[i] = wordAndCount - result.words[i] * (captionsPerImage + 1)
  }
  return result
}

/**
 * Histograms of all words in one array: `histograms[word * (K + 1) + c]` is the number of images where
 * exactly c of K captions use the word.
 *
 * @param imageCount images with K captions or more
 */
export function histograms(
  counts: WordCounts,
  captionsPerImage: number,
  imageCount: number,
  wordCount: number,
): Int32Array {
  const width = captionsPerImage + 1
  const result = new Int32Array(wordCount * width)
  for (let word = 0; word < wordCount; word++) result[word * width] = imageCount
  for (let i = 0; i < counts.words.length; i++) {
    const row = counts.words[i] * width
    result[row]--
    result[row + counts.captionCounts[i]]++
  }
  return result
}

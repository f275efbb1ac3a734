import { countWords, type WordCounts } from '../../core/text/word-counts.js'
import { BLOCK_BITS } from '../../store/postings.js'

/** Number of captions that are always tagged; more than COCO has. */
const MAX_TAGGED_CAPTIONS = 1_000_000

/** Further captions are tagged while one of their words was in fewer tagged captions than this. */
const MIN_TAGGED_USES = 100

/**
 * Selects the captions that are tagged to determine the part of speech of each word: the first million, then only
 * captions with a rare word, because tagging all captions would take as long as the rest of the import.
 *
 * @param wordCount words are numbered from 0 to `wordCount` − 1
 * @returns a function to call for each caption in order, with its words
 */
export function createTaggingSample(
  wordCount: number,
  maxCaptions = MAX_TAGGED_CAPTIONS,
): (words: Int32Array) => boolean {
  const uses = new Uint32Array(wordCount)
  let captions = 0
  return (words) => {
    if (captions >= maxCaptions && words.every((word) => uses[word] >= MIN_TAGGED_USES)) return false
    captions++
    for (let i = 0; i < words.length; i++) uses[words[i]]++
    return true
  }
}

/** Counts the words of captions by image, for one block of image ids (see postings.ts) at a time. */
export class BlockCounter {
  private imageIds: number[] = []
  /** Number of captions of the last image. */
  private captions = 0
  /** The concatenated words of the first K captions of the images. */
  private words: number[] = []
  private offsets = [0]

  /**
   * @param captionsPerImage K; each added image has at least K captions
   * @param wordOfToken the word of each token
   * @param wordCount words are in 0 … wordCount − 1
   */
  constructor(
    private readonly captionsPerImage: number,
    private readonly wordOfToken: Int32Array,
    private readonly wordCount: number,
  ) {}

  /** Whether the block of the images added so far does not contain an image. */
  isBeyondBlock(imageId: number): boolean {
    return this.imageIds.length > 0 && blockOf(imageId) !== blockOf(this.imageIds[0])
  }

  /** Adds the next caption. Image ids must ascend. */
  add(imageId: number, tokens: Int32Array): void {
    if (imageId !== this.imageIds.at(-1)) {
      this.imageIds.push(imageId)
      this.captions = 0
    }
    if (++this.captions > this.captionsPerImage) return
    for (let i = 0; i < tokens.length; i++) this.words.push(this.wordOfToken[tokens[i]])
    this.offsets.push(this.words.length)
  }

  /** The counts of the images added so far, as indices into `imageIds`. Starts a new block. */
  takeBlock(): { readonly counts: WordCounts; readonly imageIds: Int32Array } {
    const { captionsPerImage, wordCount } = this
    const captions = { tokens: new Int32Array(this.words), offsets: new Int32Array(this.offsets) }
    const imageIds = Int32Array.from(this.imageIds)
    const firstCaption = Int32Array.from({ length: imageIds.length + 1 }, (_, i) => i * captionsPerImage)
    this.imageIds = []
    this.words = []
    this.offsets = [0]
    return { counts: countWords(captions, firstCaption, captionsPerImage, wordCount), imageIds }
  }
}

function blockOf(imageId: number): number {
  return imageId >> BLOCK_BITS
}

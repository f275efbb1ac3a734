/** Captions of a dataset that are tagged whatever their words are: all of COCO's. */
const MAX_TAGGED_CAPTIONS = 1_000_000

/** Further captions are tagged while one of their words was in fewer tagged captions than this. */
const MIN_TAGGED_USES = 100

/**
 * Decides which captions are tagged to find the part of speech of each word: all of the first million, and beyond
 * those, which would take as long as the rest of the import, only captions with a word that is still rare.
 *
 * @param wordCount words are numbered from 0 to `wordCount` − 1
 * @returns called for each caption in order, with its words
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
    for (const word of words) uses[word]++
    return true
  }
}

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

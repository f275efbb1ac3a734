import { tokenize } from '../text/tokenizer.js'
import type { Progress } from './progress.js'

/** The words of each caption. */
export function* tokenizeAll(
  captions: readonly { readonly text: string }[],
  progress: Progress,
): Generator<string[]> {
  for (const [index, { text }] of captions.entries()) {
    if (index % 1000 === 0) progress(index / captions.length, 'tokenizing')
    yield tokenize(text)
  }
}

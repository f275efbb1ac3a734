import { type Corpus, joinCorpora } from '../core/text/sequences.js'
import type { Threads } from './pool.js'

/** Captions that are tokenized together. */
const CAPTIONS_PER_RUN = 2048

/** Tokenizes captions on worker threads while this thread reads them. */
export interface CaptionTokenizer {
  /** @returns the position of the caption in the corpus */
  add(caption: string): number
  /** All captions in the order in which they were added. This thread tokenizes what worker threads have not begun. */
  finish(): Promise<Corpus>
}

export function createCaptionTokenizer(threads: Threads): CaptionTokenizer {
  const runs: ReturnType<typeof begin>[] = []
  let captions: string[] = []
  let count = 0

  function begin() {
    const run = threads.begin('tokenize', { captions }, 1)
    captions = []
    return run
  }

  return {
    add(caption) {
      captions.push(caption)
      if (captions.length === CAPTIONS_PER_RUN) runs.push(begin())
      return count++
    },
    async finish() {
      if (captions.length > 0) runs.push(begin())
      const corpora: Corpus[] = []
      // Worker threads begin with the first captions.
      for (const run of runs.toReversed()) corpora.push(...(await run.finish()))
      return joinCorpora(corpora.reverse())
    },
  }
}

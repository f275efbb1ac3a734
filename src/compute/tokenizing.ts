import { type Corpus, joinCorpora } from '../core/text/sequences.js'
import type { Tokenization } from '../core/text/tokenization.js'
import type { Threads } from './pool.js'

/** Captions that are tokenized together. */
const CAPTIONS_PER_RUN = 2048

/** Tokenizes captions on worker threads while this thread reads them. */
export interface CaptionTokenizer {
  /** Those that were added, by their positions. */
  readonly captions: readonly string[]
  /** @returns the position of the caption in the corpus */
  add(caption: string): number
  /** How captions are tokenized, chosen by those that were added so far unless it was chosen before. */
  choose(): Tokenization
  /** All captions in the order in which they were added. This thread tokenizes what worker threads have not begun. */
  finish(): Promise<Corpus>
}

/** @param chooseBy chooses how captions are tokenized, by the first ones */
export function createCaptionTokenizer(
  threads: Threads,
  chooseBy: (captions: readonly string[]) => Tokenization,
): CaptionTokenizer {
  const runs: ReturnType<typeof begin>[] = []
  const all: string[] = []
  let captions: string[] = []
  let chosen: Tokenization | undefined

  function choose() {
    chosen ??= chooseBy(captions)
    return chosen
  }

  function begin() {
    const run = threads.begin('tokenize', { captions, tokenization: choose() }, 1)
    captions = []
    return run
  }

  return {
    captions: all,
    add(caption) {
      captions.push(caption)
      if (captions.length === CAPTIONS_PER_RUN) runs.push(begin())
      return all.push(caption) - 1
    },
    choose,
    async finish() {
      if (captions.length > 0) runs.push(begin())
      const corpora: Corpus[] = []
      // Worker threads begin with the first captions.
      for (const run of runs.toReversed()) corpora.push(...(await run.finish()))
      return joinCorpora(corpora.reverse())
    },
  }
}

import { LRUCache } from 'lru-cache'
import type { Corpus } from '../../text/sequences.js'
import { synsetsOfWord } from '../meteor/synonyms.js'
import type { SpiceResources } from '../resources.js'
import { createNames, type Names, type Tuple, tuplesOf } from './tuples.js'

/** Maximum number of captions whose tuples are cached. */
const MAX_CACHED_CAPTIONS = 200_000

/** Returns the tuples of captions. Those of equal captions are computed once. */
export interface CaptionGraphs {
  readonly names: Names
  tuplesOf(words: readonly string[]): readonly Tuple[]
}

const graphsOfResources = new WeakMap<SpiceResources, CaptionGraphs>()

/** The tuples of captions; the same for all users of the resources. */
export function captionGraphs(resources: SpiceResources): CaptionGraphs {
  const graphs = graphsOfResources.get(resources) ?? createCaptionGraphs(resources)
  graphsOfResources.set(resources, graphs)
  return graphs
}

function createCaptionGraphs({ parse, wordNet }: SpiceResources): CaptionGraphs {
  const names = createNames((name) => synsetsOfWord(name, wordNet))
  const cached = new LRUCache<string, readonly Tuple[]>({ max: MAX_CACHED_CAPTIONS })
  return {
    names,
    tuplesOf(words) {
      const caption = words.join(' ')
      let tuples = cached.get(caption)
      if (tuples === undefined) {
        tuples = tuplesOf(parse(words), names)
        cached.set(caption, tuples)
      }
      return tuples
    },
  }
}

/** The tuples of the captions of a corpus, by position. Each caption is parsed when it is first used. */
export function createCorpusGraphs(
  graphs: CaptionGraphs,
  { tokens, offsets, texts }: Corpus,
): (caption: number) => readonly Tuple[] {
  const known: (readonly Tuple[] | undefined)[] = []
  return (caption) => {
    let tuples = known[caption]
    if (tuples === undefined) {
      const words = Array.from(
        tokens.subarray(offsets[caption], offsets[caption + 1]),
        (token) => texts[token],
      )
      tuples = graphs.tuplesOf(words)
      known[caption] = tuples
    }
    return tuples
  }
}

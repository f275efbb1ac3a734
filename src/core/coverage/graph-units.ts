import type { SceneGraphParser } from '../text/scene-graph.js'
import type { Corpus } from '../text/sequences.js'

/** The tuples of captions as units. */
export interface GraphUnits {
  /**
   * The numbers of the tuples of a caption's scene graph, each once: objects, objects with an attribute, and relations of two objects.
   * Equal tuples have equal numbers in all corpora; synonyms are others.
   */
  unitsOf(corpus: Corpus, caption: number): number[]
}

export function createGraphUnits(parse: SceneGraphParser): GraphUnits {
  const numbers = new Map<string, number>()
  const numberOf = (names: readonly string[]): number => {
    const key = names.join('\t')
    const known = numbers.get(key) ?? numbers.size
    numbers.set(key, known)
    return known
  }
  return {
    unitsOf({ tokens, offsets, texts }, caption) {
      const words = Array.from(
        tokens.subarray(offsets[caption], offsets[caption + 1]),
        (token) => texts[token],
      )
      const { objects, attributes, relations } = parse(words)
      return [...objects.map((object) => [object]), ...attributes, ...relations].map(numberOf)
    },
  }
}

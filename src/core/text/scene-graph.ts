import { LRUCache } from 'lru-cache'
import type { Lemmatizer } from './lemmatizer.js'
import { analyse } from './scene-graph/analysis.js'
import { divide } from './scene-graph/chunker.js'
import type { Token } from './scene-graph/chunks.js'
import type { Judgement } from './scene-graph/decisions.js'
import type { SceneGraph } from './scene-graph/graph-builder.js'
import { retag } from './scene-graph/retagging.js'
import type { PennTagger } from './tagger.js'

/** Name of the parser in signatures. Its number increases if captions get other graphs. */
export const PARSER_NAME = 'accord-3'

/** Maximum number of words with tags whose lemmas are cached. */
const MAX_CACHED_TOKENS = 50_000

/** Returns the scene graph of a caption, given as tokens in lower case without punctuation. */
export type SceneGraphParser = (caption: readonly string[]) => SceneGraph

/**
 * Creates a parser of scene graphs. It divides a tagged caption into noun phrases, verbs and prepositions
 * (scene-graph/chunker.ts) and relates them from left to right (scene-graph/analysis.ts). Where several readings are
 * possible, such as the noun that a preposition belongs to, learned weights decide (scene-graph/decisions.ts), and so
 * they do about tags that are often wrong in captions (scene-graph/retagging.ts).
 */
export function createSceneGraphParser(
  tagger: PennTagger,
  lemmaOf: Lemmatizer,
  judgement: Judgement,
): SceneGraphParser {
  const tokens = new LRUCache<string, Token>({ max: MAX_CACHED_TOKENS })
  const tokenOf = (word: string, tag: string): Token => {
    const key = `${word} ${tag}`
    let token = tokens.get(key)
    if (token === undefined) {
      token = { word, tag, lemma: lemmaOf(word, tag) }
      tokens.set(key, token)
    }
    return token
  }
  return (caption) => {
    const tags = tagger(caption)
    const tagged = caption.map((word, i) => tokenOf(word, tags[i]))
    return analyse(divide(retag(tagged, judgement, tokenOf)), judgement)
  }
}

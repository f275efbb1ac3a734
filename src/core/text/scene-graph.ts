import { LRUCache } from 'lru-cache'
import type { Lemmatizer } from './lemmatizer.js'
import { analyse } from './scene-graph/analysis.js'
import {
  type Chunk,
  type Found,
  isAdverb,
  isNoun,
  isTellingAdverb,
  isVerb,
  type Modifier,
  PARTICLES,
  type Token,
  toModifier,
} from './scene-graph/chunks.js'
import { chooseReading, createDecision, type Judgement, type SceneGraph } from './scene-graph/decisions.js'
import { findNounChunk } from './scene-graph/noun-chunks.js'
import { findPreposition, findVerb } from './scene-graph/verb-chunks.js'
import type { PennTagger } from './tagger.js'

/** Name of the parser in signatures. Its number increases if captions get other graphs. */
export const PARSER_NAME = 'accord-3'

/** Maximum number of words with tags whose lemmas are cached. */
const MAX_CACHED_TOKENS = 50_000

/** Returns the scene graph of a caption, given as tokens in lower case without punctuation. */
export type SceneGraphParser = (caption: readonly string[]) => SceneGraph

/**
 * Creates a parser of scene graphs. It divides a tagged caption into noun phrases, verbs and prepositions
 * ({@link divide}) and relates them from left to right (scene-graph/analysis.ts). Where several readings are
 * possible, such as the noun that a preposition belongs to, learned weights decide (scene-graph/decisions.ts), and so
 * they do about tags that are often wrong in captions ({@link retag}).
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

// biome-ignore format: a table
const CLAUSE_STARTS: ReadonlySet<string> = new Set([
  'while', 'as', 'when', 'because', 'if', 'where', 'whilst', 'but',
])

/** Divides a tagged caption into chunks. Words that matter for no graph are left out. */
function divide(tokens: readonly Token[]): Chunk[] {
  const chunks: Chunk[] = []
  for (let start = 0; start < tokens.length; ) {
    const found = findChunk(tokens, start, chunks.at(-1))
    if (found !== undefined) chunks.push(found.chunk)
    start = found?.end ?? start + 1
  }
  return chunks
}

function findChunk(tokens: readonly Token[], start: number, last: Chunk | undefined): Found | undefined {
  return (
    findMark(tokens, start, last) ??
    findPreposition(tokens, start) ??
    findNounChunk(tokens, start, last) ??
    findVerb(tokens, start) ??
    findAdjectives(tokens, start)
  )
}

/** A conjunction, or the start of a clause. */
function findMark(tokens: readonly Token[], start: number, last: Chunk | undefined): Found | undefined {
  const { word, tag } = tokens[start]
  const end = start + 1
  if (tag === 'CC' && word !== 'but') return { chunk: { kind: 'conjunction' }, end }
  if (CLAUSE_STARTS.has(word) && /^(?:IN|WRB|CC|RB)$/.test(tag)) return { chunk: { kind: 'clause' }, end }
  const isRelative = word === 'that' && last?.kind === 'noun' && isVerb(tokens[start + 1])
  return isRelative || tag === 'WDT' || tag === 'WP' ? { chunk: { kind: 'relative' }, end } : undefined
}

/** Adjectives that no noun follows, or an adverb. */
function findAdjectives(tokens: readonly Token[], start: number): Found | undefined {
  const modifiers: Modifier[] = []
  let end = start
  while (end < tokens.length) {
    const isAdjective = /^JJ/.test(tokens[end].tag)
    const precedesAdjective = /^JJ/.test(tokens[end + 1]?.tag ?? '')
    if (isAdjective) modifiers.push(toModifier(tokens[end]))
    else if (isAdverb(tokens[end]) && precedesAdjective)
      modifiers.push(toModifier(tokens[++end], tokens[end - 1]))
    else if (!(tokens[end].tag === 'CC' && modifiers.length > 0 && precedesAdjective)) break
    end++
  }
  if (modifiers.length > 0) return { chunk: { kind: 'adjective', modifiers }, end }
  return isTellingAdverb(tokens[start]) ? { chunk: { kind: 'adverb' }, end: start + 1 } : undefined
}

/** Length of the endings for which other tags were learned: "ing". */
const ENDING_LENGTH = 3

/** Tags of nouns, verbs and adjectives. */
const OPEN_CLASS = /^(?:NN|VB|JJ)/

/** Parts: tag, tag of the tagger, word, ending, the words and tags around it. */
const TAG = createDecision('tag', '01 021 031 014 015 016 017 0157 025 027 026 024 0179 0158 018 019 046')

/**
 * Corrects the tags of words that are often tagged wrongly in captions, such as nouns that can be verbs: "bear walking on
 * rock".
 *
 * @param tokenOf the token of a word with another tag
 */
function retag(
  tokens: readonly Token[],
  judgement: Judgement,
  tokenOf: (word: string, tag: string) => Token,
): Token[] {
  const result = tokens.map((token, i) => (isPreposition(tokens, i) ? tokenOf(token.word, 'IN') : token))
  result.forEach(({ word, tag }, i) => {
    if (!OPEN_CLASS.test(tag)) return
    const tags = tagsOf(judgement, word, tag)
    if (tags.length < 2) return
    const [before, after] = [result[i - 1], result[i + 1]]
    const context = [tag, word, word.slice(-ENDING_LENGTH)]
    const around = [
      before?.word,
      before?.tag,
      after?.word,
      after?.tag,
      result[i - 2]?.tag,
      result[i + 2]?.tag,
    ]
    const chosen = chooseReading(judgement, TAG, tags, [...context, ...around.map((part) => part ?? '')])
    if (chosen !== tag) result[i] = tokenOf(word, chosen)
  })
  return result
}

/** A preposition that is tagged as a noun: "white counter underneath windows", but not "the inside of a bus". */
function isPreposition(tokens: readonly Token[], i: number): boolean {
  const before = tokens[i - 1]
  return isNoun(tokens[i]) && PARTICLES.has(tokens[i].word) && before !== undefined && before.tag !== 'DT'
}

/** The tag of a word, and those that it has in similar captions. */
function tagsOf({ variantsOf }: Judgement, word: string, tag: string): string[] {
  const ofWord = variantsOf('tag', `${word}/${tag}`)
  const ofEnding = variantsOf('tag', `-${word.slice(-ENDING_LENGTH)}/${tag}`)
  return [...new Set([tag, ...ofWord, ...ofEnding])]
}

import {
  type Chunk,
  type Found,
  isAdverb,
  isTellingAdverb,
  isVerb,
  type Modifier,
  type Token,
  toModifier,
} from './chunks.js'
import { findNounChunk } from './noun-chunks.js'
import { findPreposition } from './prepositions.js'
import { findVerb } from './verb-chunks.js'

const CLAUSE_STARTS: ReadonlySet<string> = new Set([
  ...['while', 'as', 'when', 'because', 'if', 'where', 'whilst', 'but'],
])

/** Divides a tagged caption into chunks. Words that matter for no graph are left out. */
export function divide(tokens: readonly Token[]): Chunk[] {
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

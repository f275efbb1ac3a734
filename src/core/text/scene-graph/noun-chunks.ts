import {
  type Chunk,
  type Found,
  isAdverb,
  isNoun,
  type Modifier,
  type NounChunk,
  type Token,
  toModifier,
} from './chunks.js'

// biome-ignore format: a table
const NUMBERS: Readonly<Record<string, string>> = {
  two: '2', three: '3', four: '4', five: '5', six: '6', seven: '7', eight: '8', nine: '9', ten: '10',
  eleven: '11', twelve: '12',
}

/** Pronouns that stand for people whose noun is not given. */
// biome-ignore format: a table
const PEOPLE: Readonly<Record<string, string>> = {
  he: 'man', him: 'man', himself: 'man', she: 'woman', herself: 'woman',
  they: 'people', them: 'people', someone: 'person', somebody: 'person', anyone: 'person',
}

/** Determiners and adjectives that say nothing about the look of an object. */
// biome-ignore format: a table
const DETERMINERS: ReadonlySet<string> = new Set([
  'other', 'another', 'own', 'several', 'some', 'many', 'few', 'various', 'multiple', 'different',
  'same', 'such', 'each', 'every', 'all', 'both', 'certain', 'else', 'more', 'most', 'any', 'only',
])

/** Adjectives that belong to the color after them: "dark blue". */
// biome-ignore format: a table
const SHADES: ReadonlySet<string> = new Set([
  'dark', 'light', 'bright', 'pale', 'deep', 'navy', 'lime', 'hot', 'baby', 'sky', 'royal',
])
const COLORS: ReadonlySet<string> = new Set([
  ...[
    'red',
    'green',
    'blue',
    'yellow',
    'orange',
    'purple',
    'pink',
    'brown',
    'black',
    'white',
    'gray',
    'grey',
  ],
  ...[
    'beige',
    'tan',
    'maroon',
    'turquoise',
    'teal',
    'gold',
    'silver',
    'blond',
    'blonde',
    'colored',
    'violet',
  ],
])

/** Possessives before a noun: "the man 's dog 's leash" has two. */
const MAX_POSSESSORS = 8

/** Words between a modifier and its noun. */
const MAX_DISTANCE = 12

const NO_NOUN: NounChunk = {
  kind: 'noun',
  count: undefined,
  modifiers: [],
  nouns: [],
  possessor: undefined,
  isPronoun: false,
  isReciprocal: false,
  isNegated: false,
  isDetermined: true,
}

/** A pronoun, or a noun phrase with the possessives before it. @param last the chunk before it */
export function findNounChunk(
  tokens: readonly Token[],
  start: number,
  last: Chunk | undefined,
): Found<NounChunk> | undefined {
  const pronoun = findPronoun(tokens, start)
  if (pronoun !== undefined) return pronoun
  let found = findNounPhrase(tokens, start, undefined, last)
  for (let possessors = 0; found !== undefined && possessors < MAX_POSSESSORS; possessors++) {
    if (tokens[found.end]?.tag !== 'POS' || found.end + 1 >= tokens.length) break
    const possessed = findNounPhrase(tokens, found.end + 1, found.chunk, last)
    if (possessed === undefined) break
    found = possessed
  }
  return found
}

function findPronoun(tokens: readonly Token[], start: number): Found<NounChunk> | undefined {
  const { word, tag } = tokens[start]
  const pronoun = { ...NO_NOUN, isPronoun: true }
  if (word === 'each' && tokens[start + 1]?.word === 'other') {
    return { chunk: { ...pronoun, isReciprocal: true }, end: start + 2 }
  }
  if (Object.hasOwn(PEOPLE, word)) {
    const lemma = PEOPLE[word]
    return { chunk: { ...pronoun, nouns: [{ word: lemma, tag: 'NN', lemma }] }, end: start + 1 }
  }
  return tag === 'PRP' ? { chunk: pronoun, end: start + 1 } : undefined
}

function findNounPhrase(
  tokens: readonly Token[],
  start: number,
  possessor: NounChunk | undefined,
  last: Chunk | undefined,
): Found<NounChunk> | undefined {
  const determiners = readDeterminers(tokens, start)
  const isPossessed = possessor !== undefined
  const before = readModifiers(tokens, determiners.end, isPossessed || determiners.end > start, last)
  const { count, modifiers, isDetermined } = before
  const nouns = readNouns(tokens, before.end)
  const { isNegated } = determiners
  if (nouns.length > 0) {
    const chunk = { ...NO_NOUN, count, modifiers, nouns, possessor, isNegated, isDetermined }
    return { chunk, end: before.end + nouns.length }
  }
  const standsAlone = count !== undefined || (isDetermined && tokens[start].word !== 'this')
  return standsAlone ? { chunk: { ...NO_NOUN, count }, end: Math.max(before.end, start + 1) } : undefined
}

function readDeterminers(tokens: readonly Token[], start: number): { isNegated: boolean; end: number } {
  let end = start
  let isNegated = false
  for (; end < tokens.length && /^(?:DT|PDT|PRP\$)$/.test(tokens[end].tag); end++) {
    if (tokens[end].word === 'no') isNegated = true
  }
  return { isNegated, end }
}

/** What precedes the nouns of a noun phrase. */
interface Premodifiers {
  count: string | undefined
  readonly modifiers: Modifier[]
  isDetermined: boolean
  end: number
}

function readModifiers(
  tokens: readonly Token[],
  start: number,
  isDetermined: boolean,
  last: Chunk | undefined,
): Premodifiers {
  const read: Premodifiers = { count: undefined, modifiers: [], isDetermined, end: start }
  while (read.end < tokens.length) {
    const length = readModifier(tokens, read, last)
    if (length === 0) break
    read.end += length
  }
  return read
}

/** Reads the modifier, number or determiner at `read.end`. @returns its number of tokens, 0 if there is none */
function readModifier(tokens: readonly Token[], read: Premodifiers, last: Chunk | undefined): number {
  const { end: position, modifiers } = read
  const token = tokens[position]
  const next = tokens[position + 1]
  const { word, tag } = token
  if (tag === 'CD' || (DETERMINERS.has(word) && !isNoun(token))) {
    if (tag === 'CD') read.count = countOf(word)
    read.isDetermined = true
    return 1
  }
  if (tag === 'DT') return read.isDetermined ? 1 : 0
  if (SHADES.has(word) && COLORS.has(next?.word ?? '') && isBeforeNoun(tokens, position + 2)) {
    modifiers.push(toModifier(next, token))
    return 2
  }
  if (tag.startsWith('JJ')) {
    if (!isBeforeNoun(tokens, position + 1)) return 0
    modifiers.push(toModifier(token))
    return 1
  }
  if (isAdverb(token) && isDescription(next) && isBeforeNoun(tokens, position + 2)) {
    modifiers.push(toModifier(next, token))
    return 2
  }
  if (isNoun(token) && next?.tag === 'VBN' && isNoun(tokens[position + 2])) {
    modifiers.push(toModifier(next, undefined, token))
    return 2
  }
  if (/^VB[NGD]$/.test(tag) && isBeforeNoun(tokens, position + 1) && modifiesNoun(token, read, last)) {
    modifiers.push(toModifier(token))
    return 1
  }
  const isJoined = tag === 'CC' && modifiers.length > 0 && isDescription(next)
  return isJoined && isBeforeNoun(tokens, position + 2) ? 1 : 0
}

function countOf(word: string): string | undefined {
  if (Object.hasOwn(NUMBERS, word)) return NUMBERS[word]
  return word === 'one' ? undefined : word
}

/** An adjective or a participle that an adverb or "and" can precede. */
function isDescription(token: Token | undefined): boolean {
  return token !== undefined && /^(?:JJ|VBN)/.test(token.tag)
}

/** Whether only modifiers precede the next noun. */
function isBeforeNoun(tokens: readonly Token[], start: number): boolean {
  const end = Math.min(tokens.length, start + MAX_DISTANCE)
  for (let position = start; position < end; position++) {
    const { tag } = tokens[position]
    if (isNoun(tokens[position])) return true
    const isModifier =
      /^(?:JJ|VBN|VBG|CD|RB)/.test(tag) || (tag === 'CC' && isDescription(tokens[position + 1]))
    if (!isModifier) return false
  }
  return false
}

/** Whether a participle modifies the noun after it, and is not the verb of the noun before it. */
function modifiesNoun(
  { tag }: Token,
  { isDetermined, modifiers }: Premodifiers,
  last: Chunk | undefined,
): boolean {
  if (isDetermined || modifiers.length > 0) return true
  return tag !== 'VBG' && (last === undefined || last.kind === 'preposition' || last.kind === 'conjunction')
}

/** Adjacent nouns. A plural noun before another one ends them, as in a list without commas: "plates bowls and cups". */
function readNouns(tokens: readonly Token[], start: number): Token[] {
  const nouns: Token[] = []
  for (let position = start; isNoun(tokens[position]); position++) {
    if (nouns.at(-1)?.tag === 'NNS' && tokens[position].tag === 'NNS') break
    nouns.push(tokens[position])
  }
  return nouns
}

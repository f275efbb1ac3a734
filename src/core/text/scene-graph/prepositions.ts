import { type Found, PARTICLES, type Token } from './chunks.js'

/** Nouns that are part of a preposition: "on the side of". */
const PLACES: ReadonlySet<string> = new Set([
  ...[
    'side',
    'sides',
    'top',
    'front',
    'back',
    'middle',
    'edge',
    'end',
    'bottom',
    'corner',
    'center',
    'centre',
  ],
  ...['left', 'right', 'rear', 'foot', 'base', 'tip', 'inside', 'outside', 'midst'],
])

/** Words between the determiner and the place: "on the right side of". */
const SIDES: ReadonlySet<string> = new Set([
  ...['left', 'right', 'far', 'other', 'top', 'bottom', 'both', 'back', 'front', 'hand'],
])

/** Prepositions of several words. */
const PHRASES: readonly (readonly string[])[] = [
  ...[
    'next to',
    'close to',
    'near to',
    'out of',
    'outside of',
    'inside of',
    'off of',
    'because of',
    'in between',
  ],
  ...['away from', 'along with', 'adjacent to', 'side by side', 'full of', 'up against'],
].map((phrase) => phrase.split(' '))

/** A preposition of one word or several: "in front of", "next to", "on the left side of". */
export function findPreposition(tokens: readonly Token[], start: number): Found | undefined {
  const place = findPlace(tokens, start)
  if (place !== undefined) return place
  const phrase = PHRASES.find((words) => words.every((word, i) => tokens[start + i]?.word === word))
  if (phrase !== undefined) return found(phrase.join(' '), start + phrase.length)
  const { word, tag } = tokens[start]
  const next = tokens[start + 1]
  const isPreposition = tag === 'IN' || (tag === 'TO' && next?.tag !== 'VB')
  const isParticle = tag === 'RP' || (tag === 'RB' && PARTICLES.has(word))
  if (isPreposition || (isParticle && next !== undefined && startsNounPhrase(next)))
    return found(word, start + 1)
  return undefined
}

/** "on top of", "in the middle of"; "on the right side of" stays as it is, "on the side of" becomes "on side of". */
function findPlace(tokens: readonly Token[], start: number): Found | undefined {
  const { word, tag } = tokens[start]
  if (tag !== 'IN' && tag !== 'TO' && tag !== 'RP') return undefined
  let position = start + 1
  if (tokens[position]?.tag === 'DT') position++
  let side = ''
  const wordAt = (index: number) => tokens[index]?.word ?? ''
  for (; SIDES.has(wordAt(position)) && PLACES.has(wordAt(position + 1)); position++) {
    if (wordAt(position) === 'left' || wordAt(position) === 'right') side = `the ${wordAt(position)} `
    if (wordAt(position) === 'both') side = 'both '
  }
  if (!PLACES.has(wordAt(position)) || wordAt(position + 1) !== 'of') return undefined
  return found(`${word} ${side}${wordAt(position)} of`, position + 2)
}

function found(text: string, end: number): Found {
  return { chunk: { kind: 'preposition', text }, end }
}

function startsNounPhrase({ tag, word }: Token): boolean {
  return /^(?:DT|PDT|PRP\$?|CD|JJ|NN)/.test(tag) && word !== 'that'
}

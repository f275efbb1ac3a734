import { type Found, isAdverb, isVerb, PARTICLES, type Token, type VerbChunk } from './chunks.js'

/** Verbs that other verbs follow: "is walking", "has been parked", "gets tossed". */
const AUXILIARIES: ReadonlySet<string> = new Set(['be', 'have', 'do', 'get'])

/** A verb with the auxiliary verbs and adverbs before it, and its particle. */
export function findVerb(tokens: readonly Token[], start: number): Found<VerbChunk> | undefined {
  const isInfinitive = tokens[start].tag === 'TO' && tokens[start + 1]?.tag === 'VB'
  const first = isInfinitive ? start + 1 : start
  if (!isVerb(tokens[first])) return undefined
  const { position, hasBe, hasHave } = skipAuxiliaries(tokens, first)
  const verb = tokens[position]
  const form = isInfinitive ? 'infinitive' : formOf(verb, hasBe, hasHave)
  const startsFinite = !isInfinitive && /^(?:VBZ|VBP|VBD|MD)$/.test(tokens[first].tag)
  const hasParticle = form !== 'copula' && isParticle(tokens, position + 1)
  const particle = hasParticle ? tokens[position + 1].word : undefined
  return {
    chunk: {
      kind: 'verb',
      verb,
      form: verb.lemma === 'be' ? 'copula' : form,
      isFinite: startsFinite,
      particle,
    },
    end: position + (hasParticle ? 2 : 1),
  }
}

interface MainVerb {
  readonly position: number
  readonly hasBe: boolean
  readonly hasHave: boolean
}

function skipAuxiliaries(tokens: readonly Token[], start: number): MainVerb {
  let position = start
  let [hasBe, hasHave] = [false, false]
  for (;;) {
    const { tag, lemma } = tokens[position]
    let next = position + 1
    while (isAdverb(tokens[next])) next++
    if (!(tag === 'MD' || AUXILIARIES.has(lemma)) || !isVerb(tokens[next])) break
    const following = tokens[next].tag
    const isParticiple = following === 'VBN'
    if (tag !== 'MD' && following === 'VBZ') break
    if (lemma === 'be' || (lemma === 'get' && isParticiple)) hasBe = true
    else if (lemma === 'have' && isParticiple) hasHave = true
    else if (tag !== 'MD' && lemma !== 'do') break
    position = next
  }
  return { position, hasBe, hasHave }
}

function formOf({ tag, lemma }: Token, hasBe: boolean, hasHave: boolean): VerbChunk['form'] {
  if (lemma === 'be') return 'copula'
  if (tag === 'VBG') return hasBe ? 'finite' : 'participle'
  if (tag === 'VBN') return hasHave && !hasBe ? 'finite' : 'passive'
  return tag === 'VBD' && hasBe ? 'passive' : 'finite'
}

/** Whether the word is a particle without an object: "up" in "lit up". */
function isParticle(tokens: readonly Token[], position: number): boolean {
  if (position >= tokens.length) return false
  const { tag, word } = tokens[position]
  const canBe = tag === 'RP' || (tag === 'RB' && PARTICLES.has(word))
  return canBe && findPreposition(tokens, position) === undefined
}

/** Nouns that are part of a preposition: "on the side of". */
// biome-ignore format: a table
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
  'left', 'right', 'rear', 'foot', 'base', 'tip', 'inside', 'outside', 'midst',
])

/** Words between the determiner and the place: "on the right side of". */
// biome-ignore format: a table
const SIDES: ReadonlySet<string> = new Set([
  'left', 'right', 'far', 'other', 'top', 'bottom', 'both', 'back', 'front', 'hand',
])

/** Prepositions of several words. */
// biome-ignore format: a table
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
  'away from', 'along with', 'adjacent to', 'side by side', 'full of', 'up against',
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

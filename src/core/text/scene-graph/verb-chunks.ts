import { type Found, isAdverb, isVerb, PARTICLES, type Token, type VerbChunk } from './chunks.js'
import { findPreposition } from './prepositions.js'

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

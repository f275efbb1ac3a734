import type { Modifier, NounChunk, Token } from './chunks.js'
import type { Choose, Option, OptionFeature, Pattern } from './decisions.js'
import type { GraphBuilder } from './graph-builder.js'

/** Adds the objects and attributes of a noun phrase to the graph. @returns the name of the object of its head */
export function addNounPhrase(chunk: NounChunk, choose: Choose, graph: GraphBuilder): string {
  const head = chunk.nouns.at(-1) as Token
  let name = head.lemma
  const attributes: string[] = []
  const wholes: string[] = []
  for (let i = chunk.nouns.length - 2; i >= 0; i--) {
    const noun = chunk.nouns[i]
    const isAdjacent = i === chunk.nouns.length - 2
    const reading = choose(
      `compound ${noun.word} ${noun.lemma} ${noun.tag} ${head.lemma} ${isAdjacent}`,
      () => compoundOptions(noun, head, name, isAdjacent),
    )
    if (reading === COMPOUND_MERGED) name = `${noun.word} ${name}`
    else if (reading === COMPOUND_ATTRIBUTE) attributes.unshift(noun.word)
    else if (reading === COMPOUND_WHOLE) wholes.push(noun.lemma)
  }
  let isAdjacent = attributes.length === 0
  for (const modifier of chunk.modifiers.toReversed()) {
    const text = textOf(modifier)
    if (modifier.agent !== undefined) {
      const { agent } = modifier
      const relation = modifier.lemma
      const reading = choose(`agent ${agent.lemma} ${relation}`, () => agentOptions(modifier, agent, name))
      if (reading === 0) graph.relation(agent.lemma, relation, name)
      else attributes.unshift(`${agent.word} ${modifier.word}`)
    } else {
      const { word, tag, adverb } = modifier
      const canMerge = isAdjacent && chunk.nouns.length === 1
      const situation = `modifier ${word} ${tag} ${adverb !== undefined} ${head.lemma} ${canMerge}`
      const reading = choose(situation, () => modifierOptions(modifier, head, name, canMerge))
      if (reading === MODIFIER_ATTRIBUTE) attributes.unshift(text)
      else if (reading === MODIFIER_MERGED) name = `${modifier.word} ${name}`
    }
    isAdjacent = false
  }
  graph.object(name)
  if (chunk.count !== undefined) graph.attribute(name, chunk.count)
  for (const attribute of attributes) graph.attribute(name, attribute)
  for (const whole of wholes) graph.relation(whole, 'have', name)
  if (chunk.possessor !== undefined && chunk.possessor.nouns.length > 0) {
    graph.relation(addNounPhrase(chunk.possessor, choose, graph), 'have', name)
  }
  return name
}

export function textOf({ word, adverb }: Modifier): string {
  return adverb === undefined ? word : `${adverb} ${word}`
}

const COMPOUND_MERGED = 0
const COMPOUND_ATTRIBUTE = 1
const COMPOUND_WHOLE = 2

/** "coffee table", "brick wall", "bus window", "baseball game": one name, an attribute, the whole of a part, nothing. */
function compoundOptions(noun: Token, head: Token, name: string, isAdjacent: boolean): Option[] {
  const features = (reading: string): OptionFeature[] => [
    ['nn', reading],
    ['nn1', reading, noun.lemma],
    ['nn2', reading, head.lemma],
    ['nn12', reading, noun.lemma, head.lemma],
    ['nnt', reading, noun.tag, `${isAdjacent}`],
    ['nns', reading, noun.lemma.slice(-3)],
  ]
  const option = (reading: string, ...evidence: Pattern[]): Option => ({
    features: features(reading),
    evidence: () => evidence,
  })
  return [
    option('merged', [`${noun.word} ${name}`]),
    option('attribute', [name, noun.word]),
    option('whole', [noun.word, 'have', name], [noun.word, 'have', `* ${name}`]),
    option('none'),
  ]
}

const MODIFIER_ATTRIBUTE = 0
const MODIFIER_MERGED = 2

/** "white dog", "main street", "hot dog": an attribute, nothing, a part of the name. */
function modifierOptions(modifier: Modifier, head: Token, name: string, isAdjacent: boolean): Option[] {
  const features = (reading: string): OptionFeature[] => [
    ['jj', reading, `${isAdjacent}`],
    ['jj1', reading, modifier.word],
    ['jj2', reading, head.lemma],
    ['jj12', reading, modifier.word, head.lemma],
    ['jjt', reading, modifier.tag, `${modifier.adverb !== undefined}`],
  ]
  const option = (reading: string, ...evidence: Pattern[]): Option => ({
    features: features(reading),
    evidence: () => evidence,
  })
  const options = [option('attribute', [name, textOf(modifier)]), option('none')]
  return isAdjacent ? [...options, option('merged', [`${modifier.word} ${name}`])] : options
}

/** "snow covered hill": a relation or an attribute. */
function agentOptions(modifier: Modifier, agent: Token, name: string): Option[] {
  const features = (reading: string): OptionFeature[] => [
    ['av', reading],
    ['av1', reading, agent.lemma],
    ['av2', reading, modifier.lemma],
  ]
  return [
    { features: features('relation'), evidence: () => [[agent.lemma, modifier.lemma, name]] },
    { features: features('attribute'), evidence: () => [[name, `${agent.word} ${modifier.word}`]] },
  ]
}

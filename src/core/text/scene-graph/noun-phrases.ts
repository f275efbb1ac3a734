import type { Modifier, NounChunk, Token } from './chunks.js'
import { chooseReading, createDecision, type GraphBuilder, type Judgement } from './decisions.js'

/** Adds the objects and attributes of a noun phrase to the graph. @returns the name of the object of its head */
export function addNounPhrase(chunk: NounChunk, judgement: Judgement, graph: GraphBuilder): string {
  const head = chunk.nouns.at(-1) as Token
  let name = head.lemma
  const attributes: string[] = []
  /** Relations of the object, whose name is not complete yet. */
  const links: ((name: string) => void)[] = []
  for (let i = chunk.nouns.length - 2; i >= 0; i--) {
    const noun = chunk.nouns[i]
    const reading = readCompound(judgement, chunk, i, name)
    if (reading === 'merged') name = `${noun.word} ${name}`
    else if (reading === 'instead') name = noun.lemma
    else if (reading === 'attribute') attributes.unshift(noun.word)
    else if (reading === 'have') links.push((part) => graph.relation(noun.lemma, 'have', part))
    else if (reading === 'in') links.push((object) => graph.relation(object, 'in', noun.lemma))
    else if (reading === 'on') links.push((object) => graph.relation(noun.lemma, 'on', object))
    else if (reading !== 'none') attributes.unshift(reading.slice(1))
  }
  let isAdjacent = attributes.length === 0
  for (const modifier of chunk.modifiers.toReversed()) {
    const { word, lemma, adverb, agent } = modifier
    const canMerge = isAdjacent && chunk.nouns.length === 1
    const reading = readModifier(judgement, modifier, head, canMerge)
    if (reading === 'agent') links.push((object) => graph.relation(agent!.lemma, lemma, object))
    else if (reading === 'attribute') attributes.unshift(textOf(modifier))
    else if (reading === 'bare') attributes.unshift(word)
    else if (reading === 'both') attributes.unshift(adverb!, word)
    else if (reading === 'merged') name = `${word} ${name}`
    else if (reading !== 'none') attributes.unshift(reading.slice(1))
    isAdjacent = false
  }
  name = renamed(judgement, name)
  graph.object(name)
  if (chunk.count !== undefined && readCount(judgement, chunk.count, head)) graph.attribute(name, chunk.count)
  for (const attribute of attributes) graph.attribute(name, attribute)
  for (const link of links) link(name)
  if (chunk.possessor !== undefined && chunk.possessor.nouns.length > 0) {
    const owner = addNounPhrase(chunk.possessor, judgement, graph)
    graph.relation(owner, chooseReading(judgement, POSSESSION, ['have', 'wear'], [owner, head.lemma]), name)
  }
  return name
}

export function textOf({ word, adverb, agent }: Modifier): string {
  const before = adverb ?? agent?.word
  return before === undefined ? word : `${before} ${word}`
}

/** The name that people use: "sidewalk" for "side walk". */
function renamed(judgement: Judgement, name: string): string {
  const variants = judgement.variantsOf('object', name)
  return variants.length === 0 ? name : chooseReading(judgement, NAME, [name, ...variants], [name])
}

/** Parts: reading, name. */
const NAME = createDecision('name', '01')

/** Parts: reading, owner, owned. */
const POSSESSION = createDecision('own', '0 01 02 012')

/** Parts: reading, noun, last noun, tag, place, ending, previous noun, whether there are modifiers. */
const COMPOUND = createDecision('nn', '0 01 02 012 034 05 014 024 06 017 027')

/** "coffee table", "brick wall", "bus window", "kitchen floor", "tile floor", "food item", "baseball game". */
function readCompound(judgement: Judgement, chunk: NounChunk, index: number, name: string): string {
  const { nouns } = chunk
  const { word, lemma, tag } = nouns[index]
  const variants = judgement.variantsOf('attribute', word).map((variant) => `=${variant}`)
  const place = `${nouns.length - index} ${index}`
  const isModified = `${chunk.modifiers.length > 0}`
  return chooseReading(
    judgement,
    COMPOUND,
    ['merged', 'attribute', 'have', 'none', 'instead', 'in', 'on', ...variants],
    [lemma, name, tag, place, lemma.slice(-3), nouns[index - 1]?.lemma ?? '', isModified],
  )
}

/** Parts: reading, word, head, tag, adverb, whether the noun follows, ending, agent. */
const MODIFIER = createDecision('jj', '05 01 02 012 03 04 06 07 015')

/** "white dog", "hot dog", "snow covered hill", "brightly colored kite", "different trees". */
function readModifier(judgement: Judgement, modifier: Modifier, head: Token, canMerge: boolean): string {
  const { word, tag, adverb, agent } = modifier
  const variants = judgement.variantsOf('attribute', word).map((variant) => `=${variant}`)
  const readings = ['attribute', 'none', ...variants]
  if (canMerge) readings.push('merged')
  if (adverb !== undefined) readings.push('bare', 'both')
  if (agent !== undefined) readings.push('agent')
  const context = [head.lemma, tag, adverb ?? '', `${canMerge}`, word.slice(-3), agent?.lemma ?? '']
  return chooseReading(judgement, MODIFIER, readings, [word, ...context])
}

/** Parts: reading, number, head, tag. */
const COUNT = createDecision('cd', '0 01 02 013')

function readCount(judgement: Judgement, count: string, { lemma, tag }: Token): boolean {
  return chooseReading(judgement, COUNT, ['attribute', 'none'], [count, lemma, tag]) === 'attribute'
}

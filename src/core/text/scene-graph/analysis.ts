import { type Chunk, type NounChunk, toModifier, type VerbChunk } from './chunks.js'
import {
  chooseReading,
  createDecision,
  createGraphBuilder,
  type GraphBuilder,
  type Judgement,
  type SceneGraph,
} from './decisions.js'
import { addNounPhrase, textOf } from './noun-phrases.js'

/** The objects of a noun phrase, or of several coordinated ones. */
interface Group {
  readonly names: string[]
  /** Lemma of the first head, '' for a pronoun that refers to nothing. */
  readonly head: string
  readonly isPlural: boolean
  /** Adds the relations of the group to an object that is coordinated with it. */
  readonly links: ((added: Group) => void)[]
  /** Names of the objects that have a relation with the group. */
  readonly governors: string[]
  /** The preposition before the group. */
  readonly preposition: string
}

interface Verb {
  readonly chunk: VerbChunk
  readonly subject: Group | undefined
}

/** What precedes a noun phrase that it belongs to. */
type Pending = { readonly kind: 'none' } | { readonly kind: 'verb' } | Preposition

interface Preposition {
  readonly kind: 'preposition'
  readonly text: string
  /** Whether it follows a verb, with no noun between them. */
  readonly isAfterVerb: boolean
}

interface Reading {
  readonly judgement: Judgement
  readonly graph: GraphBuilder
  readonly groups: Group[]
  /** Number of the first group of the clause. */
  clauseStart: number
  verb: Verb | undefined
  pending: Pending
  isCoordinated: boolean
  isRelative: boolean
  /** "couch" in "a couch the man is sitting on". */
  relativeObject: Group | undefined
}

const NOTHING: Pending = { kind: 'none' }

/** Groups before a preposition or a verb that it can belong to. */
const MAX_CANDIDATES = 3

/** Objects of a group; those after them are related to nothing. */
const MAX_COORDINATED = 16

/** Reads the chunks of a caption as a scene graph. */
export function analyse(chunks: readonly Chunk[], judgement: Judgement): SceneGraph {
  const reading: Reading = {
    judgement,
    graph: createGraphBuilder(),
    groups: [],
    clauseStart: 0,
    verb: undefined,
    pending: NOTHING,
    isCoordinated: false,
    isRelative: false,
    relativeObject: undefined,
  }
  const read = withoutQuantities(chunks, judgement)
  read.forEach((_, index) => {
    readChunk(reading, read, index)
  })
  finishRelativeClause(reading)
  return reading.graph.build()
}

function readChunk(reading: Reading, chunks: readonly Chunk[], index: number): void {
  const chunk = chunks[index]
  const last = chunks[index - 1]
  switch (chunk.kind) {
    case 'noun':
      readNoun(reading, chunk, last, chunks[index + 1])
      break
    case 'verb':
      readVerb(reading, chunk, chunks, index)
      break
    case 'preposition':
      reading.pending = {
        kind: 'preposition',
        text: chunk.text,
        isAfterVerb: last?.kind === 'verb' || (last?.kind === 'adverb' && reading.pending.kind === 'verb'),
      }
      break
    case 'adjective':
      readAdjective(reading, chunk.modifiers.map(textOf))
      break
    case 'adverb':
      break
    case 'conjunction':
      reading.isCoordinated = true
      reading.pending = NOTHING
      break
    case 'relative':
      reading.isRelative = true
      reading.pending = NOTHING
      break
    case 'clause':
      reading.clauseStart = reading.groups.length
      reading.pending = NOTHING
      reading.isCoordinated = false
  }
}

/** "a group of people" is read as "people": the first noun is a modifier of the second. */
function withoutQuantities(chunks: readonly Chunk[], judgement: Judgement): Chunk[] {
  const result: Chunk[] = []
  for (let i = 0; i < chunks.length; i++) {
    const [first, preposition, second] = chunks.slice(i, i + 3)
    const isOf =
      first.kind === 'noun' &&
      preposition?.kind === 'preposition' &&
      preposition.text === 'of' &&
      second?.kind === 'noun' &&
      second.nouns.length > 0
    if (isOf && (first.nouns.length === 0 || isQuantity(first, second, judgement))) {
      const quantities = first.nouns.map((noun) => toModifier({ ...noun, word: noun.lemma, tag: 'OF' }))
      const modifiers = [...first.modifiers, ...quantities, ...second.modifiers]
      result.push({ ...second, count: second.count ?? first.count, modifiers })
      i += 2
    } else result.push(chunks[i])
  }
  return result
}

/** Parts: reading, first noun, second noun, tags. */
const QUANTITY = createDecision('of', '0 01 02 012 03 013')

function isQuantity(first: NounChunk, second: NounChunk, judgement: Judgement): boolean {
  const [x, y] = [first.nouns.at(-1)!, second.nouns.at(-1)!]
  const context = [x.lemma, y.lemma, `${x.tag} ${y.tag} ${second.isDetermined}`]
  return chooseReading(judgement, QUANTITY, ['noun', 'quantity'], context) === 'quantity'
}

function readNoun(
  reading: Reading,
  chunk: NounChunk,
  last: Chunk | undefined,
  next: Chunk | undefined,
): void {
  const { groups, pending } = reading
  if ((last?.kind === 'noun' || last?.kind === 'relative') && next?.kind === 'verb') {
    reading.relativeObject = groups.at(-1)
    reading.clauseStart = groups.length
  }
  const group = groupOf(reading, chunk)
  const previous = groups.at(-1)
  if (reading.isCoordinated && previous !== undefined && !startsClause(reading, next)) {
    reading.isCoordinated = false
    const joined = coordinated(reading, chunk, group)
    if (joined !== undefined) {
      for (const link of joined.links) link(group)
      joined.names.push(...group.names)
      return
    }
  }
  reading.isCoordinated = false
  if (pending.kind === 'preposition') attach(reading, pending, group)
  else if (pending.kind === 'verb') attachObject(reading, group)
  reading.pending = NOTHING
  reading.isRelative = false
  groups.push(group)
}

/** Relates the verb or the preposition at the end of "a couch the man is sitting on" to "couch". */
function finishRelativeClause(reading: Reading): void {
  const { pending, relativeObject, verb } = reading
  if (relativeObject === undefined || verb === undefined || verb.subject === relativeObject) return
  if (pending.kind === 'preposition' && pending.isAfterVerb) attach(reading, pending, relativeObject)
  else if (pending.kind === 'verb' && verb.chunk.form === 'finite') attachObject(reading, relativeObject)
}

/** Whether a noun after "and" is the subject of a new clause. */
function startsClause(reading: Reading, next: Chunk | undefined): boolean {
  return next?.kind === 'verb' && next.isFinite && reading.verb?.chunk.isFinite === true
}

function groupOf(reading: Reading, chunk: NounChunk): Group {
  const preposition = reading.pending.kind === 'preposition' ? reading.pending.text : ''
  const group = { names: [], head: '', isPlural: false, links: [], governors: [], preposition }
  const head = chunk.nouns.at(-1)
  const antecedent = head === undefined || chunk.isPronoun ? findAntecedent(reading, chunk) : undefined
  if (antecedent !== undefined) {
    const { head, isPlural, names } = antecedent
    return { ...group, head, isPlural, names: [...names] }
  }
  if (head === undefined) return group
  const named = { ...group, head: head.lemma, isPlural: head.tag === 'NNS' || head.tag === 'NNPS' }
  if (chunk.isNegated || isScenery(reading, chunk)) return named
  return { ...named, names: [addNounPhrase(chunk, reading.judgement, reading.graph)] }
}

/** Parts: reading, noun, preposition, whether it is the first noun, whether it is modified. */
const SCENERY = createDecision('sc', '0 01 02 012 023 013 014')

/** Whether a noun phrase names no object of the graph, such as "photo" in "a dog in this photo". */
function isScenery({ judgement, pending, groups }: Reading, { nouns, modifiers }: NounChunk): boolean {
  const preposition = pending.kind === 'preposition' ? pending.text : pending.kind
  const isModified = nouns.length > 1 || modifiers.length > 0
  const context = [nouns.at(-1)!.lemma, preposition, `${groups.length === 0}`, `${isModified}`]
  return chooseReading(judgement, SCENERY, ['object', 'scenery'], context) === 'scenery'
}

/** The noun phrase that a pronoun refers to: for people the first one, for "it" the last one that is not its governor. */
function findAntecedent({ groups, pending }: Reading, chunk: NounChunk): Group | undefined {
  const isKnown = ({ names }: Group) => names.length > 0
  if (chunk.nouns.length > 0 || chunk.isReciprocal) return groups.find(isKnown)
  if (!chunk.isPronoun) return undefined
  const last = groups.findLastIndex(isKnown)
  const governed = pending.kind === 'none' ? -1 : groups.slice(0, Math.max(last, 0)).findLastIndex(isKnown)
  return groups[governed >= 0 ? governed : last]
}

/** Parts: rank, noun, preposition, numbers of both, noun of the other, whether there is a determiner. */
const COORDINATION = createDecision('co', '0 05 02 14 03')

/** The group that a noun after "and" is coordinated with. */
function coordinated({ groups, judgement }: Reading, chunk: NounChunk, group: Group): Group | undefined {
  if (group.names.length === 0) return undefined
  const candidates = groups
    .slice(-MAX_CANDIDATES)
    .filter(({ names }) => names.length < MAX_COORDINATED)
    .reverse()
  if (candidates.length === 0) return undefined
  const options = candidates.map(({ head, preposition, isPlural }, rank) => [
    `${rank} ${candidates.length}`,
    head,
    preposition,
    `${isPlural} ${group.isPlural}`,
    group.head,
    `${chunk.isDetermined}`,
  ])
  return candidates[judgement.choose(COORDINATION, options.join(' '), () => options)]
}

function readAdjective(reading: Reading, attributes: readonly string[]): void {
  const isPredicate = reading.pending.kind === 'verb'
  const subject = isPredicate ? reading.verb?.subject : reading.groups.at(-1)
  if (subject === undefined) return
  for (const name of subject.names)
    for (const attribute of attributes) reading.graph.attribute(name, attribute)
}

function readVerb(reading: Reading, chunk: VerbChunk, chunks: readonly Chunk[], index: number): void {
  let position = index + 1
  while (chunks[position]?.kind === 'adverb') position++
  const next = chunks[position]
  const subject = subjectOf(reading, chunk, next)
  reading.verb = { chunk, subject }
  reading.pending = { kind: 'verb' }
  reading.isCoordinated = false
  reading.isRelative = false
  const hasPlace = next?.kind === 'preposition' && chunks[position + 1]?.kind === 'noun'
  const hasComplement = hasPlace || next?.kind === 'noun' || next?.kind === 'adjective'
  if (!hasComplement && chunk.form !== 'copula') addState(reading, chunk, subject, next)
}

/** Parts: rank, role, form of the verb and what follows it, noun, verb, preposition, numbers, candidates. */
const SUBJECT = createDecision('su', '0 01 02 3 04 34 05 6 0127')

function subjectOf(reading: Reading, chunk: VerbChunk, next: Chunk | undefined): Group | undefined {
  const { groups, verb, judgement } = reading
  const inClause = groups.slice(reading.clauseStart)
  const candidates = new Set([...inClause.slice(-MAX_CANDIDATES).reverse(), ...inClause.slice(0, 1)])
  if (verb?.subject !== undefined) candidates.add(verb.subject)
  const known = [...candidates].filter(({ names }) => names.length > 0)
  if (known.length < 2) return known[0]
  const { lemma, tag } = chunk.verb
  const options = known.map((group, index) => [
    group === groups.at(-1) ? 'last' : group === inClause[0] ? 'first' : `${index}`,
    `${group === verb?.subject} ${reading.isCoordinated} ${reading.isRelative}`,
    `${chunk.form} ${chunk.isFinite} ${next?.kind}`,
    group.head,
    lemma,
    group.preposition,
    `${group.isPlural} ${tag}`,
    `${known.length}`,
  ])
  return known[judgement.choose(SUBJECT, options.join(' '), () => options)]
}

/** Parts: reading, verb, form, tag, what follows, noun, particle. */
const STATE = createDecision('st', '0 012 032 01 04 0423 05 06 016')

/** A verb without an object or a place: "sleeping" is an attribute, or says nothing. */
function addState(
  { judgement, graph }: Reading,
  { verb, form, particle }: VerbChunk,
  subject: Group | undefined,
  next: Chunk | undefined,
): void {
  if (subject === undefined || subject.names.length === 0) return
  const variants = judgement.variantsOf('attribute', verb.word)
  const readings = ['', verb.word, ...variants]
  if (particle !== undefined) readings.push(`${verb.word} ${particle}`)
  const following = next?.kind === 'verb' ? next.form : next?.kind
  const context = [verb.lemma, form, verb.tag, `${following}`, subject.head, particle ?? '']
  const state = chooseReading(judgement, STATE, readings, context)
  if (state !== '') for (const name of subject.names) graph.attribute(name, state)
}

function attachObject(reading: Reading, group: Group): void {
  const { verb, graph } = reading
  if (verb?.subject === undefined) return
  const { subject, chunk } = verb
  if (chunk.form === 'copula') {
    for (const from of subject.names) for (const to of group.names) if (from !== to) graph.attribute(from, to)
  } else relateBy(reading, '', true, subject, group)
}

type Label = readonly [relation: string, isReversed: boolean]

function relate({ graph }: Reading, subject: Group, object: Group, [relation, isReversed]: Label): void {
  const [from, to] = isReversed ? [object, subject] : [subject, object]
  const add = (first: Group, second: Group) => {
    for (const x of first.names) for (const y of second.names) graph.relation(x, relation, y)
  }
  add(from, to)
  object.governors.push(...subject.names)
  object.links.push((added) => (isReversed ? add(added, subject) : add(subject, added)))
}

/** Attaches a noun after a preposition to a noun or a verb before it. */
function attach(reading: Reading, { text, isAfterVerb }: Preposition, object: Group): void {
  const governor = governorOf(reading, text, isAfterVerb, object)
  if (governor !== undefined) relateBy(reading, text, isAfterVerb, governor, object)
}

/** Parts: place, verb, preposition, noun, noun after the preposition, preposition of the noun, candidates. */
const GOVERNOR = createDecision('at', '0 02 23 34 324 12 124 024 025 06')

function governorOf(
  { groups, verb, judgement }: Reading,
  text: string,
  isAfterVerb: boolean,
  object: Group,
): Group | undefined {
  if (isAfterVerb && verb?.subject !== undefined) return verb.subject
  const candidates = new Set(groups.slice(-MAX_CANDIDATES).reverse())
  if (verb?.subject !== undefined) candidates.add(verb.subject)
  const known = [...candidates].filter(({ names }) => names.length > 0)
  if (known.length < 2) return known[0]
  const options = known.map((group, index) => [
    `${group === groups.at(-1) ? 'last' : index} ${group === verb?.subject}`,
    group === verb?.subject ? verb.chunk.verb.lemma : '',
    text,
    group.head,
    object.head,
    group.preposition,
    `${known.length}`,
  ])
  return known[judgement.choose(GOVERNOR, options.join(' '), () => options)]
}

/** Parts: relation, preposition, verb, noun, noun after the preposition, place and form of the verb. */
const LABEL = createDecision('la', '01 02 021 015 013 014 034 0134')

/** Marks relations from the second noun to the first: "wheels of a car" is (car, have, wheel). */
const REVERSED = '<'

/** Relates two groups by a preposition, by a verb of the first one, or both. @param text the preposition, '' for none */
function relateBy(
  reading: Reading,
  text: string,
  isAfterVerb: boolean,
  governor: Group,
  object: Group,
): void {
  if (object.names.length === 0) return
  const { verb, judgement } = reading
  const ownVerb =
    verb !== undefined && verb.subject === governor && verb.chunk.form !== 'copula' ? verb.chunk : undefined
  const labels = labelsOf(judgement, text, isAfterVerb, ownVerb)
  const place = `${isAfterVerb} ${verb?.subject === governor} ${verb?.chunk.form}`
  const context = [text, ownVerb?.verb.lemma ?? '', governor.head, object.head, place]
  const label =
    labels[judgement.choose(LABEL, context.join(' '), () => labels.map((option) => [option, ...context]))]
  const relation = label.replace('V', ownVerb?.verb.lemma ?? '')
  if (relation.startsWith(REVERSED)) relate(reading, governor, object, [relation.slice(1), true])
  else if (relation !== '') relate(reading, governor, object, [relation, false])
}

/** The relations that a preposition, a verb, or both can express: "V" stands for the verb, '' is none. */
function labelsOf(
  { variantsOf }: Judgement,
  text: string,
  isAfterVerb: boolean,
  ownVerb: VerbChunk | undefined,
): readonly string[] {
  const labels = new Set<string>()
  const names = text === '' ? [] : [text, ...variantsOf('relation', text)]
  if (ownVerb !== undefined) {
    const { form, verb } = ownVerb
    for (const name of names) if (!name.startsWith(REVERSED)) labels.add(`V ${name}`)
    labels.add('V')
    if (isAfterVerb && form === 'passive') labels.add(`${REVERSED}V`)
    for (const name of variantsOf('relation', `${verb.lemma} ${text}`.trim())) labels.add(name)
  }
  for (const name of names) labels.add(name)
  return [...labels]
}

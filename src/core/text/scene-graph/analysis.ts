import type { Chunk, NounChunk, VerbChunk } from './chunks.js'
import type { Choose, Option, OptionFeature, Pattern } from './decisions.js'
import { createGraphBuilder, type GraphBuilder, type SceneGraph } from './graph-builder.js'
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
type Pending =
  | { readonly kind: 'none' }
  | { readonly kind: 'verb' }
  | { readonly kind: 'preposition'; readonly text: string; readonly isAfterVerb: boolean }

interface Reading {
  readonly choose: Choose
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

/** Nouns that often name no object, such as "photo" in "a dog in this photo". */
const SCENE_NOUNS: ReadonlySet<string> = new Set([
  ...['background', 'foreground', 'distance', 'middle', 'center', 'centre', 'front', 'back', 'side', 'top'],
  ...[
    'bottom',
    'left',
    'right',
    'photo',
    'photograph',
    'picture',
    'image',
    'view',
    'shot',
    'scene',
    'close-up',
  ],
  ...[
    'day',
    'daytime',
    'night',
    'nighttime',
    'way',
    'air',
    'line',
    'row',
    'area',
    'camera',
    'angle',
    'end',
    'edge',
  ],
])

const NOTHING: Pending = { kind: 'none' }

/** Groups before a preposition or a verb that it can belong to. */
const MAX_CANDIDATES = 3

/** Objects of a group; those after them are related to nothing. */
const MAX_COORDINATED = 16

/** Reads the chunks of a caption as a scene graph. */
export function analyse(chunks: readonly Chunk[], choose: Choose): SceneGraph {
  const reading: Reading = {
    choose,
    graph: createGraphBuilder(),
    groups: [],
    clauseStart: 0,
    verb: undefined,
    pending: NOTHING,
    isCoordinated: false,
    isRelative: false,
    relativeObject: undefined,
  }
  const read = withoutQuantities(chunks, choose)
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

/** "a group of people" is read as "people": the first noun says how many or how much there is of the second. */
function withoutQuantities(chunks: readonly Chunk[], choose: Choose): Chunk[] {
  const result: Chunk[] = []
  for (let i = 0; i < chunks.length; i++) {
    const [first, preposition, second] = chunks.slice(i, i + 3)
    const isOf =
      first.kind === 'noun' &&
      preposition?.kind === 'preposition' &&
      preposition.text === 'of' &&
      second?.kind === 'noun' &&
      second.nouns.length > 0
    if (isOf && (first.nouns.length === 0 || isQuantity(first, second, choose))) {
      const count = second.count ?? (first.nouns.length === 0 ? undefined : first.count)
      result.push({
        ...second,
        count,
        modifiers: [...(first.nouns.length === 0 ? first.modifiers : []), ...second.modifiers],
      })
      i += 2
    } else result.push(chunks[i])
  }
  return result
}

function isQuantity(first: NounChunk, second: NounChunk, choose: Choose): boolean {
  const [x, y] = [first.nouns.at(-1)!, second.nouns.at(-1)!]
  const tags = `${x.tag} ${y.tag} ${second.isDetermined}`
  const features = (reading: string): OptionFeature[] => [
    ['of', reading],
    ['of1', reading, x.lemma],
    ['of2', reading, y.lemma],
    ['of12', reading, x.lemma, y.lemma],
    ['oft', reading, tags],
  ]
  const options = () => [
    { features: features('quantity'), evidence: () => [] },
    { features: features('noun'), evidence: () => [[x.lemma], [`* ${x.lemma}`]] },
  ]
  return choose(`of ${x.lemma} ${y.lemma} ${tags}`, options) === 0
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
  return { ...named, names: [addNounPhrase(chunk, reading.choose, reading.graph)] }
}

/** Whether a noun phrase names no object of the graph. */
function isScenery({ choose, pending, groups }: Reading, chunk: NounChunk): boolean {
  const { lemma } = chunk.nouns.at(-1)!
  if (!SCENE_NOUNS.has(lemma)) return false
  const preposition = pending.kind === 'preposition' ? pending.text : pending.kind
  const isModified = chunk.nouns.length > 1 || chunk.modifiers.length > 0
  const features = (reading: string): OptionFeature[] => [
    ['sc', reading],
    ['scn', reading, lemma],
    ['scp', reading, preposition],
    ['scnp', reading, lemma, preposition],
    ['scg', reading, `${groups.length === 0}`, preposition],
    ['scm', reading, lemma, `${isModified}`],
  ]
  const options = () => [
    { features: features('object'), evidence: () => [[lemma], [`* ${lemma}`]] },
    { features: features('scenery'), evidence: () => [] },
  ]
  return choose(`scenery ${lemma} ${preposition} ${groups.length === 0} ${isModified}`, options) === 1
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

/** The group that a noun after "and" is coordinated with. */
function coordinated({ groups, choose }: Reading, chunk: NounChunk, group: Group): Group | undefined {
  if (group.names.length === 0) return undefined
  const candidates = groups
    .slice(-MAX_CANDIDATES)
    .filter(({ names }) => names.length < MAX_COORDINATED)
    .reverse()
  if (candidates.length === 0) return undefined
  const places = candidates.map(
    ({ head, preposition, isPlural }, rank) =>
      [`${rank} ${candidates.length}`, preposition, `${isPlural} ${group.isPlural}`, head] as const,
  )
  const options = () =>
    candidates.map((candidate, i): Option => {
      const [rank, preposition, isPlural, head] = places[i]
      return {
        features: [
          ['co', rank],
          ['cod', rank, `${chunk.isDetermined}`],
          ['cop', rank, preposition],
          ['coh', head, group.head],
          ['con', rank, isPlural],
        ],
        evidence: () => candidate.governors.flatMap((name) => group.names.map((other) => [name, '*', other])),
      }
    })
  return candidates[choose(`coordinated ${group.head} ${chunk.isDetermined} ${places.join(' ')}`, options)]
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

function subjectOf(reading: Reading, chunk: VerbChunk, next: Chunk | undefined): Group | undefined {
  const { groups, verb, choose } = reading
  const inClause = groups.slice(reading.clauseStart)
  const candidates = new Set([...inClause.slice(-MAX_CANDIDATES).reverse(), ...inClause.slice(0, 1)])
  if (verb?.subject !== undefined) candidates.add(verb.subject)
  const known = [...candidates].filter(({ names }) => names.length > 0)
  if (known.length < 2) return known[0]
  const { lemma, tag } = chunk.verb
  const context = `${chunk.form} ${chunk.isFinite} ${next?.kind}`
  const places = known.map((group, index) => {
    const rank = group === groups.at(-1) ? 'last' : group === inClause[0] ? 'first' : `${index}`
    return [rank, `${group === verb?.subject} ${reading.isCoordinated} ${reading.isRelative}`, group] as const
  })
  const options = () =>
    places.map(
      ([rank, role, { names, head, preposition, isPlural }]): Option => ({
        features: [
          ['su', rank],
          ['sup', rank, role],
          ['sus', rank, context],
          ['suh', head],
          ['suv', lemma, rank],
          ['suhv', head, lemma],
          ['suo', preposition, rank],
          ['sun', `${isPlural}`, tag],
          ['sul', `${known.length}`, rank, role, context],
        ],
        evidence: () => names.flatMap((name) => subjectEvidence(name, chunk)),
      }),
    )
  const words = places.map(([rank, role, { head, preposition, isPlural }]) =>
    [rank, role, head, preposition, isPlural].join(' '),
  )
  return known[choose(`subject ${lemma} ${tag} ${context} ${words.join(' ')}`, options)]
}

function subjectEvidence(name: string, { verb: { lemma, word }, form }: VerbChunk): Pattern[] {
  const evidence = [
    [name, `${lemma}*`, '*'],
    [name, word],
    [name, `${word} *`],
  ]
  return form === 'passive' ? [...evidence, ['*', lemma, name]] : evidence
}

/** A verb without an object or a place: "sleeping" is an attribute, or says nothing. */
function addState(
  { choose, graph }: Reading,
  { verb, form, particle }: VerbChunk,
  subject: Group | undefined,
  next: Chunk | undefined,
): void {
  if (subject === undefined || subject.names.length === 0) return
  const text = particle === undefined ? verb.word : `${verb.word} ${particle}`
  const following = next?.kind === 'verb' ? next.form : next?.kind
  const features = (reading: string): OptionFeature[] => [
    ['st', reading],
    ['stv', reading, verb.lemma, form],
    ['stf', reading, verb.tag, form],
    ['stl', reading, verb.lemma],
    ['stn', reading, `${following}`],
    ['sts', reading, `${following}`, form, verb.tag],
    ['sth', reading, subject.head],
  ]
  const evidence = () =>
    subject.names.flatMap((name) => [
      [name, text],
      [name, verb.word],
    ])
  const options = () => [
    { features: features('attribute'), evidence },
    { features: features('none'), evidence: () => [] },
  ]
  const situation = `state ${verb.lemma} ${verb.tag} ${form} ${following} ${subject.head}`
  if (choose(situation, options) === 0) for (const name of subject.names) graph.attribute(name, text)
}

function attachObject(reading: Reading, group: Group): void {
  const { verb, graph } = reading
  if (verb?.subject === undefined) return
  const { subject, chunk } = verb
  if (chunk.form === 'copula') {
    for (const from of subject.names) for (const to of group.names) if (from !== to) graph.attribute(from, to)
    return
  }
  relate(reading, subject, group, [chunk.verb.lemma, false])
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
function attach(reading: Reading, pending: Pending & { kind: 'preposition' }, object: Group): void {
  const governor = governorOf(reading, pending, object)
  if (governor === undefined) return
  const labels = labelsOf(reading, pending, governor)
  const { verb } = reading
  const verbContext = verb?.subject === governor ? `${verb.chunk.verb.lemma} true` : ' false'
  const context = `${pending.text} ${pending.isAfterVerb} ${verbContext} ${verb?.chunk.form}`
  const label = reading.choose(`label ${context} ${governor.head} ${object.head}`, () =>
    labels.map((label) => labelOption(reading, pending, governor, object, label)),
  )
  if (object.names.length > 0) relate(reading, governor, object, labels[label])
}

function governorOf(
  reading: Reading,
  pending: Pending & { kind: 'preposition' },
  object: Group,
): Group | undefined {
  const { groups, verb, choose } = reading
  if (pending.isAfterVerb && verb?.subject !== undefined) return verb.subject
  const candidates = new Set(groups.slice(-MAX_CANDIDATES).reverse())
  if (verb?.subject !== undefined) candidates.add(verb.subject)
  const known = [...candidates].filter(({ names }) => names.length > 0)
  if (known.length < 2) return known[0]
  const { text } = pending
  const lemma = verb?.chunk.verb.lemma ?? ''
  const places = known.map((group, index) => {
    const rank = group === groups.at(-1) ? 'last' : `${index}`
    return [`${rank} ${group === verb?.subject}`, group === verb?.subject ? lemma : '', group] as const
  })
  const options = () =>
    places.map(
      ([place, verb, { names, head, preposition }]): Option => ({
        features: [
          ['at', place],
          ['atp', place, text],
          ['ath', text, head],
          ['atho', head, object.head],
          ['athpo', head, text, object.head],
          ['atv', verb, text],
          ['atvo', verb, text, object.head],
          ['ato', place, text, object.head],
          ['atq', place, text, preposition],
          ['atl', place, `${known.length}`],
        ],
        evidence: () =>
          names.flatMap((name) =>
            object.names.flatMap((other) => [
              [name, '*', other],
              [other, '*', name],
            ]),
          ),
      }),
    )
  const words = places.map(([place, verb, { head, preposition }]) =>
    [place, verb, head, preposition].join(' '),
  )
  return known[choose(`governor ${text} ${object.head} ${words.join(' ')}`, options)]
}

/** Prepositions that are read as another one. */
const EQUAL_PREPOSITIONS: Readonly<Record<string, readonly string[]>> = {
  beneath: ['under'],
  below: ['under'],
  underneath: ['under'],
  upon: ['on'],
  onto: ['on'],
  atop: ['on top of', 'on'],
  'inside of': ['inside', 'in'],
  'outside of': ['outside'],
  'off of': ['off', 'on'],
  'near to': ['near', 'next to'],
  into: ['in'],
  within: ['in'],
  at: ['on', 'in', 'near'],
  by: ['next to', 'near', 'beside'],
  'in between': ['between'],
  'along with': ['with'],
  from: ['on'],
  to: ['on'],
  for: ['on'],
}

/** The relations that a preposition between two nouns can express. */
function labelsOf(
  reading: Reading,
  { text, isAfterVerb }: Pending & { kind: 'preposition' },
  governor: Group,
): Label[] {
  const { verb } = reading
  const names = [text, ...(Object.hasOwn(EQUAL_PREPOSITIONS, text) ? EQUAL_PREPOSITIONS[text] : [])]
  if (/^in .* of$/.test(text) && text !== 'in front of') names.push(text.replace(/^in/, 'on'))
  if (/^at .* of$/.test(text)) names.push(text.replace(/^at/, 'on'))
  const labels: Label[] = []
  if (verb !== undefined && verb.subject === governor && verb.chunk.form !== 'copula') {
    const { lemma } = verb.chunk.verb
    labels.push(...names.map((name): Label => [`${lemma} ${name}`, false]))
    if (isAfterVerb && verb.chunk.form === 'passive') labels.push([lemma, true])
    labels.push([lemma, false])
  }
  labels.push(...names.map((name): Label => [name, false]))
  if (text === 'of') labels.push(['have', true], ['have', false], ['in', true], ['on', true])
  if (text === 'with' || text === 'in' || text === 'on') labels.push(['have', false], ['wear', false])
  if (text === 'with') labels.push(['on', true])
  return labels
}

function labelOption(
  { verb }: Reading,
  { text, isAfterVerb }: Pending & { kind: 'preposition' },
  governor: Group,
  object: Group,
  [relation, isReversed]: Label,
): Option {
  const lemma = verb?.subject === governor ? verb.chunk.verb.lemma : ''
  const short = lemma !== '' && relation.startsWith(lemma) ? `V${relation.slice(lemma.length)}` : relation
  const label = `${short} ${isReversed}`
  return {
    features: [
      ['la', label, text],
      ['lav', label, lemma],
      ['lavp', label, lemma, text],
      ['las', label, text, `${isAfterVerb}`, `${lemma !== ''}`, `${verb?.chunk.form}`],
      ['lah', label, text, governor.head],
      ['lao', label, text, object.head],
      ['laho', label, governor.head, object.head],
    ],
    evidence: () =>
      governor.names.flatMap((name) =>
        object.names.map((other) => (isReversed ? [other, relation, name] : [name, relation, other])),
      ),
  }
}

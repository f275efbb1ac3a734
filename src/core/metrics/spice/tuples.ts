import { LRUCache } from 'lru-cache'
import type { SceneGraph } from '../../text/scene-graph/decisions.js'
import type { Corpus } from '../../text/sequences.js'
import { synsetsOfWord } from '../meteor/relations.js'
import type { SpiceResources } from '../resources.js'

/** Kinds of tuples. Colors, counts and sizes are attributes too. */
export type TupleKind = 'object' | 'attribute' | 'relation' | 'color' | 'count' | 'size'

/** A tuple of a scene graph: (object), (object, attribute) or (subject, relation, object), with its synonyms. */
export interface Tuple {
  /** Of its synonyms the first in alphabetical order. */
  readonly names: readonly string[]
  /** Per synonym, itself among them, the numbers of its names among {@link Names}. */
  readonly synonyms: readonly (readonly number[])[]
  /** The most special kind of a synonym. */
  readonly kind: TupleKind
}

/** Numbers of names, and which names are synonyms. */
export interface Names {
  idOf(name: string): number
  nameOf(id: number): string
  /** Whether the names are equal or share a synset. */
  isSame(one: number, other: number): boolean
}

/** @param synsetsOf the synsets of a name */
function createNames(synsetsOf: (name: string) => readonly number[]): Names {
  const ids = new Map<string, number>()
  const known: string[] = []
  const idsOfSynset = new Map<number, number[]>()
  const synonyms: Set<number>[] = []
  function add(name: string): number {
    const id = ids.size
    ids.set(name, id)
    known.push(name)
    const own = new Set<number>()
    for (const synset of new Set(synsetsOf(name))) {
      const members = idsOfSynset.get(synset) ?? []
      idsOfSynset.set(synset, members)
      for (const other of members) {
        own.add(other)
        synonyms[other].add(id)
      }
      members.push(id)
    }
    synonyms.push(own)
    return id
  }
  return {
    idOf: (name) => ids.get(name) ?? add(name),
    nameOf: (id) => known[id],
    isSame: (one, other) => one === other || synonyms[one].has(other),
  }
}

/** The tuples of a scene graph, as {@link mergeTuples} gives them. */
export function tuplesOf({ objects, attributes, relations }: SceneGraph, names: Names): Tuple[] {
  const tuple = (texts: readonly string[], kind: TupleKind): Tuple => ({
    names: texts,
    synonyms: [texts.map(names.idOf)],
    kind,
  })
  const tuples = [
    ...objects.map((name) => tuple([name], 'object')),
    ...attributes.map((texts) => tuple(texts, kindOfAttribute(texts[1]))),
    ...relations.map((texts) => tuple(texts, 'relation')),
  ]
  return mergeTuples([tuples], names)
}

// biome-ignore format: a table
const COLORS: ReadonlySet<string> = new Set([
  'amber', 'aqua', 'beige', 'black', 'blonde', 'blond', 'blue', 'bronze', 'brown', 'burgundy', 'copper',
  'cream', 'crimson', 'gold', 'golden', 'gray', 'green', 'grey', 'indigo', 'ivory', 'khaki', 'lavender',
  ...[
    'lilac',
    'magenta',
    'maroon',
    'mauve',
    'navy',
    'olive',
    'orange',
    'peach',
    'pink',
    'purple',
    'red',
    'rose',
  ],
  ...[
    'rust',
    'scarlet',
    'silver',
    'tan',
    'teal',
    'turquoise',
    'violet',
    'white',
    'yellow',
    'colored',
    'colorful',
  ],
  'multicolored', 'multi-colored', 'coloured', 'colourful', 'greenish', 'bluish', 'reddish', 'yellowish',
])

const SIZES: ReadonlySet<string> = new Set([
  ...[
    'big',
    'large',
    'huge',
    'giant',
    'gigantic',
    'enormous',
    'massive',
    'immense',
    'oversized',
    'great',
    'vast',
  ],
  ...[
    'small',
    'little',
    'tiny',
    'mini',
    'miniature',
    'minuscule',
    'medium',
    'medium-sized',
    'sized',
    'petite',
  ],
  ...[
    'tall',
    'short',
    'high',
    'low',
    'long',
    'wide',
    'broad',
    'narrow',
    'thick',
    'thin',
    'slim',
    'fat',
    'deep',
  ],
  ...[
    'bigger',
    'biggest',
    'larger',
    'largest',
    'smaller',
    'smallest',
    'taller',
    'tallest',
    'shorter',
    'longer',
  ],
])

/** The last word of an attribute decides: "dark blue" is a color. */
function kindOfAttribute(attribute: string): TupleKind {
  const last = attribute.slice(attribute.lastIndexOf(' ') + 1)
  if (COLORS.has(last)) return 'color'
  if (SIZES.has(last)) return 'size'
  return /^[0-9]+$/.test(attribute) ? 'count' : 'attribute'
}

/**
 * The tuples of several graphs. Those with the same names or synonyms are one, and so are those that a chain of
 * synonyms connects: the result does not depend on the order. Objects come first, relations last, each in alphabetical
 * order.
 */
export function mergeTuples(graphs: readonly (readonly Tuple[])[], names: Names): Tuple[] {
  let merged: Tuple[] = []
  for (const tuple of graphs.flat()) {
    const same = merged.filter((other) => matches(tuple, other, names))
    if (same.length === 1 && contains(same[0], tuple)) continue
    if (same.length > 0) merged = merged.filter((other) => !same.includes(other))
    merged.push(same.reduce(join, tuple))
  }
  return merged.sort((one, other) => compareNames(one.names, other.names))
}

/** Whether a tuple has all synonyms of another one. */
function contains({ synonyms }: Tuple, other: Tuple): boolean {
  return other.synonyms.every((ids) => synonyms.some((known) => areSame(known, ids, IDENTITY)))
}

function join(one: Tuple, other: Tuple): Tuple {
  const added = other.synonyms.filter((ids) => !one.synonyms.some((known) => areSame(known, ids, IDENTITY)))
  return {
    names: compareNames(one.names, other.names) <= 0 ? one.names : other.names,
    synonyms: [...one.synonyms, ...added],
    kind: SPECIALITY[one.kind] >= SPECIALITY[other.kind] ? one.kind : other.kind,
  }
}

/** The kind of synonyms is that with the highest number. */
// biome-ignore format: a table
const SPECIALITY: Readonly<Record<TupleKind, number>> = {
  object: 0, attribute: 0, relation: 0, size: 1, count: 2, color: 3,
}

function compareNames(one: readonly string[], other: readonly string[]): number {
  const [x, y] = [one.join('\t'), other.join('\t')]
  return one.length - other.length || (x < y ? -1 : x > y ? 1 : 0)
}

/**
 * Matches each candidate tuple with at most one reference tuple, so that as many as possible have one. Which candidate
 * tuples these are depends on their order, but not on that of the reference.
 *
 * @returns per candidate tuple the position of its reference tuple, −1 for none
 */
export function matchTuples(
  candidate: readonly Tuple[],
  reference: readonly Tuple[],
  names: Names,
): Int32Array {
  const found = new Int32Array(candidate.length).fill(-1)
  const takenBy = new Int32Array(reference.length).fill(-1)
  const matching = candidate.map((tuple) =>
    [...reference.keys()].filter((j) => matches(tuple, reference[j], names)),
  )
  /** Gives a candidate tuple a reference tuple; others get another one if that is needed. */
  function match(i: number, tried: Set<number>): boolean {
    for (const j of matching[i]) {
      if (tried.has(j)) continue
      tried.add(j)
      if (takenBy[j] >= 0 && !match(takenBy[j], tried)) continue
      takenBy[j] = i
      found[i] = j
      return true
    }
    return false
  }
  for (let i = 0; i < candidate.length; i++) match(i, new Set())
  return found
}

const IDENTITY: Pick<Names, 'isSame'> = { isSame: (one, other) => one === other }

/** Whether tuples have a synonym in common. */
function matches(one: Tuple, other: Tuple, names: Names): boolean {
  if (one.names.length !== other.names.length) return false
  return one.synonyms.some((x) => other.synonyms.some((y) => areSame(x, y, names)))
}

function areSame(one: readonly number[], other: readonly number[], names: Pick<Names, 'isSame'>): boolean {
  for (let i = 0; i < one.length; i++) if (!names.isSame(one[i], other[i])) return false
  return true
}

/** Maximum number of captions whose tuples are cached. */
const MAX_CACHED_CAPTIONS = 200_000

/** Returns the tuples of captions. Those of equal captions are computed once. */
export interface CaptionGraphs {
  readonly names: Names
  tuplesOf(words: readonly string[]): readonly Tuple[]
}

const graphsOfResources = new WeakMap<SpiceResources, CaptionGraphs>()

/** The tuples of captions; the same for all users of the resources. */
export function captionGraphs(resources: SpiceResources): CaptionGraphs {
  const graphs = graphsOfResources.get(resources) ?? createCaptionGraphs(resources)
  graphsOfResources.set(resources, graphs)
  return graphs
}

function createCaptionGraphs({ parse, wordNet }: SpiceResources): CaptionGraphs {
  const names = createNames((name) => synsetsOfWord(name, wordNet))
  const cached = new LRUCache<string, readonly Tuple[]>({ max: MAX_CACHED_CAPTIONS })
  return {
    names,
    tuplesOf(words) {
      const caption = words.join(' ')
      let tuples = cached.get(caption)
      if (tuples === undefined) {
        tuples = tuplesOf(parse(words), names)
        cached.set(caption, tuples)
      }
      return tuples
    },
  }
}

/** The tuples of the captions of a corpus, by position. Each caption is parsed when it is first used. */
export function createCorpusGraphs(
  graphs: CaptionGraphs,
  { tokens, offsets, texts }: Corpus,
): (caption: number) => readonly Tuple[] {
  const known: (readonly Tuple[] | undefined)[] = []
  return (caption) => {
    let tuples = known[caption]
    if (tuples === undefined) {
      const words = Array.from(
        tokens.subarray(offsets[caption], offsets[caption + 1]),
        (token) => texts[token],
      )
      tuples = graphs.tuplesOf(words)
      known[caption] = tuples
    }
    return tuples
  }
}

import type { SceneGraph } from '../../text/scene-graph/graph-builder.js'

/** Kinds of tuples. Colors, counts and sizes are attributes too. */
export type TupleKind = 'object' | 'attribute' | 'relation' | 'color' | 'count' | 'size'

/** A tuple of a scene graph: (object), (object, attribute) or (subject, relation, object). */
export interface Tuple {
  readonly names: readonly string[]
  /** Numbers of the names among {@link Names}. */
  readonly ids: readonly number[]
  /** The most special kind. */
  readonly kind: TupleKind
}

/** Numbers of names, and which names are synonyms. */
export interface Names {
  idOf(name: string): number
  /** Whether the names are equal or share a synset. */
  isSame(one: number, other: number): boolean
}

/** @param synsetsOf the synsets of a name */
export function createNames(synsetsOf: (name: string) => readonly number[]): Names {
  const ids = new Map<string, number>()
  const idsOfSynset = new Map<number, number[]>()
  const synonyms: Set<number>[] = []
  function add(name: string): number {
    const id = ids.size
    ids.set(name, id)
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
    isSame: (one, other) => one === other || synonyms[one].has(other),
  }
}

/** The tuples of a scene graph, without those whose names are synonyms of another's. */
export function tuplesOf({ objects, attributes, relations }: SceneGraph, names: Names): Tuple[] {
  const tuple = (texts: readonly string[], kind: TupleKind): Tuple => ({
    names: texts,
    ids: texts.map(names.idOf),
    kind,
  })
  const tuples = [
    ...objects.map((name) => tuple([name], 'object')),
    ...attributes.map((texts) => tuple(texts, kindOfAttribute(texts[1]))),
    ...relations.map((texts) => tuple(texts, 'relation')),
  ]
  return mergeTuples([tuples], names)
}

const COLORS: ReadonlySet<string> = new Set([
  ...['amber', 'aqua', 'beige', 'black', 'blonde', 'blond', 'blue', 'bronze', 'brown', 'burgundy', 'copper'],
  ...['cream', 'crimson', 'gold', 'golden', 'gray', 'green', 'grey', 'indigo', 'ivory', 'khaki', 'lavender'],
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
  ...['multicolored', 'multi-colored', 'coloured', 'colourful', 'greenish', 'bluish', 'reddish', 'yellowish'],
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

/** The tuples of several graphs, each followed by no other one whose names are the same or synonyms. */
export function mergeTuples(graphs: readonly (readonly Tuple[])[], names: Names): Tuple[] {
  const merged: Tuple[] = []
  for (const tuples of graphs) {
    for (const tuple of tuples) if (!merged.some((known) => matches(known, tuple, names))) merged.push(tuple)
  }
  return merged
}

/**
 * Matches each candidate tuple with at most one reference tuple, equal ones first, followed by synonyms.
 *
 * @returns per candidate tuple the position of its reference tuple, −1 for none
 */
export function matchTuples(
  candidate: readonly Tuple[],
  reference: readonly Tuple[],
  names: Names,
): Int32Array {
  const found = new Int32Array(candidate.length).fill(-1)
  const isTaken = new Uint8Array(reference.length)
  for (const compare of [IDENTITY, names]) {
    for (let i = 0; i < candidate.length; i++) {
      if (found[i] >= 0) continue
      const match = reference.findIndex(
        (other, j) => isTaken[j] === 0 && matches(candidate[i], other, compare),
      )
      if (match < 0) continue
      found[i] = match
      isTaken[match] = 1
    }
  }
  return found
}

const IDENTITY: Pick<Names, 'isSame'> = { isSame: (one, other) => one === other }

function matches({ ids }: Tuple, other: Tuple, names: Pick<Names, 'isSame'>): boolean {
  if (ids.length !== other.ids.length) return false
  for (let i = 0; i < ids.length; i++) if (!names.isSame(ids[i], other.ids[i])) return false
  return true
}

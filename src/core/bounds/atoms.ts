import type { Lemmatizer } from '../text/lemmatizer.js'
import type { PennTagger } from '../text/tagger.js'

/**
 * Atoms (Yao et al. 2016, Empirical Performance Upper Bounds for Image and Video Captioning, sections 3.1 and 6.2): the
 * lemmas of the words of a caption that name an entity, an action or an attribute.
 */
export type AtomKind = 'entity' | 'action' | 'attribute'

/** All kinds in display order. */
export const ATOM_KINDS: readonly AtomKind[] = ['entity', 'action', 'attribute']

/** Kinds of atoms that a bound is given: one kind, or all three. */
export type BoundKind = AtomKind | 'all'

/** All of them in display order. */
export const BOUND_KINDS: readonly BoundKind[] = ['all', ...ATOM_KINDS]

/** The kinds of a bound. */
export const kindsOf = (kind: BoundKind): readonly AtomKind[] => (kind === 'all' ? ATOM_KINDS : [kind])

/** An atom of a caption. */
export interface Atom {
  readonly kind: AtomKind
  readonly text: string
}

/** The kind of each Penn Treebank tag of an atom, section 6.2. */
const KIND_OF_TAG: ReadonlyMap<string, AtomKind> = new Map(
  Object.entries({
    entity: ['NN', 'NNS', 'NNP', 'NNPS', 'PRP'],
    action: ['VB', 'VBD', 'VBG', 'VBN', 'VBP', 'VBZ'],
    attribute: ['JJ', 'JJR', 'JJS'],
  }).flatMap(([kind, tags]) => tags.map((tag) => [tag, kind as AtomKind] as const)),
)

/** Verbs that are not atoms. The published lists and figure 1 leave out "be". */
const EXCLUDED_ACTIONS: ReadonlySet<string> = new Set(['be'])

/** Returns the atoms of a caption, one for each word that is one, in the order of its words. */
export type AtomExtractor = (caption: readonly string[]) => Atom[]

/** Creates an extractor of the atoms of tokenized captions. */
export function createAtomExtractor(tag: PennTagger, lemmaOf: Lemmatizer): AtomExtractor {
  return (caption) => {
    const tags = tag(caption)
    return caption.flatMap((word, position) => {
      const kind = KIND_OF_TAG.get(tags[position])
      if (kind === undefined) return []
      const text = lemmaOf(word, tags[position])
      return kind === 'action' && EXCLUDED_ACTIONS.has(text) ? [] : [{ kind, text }]
    })
  }
}

/** An atom of a list of captions. */
export interface CountedAtom extends Atom {
  /** How many words of the captions are this atom. */
  readonly count: number
  /** How many images have a caption with this atom. */
  readonly imageCount: number
  /** From 1, by descending count among the atoms of its kind; ties are in the order of their texts. */
  readonly rank: number
}

/** Counts the atoms of captions. */
interface AtomCounter {
  /** Adds a caption. Captions of one image follow one another. */
  add(image: number, atoms: readonly Atom[]): void
  /** The atoms by kind and rank. */
  list(): CountedAtom[]
}

interface Tally {
  count: number
  imageCount: number
  lastImage: number
}

export function createAtomCounter(): AtomCounter {
  const tallies = new Map(ATOM_KINDS.map((kind) => [kind, new Map<string, Tally>()]))
  return {
    add(image, atoms) {
      for (const { kind, text } of atoms) {
        const ofKind = tallies.get(kind)!
        let tally = ofKind.get(text)
        if (tally === undefined) {
          tally = { count: 0, imageCount: 0, lastImage: Number.NaN }
          ofKind.set(text, tally)
        }
        tally.count++
        if (tally.lastImage !== image) tally.imageCount++
        tally.lastImage = image
      }
    },
    list: () => ATOM_KINDS.flatMap((kind) => rank(kind, tallies.get(kind)!)),
  }
}

function rank(kind: AtomKind, tallies: ReadonlyMap<string, Tally>): CountedAtom[] {
  return Array.from(tallies)
    .sort(([text, { count }], [other, tally]) => tally.count - count || (text < other ? -1 : 1))
    .map(([text, { count, imageCount }], index) => ({ kind, text, count, imageCount, rank: index + 1 }))
}

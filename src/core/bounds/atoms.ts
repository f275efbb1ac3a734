import { ATOM_KINDS, type AtomKind, type BoundKind } from '../../shared/choices.js'
import { spearman } from '../stats/correlation.js'
import type { Lemmatizer } from '../text/lemmatizer.js'
import type { PennTagger } from '../text/tagger.js'

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

/** Numbers of the most frequent atoms that are compared. */
const OVERLAP_SIZE = 150
const CORRELATION_SIZE = 1000

/** An atom of a list and how often it occurs. */
export interface ListedAtom {
  readonly text: string
  readonly count: number
}

/** How similar two lists of atoms of one kind are. */
export interface AtomComparison {
  /** The number of compared atoms: 150, or all of the shorter list. */
  readonly size: number
  /** How many of the first `size` atoms are the same. */
  readonly sharedCount: number
  /** Of these, 0..1. */
  readonly overlap: number
  /** The first atoms of each list that are not among those of the other. */
  readonly onlyOurs: readonly string[]
  readonly onlyTheirs: readonly string[]
  /**
   * Spearman's ρ of the counts of the first 1,000 atoms of the other list, with 0 for those that do not occur here; null
   * where all counts are equal.
   */
  readonly rankCorrelation: number | null
}

/** Compares two lists, each by descending count; neither is empty. */
export function compareAtoms(ours: readonly ListedAtom[], theirs: readonly ListedAtom[]): AtomComparison {
  const size = Math.min(OVERLAP_SIZE, ours.length, theirs.length)
  const first = (atoms: readonly ListedAtom[]) => new Set(atoms.slice(0, size).map(({ text }) => text))
  const [ourFirst, theirFirst] = [first(ours), first(theirs)]
  const sharedCount = [...ourFirst].filter((text) => theirFirst.has(text)).length
  const countOf = new Map(ours.map(({ text, count }) => [text, count]))
  const compared = theirs.slice(0, CORRELATION_SIZE)
  return {
    size,
    sharedCount,
    overlap: sharedCount / size,
    onlyOurs: [...ourFirst].filter((text) => !theirFirst.has(text)),
    onlyTheirs: [...theirFirst].filter((text) => !ourFirst.has(text)),
    rankCorrelation: spearman(
      Float64Array.from(compared, ({ text }) => countOf.get(text) ?? 0),
      Float64Array.from(compared, ({ count }) => count),
    ),
  }
}

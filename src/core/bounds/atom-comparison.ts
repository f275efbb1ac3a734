import { spearman } from '../stats/rank-correlation.js'

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

import { ATOM_KINDS, type AtomKind, MIN_VOTERS } from '../../shared/choices.js'
import type { UndefinedReason } from '../../shared/undefined-reason.js'

/** A vote whether an atom is visual (Yao et al. 2016, section 6.4.2). */
export interface Vote {
  readonly kind: AtomKind
  readonly text: string
  readonly voter: string
  /** 1 or 0. */
  readonly isVisual: boolean
  /** 1 for a person; for a published decision the number of people whose majority it is. */
  readonly people: number
}

export interface VoteCount {
  readonly kind: AtomKind
  readonly text: string
  readonly visual: number
  readonly voters: number
  /** Whether most voters called it visual; null with fewer than three voters, or if half of them did. */
  readonly isVisual: boolean | null
}

/** Counts the votes on each atom. A published decision counts for all of its people. */
export function countVotes(votes: readonly Vote[]): VoteCount[] {
  const counts = new Map<string, { kind: AtomKind; text: string; visual: number; voters: number }>()
  for (const { kind, text, isVisual, people } of votes) {
    const key = `${kind} ${text}`
    const count = counts.get(key) ?? { kind, text, visual: 0, voters: 0 }
    if (isVisual) count.visual += people
    count.voters += people
    counts.set(key, count)
  }
  return Array.from(counts.values(), (count) => ({
    ...count,
    isVisual:
      count.voters < MIN_VOTERS || 2 * count.visual === count.voters ? null : 2 * count.visual > count.voters,
  }))
}

/** The atoms that most voters called visual. */
export function visualAtoms(votes: readonly Vote[]): Readonly<Record<AtomKind, ReadonlySet<string>>> {
  const counts = countVotes(votes)
  const ofKind = (kind: AtomKind) =>
    new Set(counts.filter((count) => count.kind === kind && count.isVisual).map(({ text }) => text))
  return { entity: ofKind('entity'), action: ofKind('action'), attribute: ofKind('attribute') }
}

export interface VoteSummary {
  readonly kind: AtomKind
  /** Number of atoms with a vote, with a decision, and of these the visual ones. */
  readonly atomCount: number
  readonly decidedCount: number
  readonly visualCount: number
  /** Of the decided atoms, 0..1; null if there are none. Table 2 of the paper. */
  readonly visualShare: number | null
  /** Fleiss' κ of the people who voted; null with a reason. */
  readonly kappa: number | null
  readonly undefinedReason: UndefinedReason | null
}

/** Votes on the atoms of each kind that has one. */
export function summarizeVotes(votes: readonly Vote[]): VoteSummary[] {
  return ATOM_KINDS.flatMap((kind) => {
    const ofKind = votes.filter((vote) => vote.kind === kind)
    if (ofKind.length === 0) return []
    const counts = countVotes(ofKind)
    const decided = counts.filter(({ isVisual }) => isVisual !== null)
    const visualCount = decided.filter(({ isVisual }) => isVisual).length
    return {
      kind,
      atomCount: counts.length,
      decidedCount: decided.length,
      visualCount,
      visualShare: decided.length === 0 ? null : visualCount / decided.length,
      ...fleissKappa(countVotes(ofKind.filter(({ people }) => people === 1))),
    }
  })
}

/**
 * Fleiss' κ (Fleiss 1971) of votes with two outcomes; atoms may have different numbers of votes (Gwet 2014, section 2.4),
 * but only those with two or more count.
 */
export function fleissKappa(counts: readonly Pick<VoteCount, 'visual' | 'voters'>[]): {
  readonly kappa: number | null
  readonly undefinedReason: UndefinedReason | null
} {
  const rated = counts.filter(({ voters }) => voters >= 2)
  if (rated.length === 0) return { kappa: null, undefinedReason: 'TOO_FEW_VOTERS' }
  const mean = (of: (count: (typeof rated)[number]) => number) =>
    rated.reduce((sum, count) => sum + of(count), 0) / rated.length
  const observed = mean(
    ({ visual, voters }) =>
      (visual * (visual - 1) + (voters - visual) * (voters - visual - 1)) / (voters * (voters - 1)),
  )
  const visualShare = mean(({ visual, voters }) => visual / voters)
  const expected = visualShare ** 2 + (1 - visualShare) ** 2
  if (expected === 1) return { kappa: null, undefinedReason: 'SAME_VOTES' }
  return { kappa: (observed - expected) / (1 - expected), undefinedReason: null }
}

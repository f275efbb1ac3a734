/**
 * METEOR 1.5's alignment of a candidate with a reference (Denkowski and Lavie 2014, section 2; the search as
 * the published program runs it). Every module proposes matches; a match that shares no word with another is
 * definite; among the rest a beam search decides.
 *
 * Three properties of the program decide between near ties, and scores depend on them: during the search a
 * match that is not exact covers half a word, and halves of a match are rounded down (a stem or synonym match
 * covers nothing, so it is chosen only where that costs no chunk); the distance of a chosen
 * match is charged to the paths that do not choose it; and for identical captions only exact matches count.
 */
import { createSearch, type Search, searchAlignment } from './alignment-search.js'
import {
  type AlignableCorpus,
  createProposals,
  firstMatch,
  longestCaption,
  type Matches,
  nextMatch,
  type Proposals,
  proposeForCandidate,
  proposeForReference,
} from './proposals.js'

export interface Aligner {
  readonly matches: Matches
  /** Chooses the caption that references are aligned with. */
  setCandidate(caption: number): void
  /**
   * Aligns the candidate with a reference: per word of the reference, the match that begins there, −1 for none. The array
   * and the matches are overwritten by the next call.
   */
  align(reference: number): Int32Array
}

/** Working memory for a pair of captions. */
interface Pair {
  readonly proposals: Proposals
  readonly search: Search
  /** Words of the candidate, and of the reference. */
  candidateLength: number
  length: number
  /** Number of proposed matches. */
  matchCount: number
  /** Number of proposed matches that cover each word. */
  readonly candidateCoverage: Int32Array
  readonly referenceCoverage: Int32Array
  /** Per reference position the chosen match, −1 for none. */
  readonly chosen: Int32Array
  /** Per reference position 1 where the search has to decide. */
  readonly open: Uint8Array
}

/** Creates an aligner for the captions of a corpus. Its working memory is reused between calls. */
export function createAligner(corpus: AlignableCorpus): Aligner {
  const { offsets } = corpus.captions
  const pair = createPair(corpus)
  return {
    matches: pair.proposals.matches,
    setCandidate(caption) {
      pair.candidateLength = offsets[caption + 1] - offsets[caption]
      proposeForCandidate(pair.proposals, caption)
    },
    align(reference) {
      pair.length = offsets[reference + 1] - offsets[reference]
      proposeForReference(pair.proposals, reference, isIdentical(pair, reference))
      countCoverage(pair)
      if (chooseDefinite(pair)) searchAlignment(pair.search, pair)
      return pair.chosen
    },
  }
}

function createPair(corpus: AlignableCorpus): Pair {
  const longest = longestCaption(corpus.captions)
  const proposals = createProposals(corpus)
  return {
    proposals,
    search: createSearch(proposals),
    candidateLength: 0,
    length: 0,
    matchCount: 0,
    candidateCoverage: new Int32Array(longest),
    referenceCoverage: new Int32Array(longest),
    chosen: new Int32Array(longest),
    open: new Uint8Array(longest),
  }
}

function isIdentical({ proposals, candidateLength, length }: Pair, reference: number): boolean {
  if (candidateLength !== length) return false
  const { tokens, offsets } = proposals.corpus.captions
  const [candidateStart, start] = [offsets[proposals.candidate], offsets[reference]]
  for (let i = 0; i < length; i++) if (tokens[candidateStart + i] !== tokens[start + i]) return false
  return true
}

/** Counts the proposed matches, and those that cover each word. */
function countCoverage(pair: Pair): void {
  const { proposals, candidateLength, length, candidateCoverage, referenceCoverage } = pair
  const { starts, lengths, referenceLengths } = proposals.matches
  candidateCoverage.fill(0, 0, candidateLength)
  referenceCoverage.fill(0, 0, length)
  let matchCount = 0
  for (let j = 0; j < length; j++) {
    for (let match = firstMatch(proposals, j); match >= 0; match = nextMatch(proposals, match, j)) {
      matchCount++
      const start = starts[match]
      for (let k = lengths[match] - 1; k >= 0; k--) candidateCoverage[start + k]++
      for (let k = referenceLengths[match] - 1; k >= 0; k--) referenceCoverage[j + k]++
    }
  }
  pair.matchCount = matchCount
}

/** Chooses the matches that share no word with another; returns whether anything is left to decide. */
function chooseDefinite(pair: Pair): boolean {
  const { proposals, length, chosen, open } = pair
  let isUndecided = false
  for (let j = 0; j < length; j++) {
    const match = firstMatch(proposals, j)
    const isDefinite = match >= 0 && nextMatch(proposals, match, j) < 0 && isAlone(pair, match, j)
    chosen[j] = isDefinite ? match : -1
    open[j] = match >= 0 && !isDefinite ? 1 : 0
    if (open[j] === 1) isUndecided = true
  }
  return isUndecided
}

function isAlone(
  { proposals, candidateCoverage, referenceCoverage }: Pair,
  match: number,
  j: number,
): boolean {
  const { starts, lengths, referenceLengths } = proposals.matches
  const start = starts[match]
  for (let k = lengths[match] - 1; k >= 0; k--) if (candidateCoverage[start + k] !== 1) return false
  for (let k = referenceLengths[match] - 1; k >= 0; k--) if (referenceCoverage[j + k] !== 1) return false
  return true
}

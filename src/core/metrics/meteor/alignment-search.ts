/**
 * The beam search for the best alignment, from left to right over the reference: it maximises the covered words, then
 * minimises the chunks, then the distance. Paths are kept where they differ; over positions at which nothing is to be
 * decided they move together.
 */
import {
  BEAM,
  closeChunks,
  createPaths,
  inheritWords,
  insertPath,
  type Paths,
  setCandidateLength,
  startPath,
  usesWords,
  waitForPhrases,
} from './alignment-paths.js'
import {
  type AlignableCorpus,
  createProposals,
  EXACT,
  firstMatch,
  longestCaption,
  type Matches,
  nextMatch,
  type Proposals,
  proposeForCandidate,
  proposeForReference,
} from './proposals.js'
import { doubleColumns } from './relations.js'

/**
 * Bounds for captions of thousands of words. METEOR's beam is used in full up to a million possible matches of
 * a pair; beyond, it narrows so that beam × matches stays below this number, and a beam that has come down
 * to one path considers only the first free matches of a word.
 */
const MAX_BEAM_STEPS = BEAM * 1_000_000
const MAX_SINGLE_PATH_OPTIONS = 1000

/** What a covered word takes off a path's cost: more than any number of chunks. */
const COVERED_WORD = 2 ** 24

/** The matches that paths may take at one position. */
type Options = {
  match: Int32Array
  /** Candidate positions at which the match begins and after which it ends. */
  start: Int32Array
  end: Int32Array
  /** Reference position after the match. */
  reached: Int32Array
  /** What the match takes off a path's cost. */
  gain: Float64Array
}

/** The choices that paths made, as a tree: the match, its reference position, and the choice before it (−1 for none). */
type Choices = { match: Int32Array; position: Int32Array; before: Int32Array }

/** Working memory of searches. */
interface Search {
  readonly proposals: Proposals
  paths: Paths
  nextPaths: Paths
  readonly options: Options
  optionCount: number
  readonly choices: Choices
  choiceCount: number
  /** Maximum number of paths. */
  beam: number
  /** Where all paths stand alike, after a position at which nothing was to decide: their `end` and `reached`. */
  isUniform: boolean
  uniformEnd: number
  uniformReached: number
}

function createSearch(proposals: Proposals): Search {
  return {
    proposals,
    paths: createPaths(),
    nextPaths: createPaths(),
    options: {
      match: new Int32Array(64),
      start: new Int32Array(64),
      end: new Int32Array(64),
      reached: new Int32Array(64),
      gain: new Float64Array(64),
    },
    optionCount: 0,
    choices: { match: new Int32Array(256), position: new Int32Array(256), before: new Int32Array(256) },
    choiceCount: 0,
    beam: BEAM,
    isUniform: true,
    uniformEnd: -1,
    uniformReached: 0,
  }
}

/** What is to be decided for a pair of captions. */
interface OpenAlignment {
  /** Words of the reference, and of the candidate. */
  readonly length: number
  readonly candidateLength: number
  /** Number of proposed matches. */
  readonly matchCount: number
  /** Per reference position 1 where the search has to decide. */
  readonly open: Uint8Array
  /** Per reference position the definite match, −1 for none. The search adds those of the best path. */
  readonly chosen: Int32Array
}

/** Decides the open reference positions. */
function searchAlignment(search: Search, pair: OpenAlignment): void {
  const { length, open, chosen } = pair
  begin(search, pair)
  for (let j = 0; j < length; j++) {
    if (open[j] === 1) branch(search, j)
    else advance(search, j, chosen[j])
  }
  if (!search.isUniform) closeChunks(search.paths, -1)
  const { paths, choices } = search
  for (let choice = paths.choice[paths.order[0]]; choice >= 0; choice = choices.before[choice])
    chosen[choices.position[choice]] = choices.match[choice]
}

function begin(search: Search, { candidateLength, matchCount }: OpenAlignment): void {
  search.beam = Math.min(BEAM, Math.max(1, Math.floor(MAX_BEAM_STEPS / matchCount)))
  search.choiceCount = 0
  search.isUniform = true
  search.uniformEnd = -1
  search.uniformReached = 0
  setCandidateLength(search.paths, candidateLength)
  setCandidateLength(search.nextPaths, candidateLength)
  startPath(search.paths)
}

/** Moves all paths over a position where there is nothing to decide: a definite match, or none (−1). */
function advance(search: Search, j: number, match: number): void {
  const { proposals, paths, isUniform } = search
  if (isUniform ? search.uniformReached > j : waitForPhrases(paths, j)) return
  const { starts, lengths, referenceLengths } = proposals.matches
  const start = match < 0 ? -1 : starts[match]
  if (!isUniform) closeChunks(paths, start)
  search.isUniform = true
  search.uniformEnd = match < 0 ? -1 : start + lengths[match]
  search.uniformReached = match < 0 ? j + 1 : j + referenceLengths[match]
}

/** Continues every path with each match proposed at `j` whose words are free, and without a match. */
function branch(search: Search, j: number): void {
  const { paths, nextPaths, beam } = search
  const { count, order, cost, distance, end, reached } = paths
  if (search.isUniform) {
    end.fill(search.uniformEnd, 0, count)
    reached.fill(search.uniformReached, 0, count)
    search.isUniform = false
  }
  listOptions(search, j)
  nextPaths.count = 0
  for (let rank = 0; rank < count; rank++) {
    const path = order[rank]
    if (reached[path] > j)
      insertPath(nextPaths, beam, path, -1, cost[path], distance[path], end[path], reached[path])
    else branchPath(search, path, j)
  }
  for (let path = 0; path < nextPaths.count; path++) inherit(search, path, j)
  search.paths = nextPaths
  search.nextPaths = paths
}

/** Copies the matches proposed at `j` to the options, from which every path takes them. */
function listOptions(search: Search, j: number): void {
  const { proposals, paths, options, beam } = search
  const { starts, lengths, referenceLengths, modules } = proposals.matches
  search.optionCount = 0
  for (let match = firstMatch(proposals, j); match >= 0; match = nextMatch(proposals, match, j)) {
    const start = starts[match]
    const length = lengths[match]
    if (beam === 1 && usesWords(paths, paths.order[0], start, start + length)) continue
    if (beam === 1 && search.optionCount === MAX_SINGLE_PATH_OPTIONS) break
    const option = search.optionCount++
    if (option === options.match.length) doubleColumns(options)
    const referenceLength = referenceLengths[match]
    const isExact = modules[match] === EXACT
    const covered = isExact ? length + referenceLength : (length >>> 1) + (referenceLength >>> 1)
    options.match[option] = match
    options.start[option] = start
    options.end[option] = start + length
    options.reached[option] = j + referenceLength
    options.gain[option] = covered * COVERED_WORD
  }
}

/** The distance of a match is charged to the paths that do not choose it. */
function branchPath({ paths, nextPaths, options, optionCount, beam }: Search, path: number, j: number): void {
  const { match, start, end, reached, gain } = options
  const lastEnd = paths.end[path]
  const cost = paths.cost[path]
  const broken = lastEnd < 0 ? cost : cost + 1
  let distance = paths.distance[path]
  for (let option = 0; option < optionCount; option++) {
    const from = start[option]
    if (usesWords(paths, path, from, end[option])) continue
    const next = (from === lastEnd ? cost : broken) - gain[option]
    insertPath(nextPaths, beam, path, match[option], next, distance, end[option], reached[option])
    distance += Math.abs(j - from)
  }
  insertPath(nextPaths, beam, path, -1, broken, distance, -1, j + 1)
}

/** Gives a path that stayed in the beam its used words and its last choice. */
function inherit(search: Search, path: number, j: number): void {
  const { proposals, paths, nextPaths } = search
  const match = nextPaths.added[path]
  const before = paths.choice[nextPaths.parent[path]]
  const start = match < 0 ? 0 : proposals.matches.starts[match]
  const end = match < 0 ? 0 : start + proposals.matches.lengths[match]
  inheritWords(nextPaths, paths, path, start, end)
  nextPaths.choice[path] = match < 0 ? before : addChoice(search, match, j, before)
}

function addChoice(search: Search, match: number, position: number, before: number): number {
  const { choices } = search
  const choice = search.choiceCount++
  if (choice === choices.match.length) doubleColumns(choices)
  choices.match[choice] = match
  choices.position[choice] = position
  choices.before[choice] = before
  return choice
}

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

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
import { doubleColumns } from './columns.js'
import { EXACT, firstMatch, nextMatch, type Proposals } from './proposals.js'

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
export interface Search {
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

export function createSearch(proposals: Proposals): Search {
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
export function searchAlignment(search: Search, pair: OpenAlignment): void {
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

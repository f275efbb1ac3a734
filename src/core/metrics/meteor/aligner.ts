/**
 * METEOR 1.5's alignment of a candidate with a reference (Denkowski and Lavie 2014, section 2; the search as
 * the published program runs it). Every module proposes matches; a match that shares no word with another is
 * definite; among the rest a beam search from left to right over the reference maximises the
 * covered words, then minimises the chunks, then the distance.
 *
 * Three properties of the program decide between near ties, and scores depend on them: during the search a
 * match that is not exact covers half a word, and halves of a match are rounded down (a stem or synonym match
 * covers nothing, so it is chosen only where that costs no chunk); the distance of a chosen
 * match is charged to the paths that do not choose it; and for identical captions only exact matches count.
 */
import type { Corpus } from '../../text/sequences.js'
import type { Phrases } from './paraphrases.js'
import type { WordLists } from './relations.js'

/** METEOR's modules, in the order in which they propose matches. */
export const MODULES = ['exact', 'stem', 'synonym', 'paraphrase'] as const
const EXACT = 0
const STEM = 1
const SYNONYM = 2
const PARAPHRASE = 3

/** Maximum number of paths per position of the search. */
export const BEAM = 40

/**
 * Bounds for captions of thousands of words. METEOR's beam is used in full up to a million possible matches of
 * a pair; beyond, it narrows so that beam × matches stays below this number, and a beam that has come down
 * to one path considers only the first free matches of a word.
 */
const MAX_BEAM_STEPS = BEAM * 1_000_000
const MAX_SINGLE_PATH_OPTIONS = 1000
/** Maximum number of paraphrase matches per pair of captions; further ones are left out. */
const MAX_PHRASE_MATCHES = 1_000_000

/** What the aligner needs of a corpus: its captions in METEOR's words and how they relate. */
export interface AlignableCorpus {
  readonly captions: Corpus
  readonly sameStem: WordLists
  readonly sameSynset: WordLists
  readonly phrases?: Phrases
}

/**
 * The matches of the best alignment, by position in the reference. Match `m < count` aligns
 * `candidateLengths[m]` words from `candidateStarts[m]` on with `referenceLengths[m]` words from
 * `referenceStarts[m]` on, and was proposed by `modules[m]`. The arrays are overwritten by the next call.
 */
export interface Alignment {
  count: number
  candidateStarts: Int32Array
  candidateLengths: Int32Array
  referenceStarts: Int32Array
  referenceLengths: Int32Array
  modules: Uint8Array
}

export interface Aligner {
  /** Chooses the caption that references are aligned with. */
  setCandidate(caption: number): void
  /** Aligns the candidate with a reference. */
  align(reference: number): Alignment
}

/** Creates an aligner for the captions of a corpus. Its working memory is reused between calls. */
export function createAligner(corpus: AlignableCorpus): Aligner {
  const { captions } = corpus
  const { tokens, offsets } = captions
  const proposals = createProposals(corpus)
  const search = createSearch(proposals)
  const longest = longestCaption(offsets)
  const candidateCoverage = new Int32Array(longest)
  const referenceCoverage = new Int32Array(longest)
  const alignment: Alignment = {
    count: 0,
    candidateStarts: new Int32Array(longest),
    candidateLengths: new Int32Array(longest),
    referenceStarts: new Int32Array(longest),
    referenceLengths: new Int32Array(longest),
    modules: new Uint8Array(longest),
  }
  /** Per reference position the chosen match, −1 for none. */
  const chosen = new Int32Array(longest)
  /** Per reference position 1 where the search has to decide. */
  const open = new Uint8Array(longest)
  let candidateStart = 0
  let candidateEnd = 0

  return {
    setCandidate(caption) {
      candidateStart = offsets[caption]
      candidateEnd = offsets[caption + 1]
      proposals.setCandidate(caption)
    },

    align(reference) {
      const start = offsets[reference]
      const length = offsets[reference + 1] - start
      const candidateLength = candidateEnd - candidateStart
      proposals.setReference(reference, isIdentical(start, length))
      const matches = countCoverage(length, candidateLength)
      if (chooseDefinite(length)) search.resolve(length, candidateLength, matches, chosen, open)
      collect(length)
      return alignment
    },
  }

  function isIdentical(start: number, length: number): boolean {
    if (candidateEnd - candidateStart !== length) return false
    for (let i = 0; i < length; i++) if (tokens[candidateStart + i] !== tokens[start + i]) return false
    return true
  }

  /** Counts how many possible matches cover each word; returns the number of possible matches. */
  function countCoverage(length: number, candidateLength: number): number {
    candidateCoverage.fill(0, 0, candidateLength)
    referenceCoverage.fill(0, 0, length)
    let matches = 0
    for (let j = 0; j < length; j++) {
      for (let match = proposals.first(j); match >= 0; match = proposals.next(match, j)) {
        matches++
        const start = proposals.start(match)
        for (let k = proposals.length(match) - 1; k >= 0; k--) candidateCoverage[start + k]++
        for (let k = proposals.referenceLength(match) - 1; k >= 0; k--) referenceCoverage[j + k]++
      }
    }
    return matches
  }

  /** Chooses the matches that share no word with another; returns whether anything is left to decide. */
  function chooseDefinite(length: number): boolean {
    let undecided = false
    for (let j = 0; j < length; j++) {
      const match = proposals.first(j)
      const definite = match >= 0 && proposals.next(match, j) < 0 && isAlone(match, j)
      chosen[j] = definite ? match : -1
      open[j] = match >= 0 && !definite ? 1 : 0
      if (open[j] === 1) undecided = true
    }
    return undecided
  }

  function isAlone(match: number, j: number): boolean {
    const start = proposals.start(match)
    for (let k = proposals.length(match) - 1; k >= 0; k--)
      if (candidateCoverage[start + k] !== 1) return false
    for (let k = proposals.referenceLength(match) - 1; k >= 0; k--) {
      if (referenceCoverage[j + k] !== 1) return false
    }
    return true
  }

  function collect(length: number): void {
    let count = 0
    for (let j = 0; j < length; j++) {
      const match = chosen[j]
      if (match < 0) continue
      alignment.candidateStarts[count] = proposals.start(match)
      alignment.candidateLengths[count] = proposals.length(match)
      alignment.referenceStarts[count] = j
      alignment.referenceLengths[count] = proposals.referenceLength(match)
      alignment.modules[count++] = proposals.module(match)
    }
    alignment.count = count
  }
}

/**
 * The matches that the modules propose, as linked lists: one per reference position, in module order. Matches
 * of single words depend on the reference's word alone, so they are listed once per candidate.
 */
interface Proposals {
  setCandidate(caption: number): void
  setReference(caption: number, identical: boolean): void
  /** The first proposed match at a reference position, −1 if none. */
  first(j: number): number
  /** The match proposed after `match` at reference position `j`, −1 if none. */
  next(match: number, j: number): number
  /** First word of the match in the candidate. */
  start(match: number): number
  /** Words of the match in the candidate. */
  length(match: number): number
  referenceLength(match: number): number
  module(match: number): number
}

function createProposals({ captions, sameStem, sameSynset, phrases }: AlignableCorpus): Proposals {
  const { tokens, offsets, texts } = captions
  /** Per word of the corpus, the ends of its list, valid where `stamps` carries the candidate's number. */
  const heads = new Int32Array(texts.length)
  const tails = new Int32Array(texts.length)
  const stamps = new Int32Array(texts.length)
  let stamp = 0
  let starts = new Int32Array(256)
  let following = new Int32Array(256)
  let modules = new Uint8Array(256)
  let lengths = new Int32Array(256)
  let referenceLengths = new Int32Array(256)
  let size = 0
  let wordMatches = 0
  let referenceStart = 0
  let exactOnly = false
  let candidate = 0
  const longest = phrases === undefined ? 0 : longestCaption(offsets)
  const phraseHeads = new Int32Array(longest)
  const phraseTails = new Int32Array(longest)

  return {
    setCandidate(caption) {
      candidate = caption
      stamp++
      size = 0
      for (let i = offsets[caption]; i < offsets[caption + 1]; i++)
        append(tokens[i], i - offsets[caption], EXACT)
      proposeRelated(caption, sameStem, STEM)
      proposeRelated(caption, sameSynset, SYNONYM)
      wordMatches = size
    },

    setReference(caption, identical) {
      referenceStart = offsets[caption]
      exactOnly = identical
      size = wordMatches
      if (phrases === undefined) return
      phraseHeads.fill(-1, 0, offsets[caption + 1] - referenceStart)
      if (!identical) proposePhrases(phrases, caption)
    },

    first(j) {
      const word = tokens[referenceStart + j]
      if (stamps[word] !== stamp) return phrases === undefined ? -1 : phraseHeads[j]
      const match = heads[word]
      return exactOnly && modules[match] !== EXACT ? -1 : match
    },

    next(match, j) {
      const later = following[match]
      if (later < 0) return phrases === undefined || match >= wordMatches ? -1 : phraseHeads[j]
      return exactOnly && modules[later] !== EXACT ? -1 : later
    },

    start: (match) => starts[match],
    length: (match) => lengths[match],
    referenceLength: (match) => referenceLengths[match],
    module: (match) => modules[match],
  }

  function proposeRelated(caption: number, related: WordLists, module: number): void {
    for (let i = offsets[caption]; i < offsets[caption + 1]; i++) {
      const word = tokens[i]
      for (let r = related.offsets[word]; r < related.offsets[word + 1]; r++) {
        append(related.items[r], i - offsets[caption], module)
      }
    }
  }

  function append(word: number, start: number, module: number): void {
    const match = add(start, 1, 1, module)
    if (stamps[word] !== stamp) {
      stamps[word] = stamp
      heads[word] = match
    } else following[tails[word]] = match
    tails[word] = match
  }

  function proposePhrases(
    { offsets: found, positions, phrases: ids, paraphrases }: Phrases,
    reference: number,
  ) {
    for (let at = found[reference]; at < found[reference + 1]; at++) {
      const phrase = ids[at]
      for (let p = paraphrases.offsets[phrase]; p < paraphrases.offsets[phrase + 1]; p++) {
        for (let other = found[candidate]; other < found[candidate + 1]; other++) {
          if (ids[other] === paraphrases.items[p])
            appendPhrase(positions[at], phrase, positions[other], ids[other])
        }
      }
    }
    for (let at = found[candidate]; at < found[candidate + 1]; at++) {
      const phrase = ids[at]
      for (let p = paraphrases.offsets[phrase]; p < paraphrases.offsets[phrase + 1]; p++) {
        for (let other = found[reference]; other < found[reference + 1]; other++) {
          if (ids[other] === paraphrases.items[p])
            appendPhrase(positions[other], ids[other], positions[at], phrase)
        }
      }
    }
  }

  function appendPhrase(j: number, referencePhrase: number, start: number, phrase: number): void {
    if (size - wordMatches >= MAX_PHRASE_MATCHES) return
    const match = add(start, phrases!.lengths[phrase], phrases!.lengths[referencePhrase], PARAPHRASE)
    if (phraseHeads[j] < 0) phraseHeads[j] = match
    else following[phraseTails[j]] = match
    phraseTails[j] = match
  }

  function add(start: number, length: number, referenceLength: number, module: number): number {
    if (size === starts.length) grow()
    starts[size] = start
    lengths[size] = length
    referenceLengths[size] = referenceLength
    modules[size] = module
    following[size] = -1
    return size++
  }

  function grow(): void {
    starts = enlarged(starts)
    following = enlarged(following)
    lengths = enlarged(lengths)
    referenceLengths = enlarged(referenceLengths)
    const larger = new Uint8Array(2 * modules.length)
    larger.set(modules)
    modules = larger
  }
}

/** What a covered word takes off a path's cost: more than any number of chunks. */
const COVERED_WORD = 2 ** 24

/**
 * The paths of one position of the search; path `p` has row `p` of each array. What all paths gain alike (by
 * definite matches) is left out: it does not decide between them.
 */
interface Paths {
  /** Rows, best path first. */
  readonly order: Int32Array
  /** Chunks − {@link COVERED_WORD} · words covered on both sides, as the search counts them. */
  readonly cost: Float64Array
  readonly distance: Float64Array
  /** Candidate position after the last match, −1 where the last reference word is not matched. */
  readonly end: Int32Array
  /** Reference position that the path has reached. */
  readonly reached: Int32Array
  /** Last node of the path in the tree of choices, −1 for none. */
  readonly node: Int32Array
  /** Row of the path that this one continues, and the match that it adds (−1 for none). */
  readonly parent: Int32Array
  readonly added: Int32Array
  /** Per path, a bit for each candidate word that is used. */
  used: Int32Array
  count: number
}

function createSearch(proposals: Proposals) {
  let paths = createPaths()
  let nextPaths = createPaths()
  let options = createOptions(64)
  /** The choices that paths made: the match, its reference position, and the choice before it. */
  let nodeMatches = new Int32Array(256)
  let nodePositions = new Int32Array(256)
  let nodeParents = new Int32Array(256)
  let nodes = 0
  let beam = BEAM
  let stride = 1
  /** Where all paths stand alike, after a position at which nothing was to decide: `end` and `reached` of all. */
  let isUniform = true
  let uniformEnd = -1
  let uniformReached = 0

  return {
    /**
     * Decides the open reference positions. `chosen` comes with the definite matches and leaves with the best
     * path's; `matches` is the number of matches proposed.
     */
    resolve(
      length: number,
      candidateLength: number,
      matches: number,
      chosen: Int32Array,
      open: Uint8Array,
    ): void {
      beam = Math.min(BEAM, Math.max(1, Math.floor(MAX_BEAM_STEPS / matches)))
      stride = (candidateLength + 31) >>> 5
      begin()
      for (let j = 0; j < length; j++) {
        if (open[j] === 1) branch(j)
        else advance(j, chosen[j])
      }
      if (!isUniform) leave(-1)
      for (let node = paths.node[paths.order[0]]; node >= 0; node = nodeParents[node]) {
        chosen[nodePositions[node]] = nodeMatches[node]
      }
    },
  }

  function begin(): void {
    if (paths.used.length < BEAM * stride) {
      paths.used = new Int32Array(BEAM * stride)
      nextPaths.used = new Int32Array(BEAM * stride)
    }
    nodes = 0
    isUniform = true
    uniformEnd = -1
    uniformReached = 0
    paths.count = 1
    paths.order[0] = 0
    paths.cost[0] = 0
    paths.distance[0] = 0
    paths.node[0] = -1
    paths.used.fill(0, 0, stride)
  }

  /** Moves all paths over a position where there is nothing to decide: a definite match, or none (−1). */
  function advance(j: number, match: number): void {
    if (isUniform ? uniformReached > j : waits(j)) return
    const start = match < 0 ? -1 : proposals.start(match)
    if (!isUniform) leave(start)
    isUniform = true
    uniformEnd = match < 0 ? -1 : start + proposals.length(match)
    uniformReached = match < 0 ? j + 1 : j + proposals.referenceLength(match)
  }

  /**
   * Whether some path is in the middle of a phrase at `j`. If so, no match starts there, and the other paths
   * move on without one.
   */
  function waits(j: number): boolean {
    const { count, cost, end, reached } = paths
    let waiting = 0
    for (let path = 0; path < count; path++) if (reached[path] > j) waiting++
    if (waiting === 0) return false
    for (let path = 0; path < count; path++) {
      if (reached[path] > j) continue
      if (end[path] >= 0) cost[path]++
      end[path] = -1
      reached[path] = j + 1
    }
    sort(paths)
    return true
  }

  /** Closes the chunk of every path that does not go on at candidate position `start` (−1: of every path). */
  function leave(start: number): void {
    const { count, cost, end } = paths
    for (let path = 0; path < count; path++) if (end[path] >= 0 && end[path] !== start) cost[path]++
    sort(paths)
  }

  /** Continues every path with each match proposed at `j` whose words are free, and without a match. */
  function branch(j: number): void {
    const { count, order, cost, distance, end, reached } = paths
    if (isUniform) {
      end.fill(uniformEnd, 0, count)
      reached.fill(uniformReached, 0, count)
      isUniform = false
    }
    listOptions(j)
    nextPaths.count = 0
    for (let rank = 0; rank < count; rank++) {
      const path = order[rank]
      if (reached[path] > j) insert(path, -1, cost[path], distance[path], end[path], reached[path])
      else branchPath(path, j)
    }
    inherit(j)
    const previous = paths
    paths = nextPaths
    nextPaths = previous
  }

  /** Copies the matches proposed at `j` to the options, whence every path takes them. */
  function listOptions(j: number): void {
    options.count = 0
    for (let match = proposals.first(j); match >= 0; match = proposals.next(match, j)) {
      const start = proposals.start(match)
      const length = proposals.length(match)
      if (beam === 1 && isUsed(paths.order[0], start, start + length)) continue
      if (beam === 1 && options.count === MAX_SINGLE_PATH_OPTIONS) break
      if (options.count === options.match.length) options = enlargeOptions(options)
      const option = options.count++
      const referenceLength = proposals.referenceLength(match)
      const isExact = proposals.module(match) === EXACT
      const covered = isExact ? length + referenceLength : (length >>> 1) + (referenceLength >>> 1)
      options.match[option] = match
      options.start[option] = start
      options.end[option] = start + length
      options.reached[option] = j + referenceLength
      options.gain[option] = covered * COVERED_WORD
    }
  }

  function branchPath(path: number, j: number): void {
    const { match, start, end, reached, gain, count } = options
    const lastEnd = paths.end[path]
    const cost = paths.cost[path]
    const broken = lastEnd < 0 ? cost : cost + 1
    let distance = paths.distance[path]
    for (let option = 0; option < count; option++) {
      const from = start[option]
      if (isUsed(path, from, end[option])) continue
      const next = (from === lastEnd ? cost : broken) - gain[option]
      insert(path, match[option], next, distance, end[option], reached[option])
      distance += Math.abs(j - from)
    }
    insert(path, -1, broken, distance, -1, j + 1)
  }

  /** Puts a path among the next ones, after those at least as good; beyond the beam the worst is dropped. */
  function insert(
    parent: number,
    added: number,
    cost: number,
    distance: number,
    end: number,
    reached: number,
  ): void {
    const next = nextPaths
    const { order } = next
    let rank = next.count
    let row = rank
    if (rank === beam) {
      row = order[--rank]
      if (!precedes(cost, distance, next, row)) return
    } else next.count++
    for (; rank > 0 && precedes(cost, distance, next, order[rank - 1]); rank--) order[rank] = order[rank - 1]
    order[rank] = row
    next.parent[row] = parent
    next.added[row] = added
    next.cost[row] = cost
    next.distance[row] = distance
    next.end[row] = end
    next.reached[row] = reached
  }

  /** Gives the paths that stayed in the beam their used words and their node in the tree of choices. */
  function inherit(j: number): void {
    const { parent, added, node, used, count } = nextPaths
    for (let path = 0; path < count; path++) {
      for (let word = 0; word < stride; word++) {
        used[path * stride + word] = paths.used[parent[path] * stride + word]
      }
      const match = added[path]
      node[path] = paths.node[parent[path]]
      if (match < 0) continue
      const start = proposals.start(match)
      for (let i = start + proposals.length(match) - 1; i >= start; i--) {
        used[path * stride + (i >>> 5)] |= 1 << (i & 31)
      }
      node[path] = addNode(match, j, node[path])
    }
  }

  function isUsed(path: number, start: number, end: number): boolean {
    const { used } = paths
    for (let i = start; i < end; i++) {
      if ((used[path * stride + (i >>> 5)] & (1 << (i & 31))) !== 0) return true
    }
    return false
  }

  function addNode(match: number, position: number, parent: number): number {
    if (nodes === nodeMatches.length) {
      nodeMatches = enlarged(nodeMatches)
      nodePositions = enlarged(nodePositions)
      nodeParents = enlarged(nodeParents)
    }
    nodeMatches[nodes] = match
    nodePositions[nodes] = position
    nodeParents[nodes] = parent
    return nodes++
  }
}

/** Sorts paths best first; the sort is stable. */
function sort(paths: Paths): void {
  const { order, cost, distance, count } = paths
  for (let i = 1; i < count; i++) {
    const path = order[i]
    let rank = i
    for (; rank > 0 && precedes(cost[path], distance[path], paths, order[rank - 1]); rank--) {
      order[rank] = order[rank - 1]
    }
    order[rank] = path
  }
}

function precedes(cost: number, distance: number, paths: Paths, path: number): boolean {
  const other = paths.cost[path]
  return cost < other || (cost === other && distance < paths.distance[path])
}

function createPaths(): Paths {
  return {
    order: new Int32Array(BEAM),
    cost: new Float64Array(BEAM),
    distance: new Float64Array(BEAM),
    end: new Int32Array(BEAM),
    reached: new Int32Array(BEAM),
    node: new Int32Array(BEAM),
    parent: new Int32Array(BEAM),
    added: new Int32Array(BEAM),
    used: new Int32Array(BEAM),
    count: 0,
  }
}

/** The matches that paths may take at one position. */
interface Options {
  readonly match: Int32Array
  /** Candidate positions at which the match begins and after which it ends. */
  readonly start: Int32Array
  readonly end: Int32Array
  /** Reference position after the match. */
  readonly reached: Int32Array
  /** What the match takes off a path's cost. */
  readonly gain: Float64Array
  count: number
}

function createOptions(capacity: number): Options {
  return {
    match: new Int32Array(capacity),
    start: new Int32Array(capacity),
    end: new Int32Array(capacity),
    reached: new Int32Array(capacity),
    gain: new Float64Array(capacity),
    count: 0,
  }
}

function enlargeOptions(options: Options): Options {
  const larger = createOptions(2 * options.match.length)
  larger.match.set(options.match)
  larger.start.set(options.start)
  larger.end.set(options.end)
  larger.reached.set(options.reached)
  larger.gain.set(options.gain)
  larger.count = options.count
  return larger
}

function longestCaption(offsets: Int32Array): number {
  let longest = 0
  for (let i = 0; i + 1 < offsets.length; i++) longest = Math.max(longest, offsets[i + 1] - offsets[i])
  return longest
}

function enlarged(array: Int32Array): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(2 * array.length)
  larger.set(array)
  return larger
}

/**
 * METEOR 1.5's alignment of a candidate with a reference (Denkowski and Lavie 2014, section 2; the search as
 * the published program runs it). Every module proposes matches; a match that shares no word with another is
 * definite; among the rest a beam search from left to right over the reference looks for most covered words,
 * then fewest chunks, then smallest distance.
 *
 * Three habits of the program decide between near ties, and are kept because scores depend on them: while it
 * searches, a match that is not exact covers half a word, and halves of a match are rounded down (a stem or
 * synonym match covers nothing, so it is taken only where that costs no chunk); the distance of a chosen
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

/** Paths kept per position of the search. */
export const BEAM = 40

/**
 * Bounds for captions of thousands of words. Where a pair of captions has more than a million possible
 * matches, the beam narrows so that beam × matches stays below this number; METEOR's beam is used in full below that.
 */
const MOST_BEAM_STEPS = BEAM * 1_000_000
/** Paraphrase matches looked at per pair of captions; further ones are left out. */
const MOST_PHRASE_MATCHES = 1_000_000

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

/** Creates an aligner for the captions of a corpus. It keeps its working memory between calls. */
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
    if (size - wordMatches >= MOST_PHRASE_MATCHES) return
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

/** The paths of one position of the search; path `p` has row `p` of each array. */
interface Paths {
  /** Rows, best path first. */
  readonly order: Int32Array
  /** Words covered on both sides, as the search weighs them. */
  readonly covered: Int32Array
  readonly chunks: Int32Array
  readonly distance: Int32Array
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
  /** The choices that paths made: the match, its reference position, and the choice before it. */
  let nodeMatches = new Int32Array(256)
  let nodePositions = new Int32Array(256)
  let nodeParents = new Int32Array(256)
  let nodes = 0
  let beam = BEAM
  let stride = 1

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
      beam = Math.min(BEAM, Math.max(1, Math.floor(MOST_BEAM_STEPS / matches)))
      stride = (candidateLength + 31) >>> 5
      nodes = 0
      begin()
      for (let j = 0; j < length; j++) {
        if (open[j] === 1) branch(j)
        else advance(j, chosen[j])
      }
      for (let node = paths.node[bestPath()]; node >= 0; node = nodeParents[node]) {
        chosen[nodePositions[node]] = nodeMatches[node]
      }
    },
  }

  function begin(): void {
    if (paths.used.length < BEAM * stride) {
      paths.used = new Int32Array(BEAM * stride)
      nextPaths.used = new Int32Array(BEAM * stride)
    }
    paths.count = 1
    paths.order[0] = 0
    paths.covered[0] = 0
    paths.chunks[0] = 0
    paths.distance[0] = 0
    paths.end[0] = -1
    paths.reached[0] = 0
    paths.node[0] = -1
    paths.used.fill(0, 0, stride)
  }

  /** Moves every path over a position where there is nothing to decide: a definite match, or none (−1). */
  function advance(j: number, match: number): void {
    const { count, order, covered, chunks, distance, end, reached } = paths
    for (let rank = 0; rank < count; rank++) {
      const path = order[rank]
      if (reached[path] > j) continue
      if (match < 0) {
        if (end[path] >= 0) chunks[path]++
        end[path] = -1
        reached[path]++
        continue
      }
      const start = proposals.start(match)
      covered[path] += weigh(match)
      if (end[path] >= 0 && end[path] !== start) chunks[path]++
      end[path] = start + proposals.length(match)
      reached[path] = j + proposals.referenceLength(match)
      distance[path] += Math.abs(j - start)
    }
    if (count > 1) sort(paths)
  }

  /** Continues every path with each match proposed at `j` whose words are free, and without a match. */
  function branch(j: number): void {
    nextPaths.count = 0
    for (let rank = 0; rank < paths.count; rank++) {
      const path = paths.order[rank]
      const { reached, end } = paths
      if (reached[path] > j) {
        insert(
          path,
          -1,
          paths.covered[path],
          paths.chunks[path],
          paths.distance[path],
          end[path],
          reached[path],
        )
        continue
      }
      let distance = paths.distance[path]
      for (let match = proposals.first(j); match >= 0; match = proposals.next(match, j)) {
        if (isUsed(path, match)) continue
        const start = proposals.start(match)
        const breaks = end[path] >= 0 && end[path] !== start ? 1 : 0
        insert(
          path,
          match,
          paths.covered[path] + weigh(match),
          paths.chunks[path] + breaks,
          distance,
          start + proposals.length(match),
          j + proposals.referenceLength(match),
        )
        distance = (distance + Math.abs(j - start)) | 0
      }
      const closes = end[path] >= 0 ? 1 : 0
      insert(path, -1, paths.covered[path], paths.chunks[path] + closes, distance, -1, j + 1)
    }
    inherit(j)
    const previous = paths
    paths = nextPaths
    nextPaths = previous
  }

  /** Puts a path among the next ones, after those at least as good; beyond the beam the worst is dropped. */
  function insert(
    parent: number,
    added: number,
    covered: number,
    chunks: number,
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
      if (!precedes(covered, chunks, distance, next, row)) return
    } else next.count++
    for (; rank > 0 && precedes(covered, chunks, distance, next, order[rank - 1]); rank--) {
      order[rank] = order[rank - 1]
    }
    order[rank] = row
    next.parent[row] = parent
    next.added[row] = added
    next.covered[row] = covered
    next.chunks[row] = chunks
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

  function isUsed(path: number, match: number): boolean {
    const start = proposals.start(match)
    for (let i = start + proposals.length(match) - 1; i >= start; i--) {
      if ((paths.used[path * stride + (i >>> 5)] & (1 << (i & 31))) !== 0) return true
    }
    return false
  }

  /** The row of the best path, after every path's last chunk is closed. */
  function bestPath(): number {
    const { count, order, chunks, end } = paths
    for (let path = 0; path < count; path++) if (end[path] >= 0) chunks[path]++
    sort(paths)
    return order[0]
  }

  /** Words that a match covers on both sides, as the search counts them. */
  function weigh(match: number): number {
    const length = proposals.length(match)
    const referenceLength = proposals.referenceLength(match)
    return proposals.module(match) === EXACT
      ? length + referenceLength
      : (length >>> 1) + (referenceLength >>> 1)
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

/** Sorts paths best first; paths that compare equal keep their order. */
function sort(paths: Paths): void {
  const { order, covered, chunks, distance, count } = paths
  for (let i = 1; i < count; i++) {
    const path = order[i]
    let rank = i
    for (
      ;
      rank > 0 && precedes(covered[path], chunks[path], distance[path], paths, order[rank - 1]);
      rank--
    ) {
      order[rank] = order[rank - 1]
    }
    order[rank] = path
  }
}

function precedes(covered: number, chunks: number, distance: number, paths: Paths, path: number): boolean {
  if (covered !== paths.covered[path]) return covered > paths.covered[path]
  if (chunks !== paths.chunks[path]) return chunks < paths.chunks[path]
  return distance < paths.distance[path]
}

function createPaths(): Paths {
  const column = () => new Int32Array(BEAM)
  return {
    order: column(),
    covered: column(),
    chunks: column(),
    distance: column(),
    end: column(),
    reached: column(),
    node: column(),
    parent: column(),
    added: column(),
    used: column(),
    count: 0,
  }
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

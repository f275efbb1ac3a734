/** The matches that METEOR's modules propose for a candidate and a reference. */
import type { Corpus } from '../../text/sequences.js'
import type { Phrases } from './paraphrases.js'
import { doubleColumns, type WordLists } from './relations.js'

/** METEOR's modules, in the order in which they propose matches. */
export const MODULES = ['exact', 'stem', 'synonym', 'paraphrase'] as const
export const EXACT = 0
const STEM = 1
const SYNONYM = 2
const PARAPHRASE = 3

/** Maximum number of paraphrase matches per pair of captions; further ones are left out. */
const MAX_PHRASE_MATCHES = 1_000_000

/** What the aligner needs of a corpus: its captions in METEOR's words and how they relate. */
export interface AlignableCorpus {
  readonly captions: Corpus
  readonly sameStem: WordLists
  readonly sameSynset: WordLists
  readonly phrases?: Phrases
}

/** Proposed matches by number; the columns are replaced when they become longer. */
export type Matches = {
  /** First word in the candidate. */
  starts: Int32Array
  /** Words in the candidate, and in the reference. */
  lengths: Int32Array
  referenceLengths: Int32Array
  modules: Int32Array
  /** The next match of the list, −1 for none. */
  following: Int32Array
}

/**
 * The proposals for a candidate and a reference, as linked lists: one per reference position, in module order. Matches of
 * single words depend on the reference's word alone, so they are listed once per candidate. Working memory, reused.
 */
export interface Proposals {
  readonly corpus: AlignableCorpus
  readonly tokens: Int32Array
  readonly hasPhrases: boolean
  readonly matches: Matches
  count: number
  /** The first matches are those of single words. */
  wordMatchCount: number
  /** Per word of the corpus, the ends of its list, valid where `stamps` has the candidate's number. */
  readonly heads: Int32Array
  readonly tails: Int32Array
  readonly stamps: Int32Array
  stamp: number
  /** Per reference position, the ends of its list of paraphrases; −1 where it is empty. */
  readonly phraseHeads: Int32Array
  readonly phraseTails: Int32Array
  candidate: number
  referenceStart: number
  /** Between identical captions only exact matches count. */
  exactOnly: boolean
}

export function createProposals(corpus: AlignableCorpus): Proposals {
  const { captions, phrases } = corpus
  const wordCount = captions.texts.length
  const longest = phrases === undefined ? 0 : longestCaption(captions)
  return {
    corpus,
    tokens: captions.tokens,
    hasPhrases: phrases !== undefined,
    matches: {
      starts: new Int32Array(256),
      lengths: new Int32Array(256),
      referenceLengths: new Int32Array(256),
      modules: new Int32Array(256),
      following: new Int32Array(256),
    },
    count: 0,
    wordMatchCount: 0,
    heads: new Int32Array(wordCount),
    tails: new Int32Array(wordCount),
    stamps: new Int32Array(wordCount),
    stamp: 0,
    phraseHeads: new Int32Array(longest),
    phraseTails: new Int32Array(longest),
    candidate: 0,
    referenceStart: 0,
    exactOnly: false,
  }
}

/** Words of the longest caption. */
export function longestCaption({ offsets }: Corpus): number {
  let longest = 0
  for (let i = 0; i + 1 < offsets.length; i++) longest = Math.max(longest, offsets[i + 1] - offsets[i])
  return longest
}

/** Lists the matches of single words. */
export function proposeForCandidate(proposals: Proposals, caption: number): void {
  const { captions, sameStem, sameSynset } = proposals.corpus
  const { tokens, offsets } = captions
  proposals.candidate = caption
  proposals.stamp++
  proposals.count = 0
  for (let i = offsets[caption]; i < offsets[caption + 1]; i++)
    appendWord(proposals, tokens[i], i - offsets[caption], EXACT)
  proposeRelated(proposals, sameStem, STEM)
  proposeRelated(proposals, sameSynset, SYNONYM)
  proposals.wordMatchCount = proposals.count
}

function proposeRelated(proposals: Proposals, related: WordLists, module: number): void {
  const { candidate, corpus } = proposals
  const { tokens, offsets } = corpus.captions
  for (let i = offsets[candidate]; i < offsets[candidate + 1]; i++) {
    const word = tokens[i]
    for (let r = related.offsets[word]; r < related.offsets[word + 1]; r++)
      appendWord(proposals, related.items[r], i - offsets[candidate], module)
  }
}

/** Appends a match to the list of a word of references. */
function appendWord(proposals: Proposals, word: number, start: number, module: number): void {
  const { heads, tails, stamps, stamp, matches } = proposals
  const match = addMatch(proposals, start, 1, 1, module)
  if (stamps[word] !== stamp) {
    stamps[word] = stamp
    heads[word] = match
  } else matches.following[tails[word]] = match
  tails[word] = match
}

/** Chooses the reference, and lists the matches of paraphrases. @param isIdentical whether it equals the candidate */
export function proposeForReference(proposals: Proposals, caption: number, isIdentical: boolean): void {
  const { captions, phrases } = proposals.corpus
  const start = captions.offsets[caption]
  proposals.referenceStart = start
  proposals.exactOnly = isIdentical
  proposals.count = proposals.wordMatchCount
  if (phrases === undefined) return
  proposals.phraseHeads.fill(-1, 0, captions.offsets[caption + 1] - start)
  if (isIdentical) return
  const { candidate } = proposals
  const { positions } = phrases
  forParaphrases(phrases, caption, candidate, (at, other) =>
    appendPhrase(proposals, phrases, positions[at], at, positions[other], other),
  )
  forParaphrases(phrases, candidate, caption, (at, other) =>
    appendPhrase(proposals, phrases, positions[other], other, positions[at], at),
  )
}

/** Visits the phrases of a caption with each of their paraphrases that occurs in another one, as places in the lists. */
function forParaphrases(
  { offsets, phrases, paraphrases }: Phrases,
  caption: number,
  otherCaption: number,
  visit: (at: number, other: number) => void,
): void {
  for (let at = offsets[caption]; at < offsets[caption + 1]; at++) {
    const phrase = phrases[at]
    for (let p = paraphrases.offsets[phrase]; p < paraphrases.offsets[phrase + 1]; p++) {
      for (let other = offsets[otherCaption]; other < offsets[otherCaption + 1]; other++)
        if (phrases[other] === paraphrases.items[p]) visit(at, other)
    }
  }
}

/** Appends a match to the list of position `j` of the reference. */
function appendPhrase(
  proposals: Proposals,
  { phrases, lengths }: Phrases,
  j: number,
  inReference: number,
  start: number,
  inCandidate: number,
): void {
  const { count, wordMatchCount, phraseHeads, phraseTails, matches } = proposals
  if (count - wordMatchCount >= MAX_PHRASE_MATCHES) return
  const match = addMatch(
    proposals,
    start,
    lengths[phrases[inCandidate]],
    lengths[phrases[inReference]],
    PARAPHRASE,
  )
  if (phraseHeads[j] < 0) phraseHeads[j] = match
  else matches.following[phraseTails[j]] = match
  phraseTails[j] = match
}

function addMatch(
  proposals: Proposals,
  start: number,
  length: number,
  referenceLength: number,
  module: number,
): number {
  const { matches } = proposals
  const match = proposals.count++
  if (match === matches.starts.length) doubleColumns(matches)
  matches.starts[match] = start
  matches.lengths[match] = length
  matches.referenceLengths[match] = referenceLength
  matches.modules[match] = module
  matches.following[match] = -1
  return match
}

/** The first match proposed at position `j` of the reference, −1 for none. */
export function firstMatch(proposals: Proposals, j: number): number {
  const word = proposals.tokens[proposals.referenceStart + j]
  if (proposals.stamps[word] !== proposals.stamp) return proposals.hasPhrases ? proposals.phraseHeads[j] : -1
  const match = proposals.heads[word]
  return proposals.exactOnly && proposals.matches.modules[match] !== EXACT ? -1 : match
}

/** The match proposed after `match` at position `j` of the reference, −1 for none. */
export function nextMatch(proposals: Proposals, match: number, j: number): number {
  const later = proposals.matches.following[match]
  if (later < 0)
    return proposals.hasPhrases && match < proposals.wordMatchCount ? proposals.phraseHeads[j] : -1
  return proposals.exactOnly && proposals.matches.modules[later] !== EXACT ? -1 : later
}

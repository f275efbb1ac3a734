/**
 * Upper bounds of an alignment, computed without a search from the words that have a counterpart at all. Only
 * the best reference of an image counts, and the bounds of most others show that they are not the best.
 */
import type { AlignableCorpus } from './proposals.js'
import type { WordLists } from './relations.js'

/** Sets of candidate words are the bits of a number. */
const MAX_CANDIDATE_WORDS = 32

/** Per word of the corpus, the weight of an exact match on its side, and the maximum weight of any other. */
export interface MatchWeights {
  readonly exact: Int32Array
  readonly inexact: Int32Array
}

/**
 * Limits of every alignment of the candidate with a reference. With m matches, m ≤ `matches`, it weighs at
 * most `candidateWeight` − (`matches` − m) · `leastCandidateWeight` on the candidate's side, likewise on the
 * reference's, and it has at least m − `links` chunks.
 */
export interface Limits {
  matches: number
  /** Neighbours in the reference that can be matched with neighbours in the candidate. */
  links: number
  candidateWeight: number
  referenceWeight: number
  leastCandidateWeight: number
  leastReferenceWeight: number
}

interface Bounds {
  /** Chooses the candidate; false where it has no bounds: those of paraphrases and long captions are not known. */
  setCandidate(caption: number): boolean
  /** The limits for a reference; overwritten by the next call. */
  limit(reference: number): Limits
}

/** Creates bounds for the captions of a corpus. Their working memory is reused between calls. */
export function createBounds(corpus: AlignableCorpus, { exact, inexact }: MatchWeights): Bounds {
  const { captions, sameStem, sameSynset, phrases } = corpus
  const { tokens, offsets, texts } = captions
  const greatestInexact = inexact.reduce((greatest, weight) => Math.max(greatest, weight), 0)
  /** Per word, its equal and its related words in the candidate, valid where `stamps` has the candidate's number. */
  const equal = new Int32Array(texts.length)
  const related = new Int32Array(texts.length)
  const stamps = new Int32Array(texts.length)
  let stamp = 0
  /** Per word, those of them that the reference so far leaves over, valid likewise for the reference. */
  const equalLeft = new Int32Array(texts.length)
  const relatedLeft = new Int32Array(texts.length)
  const leftStamps = new Int32Array(texts.length)
  let leftStamp = 0
  const limits: Limits = {
    matches: 0,
    links: 0,
    candidateWeight: 0,
    referenceWeight: 0,
    leastCandidateWeight: 0,
    leastReferenceWeight: 0,
  }

  return {
    setCandidate(caption) {
      const start = offsets[caption]
      const end = offsets[caption + 1]
      if (phrases !== undefined || end - start > MAX_CANDIDATE_WORDS) return false
      stamp++
      for (let i = start; i < end; i++) {
        const word = tokens[i]
        const bit = 1 << (i - start)
        clear(word)
        equal[word] |= bit
        relate(word, sameStem, bit)
        relate(word, sameSynset, bit)
      }
      return true
    },

    limit(reference) {
      begin()
      let before = 0
      for (let j = offsets[reference]; j < offsets[reference + 1]; j++) {
        const word = tokens[j]
        const possible = stamps[word] === stamp ? equal[word] | related[word] : 0
        if (((before << 1) & possible) !== 0) limits.links++
        before = possible
        if (possible !== 0) addMatch(word)
      }
      return limits
    },
  }

  function relate(word: number, { items, offsets: lists }: WordLists, bit: number): void {
    for (let r = lists[word]; r < lists[word + 1]; r++) {
      clear(items[r])
      related[items[r]] |= bit
    }
  }

  function clear(word: number): void {
    if (stamps[word] === stamp) return
    stamps[word] = stamp
    equal[word] = 0
    related[word] = 0
  }

  function begin(): void {
    leftStamp++
    limits.matches = 0
    limits.links = 0
    limits.candidateWeight = 0
    limits.referenceWeight = 0
    limits.leastCandidateWeight = Number.MAX_SAFE_INTEGER
    limits.leastReferenceWeight = Number.MAX_SAFE_INTEGER
  }

  /** Adds the match of an occurrence of a word in the reference, if earlier ones leave a word to it. */
  function addMatch(word: number): void {
    if (leftStamps[word] !== leftStamp) {
      leftStamps[word] = leftStamp
      equalLeft[word] = equal[word]
      relatedLeft[word] = related[word]
    }
    if (equalLeft[word] !== 0) {
      equalLeft[word] &= equalLeft[word] - 1
      const either = related[word] === 0 ? exact[word] : Math.max(exact[word], greatestInexact)
      addWeights(either, exact[word])
    } else if (relatedLeft[word] !== 0) {
      relatedLeft[word] &= relatedLeft[word] - 1
      addWeights(greatestInexact, inexact[word])
    }
  }

  function addWeights(onCandidate: number, onReference: number): void {
    limits.matches++
    limits.candidateWeight += onCandidate
    limits.referenceWeight += onReference
    if (onCandidate < limits.leastCandidateWeight) limits.leastCandidateWeight = onCandidate
    if (onReference < limits.leastReferenceWeight) limits.leastReferenceWeight = onReference
  }
}

/** The words of references that words can be matched with. */
interface Counterparts {
  /** Per word, the maximum weight of a match on its side; 0 where no reference has a counterpart. */
  readonly onCandidate: Int32Array
  /** The same on the side of the reference. */
  readonly onReference: Int32Array
  setReferences(captions: Int32Array): void
}

/** Finds the counterparts of words in the references of an image. */
export function createCounterparts(
  { captions, sameStem, sameSynset }: AlignableCorpus,
  { exact, inexact }: MatchWeights,
): Counterparts {
  const { tokens, offsets, texts } = captions
  const onCandidate = new Int32Array(texts.length)
  const onReference = new Int32Array(texts.length)
  const found: number[] = []

  function raise(word: number, candidateWeight: number, referenceWeight: number): void {
    if (onCandidate[word] === 0) found.push(word)
    onCandidate[word] = Math.max(onCandidate[word], candidateWeight)
    onReference[word] = Math.max(onReference[word], referenceWeight)
  }

  function raiseRelated(word: number, { items, offsets: lists }: WordLists): void {
    for (let r = lists[word]; r < lists[word + 1]; r++) raise(items[r], inexact[items[r]], inexact[word])
  }

  return {
    onCandidate,
    onReference,
    setReferences(references) {
      for (const word of found) {
        onCandidate[word] = 0
        onReference[word] = 0
      }
      found.length = 0
      for (const reference of references) {
        for (let i = offsets[reference]; i < offsets[reference + 1]; i++) {
          raise(tokens[i], exact[tokens[i]], exact[tokens[i]])
          raiseRelated(tokens[i], sameStem)
          raiseRelated(tokens[i], sameSynset)
        }
      }
    },
  }
}

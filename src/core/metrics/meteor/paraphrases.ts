import type { Corpus, TokenSequences } from '../../text/sequences.js'
import type { ParaphraseTable } from '../resources.js'
import type { WordLists } from './relations.js'

/** Which phrases of the table stand where in the captions, and which paraphrases each phrase has. */
export interface Phrases {
  /** Phrases that stand in caption `c`: entries `offsets[c] … offsets[c + 1] - 1`, by position, then length. */
  readonly offsets: Int32Array
  readonly positions: Int32Array
  readonly phrases: Int32Array
  /** Words in each phrase. */
  readonly lengths: Int32Array
  /** Paraphrases of each phrase, in the table's order. */
  readonly paraphrases: WordLists
}

/** Finds the phrases of a paraphrase table in the captions. */
export function findPhrases(captions: Corpus, table: ParaphraseTable): Phrases {
  const entries = table.entriesOf(captions.texts)
  const trie = createTrie(captions.texts.length)
  const count = entries.offsets.length - 1
  const phraseOf = new Int32Array(count)
  for (let i = 0; i < count; i++)
    phraseOf[i] = trie.add(entries.tokens, entries.offsets[i], entries.offsets[i + 1])
  const lengths = new Int32Array(trie.size())
  for (let i = 0; i < count; i++) lengths[phraseOf[i]] = entries.offsets[i + 1] - entries.offsets[i]
  return { ...locate(captions, trie), lengths, paraphrases: listParaphrases(phraseOf, lengths.length) }
}

function listParaphrases(phraseOf: Int32Array, phraseCount: number): WordLists {
  const offsets = new Int32Array(phraseCount + 1)
  for (let i = 0; i < phraseOf.length; i += 2) offsets[phraseOf[i] + 1]++
  for (let phrase = 0; phrase < phraseCount; phrase++) offsets[phrase + 1] += offsets[phrase]
  const items = new Int32Array(phraseOf.length / 2)
  const next = offsets.slice()
  for (let i = 0; i < phraseOf.length; i += 2) items[next[phraseOf[i]]++] = phraseOf[i + 1]
  return { items, offsets }
}

function locate({ tokens, offsets }: TokenSequences, trie: Trie) {
  const positions: number[] = []
  const phrases: number[] = []
  const found = new Int32Array(offsets.length)
  for (let caption = 0; caption + 1 < offsets.length; caption++) {
    for (let start = offsets[caption]; start < offsets[caption + 1]; start++) {
      let node = trie.root
      for (let i = start; i < offsets[caption + 1]; i++) {
        node = trie.step(node, tokens[i])
        if (node < 0) break
        const phrase = trie.phraseAt(node)
        if (phrase < 0) continue
        positions.push(start - offsets[caption])
        phrases.push(phrase)
      }
    }
    found[caption + 1] = positions.length
  }
  return { offsets: found, positions: Int32Array.from(positions), phrases: Int32Array.from(phrases) }
}

interface Trie {
  readonly root: number
  /** The id of a phrase, new if it was not there. */
  add(words: Int32Array, start: number, end: number): number
  /** The node that a word leads to from a node, −1 if none. */
  step(node: number, word: number): number
  /** The phrase that ends at a node, −1 if none. */
  phraseAt(node: number): number
  /** The number of phrases. */
  size(): number
}

function createTrie(wordCount: number): Trie {
  const children = new Map<number, number>()
  const phraseOfNode = [-1]
  let phraseCount = 0
  return {
    root: 0,
    add(words, start, end) {
      let node = 0
      for (let i = start; i < end; i++) {
        const edge = node * wordCount + words[i]
        const known = children.get(edge)
        if (known === undefined) {
          children.set(edge, phraseOfNode.length)
          node = phraseOfNode.push(-1) - 1
        } else node = known
      }
      if (phraseOfNode[node] < 0) phraseOfNode[node] = phraseCount++
      return phraseOfNode[node]
    },
    step: (node, word) => children.get(node * wordCount + word) ?? -1,
    phraseAt: (node) => phraseOfNode[node],
    size: () => phraseCount,
  }
}

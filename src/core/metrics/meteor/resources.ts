import type { TokenSequences } from '../../text/sequences.js'

/** What METEOR knows of English, handed to it as data. */
export interface MeteorResources {
  /** Words that weigh 1 − δ; all others weigh δ. */
  readonly functionWords: ReadonlySet<string>
  /** Enters the signature, e.g. `METEOR-1.5`. */
  readonly functionWordsName: string
  readonly wordNet: WordNetTables
  /** Present where the user has a paraphrase table: METEOR's fourth module. */
  readonly paraphrases?: ParaphraseTable
}

/** WordNet as METEOR reads it. Synset numbers are byte offsets without part of speech, as in METEOR's files. */
export interface WordNetTables {
  /** Enters the signature, e.g. `WordNet-3.0`. */
  readonly name: string
  /** Synset numbers of a lemma; undefined for what is no lemma. */
  synsetsOf(lemma: string): readonly number[] | undefined
  /** Lemmas that an irregular form belongs to; undefined for forms that are not listed. */
  baseFormsOf(form: string): readonly string[] | undefined
}

/** A table of phrases that mean the same. */
export interface ParaphraseTable {
  /** Enters the signature. */
  readonly name: string
  /**
   * The entries that consist of the given words alone, in the table's order. Sequence 2e is the phrase of
   * entry e, sequence 2e + 1 its paraphrase, and a token is a position in `words`.
   */
  entriesOf(words: readonly string[]): TokenSequences
}

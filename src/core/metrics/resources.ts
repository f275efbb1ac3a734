import type { ObjectVocabulary } from '../objects/object-vocabulary.js'
import type { SceneGraphParser } from '../text/scene-graph.js'
import type { TokenSequences } from '../text/sequences.js'
import type { WordVectors } from './wmd/transport.js'

/** What metrics know beyond the captions, by name. A metric that needs more adds an entry. */
export interface MetricResources {
  /** WordNet, function words, and a paraphrase table where there is one. */
  readonly meteor: MeteorResources
  /** Stemmers of other languages than English. */
  readonly stemmers: Stemmers
  /** Word vectors. */
  readonly vectors: WordVectors
  /** A parser of scene graphs, and WordNet. */
  readonly spice: SpiceResources
  /** Objects of COCO's 80 categories. */
  readonly objects: ObjectVocabulary
}

export type ResourceName = keyof MetricResources

/** How resources are read: metrics do no input and output of their own. */
export type ResourceReaders = {
  readonly [Name in ResourceName]: {
    /**
     * Reads and checks the resource; called once.
     *
     * @throws AccordError RESOURCE_MISSING; INVALID_SHAPE for content that is not valid
     */
    read(): MetricResources[Name]
    /** SHA-256 of the content, in hexadecimal digits; called once. @throws AccordError as `read` */
    hash(): string
  }
}

/** Stemmers by language, without region. */
export interface Stemmers {
  /** Enters the signature, e.g. `Snowball-German`; null for a language without a stemmer. */
  name(language: string): string | null
  /** The stemmer of a language that has one. */
  of(language: string): (word: string) => string
}

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
  /** Synset numbers of a lemma; undefined for a word that is not a lemma. */
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

/** What SPICE knows of English. */
export interface SpiceResources {
  readonly parse: SceneGraphParser
  /** Enters the signature, e.g. `accord-3`. */
  readonly parserName: string
  readonly wordNet: WordNetTables
}

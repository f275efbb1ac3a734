/** A token of a caption with its Penn Treebank tag and its lemma. */
export interface Token {
  readonly word: string
  readonly tag: string
  readonly lemma: string
}

/** A base noun phrase: modifiers, followed by one or more nouns, of which the last is the head. */
export interface NounChunk {
  readonly kind: 'noun'
  /** "two": the number of objects in digits, undefined where none is given. */
  readonly count: string | undefined
  /** Adjectives, participles, and other words before the nouns, each with the adverb before it. */
  readonly modifiers: readonly Modifier[]
  /** Adjacent nouns. Empty if the phrase is a pronoun that refers to no noun, such as "each other" or "it". */
  readonly nouns: readonly Token[]
  /** The noun phrase before a possessive "'s". */
  readonly possessor: NounChunk | undefined
  /** Whether it is a pronoun: "he", "it", "each other". */
  readonly isPronoun: boolean
  /** "each other" */
  readonly isReciprocal: boolean
  /** Whether the phrase says that there is no such object ("no clouds"). */
  readonly isNegated: boolean
  /** Whether it starts with a determiner, a number or a possessive pronoun. */
  readonly isDetermined: boolean
}

export interface Modifier extends Token {
  /** An adverb that belongs to it, such as "brightly". */
  readonly adverb: string | undefined
  /** A noun before a participle: "snow" in "snow covered hill". */
  readonly agent: Token | undefined
}

export interface VerbChunk {
  readonly kind: 'verb'
  readonly verb: Token
  /** `passive` after a form of "be" or as a past participle; `copula` for "be" without another verb. */
  readonly form: 'finite' | 'participle' | 'passive' | 'copula' | 'infinitive'
  /** Whether the verb has a finite form or a finite auxiliary verb: its subject is a clause's subject. */
  readonly isFinite: boolean
  /** "up" in "lit up". */
  readonly particle: string | undefined
}

export type Chunk =
  | NounChunk
  | VerbChunk
  | { readonly kind: 'preposition'; readonly text: string }
  /** A predicate ("is tall", "looks happy"), or an adjective behind its noun. */
  | { readonly kind: 'adjective'; readonly modifiers: readonly Modifier[] }
  | { readonly kind: 'adverb' }
  /** "and", "or" */
  | { readonly kind: 'conjunction' }
  /** "that", "which" */
  | { readonly kind: 'relative' }
  /** "while", "as": starts a clause. */
  | { readonly kind: 'clause' }

/** A part of a caption that was read: its chunk, and the position after it. */
export interface Found<Kind extends Chunk = Chunk> {
  readonly chunk: Kind
  readonly end: number
}

export const isNoun = (token: Token | undefined): boolean => token?.tag.startsWith('NN') === true
export const isVerb = (token: Token | undefined): boolean =>
  token?.tag.startsWith('VB') === true || token?.tag === 'MD'
export const isAdverb = (token: Token | undefined): boolean => token?.tag.startsWith('RB') === true

/** Adverbs that say nothing about the look of an object. */
// biome-ignore format: a table
const WEAK_ADVERBS: ReadonlySet<string> = new Set([
  ...[
    'very',
    'really',
    'so',
    'too',
    'quite',
    'rather',
    'extremely',
    'just',
    'all',
    'also',
    'only',
    'more',
    'most',
  ],
  "n't", 'not',
])

/** Adverbs that are prepositions before a noun phrase, and particles of a verb elsewhere. */
// biome-ignore format: a table
export const PARTICLES: ReadonlySet<string> = new Set([
  ...[
    'down',
    'up',
    'off',
    'out',
    'over',
    'along',
    'across',
    'around',
    'inside',
    'outside',
    'underneath',
    'by',
  ],
  'through', 'past', 'near', 'behind', 'below', 'above', 'beside', 'alongside', 'opposite', 'atop',
])

/** @param adverb the word before the modifier */
export function toModifier(token: Token, adverb?: Token, agent?: Token): Modifier {
  const isTelling = adverb !== undefined && !WEAK_ADVERBS.has(adverb.word)
  return { ...token, adverb: isTelling ? adverb.word : undefined, agent }
}

/** An adverb that is not part of another chunk. */
export function isTellingAdverb({ tag, word }: Token): boolean {
  return /^(?:RB|RP)/.test(tag) && !WEAK_ADVERBS.has(word)
}

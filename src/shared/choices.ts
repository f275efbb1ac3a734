/** What can be chosen, without what computes with it: a command shows its help at once. */

/** Part of speech, in the classes of Fang et al. 2015 and Chen et al. 2015 (Microsoft COCO Captions), section 4.2. */
export type PartOfSpeech = 'NN' | 'VB' | 'JJ' | 'DT' | 'PRP' | 'IN' | 'OTHER'

/** All parts of speech in display order. Ties between tags are resolved by this order. */
export const PARTS_OF_SPEECH: readonly PartOfSpeech[] = ['NN', 'VB', 'JJ', 'DT', 'PRP', 'IN', 'OTHER']

/**
 * The rules by which the names of a file are those of images, in the order in which they are tried: the id; the name of the image's
 * file; either without folder and extension; or the number at its end, `139` for `000000000139`, `139.0` (as pandas writes it)
 * and `COCO_val2014_000000000139.jpg`.
 */
export const MATCHES = ['id', 'name', 'stem', 'number'] as const

export type Match = (typeof MATCHES)[number]

/** Names of tokenizers: see tokenization.ts. */
export const TOKENIZERS = ['ptb', '13a', 'unicode', 'character', 'none'] as const

export type TokenizerName = (typeof TOKENIZERS)[number]

/**
 * Atoms (Yao et al. 2016, Empirical Performance Upper Bounds for Image and Video Captioning, sections 3.1 and 6.2): the
 * lemmas of the words of a caption that name an entity, an action or an attribute.
 */
export type AtomKind = 'entity' | 'action' | 'attribute'

/** All kinds in display order. */
export const ATOM_KINDS: readonly AtomKind[] = ['entity', 'action', 'attribute']

/** Kinds of atoms that a bound is given: one kind, or all three. */
export type BoundKind = AtomKind | 'all'

/** All of them in display order. */
export const BOUND_KINDS: readonly BoundKind[] = ['all', ...ATOM_KINDS]

/** Least number of people who decide whether an atom is visual. */
export const MIN_VOTERS = 3

/** Maximum number of selected boxes. The figures in the paper show k = 1..15. */
export const MAX_SELECTED_BOXES = 15

/**
 * What a text says (METHODS section 14): `words`, its distinct tokens, each weighing ln(N / df), df being the images among N
 * of which people say it; `types`, the same without weights; in English `objects`, those of COCO's 80 categories, `open-objects`,
 * those of its scene graph, synonyms being the same, and `tuples`, those of its scene graph.
 */
export const COVERAGE_UNITS = ['words', 'types', 'objects', 'open-objects', 'tuples'] as const

export type CoverageUnits = (typeof COVERAGE_UNITS)[number]

/** What a point of an upper bound is: everything that its figures depend on, apart from the dataset. */
export interface BoundSettings {
  readonly kind: BoundKind
  /** k: atoms of each kind; 0 for a language model without atoms. */
  readonly atoms: number
  /** r: share of the atoms of an image that are replaced by random others, 0..1. */
  readonly replaced: number
  /** Only atoms that most voters called visual. */
  readonly visualOnly: boolean
  /** Numbers of images for validation and for testing; the others are for training. */
  readonly validationImages: number
  readonly testImages: number
  /** Words that occur less often in the training captions are unknown words. */
  readonly minWordCount: number
  /** Sizes of the embeddings of words and atoms, and of the state of the LSTM. */
  readonly embedding: number
  readonly state: number
  /** Share of inputs of the softmax layer that are set to 0 during training, 0 to below 1. */
  readonly dropout: number
  /** Weight decay: added to the gradient of the mean loss, times the weight. */
  readonly decay: number
  readonly batch: number
  /** Maximum number of passes over the training captions. */
  readonly epochs: number
  /** Training ends after this many mini-batches without a lower validation loss. */
  readonly patience: number
  /** Width of the beam that searches for captions. */
  readonly beam: number
  readonly seed: number
}

/** Of an upper bound on the images of a large dataset. */
export const DEFAULT_BOUND_SETTINGS: BoundSettings = {
  kind: 'all',
  atoms: 50,
  replaced: 0,
  visualOnly: false,
  validationImages: 500,
  testImages: 500,
  minWordCount: 5,
  embedding: 256,
  state: 256,
  dropout: 0.5,
  decay: 0,
  batch: 128,
  epochs: 10,
  patience: 2000,
  beam: 3,
  seed: 1,
}

import { AccordError } from '../../errors.js'
import { type BoundSettings, DEFAULT_BOUND_SETTINGS } from '../../shared/choices.js'

/** Datasets with fewer images have smaller models by default. */
const SMALL_DATASET = 2000

/**
 * The default settings for a dataset: {@link DEFAULT_BOUND_SETTINGS}; for few images a quarter of them for testing and a sixth
 * for validation, and a small model that is trained within a minute.
 */
export function defaultSettings(imageCount: number): BoundSettings {
  if (imageCount >= SMALL_DATASET) return DEFAULT_BOUND_SETTINGS
  return {
    ...DEFAULT_BOUND_SETTINGS,
    validationImages: Math.max(1, Math.round(imageCount / 6)),
    testImages: Math.max(1, Math.round(imageCount / 4)),
    minWordCount: 2,
    embedding: 64,
    state: 64,
    batch: 16,
    epochs: 40,
    patience: 300,
  }
}

/** Ranges of the settings: lowest, highest, and whether they are whole numbers. */
const RANGES: Readonly<
  Partial<Record<keyof BoundSettings, readonly [lowest: number, highest: number, isWhole: boolean]>>
> = {
  atoms: [0, 1_000_000, true],
  replaced: [0, 1, false],
  validationImages: [1, 1_000_000, true],
  testImages: [1, 1_000_000, true],
  minWordCount: [1, 1_000_000, true],
  embedding: [4, 2048, true],
  state: [4, 2048, true],
  dropout: [0, 0.95, false],
  decay: [0, 1, false],
  batch: [1, 1024, true],
  epochs: [1, 10_000, true],
  patience: [1, 1_000_000, true],
  beam: [1, 5, true],
}

/** @throws AccordError OUT_OF_RANGE */
export function checkSettings(settings: BoundSettings): void {
  for (const [name, [lowest, highest, isWhole]] of Object.entries(RANGES)) {
    const value = settings[name as keyof BoundSettings] as number
    if (value >= lowest && value <= highest && (!isWhole || Number.isInteger(value))) continue
    throw new AccordError('OUT_OF_RANGE', 'a setting of the bound is out of range', {
      source: name,
      expected: `${isWhole ? 'an integer' : 'a number'} from ${lowest} to ${highest}`,
      found: String(value),
    })
  }
}

/** How far a training has come. */
export interface BoundProgress {
  /** Mini-batches so far, and at most. */
  readonly step: number
  readonly maxSteps: number
  /** Captions per second. */
  readonly examplesPerSecond: number
  /** When the training ends at the latest, as an ISO 8601 time. */
  readonly expectedEnd: string
}

/** State of a training beside its weights. */
export interface CheckpointHeader {
  readonly version: number
  /** Hash of the content of the dataset. */
  readonly dataset: string
  readonly step: number
  /** The lowest validation loss and the step at which it was reached; null before the first one was computed. */
  readonly bestLoss: number | null
  readonly bestStep: number
  readonly partCount: number
}

/** Figures of a trained point on the human captions of the test images. */
export interface BoundOutcome {
  readonly steps: number
  readonly bestStep: number
  readonly validationLoss: number
  /** Number of words of the vocabulary, and of atoms that the model can be given. */
  readonly words: number
  readonly atoms: number
  readonly captionCount: number
  /** Σ U_k over the captions: the sum of natural logarithms of probabilities. */
  readonly logLikelihood: number
  /** exp of the mean negative log-likelihood per word, the end of the caption included. */
  readonly perplexity: number
  readonly trainingSeconds: number
}

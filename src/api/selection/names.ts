import type { Baseline } from '../../core/selection/baselines.js'
import type { SelectionMeasure } from '../../services/selection/content-selection.js'
import type * as schema from '../execution/schema-types.js'

/** Baselines by their name in the schema. */
export const BASELINE_NAMES = {
  RANDOM: 'random',
  SIZE: 'size',
  POSITION: 'position',
  UNIGRAM: 'unigram',
  BIGRAM: 'bigram',
  UNIGRAM_SIZE: 'unigram+size',
  UNIGRAM_POSITION: 'unigram+position',
  BIGRAM_SIZE: 'bigram+size',
  BIGRAM_POSITION: 'bigram+position',
} as const satisfies Record<schema.SelectionBaseline, Baseline>

/** Measures by their name in the schema. */
export const MEASURE_NAMES = { PRECISION: 'precision', RECALL: 'recall', F: 'f' } as const satisfies Record<
  schema.ImageSelectionOrderField,
  SelectionMeasure
>

/** The name of a baseline in the schema: `unigram+size` is `UNIGRAM_SIZE`. */
export function toBaselineName(baseline: Baseline): schema.SelectionBaseline {
  return baseline.toUpperCase().replace('+', '_') as schema.SelectionBaseline
}

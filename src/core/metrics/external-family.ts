/**
 * External metrics: scores that another program has given to captions, such as CLIPScore. Accord stores them and computes
 * everything that follows from image scores. Corpus: mean over images. Range and direction as stated.
 */

import { AccordError } from '../../errors.js'
import { type FamilyDefinition, type Metric, meanOfImageScores, TOKENS_ONLY } from './metric.js'
import { countImages } from './reference-lists.js'

/** A metric of another program, as the user describes it. */
export interface ExternalMetric {
  readonly name: string
  /** Version and settings. */
  readonly version: string
  readonly lowest: number
  readonly highest: number
  readonly higherIsBetter: boolean
}

/** An external metric as a family of one metric, whose scores are those of the trial. */
export function externalOf(external: ExternalMetric): FamilyDefinition {
  const { name, version, lowest, highest, higherIsBetter } = external
  const metric: Metric = {
    name,
    description: `Scores that another program has computed: ${name}, ${version}. Corpus: mean over images.`,
    lowest,
    highest,
    higherIsBetter,
    citation: `${name}, ${version}`,
    revision: 1,
    parameters: {
      version,
      range: `${lowest} to ${highest}`,
      ...(higherIsBetter ? {} : { direction: 'lower-is-better' }),
    },
  }
  const description = {
    name: `external ${name}`,
    layoutRevision: 1,
    width: 1,
    isDefault: false,
    needs: { ...TOKENS_ONLY, text: 'external' },
    metrics: [metric],
  } as const
  return {
    ...description,
    create: () => ({
      ...description,
      prepare: () => null,
      measure(_prepared, trial) {
        const scores = trial.external?.[name]
        if (scores && !scores.some(Number.isNaN)) return scores.slice(0, countImages(trial))
        throw new AccordError('NOT_APPLICABLE', `${name} is a metric of another program`, {
          source: 'metrics',
          expected: 'its scores of these captions, by accord import metric-scores',
          found: scores ? 'scores of a part of them' : 'none',
        })
      },
      ...meanOfImageScores,
    }),
  }
}

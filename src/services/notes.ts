import { FEW_IMAGES_WARNING } from '../stats/sample-size.js'
import type { AgreementScore, Dataset, MetricScore } from '../store/entities.js'
import type { Accord } from './accord.js'
import type { ComparedFigure, Comparison } from './comparisons.js'
import { metricsOf } from './computing.js'
import type { LeaderboardOptions, LeaderboardRow } from './leaderboard.js'
import { type UnscoredPhr, unscoredPhr } from './phr.js'

/** Sentences to show beside figures: what they do not say. */

const FOLD_NOTE =
  'The spread over folds is not a sampling error: all folds have the same images. The interval is over images.'

/** Of content selection. */
export const SELECTION_NOTES: readonly string[] = [
  'The mean human precision equals the mean human recall by symmetry: each description is compared with every other one of its image, in both roles.',
]

/** Of scores by a metric. @throws AccordError UNKNOWN_METRIC */
export function metricNotes(accord: Accord, metric: string): readonly string[] {
  return metricsOf(accord).require(metric).notes
}

/** Of a score of a system or of people. */
export function scoreNotes(
  accord: Accord,
  { metric, folds }: Pick<MetricScore | AgreementScore, 'metric' | 'folds'>,
): string[] {
  return [...metricNotes(accord, metric), ...(folds === null ? [] : [FOLD_NOTE])]
}

/** Of a comparison on a figure. */
export function comparisonNotes(
  accord: Accord,
  { isSmall, isBound, resamples }: Pick<Comparison, 'isSmall' | 'isBound' | 'resamples'>,
  figure: ComparedFigure,
): string[] {
  return [
    ...(figure.kind === 'METRIC' ? metricNotes(accord, figure.metric) : []),
    ...(isSmall ? [FEW_IMAGES_WARNING] : []),
    ...(isBound && resamples !== null
      ? [`The p-value is below the resolution of ${resamples} resamples: more resamples can lower it.`]
      : []),
  ]
}

/** Of the rows of a leaderboard, in their order. */
export async function leaderboardNotes(
  accord: Accord,
  dataset: Dataset,
  rows: readonly LeaderboardRow[],
  { by, metric, ...options }: LeaderboardOptions,
): Promise<(readonly string[])[]> {
  if (by === 'METRIC') {
    return rows.map(({ value }) => (value === null ? [] : metricNotes(accord, metric as string)))
  }
  const systemIds = rows.flatMap(({ system }) => system?.id ?? [])
  const unscored = await unscoredPhr(accord, dataset, systemIds, options)
  return rows.map(({ system }) => {
    const figures = system && unscored.get(system.id)
    return figures ? phrNotes(figures) : []
  })
}

/** Of a mean PHR. */
export function phrNotes({ definedWordCount, wordCount, share }: UnscoredPhr): string[] {
  if (wordCount === 0 || share === null) return []
  const percent = (100 * share).toFixed(1)
  return [
    `${percent} % of the mean PHR comes from ${wordCount} of ${definedWordCount} words that reach human recall only together with the images that have no score for the word.`,
  ]
}

import { FEW_IMAGES_WARNING, type SampleSize } from '../../core/stats/sample-size.js'
import type { AgreementScore, Dataset, MetricScore } from '../../store/schema/entities.js'
import type { Accord } from '../accord.js'
import type { ComparedFigure } from '../comparisons/compare.js'
import type { Comparison } from '../comparisons/comparisons.js'
import type { LeaderboardOptions, LeaderboardRow } from '../leaderboard/leaderboard.js'
import { type UnscoredPhr, unscoredPhr } from '../words/phr.js'
import { metricsOf } from './computing.js'
import { intervalNotes, judgeInterval } from './intervals.js'

/** Sentences to show beside figures: what they do not say. */

const FOLD_NOTE =
  'The spread over folds is not a sampling error: all folds have the same images. The interval is over images.'

const SYMMETRY_NOTE =
  'The mean human precision equals the mean human recall by symmetry: each description is compared with every other one of its image, in both roles.'

const WORD_MEAN_NOTE =
  'Means over words depend on the number of images: figures of words that few images use are biased, and words without a figure are left out. Compare only means over the same images.'

/** Of content selection. */
export function selectionNotes(results: readonly SampleSize[]): string[] {
  return [SYMMETRY_NOTE, ...intervalNotes(results)]
}

/** Of means over the words of a dataset. */
export function wordMeanNotes({ imageCount, excludedImageCount }: Dataset): string[] {
  return [WORD_MEAN_NOTE, ...intervalNotes([judgeInterval(imageCount - excludedImageCount)])]
}

/** Of scores by a metric. @throws AccordError UNKNOWN_METRIC */
export function metricNotes(accord: Accord, metric: string): readonly string[] {
  return metricsOf(accord).require(metric).notes
}

/** Of a score of a system or of people. @param imageCount images of the score */
export function scoreNotes(
  accord: Accord,
  { metric, folds }: Pick<MetricScore | AgreementScore, 'metric' | 'folds'>,
  imageCount: number,
): string[] {
  return [
    ...metricNotes(accord, metric),
    ...(folds === null ? [] : [FOLD_NOTE]),
    ...intervalNotes([judgeInterval(imageCount)]),
  ]
}

/** Of a comparison on a figure. */
export function comparisonNotes(
  accord: Accord,
  { isSmall, isBound, resamples }: Pick<Comparison, 'isSmall' | 'isBound' | 'resamples'>,
  figure: ComparedFigure,
): string[] {
  return [
    ...(figure.kind === 'METRIC' ? metricNotes(accord, figure.metric) : []),
    ...(figure.kind !== 'METRIC' && figure.word == null ? [WORD_MEAN_NOTE] : []),
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
    return rows.map(({ value, isHuman, imageCount }) => [
      ...(value === null || imageCount === null
        ? []
        : [...metricNotes(accord, metric as string), ...intervalNotes([judgeInterval(imageCount)])]),
      ...(isHuman ? systemsAbovePeople(rows, metric as string) : []),
    ])
  }
  const systemIds = rows.flatMap(({ system }) => system?.id ?? [])
  const unscored = await unscoredPhr(accord, dataset, systemIds, options)
  return rows.map(({ system, value }) => {
    if (value === null) return []
    const figures = system && unscored.get(system.id)
    return [...wordMeanNotes(dataset), ...(figures ? unscoredNotes(figures) : [])]
  })
}

/** Of the human row by a metric: readers take systems above it for a mistake. */
function systemsAbovePeople(rows: readonly LeaderboardRow[], metric: string): string[] {
  const people = rows.find(({ isHuman }) => isHuman)?.rank
  if (people == null) return []
  const names = rows.flatMap(({ rank, system }) =>
    rank !== null && rank < people && system ? system.name : [],
  )
  if (names.length === 0) return []
  return [
    `Above people by ${metric}: ${names.join(', ')}. This does not mean better captions, and is also known from COCO: such metrics reward the words that most references share, and people phrase the same content in different words.`,
  ]
}

/** Of a mean PHR of a system that leaves images without a score. */
export function unscoredNotes({ definedWordCount, wordCount, share }: UnscoredPhr): string[] {
  if (wordCount === 0 || share === null) return []
  const percent = (100 * share).toFixed(1)
  return [
    `${percent} % of the mean PHR comes from ${wordCount} of ${definedWordCount} words that reach human recall only together with the images that have no score for the word.`,
  ]
}

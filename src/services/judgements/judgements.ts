import { type PublishedFigures, publishedFigures } from '../../core/judgements/published.js'
import { judgeSampleSize } from '../../core/stats/sample-size.js'
import { AccordError } from '../../errors.js'
import { requireDataset } from '../../store/datasets.js'
import {
  findJudgedCaptions,
  findJudgementSets,
  findPreferences,
  judgedCaptionsOfImages,
  preferencesOfCaptions,
  requireJudgementSet,
} from '../../store/judgements.js'
import type { Dataset, JudgedCaption, PreferenceRow } from '../../store/schema/entities.js'
import type { Accord, Client } from '../accord.js'
import { metricsOf, refreshMetrics } from '../shared/computing.js'
import { groupBy, groupedRows, keyedRows } from '../shared/groups.js'
import { intervalNotes } from '../shared/intervals.js'
import type { Baselines, TrainingVerdict } from './baselines.js'
import { conclusionOf } from './conclusion.js'
import type * as jobs from './judge.js'

/** The agreement of a metric with people, beside the published figure of the same judgements. */
export interface MetaEvaluationRow extends jobs.JudgedMetric {
  /** Null where none is published. */
  readonly published: PublishedFigures | null
}

export interface MetaEvaluation extends Omit<jobs.JudgeReport, 'rows'> {
  readonly rows: readonly MetaEvaluationRow[]
  /** What the figures say, in one sentence. */
  readonly conclusion: string
  /** What to know when reading the figures. */
  readonly notes: readonly string[]
}

export interface MetaEvaluationOptions extends jobs.JudgeInput {
  /** Name. */
  readonly dataset: string
}

/**
 * Judges metrics.
 *
 * @throws AccordError UNKNOWN_DATASET, UNKNOWN_METRIC, QUEUE_FULL; and as `judgeMetrics`
 */
export async function judge(
  accord: Accord,
  { dataset: name, ...input }: MetaEvaluationOptions,
  client: Client = {},
): Promise<MetaEvaluation> {
  await refreshMetrics(accord)
  const dataset = await requireDataset(accord.database, name)
  const named = [...(input.metrics ?? []), ...(input.compare ?? [])]
  for (const metric of named) metricsOf(accord).require(metric)
  const report = await accord.run('judge', { datasetId: dataset.id, ...input }, client)
  return describe(accord, dataset, report)
}

async function describe(
  { database }: Accord,
  dataset: Dataset,
  report: jobs.JudgeReport,
): Promise<MetaEvaluation> {
  const { content } = await requireJudgementSet(database, dataset)
  const rows = report.rows.map((row) => ({ ...row, published: publishedFigures(content, row.metric) }))
  return { ...report, rows, conclusion: conclusionOf(report), notes: notesOf(report) }
}

function notesOf({
  kind,
  equalPairCount,
  imageCount,
  tiedPairCount,
  staleMetrics,
  agreement,
  rows,
}: jobs.JudgeReport): string[] {
  const unscored = rows.filter(({ unscoredCaptionCount }) => unscoredCaptionCount > 0)
  return [
    ...unscored.map(
      ({ metric, unscoredCaptionCount }) =>
        `${metric} is undefined for ${unscoredCaptionCount} captions: they are left out of correlations, and their preferences tie.`,
    ),
    kind === 'RATINGS'
      ? 'The interval and the p-value are of τ-c, over resampled images with all their captions.'
      : 'The interval is of the mean accuracy, over resampled images with all their preferences.',
    ...intervalNotes([judgeSampleSize(imageCount)]),
    ...(rows.some(({ contests }) => contests?.all.systemLevel?.intervals)
      ? [
          'Intervals of figures of systems resample systems and images: they are of the figure at as many images, and wide with few systems.',
        ]
      : []),
    'A metric begins the next cluster if it differs significantly from the best one of the cluster above (p < .05).',
    ...rows.flatMap(({ metric, baselines }) => (baselines ? describeBaselines(metric, baselines) : [])),
    ...staleMetrics.map(
      (metric) =>
        `${metric} is left out: one of its features is computed in another way than in its training.`,
    ),
    ...(tiedPairCount > 0
      ? [`People prefer neither caption in ${tiedPairCount} of the preferences: they are in no accuracy.`]
      : []),
    ...(equalPairCount > 0
      ? [
          `${equalPairCount} of the preferences ${equalPairCount === 1 ? 'is' : 'are'} between equal captions: every metric ties, which counts one half.`,
        ]
      : []),
    ...(kind === 'RATINGS' && agreement?.raterCount === null
      ? ['The source does not tell who gave which rating: raters are compared without knowing them.']
      : []),
  ]
}

/** What is shown of the training of a composite. */
function describeBaselines(metric: string, { candidates, verdict }: Baselines): string[] {
  if (verdict === null) return []
  const best = candidates.findLast(({ comparison }) => comparison === null)
  return [`${metric}: ${VERDICTS[verdict]} (best baseline: ${best?.name}).`]
}

const VERDICTS: Readonly<Record<TrainingVerdict, string>> = {
  USED: 'it was trained on these judgements, or chosen by them, which therefore say nothing about its training',
  HELPS: 'training helps',
  HARMS: 'it is worse than without training',
  NOT_SHOWN: 'that training helps is not shown',
}

/** A judged caption that a metric ranks differently from people. */
export interface Disagreement extends jobs.RankedDifferently {
  readonly caption: JudgedCaption
}

/** Maximum number of captions that a request returns. */
const MAX_DISAGREEMENTS = 1000

/**
 * The captions that a metric ranks most differently from people.
 *
 * @throws AccordError QUEUE_FULL; NOT_APPLICABLE for preferences; UNKNOWN_METRIC; OUT_OF_RANGE for `count`
 */
export async function findDisagreements(
  accord: Accord,
  dataset: Dataset,
  input: { readonly metric: string; readonly count: number },
  client: Client = {},
): Promise<Disagreement[]> {
  await refreshMetrics(accord)
  metricsOf(accord).require(input.metric)
  if (input.count < 1 || input.count > MAX_DISAGREEMENTS) {
    throw new AccordError('OUT_OF_RANGE', 'invalid number of captions', {
      source: 'first',
      expected: `1 to ${MAX_DISAGREEMENTS}`,
      found: String(input.count),
    })
  }
  const found = await accord.run('disagreements', { datasetId: dataset.id, ...input }, client)
  const captionOf = await judgedCaptionsById(
    accord,
    found.map(({ captionId }) => captionId),
  )
  return found.flatMap((ranked) => {
    const caption = captionOf.get(ranked.captionId)
    return caption ? [{ ...ranked, caption }] : []
  })
}

/** The judgements of datasets by the id of the dataset. */
export const judgementsByDataset = keyedRows(findJudgementSets, ({ datasetId }) => datasetId)

/** Judged captions by id. */
export const judgedCaptionsById = keyedRows(findJudgedCaptions, ({ id }) => id)

/** The judged captions of images, by the id of the image. */
export const judgedCaptionsByImage = groupedRows(judgedCaptionsOfImages, ({ imageId }) => imageId)

/** Preferences by id. */
export const preferencesById = keyedRows(findPreferences, ({ id }) => id)

/** The preferences in which captions occur, by the id of the caption. */
export async function preferencesByCaption(
  { database }: Accord,
  captionIds: readonly number[],
): Promise<Map<number, PreferenceRow[]>> {
  const preferences = await preferencesOfCaptions(database, captionIds)
  const pairs = preferences.flatMap((preference) =>
    [preference.firstId, preference.secondId].map((captionId) => ({ captionId, preference })),
  )
  const grouped = groupBy(pairs, ({ captionId }) => captionId)
  return new Map(
    Array.from(grouped, ([captionId, own]) => [captionId, own.map(({ preference }) => preference)]),
  )
}

import { type PublishedFigures, publishedFigures } from '../../core/judgements/judgement.js'
import { judgeSampleSize } from '../../core/stats/interval.js'
import { AccordError } from '../../errors.js'
import { counted, grouped } from '../../shared/numbers.js'
import { requireDataset } from '../../store/datasets.js'
import * as store from '../../store/judgements.js'
import type { Dataset } from '../../store/schema/dataset-tables.js'
import type { JudgedCaption, PreferenceRow } from '../../store/schema/judgement-tables.js'
import type { Accord, Client } from '../shared/accord.js'
import { metricsOf, refreshMetrics } from '../shared/computing.js'
import { groupBy, groupedRows, keyedRows } from '../shared/groups.js'
import { intervalNotes } from '../shared/intervals.js'
import type { Baselines, TrainingVerdict } from './baselines.js'
import { conclusionOf } from './conclusion.js'
import type { RankedDifferently } from './disagreements.js'
import type * as jobs from './judge.js'

/** The agreement of a metric with people, beside the published figure of the same judgements. */
export interface MetaEvaluationRow extends jobs.JudgedMetric {
  /** Null where none is published. */
  readonly published: PublishedFigures | null
}

export interface MetaEvaluation extends Omit<jobs.JudgeReport, 'rows'> {
  readonly rows: readonly MetaEvaluationRow[]
  /** What the figures say, in a few sentences. */
  readonly conclusion: string
  /** What keeps the figures from being those of all captions. */
  readonly cautions: readonly string[]
  /** What to know when reading the figures: cautions, and what the figures are. */
  readonly notes: readonly string[]
}

export interface MetaEvaluationOptions extends jobs.JudgeInput {
  /** Name. */
  readonly dataset: string
}

/** Judges metrics. @throws AccordError UNKNOWN_DATASET, UNKNOWN_METRIC, QUEUE_FULL; and as `judgeMetrics` */
export async function judge(
  accord: Accord,
  { dataset: name, ...input }: MetaEvaluationOptions,
  client: Client = {},
): Promise<MetaEvaluation> {
  await refreshMetrics(accord)
  const dataset = await requireDataset(accord.database, name)
  const registry = metricsOf(accord)
  for (const metric of input.compare ?? []) registry.require(metric, 'compare')
  const metrics = input.metrics && registry.resolve(input.metrics)
  const report = await accord.run('judge', { datasetId: dataset.id, ...input, metrics }, client)
  return describe(accord, dataset, report)
}

async function describe(
  { database }: Accord,
  dataset: Dataset,
  report: jobs.JudgeReport,
): Promise<MetaEvaluation> {
  const { content } = await store.requireJudgementSet(database, dataset)
  const rows = report.rows.map((row) => ({ ...row, published: publishedFigures(content, row.metric) }))
  const cautions = cautionsOf(report)
  return {
    ...report,
    rows,
    conclusion: conclusionOf(report),
    cautions,
    notes: [...cautions, ...definitionsOf(report)],
  }
}

/** What in the judgements or metrics keeps figures from being those of all captions. */
function cautionsOf({
  imageCount,
  equalPairCount,
  tiedPairCount,
  staleMetrics,
  omittedMetrics,
  captionCount,
  referenceCaptionCount,
  areOwnReferencesLeftOut,
  rows,
}: jobs.JudgeReport): string[] {
  const unscored = rows.filter(({ unscoredCaptionCount }) => unscoredCaptionCount > 0)
  return [
    ...(referenceCaptionCount > 0
      ? [
          `${grouped(referenceCaptionCount)} of the ${counted(captionCount, 'judged caption')} ${referenceCaptionCount === 1 ? 'is' : 'are'} among the references of their image: every metric scores them highest, whoever wrote them.`,
        ]
      : []),
    ...(areOwnReferencesLeftOut
      ? ['One caption of every preference is a caption of its image: references are the other captions.']
      : []),
    ...unscored.map(
      ({ metric, unscoredCaptionCount }) =>
        `${metric} is undefined for ${counted(unscoredCaptionCount, 'caption')}: they are left out of correlations, and their preferences tie.`,
    ),
    ...intervalNotes([judgeSampleSize(imageCount)]),
    ...(omittedMetrics.length === 0
      ? []
      : [`Left out, because they need English and the tokenizer ptb: ${omittedMetrics.join(', ')}.`]),
    ...staleMetrics.map(
      (metric) =>
        `${metric} is left out: one of its features is computed in another way than in its training.`,
    ),
    ...(tiedPairCount > 0
      ? [
          `People prefer neither caption in ${grouped(tiedPairCount)} of the preferences: they are in no accuracy.`,
        ]
      : []),
    ...(equalPairCount > 0
      ? [
          `${grouped(equalPairCount)} of the preferences ${equalPairCount === 1 ? 'is' : 'are'} between equal captions: every metric ties, which counts one half.`,
        ]
      : []),
  ]
}

/** What the figures are. */
function definitionsOf({ kind, agreement, rows }: jobs.JudgeReport): string[] {
  const compared = rows.filter(({ isChosenByJudgements }) => !isChosenByJudgements)
  const pairCount = (compared.length * (compared.length - 1)) / 2
  return [
    kind === 'RATINGS'
      ? 'Interval and p-value are of τ-c, over resampled images with all their captions.'
      : 'Interval and p-value are of the mean accuracy; preferences of an image count as fewer where they depend on each other.',
    `p: that the figure is ${kind === 'RATINGS' ? '0' : '.5'}, as by chance${compared.length > 1 ? `, with Holm’s correction for ${compared.length} metrics` : ''}.`,
    ...(rows.some(({ contests }) => contests?.all.systemLevel?.intervals)
      ? [
          'Intervals of figures of systems resample systems and images: they are of the figure at as many images, and wide with few systems.',
        ]
      : []),
    ...(pairCount > 0
      ? [
          `Metrics of different clusters differ significantly (p < .05, ${pairCount === 1 ? 'one pair' : `all ${grouped(pairCount)} pairs of metrics tested, Holm’s correction`}); equal figures share a cluster.`,
        ]
      : []),
    ...rows.flatMap(({ metric, baselines }) => (baselines ? describeBaselines(metric, baselines) : [])),
    ...(kind === 'RATINGS' && rows.length > 0 && agreement?.undefinedReason === null
      ? [
          'Rater by another: a rating as the score of each other one of its caption; by the others: their mean as the score. Neither is a ceiling: a metric can predict a rating better than a rater does.',
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
export interface Disagreement extends RankedDifferently {
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

export const judgementsByDataset = keyedRows(store.findJudgementSets, ({ datasetId }) => datasetId)
export const judgedCaptionsById = keyedRows(store.findJudgedCaptions, ({ id }) => id)
export const judgedCaptionsByImage = groupedRows(store.judgedCaptionsOfImages, ({ imageId }) => imageId)
export const preferencesById = keyedRows(store.findPreferences, ({ id }) => id)

/** The preferences in which captions occur, by the id of the caption. */
export async function preferencesByCaption(
  { database }: Accord,
  captionIds: readonly number[],
): Promise<Map<number, PreferenceRow[]>> {
  const preferences = await store.preferencesOfCaptions(database, captionIds)
  const pairs = preferences.flatMap((preference) =>
    [preference.firstId, preference.secondId].map((captionId) => ({ captionId, preference })),
  )
  const ofCaption = groupBy(pairs, ({ captionId }) => captionId)
  return new Map(
    Array.from(ofCaption, ([captionId, own]) => [captionId, own.map(({ preference }) => preference)]),
  )
}

import { binsOf, externalIdsOf, quantilesOf } from '../../services/evaluations/distributions.js'
import { areComparable } from '../../services/evaluations/provenance.js'
import {
  findMetric,
  listImageScores,
  listMetrics,
  pickMetrics,
  requireMetric,
  scoreNotes,
} from '../../services/evaluations/scores.js'
import { judgeInterval, toInterval } from '../../services/shared/intervals.js'
import type {
  AgreementScore as AgreementScoreRow,
  MetricScore as MetricScoreRow,
  System as SystemRow,
} from '../../store/schema/entities.js'
import { connect, connectRows } from '../execution/connection.js'
import type { Context } from '../execution/context.js'
import { roundAll } from '../execution/digits.js'
import { toGlobalId } from '../execution/ids.js'
import { present } from '../execution/present.js'
import type * as schema from '../execution/schema-types.js'
import { loadImage } from '../images/loaders.js'
import { loadAgreement, loadProvenance } from './loaders.js'
import { imageScoresOf, imageScoresOfPeople } from './scores.js'

export const Query: Pick<schema.QueryResolvers, 'metric' | 'metrics'> = {
  metrics: (_parent, page, { accord }) =>
    connectRows('metrics', listMetrics(accord), ({ name }) => name, page),
  metric: (_parent, { name }, { accord }) => findMetric(accord, name),
}

export const Metric: schema.MetricResolvers = {
  id: ({ name }) => toGlobalId('Metric', name),
  isHigherBetter: ({ higherIsBetter }) => higherIsBetter,
}

export const MetricScore: schema.MetricScoreResolvers = {
  id: ({ system, metric, references }) => toGlobalId('MetricScore', system.id, metric, references),
  metric: ({ metric }, _args, { accord }) => requireMetric(accord, metric),
  value: ({ row }) => row?.value ?? null,
  interval: ({ row }) => row && toInterval(row),
  async undefinedReason({ system, row }, _args, context) {
    if (row) return judgeInterval(await countImages(row, context), row).undefinedReason
    return system.kind === 'CAPTIONS' ? 'NOT_COMPUTED' : 'NO_CAPTIONS'
  },
  isSmall: async ({ row }, _args, context) =>
    row !== null && judgeInterval(await countImages(row, context), row).isSmall,
  signature: ({ row }) => row?.signature ?? null,
  provenance: ({ row }, _args, context) => row && loadProvenance(context, row.provenanceId).then(present),
  referenceCount: ({ row }) => row?.referenceCount ?? null,
  foldScores: ({ row }) => row?.folds ?? null,
  warnings: ({ row }) => row?.warnings ?? [],
  notes: ({ row }, _args, context) => (row ? notesOf(row, context) : []),

  async humanScore({ system: { datasetId }, metric, references, row }, _args, context) {
    if (row === null || references === null) return null
    const table = await loadAgreement(context, { datasetId, references })
    const human = table.find((candidate) => candidate.metric === metric)
    if (!human) return null
    const records = [row, human].map(({ provenanceId }) =>
      loadProvenance(context, provenanceId).then(present),
    )
    const [own, other] = await Promise.all(records)
    return areComparable(own, other) ? human : null
  },

  async imageScores({ row }, { orderBy, ...page }, context) {
    if (row === null) return null
    return connect(listImageScores(row, await imageScoresOf(row, context), orderBy ?? undefined), page)
  },
  vector: ({ system, row }, _args, context) => row && vectorOf(system, row, context),
  distribution: ({ system, row }, _args, context) => row && vectorOf(system, row, context),
}

async function notesOf(row: MetricScoreRow | AgreementScoreRow, context: Context): Promise<string[]> {
  return scoreNotes(context.accord, row, present(await loadProvenance(context, row.provenanceId)))
}

async function vectorOf({ datasetId }: SystemRow, row: MetricScoreRow, context: Context) {
  return { datasetId, scores: await imageScoresOf(row, context) }
}

export const ScoreVector: schema.ScoreVectorResolvers = {
  externalIds: ({ datasetId, scores }, _args, { accord }) => externalIdsOf(accord, datasetId, scores),
  values: ({ scores }, { digits }) => roundAll(scores.scores, digits),
}

export const ScoreDistribution: schema.ScoreDistributionResolvers = {
  imageCount: ({ scores }) => scores.scores.length,
  bins: ({ scores }, args) => binsOf(scores, args),
  quantiles: ({ scores }, { at }) => quantilesOf(scores, at),
}

export const ScoreBin: schema.ScoreBinResolvers = {
  from: ({ lower }) => lower,
  to: ({ upper }) => upper,
  imageCount: ({ count }) => count,
}

export const MetricCorrelation: schema.MetricCorrelationResolvers = {
  first: ({ first }, _args, { accord }) => requireMetric(accord, first),
  second: ({ second }, _args, { accord }) => requireMetric(accord, second),
  undefinedReason: ({ pearson }) => (pearson === null ? 'CONSTANT_SCORES' : null),
}

async function countImages({ provenanceId }: MetricScoreRow, context: Context): Promise<number> {
  return present(await loadProvenance(context, provenanceId)).images.count
}

const SOURCES = { own: 'OWN', fold: 'FOLD', dataset: 'DATASET', coco: 'COCO', file: 'FILE' } as const

export const Provenance: schema.ProvenanceResolvers = {
  datasetHash: ({ dataset }) => dataset,
  isHuman: ({ subject }) => subject.kind === 'people',
  metricName: ({ metric }) => metric,
  subjectHash: ({ subject }) => subject.content,
  parameters: ({ parameters }) => toNamedTexts(parameters),
  resources: ({ resources }) => toNamedTexts(resources),
  isRawText: ({ text }) => text === 'raw',
  documentFrequencies: ({ documentFrequencies: df }) => df && { ...df, source: SOURCES[df.source] },
  referenceRange: ({ references }) => references,
  measuredImages: ({ images }) => images,
  intervalMethod: ({ interval }) => interval,
}

export const ReferenceRange: schema.ReferenceRangeResolvers = {
  min: ({ least }) => least,
  max: ({ most }) => most,
  foldCount: ({ folds }) => folds,
}

export const MeasuredImages: schema.MeasuredImagesResolvers = {
  imageCount: ({ count }) => count,
  completeImageCount: ({ of }) => of,
}

function toNamedTexts(texts: Readonly<Record<string, string>>) {
  return Object.entries(texts).map(([name, text]) => ({ name, text }))
}

export const CaptionScore: schema.CaptionScoreResolvers = {
  metric: ({ metric }, _args, { accord }) => requireMetric(accord, metric),
}

export const ImageScore: schema.ImageScoreResolvers = {
  image: ({ imageId }, _args, context) => loadImage(context, imageId).then(present),
}

export const HumanAgreement: schema.HumanAgreementResolvers = {
  id: ({ dataset, references }) => toGlobalId('HumanAgreement', dataset.id, references),
  referenceCount: ({ references }) => references,
  imageCount: ({ dataset }) => dataset.imageCount - dataset.excludedImageCount,
  folds: ({ rows }, _args, { accord }) =>
    (rows.at(0)?.folds ?? []).map((_, index) => ({
      fold: index + 1,
      scores: rows.map(({ metric, folds }) => ({
        metric: requireMetric(accord, metric),
        value: folds[index],
      })),
    })),
  async score({ rows }, { metric }, { accord }) {
    const [row] = await pickMetrics(accord, rows, [metric])
    return row ?? null
  },
  scores: ({ rows }, { metrics }, { accord }) => pickMetrics(accord, rows, metrics),
}

export const AgreementScore: schema.AgreementScoreResolvers = {
  id: ({ datasetId, metric, referenceCount }) =>
    toGlobalId('AgreementScore', datasetId, metric, referenceCount),
  metric: ({ metric }, _args, { accord }) => requireMetric(accord, metric),
  interval: toInterval,
  undefinedReason: (score) => judgeInterval(score.imageCount, score).undefinedReason,
  isSmall: (score) => judgeInterval(score.imageCount, score).isSmall,
  provenance: ({ provenanceId }, _args, context) => loadProvenance(context, provenanceId).then(present),
  notes: (score, _args, context) => notesOf(score, context),
  async imageScores(row, { orderBy, ...page }, context) {
    const scores = await imageScoresOfPeople(row, context)
    return connect(listImageScores({ id: -row.id }, scores, orderBy ?? undefined), page)
  },
  vector: vectorOfPeople,
  distribution: vectorOfPeople,
}

async function vectorOfPeople(row: AgreementScoreRow, _args: unknown, context: Context) {
  return { datasetId: row.datasetId, scores: await imageScoresOfPeople(row, context) }
}

import { areComparable } from '../../services/evaluations/provenance.js'
import {
  findMetric,
  listMetrics,
  pickMetrics,
  requireMetric,
  scoreNotes,
} from '../../services/evaluations/scores.js'
import { judgeInterval, toInterval } from '../../services/shared/intervals.js'
import type { MetricScore as MetricScoreRow } from '../../store/schema/entities.js'
import type { Context } from '../execution/context.js'
import { toGlobalId } from '../execution/ids.js'
import { present } from '../execution/present.js'
import type {
  AgreementScoreResolvers,
  CaptionScoreResolvers,
  HumanAgreementResolvers,
  ImageScoreResolvers,
  MeasuredImagesResolvers,
  MetricResolvers,
  MetricScoreResolvers,
  ProvenanceResolvers,
  QueryResolvers,
  ReferenceRangeResolvers,
} from '../execution/schema-types.js'
import { loadImage } from '../images/loaders.js'
import { loadSystem } from '../systems/loaders.js'
import { loadAgreement, loadProvenance } from './loaders.js'

export const Query: Pick<QueryResolvers, 'metric' | 'metrics'> = {
  metrics: (_parent, _args, { accord }) => listMetrics(accord),
  metric: (_parent, { name }, { accord }) => findMetric(accord, name),
}

export const Metric: MetricResolvers = {
  id: ({ name }) => toGlobalId('Metric', name),
  isHigherBetter: ({ higherIsBetter }) => higherIsBetter,
}

export const MetricScore: MetricScoreResolvers = {
  metric: ({ metric }, _args, { accord }) => requireMetric(accord, metric),
  interval: toInterval,
  undefinedReason: async (score, _args, context) =>
    judgeInterval(await countImages(score, context)).undefinedReason,
  isSmall: async (score, _args, context) => judgeInterval(await countImages(score, context)).isSmall,
  provenance: ({ provenanceId }, _args, context) => loadProvenance(context, provenanceId).then(present),
  notes: async (score, _args, context) =>
    scoreNotes(context.accord, score, await countImages(score, context)),
  foldScores: ({ folds }) => folds,
  async humanScore({ systemId, metric, folds, referenceCount, provenanceId }, _args, context) {
    if (folds === null) return null
    const { datasetId } = present(await loadSystem(context, systemId))
    const table = await loadAgreement(context, { datasetId, references: referenceCount })
    const row = table.find((candidate) => candidate.metric === metric)
    if (!row) return null
    const [own, human] = await Promise.all([
      loadProvenance(context, provenanceId),
      loadProvenance(context, row.provenanceId),
    ])
    return areComparable(present(own), present(human)) ? row : null
  },
}

async function countImages({ provenanceId }: MetricScoreRow, context: Context): Promise<number> {
  return present(await loadProvenance(context, provenanceId)).images.count
}

const SOURCES = { own: 'OWN', fold: 'FOLD', dataset: 'DATASET' } as const

export const Provenance: ProvenanceResolvers = {
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

export const ReferenceRange: ReferenceRangeResolvers = {
  min: ({ least }) => least,
  max: ({ most }) => most,
  foldCount: ({ folds }) => folds,
}

export const MeasuredImages: MeasuredImagesResolvers = {
  imageCount: ({ count }) => count,
  completeImageCount: ({ of }) => of,
}

function toNamedTexts(texts: Readonly<Record<string, string>>) {
  return Object.entries(texts).map(([name, text]) => ({ name, text }))
}

export const CaptionScore: CaptionScoreResolvers = {
  metric: ({ metric }, _args, { accord }) => requireMetric(accord, metric),
}

export const ImageScore: ImageScoreResolvers = {
  image: ({ imageId }, _args, context) => loadImage(context, imageId).then(present),
  metric: ({ metric }, _args, { accord }) => requireMetric(accord, metric),
}

export const HumanAgreement: HumanAgreementResolvers = {
  referenceCount: ({ references }) => references,
  imageCount: ({ rows }) => rows[0].imageCount,
  folds: ({ rows }, _args, { accord }) =>
    rows[0].folds.map((_, index) => ({
      fold: index + 1,
      scores: rows.map(({ metric, folds }) => ({
        metric: requireMetric(accord, metric),
        value: folds[index],
      })),
    })),
  scores: ({ rows }, { metrics }, { accord }) => pickMetrics(accord, rows, metrics),
}

export const AgreementScore: AgreementScoreResolvers = {
  metric: ({ metric }, _args, { accord }) => requireMetric(accord, metric),
  interval: toInterval,
  undefinedReason: (score) => judgeInterval(score.imageCount).undefinedReason,
  isSmall: (score) => judgeInterval(score.imageCount).isSmall,
  provenance: ({ provenanceId }, _args, context) => loadProvenance(context, provenanceId).then(present),
  notes: (score, _args, { accord }) => scoreNotes(accord, score, score.imageCount),
}

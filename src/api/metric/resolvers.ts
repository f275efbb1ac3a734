import { PUBLISHED_AGREEMENT } from '../../agreement/leave-one-out.js'
import { listMetrics, pickMetrics, requireMetric } from '../../services/scores.js'
import { loadImage } from '../image/loaders.js'
import { present } from '../present.js'
import type {
  AgreementScoreResolvers,
  CaptionScoreResolvers,
  HumanAgreementResolvers,
  ImageScoreResolvers,
  MetricScoreResolvers,
  PairwiseComparisonResolvers,
  QueryResolvers,
} from '../schema-types.js'
import { loadSystem } from '../system/loaders.js'
import { loadAgreement } from './loaders.js'

export const Query: Pick<QueryResolvers, 'metrics'> = {
  metrics: (_parent, _args, { accord }) => listMetrics(accord),
}

export const MetricScore: MetricScoreResolvers = {
  metric: ({ metric }, _args, { accord }) => requireMetric(accord, metric),
  interval: ({ lower, upper }) => ({ lower, upper }),
  references: ({ referenceCount }) => referenceCount,
  async human({ systemId, metric }, _args, context) {
    const { datasetId } = present(await loadSystem(context, systemId))
    const table = await loadAgreement(context, datasetId)
    return table.find((row) => row.metric === metric) ?? null
  },
}

export const CaptionScore: CaptionScoreResolvers = {
  metric: ({ metric }, _args, { accord }) => requireMetric(accord, metric),
}

export const ImageScore: ImageScoreResolvers = {
  image: ({ imageId }, _args, context) => loadImage(context, imageId).then(present),
  metric: ({ metric }, _args, { accord }) => requireMetric(accord, metric),
}

export const HumanAgreement: HumanAgreementResolvers = {
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
  interval: ({ lower, upper }) => ({ lower, upper }),
  references: ({ referenceCount }) => referenceCount,
  publishedC5: ({ metric }) => PUBLISHED_AGREEMENT.get(metric)?.c5 ?? null,
  publishedC40: ({ metric }) => PUBLISHED_AGREEMENT.get(metric)?.c40 ?? null,
}

export const PairwiseComparison: PairwiseComparisonResolvers = {
  metric: ({ metric }, _args, { accord }) => requireMetric(accord, metric),
  interval: ({ lower, upper }) => ({ lower, upper }),
}

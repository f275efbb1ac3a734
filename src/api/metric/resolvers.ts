import { PUBLISHED_AGREEMENT } from '../../agreement/leave-one-out.js'
import { present } from '../present.js'
import type {
  AgreementScoreResolvers,
  CaptionScoreResolvers,
  HumanAgreementResolvers,
  ImageScoreResolvers,
  MetricScoreResolvers,
  QueryResolvers,
} from '../schema-types.js'

export const Query: Pick<QueryResolvers, 'metrics'> = {
  metrics: (_parent, _args, { metrics }) => [...metrics.all],
}

export const MetricScore: MetricScoreResolvers = {
  metric: ({ metric }, _args, { metrics }) => metrics.require(metric),
  interval: ({ lower, upper }) => ({ lower, upper }),
  references: ({ referenceCount }) => referenceCount,
  async human({ systemId, metric }, _args, { loaders }) {
    const { datasetId } = present(await loaders.system.load(systemId))
    const table = await loaders.agreement.load(datasetId)
    return table.find((row) => row.metric === metric) ?? null
  },
}

export const CaptionScore: CaptionScoreResolvers = {
  metric: ({ metric }, _args, { metrics }) => metrics.require(metric),
}

export const ImageScore: ImageScoreResolvers = {
  image: ({ imageId }, _args, { loaders }) => loaders.image.load(imageId).then(present),
  metric: ({ metric }, _args, { metrics }) => metrics.require(metric),
}

export const HumanAgreement: HumanAgreementResolvers = {
  imageCount: ({ rows }) => rows[0].imageCount,
  folds: ({ rows }, _args, { metrics }) =>
    rows[0].folds.map((_, index) => ({
      fold: index + 1,
      scores: rows.map(({ metric, folds }) => ({ metric: metrics.require(metric), value: folds[index] })),
    })),
  scores: ({ rows }, { metrics: names }, { metrics }) => metrics.pick(rows, names),
}

export const AgreementScore: AgreementScoreResolvers = {
  metric: ({ metric }, _args, { metrics }) => metrics.require(metric),
  interval: ({ lower, upper }) => ({ lower, upper }),
  references: ({ referenceCount }) => referenceCount,
  publishedC5: ({ metric }) => PUBLISHED_AGREEMENT.get(metric)?.c5 ?? null,
  publishedC40: ({ metric }) => PUBLISHED_AGREEMENT.get(metric)?.c40 ?? null,
}

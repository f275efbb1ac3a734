import { AccordError } from '../../errors.js'
import { findDisagreements, judge } from '../../services/judgements/judgements.js'
import { loadDataset } from '../loaders/datasets.js'
import { loadJudgedCaption, loadJudgedCaptions, loadJudgements, loadPreferences } from '../loaders/jobs.js'
import { toGlobalId } from '../shared/ids.js'
import { present } from '../shared/loader.js'
import type * as schema from '../shared/schema-types.js'

export const Dataset: schema.DatasetResolvers = {
  judgements: ({ id }, _args, context) => loadJudgements(context, id),
}

export const Image: schema.ImageResolvers = {
  judgedCaptions: ({ id }, _args, context) => loadJudgedCaptions(context, id),
}

export const JudgementSet: schema.JudgementSetResolvers = {
  id: ({ datasetId }) => toGlobalId('JudgementSet', datasetId),
  async metaEvaluation({ datasetId }, { metrics, compare, anchor, resampleCount }, context) {
    const { accord, client, outside } = context
    const dataset = present(await loadDataset(context, datasetId))
    const input = {
      metrics: metrics ?? undefined,
      compare: toPair(compare),
      anchor: anchor ?? undefined,
      resamples: resampleCount ?? undefined,
    }
    return outside(judge(accord, { dataset: dataset.name, ...input }, client))
  },
  async disagreements({ datasetId }, { metric, first }, context) {
    const { accord, client, outside } = context
    const dataset = present(await loadDataset(context, datasetId))
    return outside(findDisagreements(accord, dataset, { metric, count: first ?? 20 }, client))
  },
}

function toPair(metrics: readonly string[] | null | undefined): [string, string] | undefined {
  if (metrics == null) return undefined
  if (metrics.length === 2) return [metrics[0], metrics[1]]
  throw new AccordError('OUT_OF_RANGE', 'invalid number of metrics', {
    source: 'compare',
    expected: 'two names',
    found: String(metrics.length),
  })
}

export const MetaEvaluationRow: schema.MetaEvaluationRowResolvers = {
  ratings: ({ figures }) => (figures.kind === 'RATINGS' ? figures : null),
  preferences: ({ figures }) => (figures.kind === 'PREFERENCES' ? figures : null),
}

export const PreferenceFigures: schema.PreferenceFiguresResolvers = {
  accuracyByCategory: ({ accuracy }) => toCategories(accuracy),
}

export const PublishedFigures: schema.PublishedFiguresResolvers = {
  tauC: (figures) => ('tauC' in figures ? figures.tauC : null),
  accuracyByCategory: (figures) => ('accuracy' in figures ? toCategories(figures.accuracy) : null),
  mean: (figures) => ('mean' in figures ? figures.mean : null),
}

function toCategories(accuracy: Readonly<Record<string, number>>) {
  return Object.entries(accuracy).map(([category, value]) => ({ category, value }))
}

export const JudgedCaption: schema.JudgedCaptionResolvers = {
  meanRating: ({ ratings }) =>
    ratings.length === 0 ? null : ratings.reduce((sum, { value }) => sum + value, 0) / ratings.length,
  preferences: ({ id }, _args, context) => loadPreferences(context, id),
}

export const Preference: schema.PreferenceResolvers = {
  preferred: ({ preferred, firstId, secondId }, _args, context) =>
    preferred === null
      ? null
      : loadJudgedCaption(context, preferred === 0 ? firstId : secondId).then(present),
}

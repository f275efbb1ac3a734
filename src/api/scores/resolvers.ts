import type { SampleSize } from '../../core/stats/interval.js'
import { requireDocuments } from '../../services/evaluations/document-source.js'
import {
  binsOf,
  externalIdsOf,
  listImageScores,
  quantilesOf,
} from '../../services/evaluations/image-scores.js'
import { findMetric, listMetrics, pickMetrics } from '../../services/evaluations/metrics.js'
import { type StoredScore, scoreNotes, scoreStoredSubsets } from '../../services/evaluations/scores.js'
import { areComparable } from '../../services/provenance/word-provenance.js'
import { judgeScore, toInterval } from '../../services/shared/intervals.js'
import type {
  AgreementScore as AgreementScoreRow,
  MetricScore as MetricScoreRow,
} from '../../store/schema/score-tables.js'
import type { System as SystemRow } from '../../store/schema/system-tables.js'
import { loadDataset } from '../loaders/datasets.js'
import {
  loadAgreement,
  loadAgreementStatistics,
  loadProvenance,
  loadStatistics,
  loadSubsets,
} from '../loaders/systems.js'
import { roundAll } from '../shared/arguments.js'
import { connect, connectRows } from '../shared/connection.js'
import type { Context } from '../shared/context.js'
import { toGlobalId } from '../shared/ids.js'
import { present } from '../shared/loader.js'
import type * as schema from '../shared/schema-types.js'
import { toSubject } from '../shared/subject.js'
import { imageScoresOf, imageScoresOfPeople } from './scores.js'

export const Query: schema.QueryResolvers = {
  metrics: (_parent, page, { accord }) => connectRows(listMetrics(accord), ({ name }) => name, page),
  metric: (_parent, { name }, { accord }) => findMetric(accord, name),
}

export const Metric: schema.MetricResolvers = { id: ({ name }) => toGlobalId('Metric', name) }

/** The part of an id that names document frequencies; none for those of the measured images. */
function sourceKey(documents: string | null | undefined): string[] {
  return documents == null ? [] : [documents]
}

export const MetricScore: schema.MetricScoreResolvers = {
  id: ({ system, metric, references, documents }) =>
    toGlobalId('MetricScore', system.id, metric, references, ...sourceKey(documents)),
  interval: ({ row }) => row && toInterval(row),
  undefinedReason({ system, row }) {
    if (row) return judgeScore(row, row.record).undefinedReason
    return system.kind === 'CAPTIONS' ? 'NOT_COMPUTED' : 'NO_CAPTIONS'
  },
  isSmall: ({ row }) => row !== null && judgeScore(row, row.record).isSmall,
  warnings: ({ row }) => row?.warnings ?? [],
  notes: ({ row }, _args, { accord }) => (row ? scoreNotes(accord, row, row.record) : []),

  async humanScore({ system: { datasetId }, metric, references, documents, row }, _args, context) {
    if (row === null || references === null) return null
    const source = await requireDocuments(context.accord.database, { documents })
    const table = await loadAgreement(context, { datasetId, references, ...source })
    const human = table.find((candidate) => candidate.metric === metric)
    if (!human) return null
    const record = present(await loadProvenance(context, human.provenanceId))
    return areComparable(row.record, record) ? { ...human, documents } : null
  },

  async imageScores({ row }, { orderBy, ...page }, context) {
    if (row === null) return null
    return connect(listImageScores(await imageScoresOf(row, context), orderBy ?? undefined), page)
  },
  async subsets({ system: { datasetId }, row }, { by }, context) {
    if (row === null) return null
    const statistics = present(await loadStatistics(context, row.statisticsId))
    const { metric, record } = row
    return subsetScores(
      datasetId,
      by,
      { metric, record, folds: row.folds?.length ?? null, statistics },
      context,
    )
  },
  vector: ({ system, row }, _args, context) => row && vectorOf(system, row, context),
  distribution: ({ system, row }, _args, context) => row && vectorOf(system, row, context),
}

/** The scores of the images of each value of a field. */
async function subsetScores(datasetId: number, field: string, score: StoredScore, context: Context) {
  const dataset = present(await loadDataset(context, datasetId))
  return scoreStoredSubsets(context.accord, dataset, await loadSubsets(context, { dataset, field }), score)
}

async function notesOf(row: AgreementScoreRow, context: Context): Promise<string[]> {
  return scoreNotes(context.accord, row, present(await loadProvenance(context, row.provenanceId)))
}

async function vectorOf({ datasetId }: SystemRow, row: MetricScoreRow, context: Context) {
  return { datasetId, scores: await imageScoresOf(row, context) }
}

export const ScoreVector: schema.ScoreVectorResolvers = {
  externalIds: ({ datasetId, scores }, _args, { accord }) => externalIdsOf(accord, datasetId, scores),
  values: ({ scores }, { digits }) => roundAll(scores.scores, digits),
}

export const ScoreTable: schema.ScoreTableResolvers = {
  externalIds: ({ datasetId, imageIds }, _args, { accord }) => externalIdsOf(accord, datasetId, { imageIds }),
}

export const ScoreColumn: schema.ScoreColumnResolvers = {
  subject: ({ system }) => toSubject(system),
  values: ({ values }, { digits }) =>
    values &&
    roundAll(
      Array.from(values, (value) => (Number.isNaN(value) ? null : value)),
      digits,
    ),
}

export const ScoreDistribution: schema.ScoreDistributionResolvers = {
  imageCount: ({ scores }) => scores.scores.length,
  bins: ({ scores }, args) => binsOf(scores, args),
  quantiles: ({ scores }, { at }) => quantilesOf(scores, at),
}

export const MetricCorrelation: schema.MetricCorrelationResolvers = {
  undefinedReason: ({ pearson }) => (pearson === null ? 'CONSTANT_SCORES' : null),
}

async function statusOf(row: AgreementScoreRow, context: Context): Promise<SampleSize> {
  return judgeScore(row, present(await loadProvenance(context, row.provenanceId)))
}

const SOURCES = { own: 'OWN', fold: 'FOLD', dataset: 'DATASET', coco: 'COCO', file: 'FILE' } as const

export const Provenance: schema.ProvenanceResolvers = {
  isHuman: ({ subject }) => subject.kind === 'people',
  parameters: ({ parameters }) => toNamedTexts(parameters),
  resources: ({ resources }) => toNamedTexts(resources),
  isRawText: ({ text }) => text === 'raw',
  documentFrequencies: ({ documentFrequencies: df }) => df && { ...df, source: SOURCES[df.source] },
}

function toNamedTexts(texts: Readonly<Record<string, string>>) {
  return Object.entries(texts).map(([name, text]) => ({ name, text }))
}

export const HumanAgreement: schema.HumanAgreementResolvers = {
  imageCount: ({ dataset }) => dataset.imageCount - dataset.excludedImageCount,
  async score({ rows }, { metric }, { accord }) {
    const [row] = await pickMetrics(accord, rows, [metric])
    return row ?? null
  },
  scores: ({ rows, undefinedReason }) => (undefinedReason === null ? rows : null),
}

export const AgreementScore: schema.AgreementScoreResolvers = {
  id: ({ datasetId, metric, referenceCount, documents }) =>
    toGlobalId('AgreementScore', datasetId, metric, referenceCount, ...sourceKey(documents)),
  interval: toInterval,
  undefinedReason: async (score, _args, context) => (await statusOf(score, context)).undefinedReason,
  isSmall: async (score, _args, context) => (await statusOf(score, context)).isSmall,
  provenance: ({ provenanceId }, _args, context) => loadProvenance(context, provenanceId).then(present),
  notes: (score, _args, context) => notesOf(score, context),
  async imageScores(row, { orderBy, ...page }, context) {
    const scores = await imageScoresOfPeople(row, context)
    return connect(listImageScores(scores, orderBy ?? undefined), page)
  },
  async subsets({ datasetId, metric, folds, statisticsId, provenanceId }, { by }, context) {
    const [record, statistics] = await Promise.all([
      loadProvenance(context, provenanceId).then(present),
      loadAgreementStatistics(context, statisticsId).then(present),
    ])
    return subsetScores(datasetId, by, { metric, record, folds: folds.length, statistics }, context)
  },
  vector: vectorOfPeople,
  distribution: vectorOfPeople,
}

async function vectorOfPeople(row: AgreementScoreRow, _args: unknown, context: Context) {
  return { datasetId: row.datasetId, scores: await imageScoresOfPeople(row, context) }
}

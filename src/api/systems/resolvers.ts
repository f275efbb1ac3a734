import {
  binsOf,
  correlateMetrics,
  externalIdsOf,
  quantilesOf,
} from '../../services/evaluations/distributions.js'
import {
  definedScores,
  findScore,
  listImageScores,
  pickMetrics,
  requireMetric,
} from '../../services/evaluations/scores.js'
import { listSystemCaptions } from '../../services/images/captions.js'
import { listSystemWords, precisionRecallCurve } from '../../services/systems/systems.js'
import { listMistakes } from '../../services/words/mistakes.js'
import { unscoredNotes, wordMeanNotes } from '../../services/words/word-notes.js'
import type { System as SystemModel, SystemWord } from '../../store/schema/entities.js'
import { loadDataset, loadVocabulary, loadWordMeans } from '../datasets/loaders.js'
import { connect } from '../execution/connection.js'
import type { Context } from '../execution/context.js'
import { toGlobalId } from '../execution/ids.js'
import { toPoints } from '../execution/points.js'
import { present } from '../execution/present.js'
import { type FigureArguments, figureProvenance, provenanceFields } from '../execution/provenance.js'
import type {
  MetricCorrelationResolvers,
  PhrSummaryResolvers,
  ScoreBinResolvers,
  ScoreDistributionResolvers,
  ScoreVectorResolvers,
  SystemResolvers,
  SystemWordResultResolvers,
  WordMistakeResolvers,
} from '../execution/schema-types.js'
import { loadImage } from '../images/loaders.js'
import { loadNewestEvaluation } from '../jobs/loaders.js'
import { loadImageScores, loadScores } from '../scores/loaders.js'
import { loadWord } from '../words/loaders.js'
import {
  loadCurveInputs,
  loadPhrSummary,
  loadPredictions,
  loadSystem,
  loadUnscoredPhr,
  loadWordEstimates,
} from './loaders.js'
import type { PhrSummaryModel, SystemScoresModel } from './models.js'

export const System: SystemResolvers = {
  id: ({ id }) => toGlobalId('System', id),

  dataset: ({ datasetId }, _args, context) => loadDataset(context, datasetId).then(present),

  async scores({ id }, { metrics, references }, context) {
    const scores = await loadScores(context, { systemId: id, references: references ?? null })
    return pickMetrics(context.accord, scores, metrics)
  },

  async imageScores(system, { metric, references, orderBy, ...page }, context) {
    const found = await scoresOf(system, { metric, references }, context)
    return found && connect(listImageScores(found.score, found.scores, orderBy ?? undefined), page)
  },

  scoreVector: (system, args, context) => scoresOf(system, args, context),
  scoreDistribution: (system, args, context) => scoresOf(system, args, context),

  async scoreReason({ id, kind }, { metric, references }, context) {
    const rows = await loadScores(context, { systemId: id, references: references ?? null })
    if (await findScore(context.accord, rows, metric)) return null
    return kind === 'CAPTIONS' ? 'NOT_COMPUTED' : 'NO_CAPTIONS'
  },

  async metricCorrelations({ id }, { metrics, references }, context) {
    const all = await loadScores(context, { systemId: id, references: references ?? null })
    const rows = await pickMetrics(context.accord, all, metrics)
    const scores = await Promise.all(rows.map((row) => loadImageScores(context, row.id)))
    const byMetric = new Map(rows.map(({ metric }, index) => [metric, definedScores(present(scores[index]))]))
    return correlateMetrics(byMetric, context.turn)
  },

  captions: (system, { filter, ...page }, { accord }) =>
    connect(listSystemCaptions(accord, system, filter ?? {}), page),

  evaluation: ({ id }, _args, context) => loadNewestEvaluation(context, id),

  async words(system, { filter, orderBy, references, ...page }, context) {
    const dataset = present(await loadDataset(context, system.datasetId))
    if (dataset.captionsPerImage < 2) return null
    return connect(listSystemWords(context.accord, system, dataset, { references, filter, orderBy }), page)
  },

  async phrSummary({ id, datasetId }, options, context) {
    const dataset = present(await loadDataset(context, datasetId))
    if (dataset.captionsPerImage < 2) return null
    const summary = present(await loadPhrSummary(context, { dataset, systemId: id, ...options }))
    return { ...summary, dataset, systemId: id, partOfSpeech: options.partOfSpeech }
  },
}

/** A score of a system and its image scores. Null if the system has none. */
async function scoresOf(
  { id, datasetId }: SystemModel,
  { metric, references }: { readonly metric: string; readonly references?: number | null },
  context: Context,
): Promise<SystemScoresModel | null> {
  const all = await loadScores(context, { systemId: id, references: references ?? null })
  const score = await findScore(context.accord, all, metric)
  return (
    score && { datasetId, score, scores: definedScores(present(await loadImageScores(context, score.id))) }
  )
}

export const ScoreVector: ScoreVectorResolvers = {
  metric: ({ score }, _args, { accord }) => requireMetric(accord, score.metric),
  externalIds: ({ datasetId, scores }, _args, { accord }) => externalIdsOf(accord, datasetId, scores),
  values: ({ scores }) => Array.from(scores.scores),
  signature: ({ score }) => score.signature,
}

export const ScoreDistribution: ScoreDistributionResolvers = {
  metric: ({ score }, _args, { accord }) => requireMetric(accord, score.metric),
  imageCount: ({ scores }) => scores.scores.length,
  bins: ({ scores }, args) => binsOf(scores, args),
  quantiles: ({ scores }, { at }) => quantilesOf(scores, at),
}

export const ScoreBin: ScoreBinResolvers = {
  from: ({ lower }) => lower,
  to: ({ upper }) => upper,
  imageCount: ({ count }) => count,
}

export const MetricCorrelation: MetricCorrelationResolvers = {
  first: ({ first }, _args, { accord }) => requireMetric(accord, first),
  second: ({ second }, _args, { accord }) => requireMetric(accord, second),
}

export const WordMistake: WordMistakeResolvers = {
  wordScore: ({ score }) => score,
  image: ({ imageId }, _args, context) => loadImage(context, imageId).then(present),
}

export const PhrSummary: PhrSummaryResolvers = {
  referenceCount: ({ references }) => references,
  async means({ dataset, systemId, partOfSpeech, references }, _args, context) {
    const system = present(await loadSystem(context, systemId))
    return loadWordMeans(context, { dataset, system, references, partOfSpeech })
  },
  unscoredWordCount: async (summary, _args, context) =>
    (await loadUnscoredPhr(context, summary))?.wordCount ?? null,
  unscoredShare: async (summary, _args, context) => (await loadUnscoredPhr(context, summary))?.share ?? null,
  async notes(summary, _args, context) {
    const unscored = await loadUnscoredPhr(context, summary)
    return [...wordMeanNotes(summary.dataset), ...(unscored ? unscoredNotes(unscored) : [])]
  },
  ...provenanceFields(async (summary: PhrSummaryModel, args: FigureArguments, context) => {
    const { dataset, systemId, references } = summary
    const system = present(await loadSystem(context, systemId))
    const words = present(await loadVocabulary(context, summary))
    return figureProvenance(dataset, system, args, { words, references })
  }),
}

export const SystemWordResult: SystemWordResultResolvers = {
  system: ({ systemId }, _args, context) => loadSystem(context, systemId).then(present),
  word: ({ wordId }, _args, context) => loadWord(context, wordId).then(present),

  async curve(result, args, context) {
    const points = toPoints(args.points)
    const { systemId, wordId } = result
    const inputs = await loadCurveInputs(context, { systemId, wordId })
    return context.inTurn(() => precisionRecallCurve(result, inputs, points))
  },

  async mistakes(result, { kind, ...page }, context) {
    const system = present(await loadSystem(context, result.systemId))
    const predict = await loadPredictions(context, { system, wordId: result.wordId })
    return context.inTurn(() => connect(listMistakes(predict?.() ?? null, kind), page))
  },

  async estimates(result, _args, context) {
    const estimates = await loadWordEstimates(context, await subjectOf(result, context))
    return estimates ?? {}
  },

  ...provenanceFields(async (result: SystemWord, args: FigureArguments, context) => {
    const { dataset, system, references, word } = await subjectOf(result, context)
    return figureProvenance(dataset, system, args, { words: word.text, references })
  }),
}

async function subjectOf({ systemId, wordId, referenceCount }: SystemWord, context: Context) {
  const system = present(await loadSystem(context, systemId))
  const dataset = present(await loadDataset(context, system.datasetId))
  const word = present(await loadWord(context, wordId))
  return { dataset, system, references: referenceCount, word }
}

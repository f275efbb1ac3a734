import { correlateMetrics } from '../../services/evaluations/distributions.js'
import { pickMetrics } from '../../services/evaluations/scores.js'
import { listSystemCaptions } from '../../services/images/captions.js'
import { listSystemWords, precisionRecallCurve } from '../../services/systems/systems.js'
import { listMistakes } from '../../services/words/mistakes.js'
import { phrMeanNotes } from '../../services/words/word-notes.js'
import type { MetricScore, System as SystemModel, SystemWord } from '../../store/schema/entities.js'
import { loadDataset, loadVocabulary, loadWordMeans } from '../datasets/loaders.js'
import { connect, connectAside } from '../execution/connection.js'
import type { Context } from '../execution/context.js'
import { roundFields } from '../execution/digits.js'
import { toGlobalId } from '../execution/ids.js'
import { toPoints } from '../execution/points.js'
import { present } from '../execution/present.js'
import { type FigureArguments, figureProvenance, provenanceFields } from '../execution/provenance.js'
import type * as schema from '../execution/schema-types.js'
import { loadImage } from '../images/loaders.js'
import { loadNewestEvaluation } from '../jobs/loaders.js'
import { loadScores } from '../scores/loaders.js'
import { chosenReferences, imageScoresOf, scoreOf } from '../scores/scores.js'
import { loadWord } from '../words/loaders.js'
import {
  loadCurveInputs,
  loadPhrSummary,
  loadPredictions,
  loadSystem,
  loadUnscoredPhr,
  loadWordEstimates,
} from './loaders.js'
import type { PhrSummaryModel } from './models.js'

export const System: schema.SystemResolvers = {
  id: ({ id }) => toGlobalId('System', id),

  dataset: ({ datasetId }, _args, context) => loadDataset(context, datasetId).then(present),

  score: (system, args, context) => scoreOf(system, args, context),

  async scores(system, { metrics, ...choice }, context) {
    const references = await chosenReferences(system.datasetId, choice, context)
    const rows = await scoresOf(system, { metrics, references }, context)
    return rows.map((row) => ({ system, metric: row.metric, references, row }))
  },

  async metricCorrelations(system, args, context) {
    const rows = await scoresOf(system, args, context)
    const scores = await Promise.all(rows.map((row) => imageScoresOf(row, context)))
    return correlateMetrics(new Map(rows.map(({ metric }, index) => [metric, scores[index]])), context.turn)
  },

  captions: (system, { filter, ...page }, context) =>
    connectAside(listSystemCaptions(context.accord, system, filter ?? {}, context.client), page, context),

  evaluation: ({ id }, _args, context) => loadNewestEvaluation(context, id),

  async words(system, { filter, orderBy, references, ...page }, context) {
    const dataset = present(await loadDataset(context, system.datasetId))
    return connect(listSystemWords(context.accord, system, dataset, { references, filter, orderBy }), page)
  },

  async phrSummary({ id, datasetId }, options, context) {
    const dataset = present(await loadDataset(context, datasetId))
    const summary = present(await loadPhrSummary(context, { dataset, systemId: id, ...options }))
    return {
      ...summary,
      dataset,
      systemId: id,
      partOfSpeech: options.partOfSpeech,
      vocabularyOf: options.vocabularyOf,
    }
  },
}

/** Stored scores of a system by the named metrics, by default all. */
async function scoresOf(
  { id }: SystemModel,
  {
    metrics,
    references,
  }: { readonly metrics?: readonly string[] | null; readonly references?: number | null },
  context: Context,
): Promise<MetricScore[]> {
  const rows = await loadScores(context, { systemId: id, references: references ?? null })
  return pickMetrics(context.accord, rows, metrics)
}

export const WordMistake: schema.WordMistakeResolvers = {
  wordScore: ({ score }) => score,
  image: ({ imageId }, _args, context) => loadImage(context, imageId).then(present),
}

export const PhrSummary: schema.PhrSummaryResolvers = {
  referenceCount: ({ references }) => references,
  async means({ dataset, systemId, partOfSpeech, vocabularyOf, references }, _args, context) {
    if (references === null) return []
    const system = present(await loadSystem(context, systemId))
    return loadWordMeans(context, { dataset, system, references, partOfSpeech, vocabularyOf })
  },
  unscoredWordCount: async (summary, _args, context) =>
    (await loadUnscoredPhr(context, summary))?.wordCount ?? null,
  unscoredShare: async (summary, _args, context) => (await loadUnscoredPhr(context, summary))?.share ?? null,
  async notes(summary, _args, context) {
    const unscored = await loadUnscoredPhr(context, summary)
    return phrMeanNotes(summary.dataset, summary, unscored)
  },
  ...provenanceFields(async (summary: PhrSummaryModel, args: FigureArguments, context) => {
    const { dataset, systemId, references } = summary
    const system = present(await loadSystem(context, systemId))
    const words = present(await loadVocabulary(context, summary))
    return figureProvenance(dataset, system, args, { words, references })
  }),
}

export const SystemWordResult: schema.SystemWordResultResolvers = {
  id: ({ systemId, wordId, referenceCount }) =>
    toGlobalId('SystemWordResult', systemId, wordId, referenceCount),
  system: ({ systemId }, _args, context) => loadSystem(context, systemId).then(present),
  word: ({ wordId }, _args, context) => loadWord(context, wordId).then(present),

  async curve(result, args, context) {
    const points = toPoints(args.points)
    const { systemId, wordId } = result
    const inputs = await loadCurveInputs(context, { systemId, wordId })
    const curve = await context.inTurn(() => precisionRecallCurve(result, inputs, points))
    return roundFields(curve, args.digits)
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

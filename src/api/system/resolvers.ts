import { unscoredNotes, wordMeanNotes } from '../../services/notes.js'
import { listImageScores, pickMetrics, requireScore } from '../../services/scores.js'
import { listSystemWords, precisionRecallCurve, type SystemWord } from '../../services/systems.js'
import { requestWordMeans } from '../../services/word-means.js'
import { connect } from '../connection.js'
import type { Context } from '../context.js'
import { loadDataset, loadVocabulary } from '../dataset/loaders.js'
import { loadEvaluationOfSystem } from '../evaluation/loaders.js'
import { toGlobalId } from '../ids.js'
import { loadImageScores, loadScores } from '../metric/loaders.js'
import { toPoints } from '../points.js'
import { present } from '../present.js'
import { type FigureArguments, figureProvenance, provenanceFields } from '../provenance.js'
import type { PhrSummaryResolvers, SystemResolvers, SystemWordResultResolvers } from '../schema-types.js'
import { loadWord } from '../word/loaders.js'
import { loadCurveInputs, loadPhrSummary, loadSystem, loadUnscoredPhr, loadWordEstimates } from './loaders.js'
import type { PhrSummaryModel } from './models.js'

export const System: SystemResolvers = {
  id: ({ id }) => toGlobalId('System', id),

  dataset: ({ datasetId }, _args, context) => loadDataset(context, datasetId).then(present),

  async scores({ id }, { metrics, references }, context) {
    const scores = await loadScores(context, { systemId: id, references: references ?? null })
    return pickMetrics(context.accord, scores, metrics)
  },

  async imageScores({ id }, { metric, references, orderBy, ...page }, context) {
    const all = await loadScores(context, { systemId: id, references: references ?? null })
    const score = requireScore(context.accord, all, metric)
    const scores = present(await loadImageScores(context, score.id))
    return connect(listImageScores(context.accord, score, scores, orderBy ?? 'WORST_FIRST'), page)
  },

  evaluation: ({ id }, _args, context) => loadEvaluationOfSystem(context, id),

  async words(system, { filter, orderBy, ...page }, context) {
    const dataset = present(await loadDataset(context, system.datasetId))
    const list = listSystemWords(context.accord, system, dataset, filter ?? undefined, orderBy ?? undefined)
    return connect(list, page)
  },

  async precisionAtHumanRecall({ id, datasetId }, { partOfSpeech }, context) {
    const dataset = present(await loadDataset(context, datasetId))
    const summary = present(await loadPhrSummary(context, { dataset, systemId: id, partOfSpeech }))
    return { ...summary, dataset, systemId: id, partOfSpeech }
  },
}

export const PhrSummary: PhrSummaryResolvers = {
  async means({ dataset, systemId, partOfSpeech }, _args, context) {
    const { accord, client, outside } = context
    const system = present(await loadSystem(context, systemId))
    return outside(requestWordMeans(accord, dataset, system, { partOfSpeech }, client))
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
  references: ({ referenceCount }) => referenceCount,

  async curve(result, args, context) {
    const points = toPoints(args.points)
    const { systemId, wordId } = result
    const inputs = await loadCurveInputs(context, { systemId, wordId })
    return context.inTurn(() => precisionRecallCurve(result, inputs, points))
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

import { listImageScores, pickMetrics, requireScore } from '../../services/scores.js'
import { listSystemWords, precisionRecallCurve } from '../../services/systems.js'
import { connect } from '../connection.js'
import { loadDataset } from '../dataset/loaders.js'
import { loadEvaluationOfSystem } from '../evaluation/loaders.js'
import { toGlobalId } from '../ids.js'
import { loadImageScores, loadScores } from '../metric/loaders.js'
import { toPoints } from '../points.js'
import { present } from '../present.js'
import type { SystemResolvers, SystemWordResultResolvers } from '../schema-types.js'
import { loadWord } from '../word/loaders.js'
import { loadCurveInputs, loadPhrSummary, loadSystem } from './loaders.js'

export const System: SystemResolvers = {
  id: ({ id }) => toGlobalId('System', id),

  dataset: ({ datasetId }, _args, context) => loadDataset(context, datasetId).then(present),

  scores: async ({ id }, { metrics }, context) =>
    pickMetrics(context.accord, await loadScores(context, id), metrics),

  async imageScores({ id }, { metric, orderBy, ...page }, context) {
    const score = requireScore(context.accord, await loadScores(context, id), metric)
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
    return loadPhrSummary(context, { dataset, systemId: id, partOfSpeech }).then(present)
  },
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
}

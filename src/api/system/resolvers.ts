import { countOfSystemWords, pageOfSystemWords } from '../../store/systems.js'
import { wordOrder } from '../../store/words.js'
import { toConnection, toPageRequest } from '../connection.js'
import { vocabularyOf } from '../dataset/summaries.js'
import { toGlobalId } from '../ids.js'
import { imageScoresOf } from '../metric/image-scores.js'
import { present } from '../present.js'
import { toPoints, toReferences } from '../references.js'
import type { SystemResolvers, SystemWordResultResolvers } from '../schema-types.js'
import { curveOf } from './curve.js'
import { summarizePhr } from './phr.js'

export const System: SystemResolvers = {
  id: ({ id }) => toGlobalId('System', id),

  dataset: ({ datasetId }, _args, { loaders }) => loaders.dataset.load(datasetId).then(present),

  scores: async ({ id }, { metrics: names }, { loaders, metrics }) =>
    metrics.pick(await loaders.systemScores.load(id), names),

  imageScores: (system, { metric, orderBy, ...page }, context) =>
    imageScoresOf(system, metric, orderBy ?? 'WORST_FIRST', page, context),

  evaluation: ({ id }, _args, { loaders }) => loaders.evaluationOfSystem.load(id),

  async words({ id, datasetId }, args, { database, loaders }) {
    const { captionsPerImage } = present(await loaders.dataset.load(datasetId))
    const references = toReferences(captionsPerImage, undefined)
    const filter = args.filter ?? { inVocabulary: true }
    const order = wordOrder(args.orderBy?.field ?? 'RANK', args.orderBy?.direction)
    const name = `system words by ${order.expression} ${order.direction}`
    const request = toPageRequest(name, args)
    const page = await pageOfSystemWords(database, id, references, filter, order, request)
    return toConnection(name, page, () => countOfSystemWords(database, id, references, filter))
  },

  async precisionAtHumanRecall(system, { partOfSpeech }, { database, loaders }) {
    const { captionsPerImage } = present(await loaders.dataset.load(system.datasetId))
    const words = await vocabularyOf(database, system.datasetId, partOfSpeech)
    return summarizePhr(database, system, words, toReferences(captionsPerImage, undefined))
  },
}

export const SystemWordResult: SystemWordResultResolvers = {
  system: ({ systemId }, _args, { loaders }) => loaders.system.load(systemId).then(present),
  word: ({ wordId }, _args, { loaders }) => loaders.word.load(wordId).then(present),
  references: ({ referenceCount }) => referenceCount,
  curve: (result, { points }, context) => curveOf(result, toPoints(points), context),
}

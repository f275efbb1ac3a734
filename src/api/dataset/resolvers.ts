import { usageCurve } from '../../agreement/usage-model.js'
import { findDataset, listDatasets } from '../../store/datasets.js'
import { countOfImages, findImage, pageOfImages } from '../../store/images.js'
import { listSystems } from '../../store/systems.js'
import { countOfWords, findWord, pageOfWords, wordOrder } from '../../store/words.js'
import { toConnection, toPageRequest } from '../connection.js'
import { toGlobalId } from '../ids.js'
import { comparisonsOf } from '../metric/compare.js'
import { humanAgreementOf } from '../metric/human-agreement.js'
import { toPoints, toReferences } from '../references.js'
import type { DatasetResolvers, QueryResolvers } from '../schema-types.js'
import { leaderboard } from './leaderboard.js'
import { summarizeAgreement, summarizeFit } from './summaries.js'

export const Query: Pick<QueryResolvers, 'dataset' | 'datasets'> = {
  dataset: (_parent, { name }, { database }) => findDataset(database, name),
  datasets: (_parent, _args, { database }) => listDatasets(database),
}

export const Dataset: DatasetResolvers = {
  id: ({ id }) => toGlobalId('Dataset', id),

  image: ({ id }, { externalId }, { database }) => findImage(database, id, externalId),

  async images({ id }, args, { database }) {
    const filter = args.filter ?? {}
    const page = await pageOfImages(database, id, filter, toPageRequest('images', args))
    return toConnection('images', page, () => countOfImages(database, id, filter))
  },

  word: ({ id }, { text }, { database }) => findWord(database, id, text),

  async words({ id }, args, { database }) {
    const filter = args.filter ?? { inVocabulary: true }
    const order = wordOrder(args.orderBy?.field ?? 'RANK', args.orderBy?.direction)
    const name = `words by ${order.expression} ${order.direction}`
    const page = await pageOfWords(database, id, filter, order, toPageRequest(name, args))
    return toConnection(name, page, () => countOfWords(database, id, filter))
  },

  system: ({ id }, { name }, { loaders }) => loaders.systemByName.load({ datasetId: id, name }),

  systems: ({ id }, _args, { database }) => listSystems(database, id),

  wordAgreement: (dataset, { references, partOfSpeech }, { database }) =>
    summarizeAgreement(database, dataset, toReferences(dataset.captionsPerImage, references), partOfSpeech),

  usageCurve: (dataset, { references, points }) =>
    usageCurve(toReferences(dataset.captionsPerImage, references), toPoints(points)),

  usageFit: (dataset, { references, model, partOfSpeech }, { database }) =>
    summarizeFit(
      database,
      dataset,
      toReferences(dataset.captionsPerImage, references),
      model ?? 'MOMENT',
      partOfSpeech,
    ),

  humanAgreement: (dataset, { references }, context) =>
    humanAgreementOf(dataset, toReferences(dataset.captionsPerImage, references), context),

  compare: (dataset, { systems, metric }, context) => comparisonsOf(dataset, systems, metric, context),

  leaderboard: (dataset, args, context) => leaderboard(dataset, args, context),
}

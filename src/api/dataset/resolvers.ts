import { chooseReferences } from '../../agreement/references.js'
import { usageCurve } from '../../agreement/usage-model.js'
import { requestAgreement } from '../../services/agreement.js'
import { findDataset, listDatasets } from '../../services/datasets.js'
import { findImage, listImages } from '../../services/images.js'
import { rankSystems } from '../../services/leaderboard.js'
import { compareSystems } from '../../services/scores.js'
import { findWord, listWords, summarizeFit, summarizeWords } from '../../services/words.js'
import { connect } from '../connection.js'
import { toGlobalId } from '../ids.js'
import { toPoints } from '../points.js'
import type { DatasetResolvers, QueryResolvers } from '../schema-types.js'
import { loadSystemByName, loadSystemsOfDataset } from '../system/loaders.js'

export const Query: Pick<QueryResolvers, 'dataset' | 'datasets'> = {
  dataset: (_parent, { name }, { accord }) => findDataset(accord, name),
  datasets: (_parent, _args, { accord }) => listDatasets(accord),
}

export const Dataset: DatasetResolvers = {
  id: ({ id }) => toGlobalId('Dataset', id),

  image: (dataset, { externalId }, { accord }) => findImage(accord, dataset, externalId),

  images: (dataset, { filter, ...page }, { accord }) =>
    connect(listImages(accord, dataset, filter ?? {}), page),

  word: (dataset, { text }, { accord }) => findWord(accord, dataset, text),

  words: (dataset, { filter, orderBy, ...page }, { accord }) =>
    connect(listWords(accord, dataset, filter ?? undefined, orderBy ?? undefined), page),

  system: ({ id }, { name }, context) => loadSystemByName(context, { datasetId: id, name }),

  systems: ({ id }, _args, context) => loadSystemsOfDataset(context, id),

  wordAgreement: (dataset, options, { accord }) => summarizeWords(accord, dataset, options),

  usageCurve: ({ captionsPerImage }, { references, points }) =>
    usageCurve(chooseReferences(captionsPerImage, references), toPoints(points)),

  usageFit: (dataset, { model, ...options }, { accord }) =>
    summarizeFit(accord, dataset, { ...options, model: model ?? undefined }),

  humanAgreement: (dataset, { references }, { accord, signal, outside }) =>
    outside(requestAgreement(accord, dataset, references, signal)),

  compare: (dataset, { systems, metric }, { accord, signal, outside }) =>
    outside(compareSystems(accord, dataset, systems, metric, signal)),

  leaderboard: (dataset, options, { accord }) => rankSystems(accord, dataset, options),
}

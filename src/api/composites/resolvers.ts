import { quote } from '../../errors.js'
import {
  cancelTraining,
  DEFAULT_SEED,
  findArtefact,
  listArtefacts,
  removeArtefact,
  startTraining,
  unknownTraining,
} from '../../services/composites/composites.js'
import type { TrainingCurve } from '../../store/schema/entities.js'
import { fromGlobalId, toGlobalId } from '../execution/ids.js'
import { asData } from '../execution/mutation-error.js'
import type {
  Activation,
  ArtefactResolvers,
  EpochResolvers,
  MutationResolvers,
  QueryResolvers,
  TrainedNetworkResolvers,
  TrainingResolvers,
} from '../execution/schema-types.js'
import { loadArtefact, loadCurves, loadTraining } from './loaders.js'

export const Query: Pick<QueryResolvers, 'artefact' | 'artefacts' | 'training'> = {
  artefact: (_parent, { name }, { accord }) => findArtefact(accord, name),
  artefacts: (_parent, _args, { accord }) => listArtefacts(accord),
  training(_parent, { id }, context) {
    const parts = fromGlobalId(id)
    return parts?.type === 'Training' ? loadTraining(context, parts.id) : null
  },
}

export const Mutation: Pick<MutationResolvers, 'trainComposite' | 'cancelTraining' | 'removeArtefact'> = {
  trainComposite: (_parent, { input }, { accord, client }) =>
    asData('TrainCompositeSuccess', ['InvalidInputError', 'NotFoundError', 'NameTakenError'], async () => ({
      training: await startTraining(accord, { ...input, seed: input.seed ?? DEFAULT_SEED }, client),
    })),

  cancelTraining: (_parent, { id }, { accord, client, outside }) =>
    asData('CancelTrainingSuccess', ['NotFoundError'], async () => ({
      training: await outside(cancelTraining(accord, toTrainingId(id), client)),
    })),

  removeArtefact: (_parent, { input: { name } }, { accord }) =>
    asData('RemoveArtefactSuccess', ['NotFoundError'], async () => {
      await removeArtefact(accord, name)
      return { name }
    }),
}

export const Training: TrainingResolvers = {
  id: ({ id }) => toGlobalId('Training', id),
  networks: ({ id }, _args, context) => loadCurves(context, id),
  artefact: ({ artefactId }, _args, context) =>
    artefactId === null ? null : loadArtefact(context, artefactId),
}

export const TrainedNetwork: TrainedNetworkResolvers = {
  hidden: ({ network }) => network.hidden,
  activation: ({ network }) => activationOf(network),
  dropout: ({ network }) => network.dropout,
}

export const Artefact: ArtefactResolvers = {
  features: ({ header }) =>
    header.features.map(({ metric, deviation, ...feature }) => ({
      ...feature,
      metricName: metric,
      standardDeviation: deviation,
    })),
  hidden: ({ header }) => header.network.hidden,
  activation: ({ header }) => activationOf(header.network),
  dropout: ({ header }) => header.network.dropout,
  trainingData: ({ header: { training } }) => ({
    ...training,
    datasetName: training.dataset,
    datasetHash: training.revision,
    systems: training.systems.map(({ name, content }) => ({ name, text: content })),
  }),
  validationData: ({ header: { validation } }) => ({
    ...validation,
    datasetName: validation.dataset,
    judgementsHash: validation.revision,
  }),
  seed: ({ header }) => header.seed,
  epochs: ({ header }) => header.epochs,
  bestEpoch: ({ header }) => header.bestEpoch,
}

export const Epoch: EpochResolvers = { tauC: ({ tau }) => tau }

function activationOf({ activation }: TrainingCurve['network']): Activation {
  return activation === 'tanh' ? 'TANH' : 'RELU'
}

function toTrainingId(globalId: string): number {
  const parts = fromGlobalId(globalId)
  if (parts?.type === 'Training') return parts.id
  throw unknownTraining(quote(globalId))
}

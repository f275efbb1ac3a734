import { visibleArtefacts } from '../../services/accounts/access.js'
import * as composites from '../../services/composites/composites.js'
import type { TrainCompositeInput } from '../../services/composites/train-composite.js'
import { findMetric } from '../../services/evaluations/metrics.js'
import type { TrainingCurve } from '../../store/schema/metric-tables.js'
import { connectByName } from '../shared/connection.js'
import { toGlobalId } from '../shared/ids.js'
import { asJob, asRemoval } from '../shared/mutation-error.js'
import type * as schema from '../shared/schema-types.js'

export const Query: schema.QueryResolvers = {
  artefact: (_parent, { name }, { accord }) => composites.findArtefact(accord, name),
  async artefacts(_parent, page, { accord, viewer }) {
    return connectByName(await visibleArtefacts(accord, viewer, await composites.listArtefacts(accord)), page)
  },
}

export const Mutation: schema.MutationResolvers = {
  trainComposite: (_parent, { input }, { accord, client }) =>
    asJob(() => composites.startCompositeTraining(accord, withDefaults(input), client)),

  removeArtefact: (_parent, { input: { name } }, { accord }) =>
    asRemoval(async () => {
      const artefactId = await composites.removeArtefact(accord, name)
      return artefactId === null ? toGlobalId('Metric', name) : toGlobalId('Artefact', artefactId)
    }),
}

export const TrainedNetwork: schema.TrainedNetworkResolvers = {
  activation: ({ network }) => activationOf(network),
}

export const Artefact: schema.ArtefactResolvers = {
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
}

export const ArtefactFeature: schema.ArtefactFeatureResolvers = {
  metric: ({ metric }, _args, { accord }) => findMetric(accord, metric),
}

function withDefaults({
  seed,
  objective,
  isLinear,
  ...input
}: schema.TrainCompositeInput): TrainCompositeInput {
  return {
    ...input,
    seed: seed ?? composites.DEFAULT_SEED,
    objective: objective ?? 'ORIGIN',
    isLinear: isLinear ?? false,
  }
}

function activationOf({ activation }: TrainingCurve['network']): schema.Activation {
  return activation === 'tanh' ? 'TANH' : 'RELU'
}

import { quote } from '../../errors.js'
import { requestAgreement } from '../../services/agreement/agreement.js'
import { requestDatasetRemoval, requireDataset } from '../../services/datasets/datasets.js'
import {
  cancelEvaluation,
  startEvaluation,
  unknownEvaluation,
  watchEvaluation,
} from '../../services/evaluations/evaluations.js'
import {
  submitBoxes,
  submitCaptions,
  submitResults,
  submitVocabulary,
  submitWordScores,
} from '../../services/imports/imports.js'
import { requestSystemRemoval } from '../../services/systems/systems.js'
import { fromGlobalId, toGlobalId } from '../execution/ids.js'
import { asData } from '../execution/mutation-error.js'
import type {
  EvaluationResolvers,
  MutationResolvers,
  QueryResolvers,
  SubscriptionResolvers,
} from '../execution/schema-types.js'
import { loadSystem } from '../systems/loaders.js'
import { loadEvaluation } from './loaders.js'

export const Query: Pick<QueryResolvers, 'evaluation'> = {
  evaluation(_parent, { id: globalId }, context) {
    const id = fromEvaluationId(globalId)
    return id === null ? null : loadEvaluation(context, id)
  },
}

const INPUT = ['InvalidInputError', 'NotFoundError'] as const
const NEW_SYSTEM = [...INPUT, 'NameTakenError', 'MissingImagesError'] as const

export const Mutation: Omit<MutationResolvers, 'trainComposite' | 'cancelTraining' | 'removeArtefact'> = {
  importCaptions: (_parent, { input }, { accord, client, outside }) =>
    asData('ImportCaptionsSuccess', ['InvalidInputError', 'NameTakenError'], async () => {
      const { captionsPerImage, vocabulary, ...content } = input
      const submitted = {
        ...content,
        captionsPerImage: captionsPerImage ?? undefined,
        vocabulary: vocabulary ?? undefined,
      }
      return {
        dataset: await outside(submitCaptions(accord, submitted, client)),
      }
    }),

  importBoxes: (_parent, { input }, { accord, client, outside }) =>
    asData('ImportBoxesSuccess', [...INPUT, 'NameTakenError'], async () => {
      const descriptions = input.descriptions?.map(({ content, ...description }) => ({
        ...description,
        ...content,
      }))
      return {
        ...(await outside(submitBoxes(accord, { ...input, descriptions }, client))),
      }
    }),

  importVocabulary: (_parent, { input }, { accord, client, outside }) =>
    asData('ImportVocabularySuccess', INPUT, async () => ({
      ...(await outside(submitVocabulary(accord, input, client))),
    })),

  importResults: (_parent, { input }, { accord, client, outside }) =>
    asData('ImportResultsSuccess', NEW_SYSTEM, async () => ({
      ...(await outside(submitResults(accord, input, client))),
    })),

  importWordScores: (_parent, { input }, { accord, client, outside }) =>
    asData('ImportWordScoresSuccess', NEW_SYSTEM, async () => ({
      ...(await outside(submitWordScores(accord, input, client))),
    })),

  startEvaluation: (_parent, options, { accord, client }) =>
    asData('StartEvaluationSuccess', INPUT, async () => ({
      evaluation: await startEvaluation(accord, options, client),
    })),

  cancelEvaluation: (_parent, { id }, { accord, client, outside }) =>
    asData('CancelEvaluationSuccess', ['NotFoundError'], async () => ({
      evaluation: await outside(cancelEvaluation(accord, requireEvaluationId(id), client)),
    })),

  computeHumanAgreement: (_parent, { dataset: name, references, metrics }, { accord, client, outside }) =>
    asData('ComputeHumanAgreementSuccess', INPUT, async () => {
      const dataset = await requireDataset(accord, name)
      const wanted = references ?? [dataset.captionsPerImage - 1]
      const tables = wanted.map((k) => requestAgreement(accord, dataset, { references: k, metrics }, client))
      return {
        dataset,
        tables: await outside(Promise.all(tables)),
      }
    }),

  removeSystem: (_parent, { dataset, system }, { accord, client, outside }) =>
    asData('RemoveSystemSuccess', ['NotFoundError'], async () => ({
      dataset: await outside(requestSystemRemoval(accord, dataset, system, client)),
    })),

  removeDataset: (_parent, { dataset: name }, { accord, client, outside }) =>
    asData('RemoveDatasetSuccess', ['NotFoundError'], async () => ({
      name,
      systemCount: await outside(requestDatasetRemoval(accord, name, client)),
    })),
}

export const Subscription: SubscriptionResolvers = {
  evaluationProgress: {
    async *subscribe(_parent, { id }, { accord, client }) {
      for await (const evaluation of watchEvaluation(accord, requireEvaluationId(id), client.signal)) {
        yield { evaluationProgress: evaluation }
      }
    },
  },
}

export const Evaluation: EvaluationResolvers = {
  id: ({ id }) => toGlobalId('Evaluation', id),
  system: ({ systemId }, _args, context) => loadSystem(context, systemId),
}

/** Null for the id of anything else. */
function fromEvaluationId(globalId: string): number | null {
  const parts = fromGlobalId(globalId)
  return parts?.type === 'Evaluation' ? parts.id : null
}

function requireEvaluationId(globalId: string): number {
  const id = fromEvaluationId(globalId)
  if (id === null) throw unknownEvaluation(quote(globalId))
  return id
}

import { quote } from '../../errors.js'
import {
  cancelEvaluation,
  startEvaluation,
  unknownEvaluation,
  watchEvaluation,
} from '../../services/evaluations.js'
import { submitResults, submitWordScores } from '../../services/imports.js'
import { requestSystemRemoval } from '../../services/systems.js'
import { fromGlobalId, toGlobalId } from '../ids.js'
import { asData } from '../mutation-error.js'
import type {
  EvaluationResolvers,
  MutationResolvers,
  QueryResolvers,
  SubscriptionResolvers,
} from '../schema-types.js'
import { loadSystem } from '../system/loaders.js'
import { loadEvaluation } from './loaders.js'

export const Query: Pick<QueryResolvers, 'evaluation'> = {
  evaluation(_parent, { id: globalId }, context) {
    const id = fromEvaluationId(globalId)
    return id === null ? null : loadEvaluation(context, id)
  },
}

export const Mutation: Pick<
  MutationResolvers,
  'importResults' | 'importWordScores' | 'startEvaluation' | 'cancelEvaluation' | 'removeSystem'
> = {
  importResults: (_parent, { input }, { accord, client, outside }) =>
    asData(async () => ({
      __typename: 'ImportResultsSuccess',
      ...(await outside(submitResults(accord, input, client))),
    })),

  importWordScores: (_parent, { input }, { accord, client, outside }) =>
    asData(async () => ({
      __typename: 'ImportWordScoresSuccess',
      ...(await outside(submitWordScores(accord, input, client))),
    })),

  startEvaluation: (_parent, { dataset, system, references, metrics }, { accord, client }) =>
    asData(async () => ({
      __typename: 'StartEvaluationSuccess',
      evaluation: await startEvaluation(accord, { dataset, system, references, metrics }, client),
    })),

  cancelEvaluation: (_parent, { id }, { accord, client, outside }) =>
    asData(async () => ({
      __typename: 'CancelEvaluationSuccess',
      evaluation: await outside(cancelEvaluation(accord, requireEvaluationId(id), client)),
    })),

  removeSystem: (_parent, { dataset, name }, { accord, client, outside }) =>
    asData(async () => ({
      __typename: 'RemoveSystemSuccess',
      dataset: await outside(requestSystemRemoval(accord, dataset, name, client)),
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

import { AccordError, quote } from '../../errors.js'
import { cancelEvaluation, startEvaluation } from '../../services/evaluations.js'
import { submitResults, submitWordScores } from '../../services/imports.js'
import { requestSystemRemoval } from '../../services/systems.js'
import { fromGlobalId, toGlobalId } from '../ids.js'
import { asData } from '../mutation-error.js'
import type { EvaluationResolvers, MutationResolvers, QueryResolvers } from '../schema-types.js'
import { loadSystem } from '../system/loaders.js'
import { loadEvaluation } from './loaders.js'

export const Query: Pick<QueryResolvers, 'evaluation'> = {
  evaluation(_parent, { id }, context) {
    const parts = fromGlobalId(id)
    return parts?.type === 'Evaluation' ? loadEvaluation(context, parts.id) : null
  },
}

export const Mutation: Omit<MutationResolvers, 'startTraining' | 'cancelTraining' | 'voteOnAtoms'> = {
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

  startEvaluation: (_parent, { dataset, system, references }, { accord, client }) =>
    asData(async () => ({
      __typename: 'StartEvaluationSuccess',
      evaluation: await startEvaluation(accord, dataset, system, references, client),
    })),

  cancelEvaluation: (_parent, { id }, { accord, client, outside }) =>
    asData(async () => ({
      __typename: 'CancelEvaluationSuccess',
      evaluation: await outside(cancelEvaluation(accord, toEvaluationId(id), client)),
    })),

  removeSystem: (_parent, { dataset, name }, { accord, client, outside }) =>
    asData(async () => ({
      __typename: 'RemoveSystemSuccess',
      dataset: await outside(requestSystemRemoval(accord, dataset, name, client)),
    })),
}

export const Evaluation: EvaluationResolvers = {
  id: ({ id }) => toGlobalId('Evaluation', id),
  system: ({ systemId }, _args, context) => loadSystem(context, systemId),
}

function toEvaluationId(globalId: string): number {
  const parts = fromGlobalId(globalId)
  if (parts?.type === 'Evaluation') return parts.id
  throw new AccordError('UNKNOWN_EVALUATION', 'unknown evaluation', {
    source: 'id',
    expected: 'the id of an evaluation',
    found: quote(globalId),
  })
}

import { AccordError } from '../../errors.js'
import { requireDataset } from '../../store/datasets.js'
import { requireSystem } from '../../store/systems.js'
import { fromGlobalId, toGlobalId } from '../ids.js'
import { asData } from '../mutation-error.js'
import { present } from '../present.js'
import type { EvaluationResolvers, MutationResolvers, QueryResolvers } from '../schema-types.js'

export const Query: Pick<QueryResolvers, 'evaluation'> = {
  evaluation(_parent, { id }, { loaders }) {
    const parts = fromGlobalId(id)
    return parts?.type === 'Evaluation' ? loaders.evaluation.load(parts.id) : null
  },
}

export const Mutation: MutationResolvers = {
  importResults: (_parent, { input }, { database, loaders, runner, evaluations, outside }) =>
    asData(async () => {
      const { allowMissing, ...rest } = input
      requireName(input.system)
      const task = runner.start('importResults', { ...rest, allowMissing: allowMissing ?? false })
      const { systemId } = await outside(task.result)
      const system = present(await loaders.system.load(systemId))
      const dataset = await requireDataset(database, input.dataset)
      const evaluation = await evaluations.start(dataset, system)
      return { __typename: 'ImportResultsSuccess', system, evaluation }
    }),

  importWordScores: (_parent, { input }, { loaders, runner, outside }) =>
    asData(async () => {
      const { allowMissing, ...rest } = input
      requireName(input.system)
      const task = runner.start('importScores', { ...rest, allowMissing: allowMissing ?? false })
      const { systemId, unknownWords } = await outside(task.result)
      const system = present(await loaders.system.load(systemId))
      return { __typename: 'ImportWordScoresSuccess', system, unknownWords: [...unknownWords] }
    }),

  startEvaluation: (_parent, { dataset: name, system: systemName }, { database, evaluations }) =>
    asData(async () => {
      const dataset = await requireDataset(database, name)
      const system = await requireSystem(database, dataset.id, systemName)
      return { __typename: 'StartEvaluationSuccess', evaluation: await evaluations.start(dataset, system) }
    }),

  cancelEvaluation: (_parent, { id }, { evaluations }) =>
    asData(async () => ({
      __typename: 'CancelEvaluationSuccess',
      evaluation: await evaluations.cancel(evaluationId(id)),
    })),

  removeSystem: (_parent, { dataset: datasetName, name }, { database, evaluations, runner, outside }) =>
    asData(async () => {
      const dataset = await requireDataset(database, datasetName)
      const system = await requireSystem(database, dataset.id, name)
      await evaluations.cancelFor(system.id)
      await outside(runner.start('removeSystem', { dataset: datasetName, system: name }).result)
      return { __typename: 'RemoveSystemSuccess', dataset }
    }),
}

export const Evaluation: EvaluationResolvers = {
  id: ({ id }) => toGlobalId('Evaluation', id),
  progress: ({ id, status }, _args, { evaluations }) =>
    status === 'DONE' ? 1 : (evaluations.progressOf(id)?.fraction ?? 0),
  message: ({ id, message }, _args, { evaluations }) => evaluations.progressOf(id)?.message ?? message,
  system: ({ systemId }, _args, { loaders }) => loaders.system.load(systemId),
}

function requireName(system: string): void {
  if (system.trim() !== '') return
  throw new AccordError('INVALID_VALUE', 'a system needs a name', {
    source: 'system',
    expected: 'a name that is not blank',
    found: JSON.stringify(system),
  })
}

function evaluationId(globalId: string): number {
  const parts = fromGlobalId(globalId)
  if (parts?.type === 'Evaluation') return parts.id
  throw new AccordError('UNKNOWN_EVALUATION', 'there is no such evaluation', {
    source: 'id',
    expected: 'the id of an evaluation',
    found: JSON.stringify(globalId),
  })
}

import { AccordError, quote } from '../../errors.js'
import type { Matching } from '../../formats/coco/known-images.js'
import { startAgreement } from '../../services/agreement/agreement.js'
import { requireDataset, startDatasetRemoval } from '../../services/datasets/datasets.js'
import { startEvaluation } from '../../services/evaluations/start-evaluation.js'
import { pageOf, startUndo } from '../../services/imports/dropped-files.js'
import {
  cancelJob,
  isOfKind,
  type Job as JobModel,
  listJobs,
  watchJob,
  watchJobs,
} from '../../services/jobs/jobs.js'
import type { Accord } from '../../services/shared/accord.js'
import { startSystemRemoval } from '../../services/systems/systems.js'
import { inputOf, selectKinds, summaryOf } from '../../services/workers/describe.js'
import type { JobFailure } from '../../store/schema/job-tables.js'
import { isJobOfOthers } from '../loaders/challenges.js'
import { loadDataset } from '../loaders/datasets.js'
import { loadArtefact, loadBound, loadBoundOfJob, loadCurves, loadJob } from '../loaders/jobs.js'
import { loadBoxImport } from '../loaders/selection.js'
import { loadSystem } from '../loaders/systems.js'
import { connect, toPageRequest } from '../shared/connection.js'
import type { Context } from '../shared/context.js'
import { rowIdOf, toGlobalId } from '../shared/ids.js'
import { asJob, publicError } from '../shared/mutation-error.js'
import type * as schema from '../shared/schema-types.js'
import { fromJobKind, toJobKind } from './names.js'

export const Query: schema.QueryResolvers = {
  job(_parent, { id: globalId }, context) {
    const id = rowIdOf('Job', globalId)
    return id === null ? null : loadJob(context, id)
  },
  jobs: (_parent, args, context) => jobsOf(args, context),
}

async function jobsOf({ filter, direction, ...page }: schema.QueryJobsArgs, { accord }: Context) {
  return connect(await wantedJobs(accord, filter, direction), page)
}

/** The jobs that a filter selects. */
async function wantedJobs(
  accord: Accord,
  filter: schema.QueryJobsArgs['filter'],
  direction: schema.QueryJobsArgs['direction'],
) {
  const datasetId = filter?.dataset == null ? undefined : (await requireDataset(accord, filter.dataset)).id
  const wanted = {
    kinds: selectKinds(filter?.kinds?.map(fromJobKind), filter?.isQuery),
    statuses: filter?.statuses ?? undefined,
    datasetId,
  }
  return listJobs(accord, wanted, direction ?? 'DESC')
}

export const Mutation: schema.MutationResolvers = {
  startEvaluation: (_parent, { input: { documentsUpload: upload, ...input } }, { accord, client }) =>
    asJob(() =>
      startEvaluation(accord, { ...input, ...(upload != null && { documentsFile: { upload } }) }, client),
    ),

  computeHumanAgreement: (_parent, { input: { documentsUpload: upload, ...input } }, { accord, client }) =>
    asJob(() =>
      startAgreement(accord, { ...input, ...(upload != null && { documentsFile: { upload } }) }, client),
    ),

  removeSystem: (_parent, { input: { dataset, system } }, { accord, client, outside }) =>
    asJob(() => outside(startSystemRemoval(accord, dataset, system, client))),

  removeDataset: (_parent, { input: { dataset } }, { accord, client }) =>
    asJob(() => startDatasetRemoval(accord, dataset, client)),

  undoImport: (_parent, { input: { id } }, { accord, client }) =>
    asJob(() => startUndo(accord, requireJobId(id), client)),

  cancelJob: (_parent, { input: { id } }, context) =>
    asJob(async () => {
      const { accord, client, outside } = context
      const job = await loadJob(context, requireJobId(id))
      if (!job || (await isJobOfOthers(context, job))) throw unknownJob(id)
      return outside(cancelJob(accord, job.id, client))
    }),
}

export const Subscription: schema.SubscriptionResolvers = {
  jobProgress: {
    async *subscribe(_parent, { id }, { accord, client }) {
      for await (const job of watchJob(accord, requireJobId(id), client)) yield { jobProgress: job }
    },
  },
  jobs: {
    async subscribe(_parent, { filter, direction, ...page }, { accord, client }) {
      return watchJobs(accord, await wantedJobs(accord, filter, direction), toPageRequest(page), client)
    },
    resolve: (_event: unknown, args: schema.QueryJobsArgs, context: Context) => jobsOf(args, context),
  },
}

export const Job: schema.JobResolvers = {
  kind: toJobKind,
  failure: ({ failure }) => failure && toJobFailure(failure),
  input: inputOf,
  summary: summaryOf,
  async subject({ systemId, datasetId }, _args, context) {
    if (systemId !== null) return named('System', await loadSystem(context, systemId))
    return datasetId === null ? null : named('Dataset', await loadDataset(context, datasetId))
  },
  async comparedSystems(job, _args, context) {
    if (!isOfKind(job, 'compare')) return null
    const systems = await Promise.all(job.input.systemIds.map((id) => loadSystem(context, id)))
    return systems.filter((system) => system !== null)
  },
  result: resultOf,
}

/** What a job has made; trainings also have results before they are done. */
async function resultOf(job: JobModel, _args: object, context: Context) {
  if (isOfKind(job, 'trainComposite')) return named('CompositeTraining', job)
  if (isOfKind(job, 'trainBound') || isOfKind(job, 'importBound')) {
    const { id, result } = job
    return named('Bound', await (result ? loadBound(context, result.boundId) : loadBoundOfJob(context, id)))
  }
  if (isOfKind(job, 'removeDataset')) return removalOf('Dataset', job.result?.removedId)
  if (isOfKind(job, 'removeSystem')) return removalOf('System', job.result?.removedId)
  if (isOfKind(job, 'importFiles')) return job.result && named('FilesResult', { ...job, result: job.result })
  return job.status === 'DONE' && isImport(job) ? named('ImportResult', job) : null
}

/** An object of a union. */
function named<Name extends string, Model extends object>(__typename: Name, model: Model | null) {
  return model && { ...model, __typename }
}

/** @param id undefined before the end, and of jobs of former versions */
function removalOf(type: string, id: number | undefined) {
  return id === undefined ? null : named('RemovalSuccess', { removedId: toGlobalId(type, id) })
}

function isImport(job: JobModel): boolean {
  const kind = toJobKind(job)
  return kind === 'FINISH_COLLECTION' || kind.startsWith('IMPORT_')
}

export const ImportResult: schema.ImportResultResolvers = {
  system({ systemId, result }, _args, context) {
    const id = systemId ?? (result as { readonly systemId?: number } | null)?.systemId
    return id === undefined ? null : loadSystem(context, id)
  },
  evaluation(job, _args, context) {
    const evaluationId = isOfKind(job, 'importResults') ? job.result?.evaluationId : undefined
    return evaluationId === undefined ? null : loadJob(context, evaluationId)
  },
  missingImageCount: (job) => reportOf(job).missingImageCount ?? null,
  matching(job) {
    const { matching } = reportOf(job)
    return matching ? { ...matching, rule: matching.match.toUpperCase() as schema.ImageMatch } : null
  },
  wordCount: (job) => reportOf(job).wordCount ?? null,
  unknownWordCount: (job) => reportOf(job).unknownWordCount ?? null,
  unknownWords: (job) => reportOf(job).unknownWords ?? null,
  boxImport(job, _args, context) {
    const importId = isOfKind(job, 'importBoxes') ? job.result?.importId : undefined
    return importId === undefined ? null : loadBoxImport(context, importId)
  },
  voteCount: (job) => reportOf(job).voteCount ?? null,
  artefact(job, _args, context) {
    const artefactId = isOfKind(job, 'importArtefact') ? job.result?.artefactId : undefined
    return artefactId === undefined ? null : loadArtefact(context, artefactId)
  },
}

/** What imports of different kinds report. */
interface ImportReport {
  readonly missingImageCount?: number
  readonly matching?: Matching | null
  readonly wordCount?: number
  readonly unknownWordCount?: number
  readonly unknownWords?: readonly string[]
  readonly voteCount?: number
}

function reportOf({ result }: JobModel): ImportReport {
  return (result ?? {}) as ImportReport
}

export const FilesResult: schema.FilesResultResolvers = {
  async page({ input, result: { datasetId, systemIds } }, _args, context) {
    const dataset = await loadDataset(context, datasetId)
    const systems = await Promise.all(systemIds.map((id) => loadSystem(context, id)))
    const captioning = systems.flatMap((system) => (system?.kind === 'CAPTIONS' ? [system.name] : []))
    return dataset && pageOf(input, dataset.name, captioning)
  },
}

export const CompositeTraining: schema.CompositeTrainingResolvers = {
  networks: ({ id }, _args, context) => loadCurves(context, id),
  artefact(job, _args, context) {
    const artefactId = isOfKind(job, 'trainComposite') ? job.result?.artefactId : undefined
    return artefactId === undefined ? null : loadArtefact(context, artefactId)
  },
}

function requireJobId(globalId: string): number {
  const id = rowIdOf('Job', globalId)
  if (id !== null) return id
  throw unknownJob(globalId)
}

function unknownJob(globalId: string): AccordError {
  return new AccordError('UNKNOWN_JOB', 'unknown job', {
    source: 'id',
    expected: 'the id of a job',
    found: quote(globalId),
  })
}

function toJobFailure({ code, ...failure }: JobFailure): schema.MutationError {
  if (code === 'INTERNAL') return { code: 'INTERNAL_SERVER_ERROR', message: failure.message }
  return publicError({ code, ...failure })
}

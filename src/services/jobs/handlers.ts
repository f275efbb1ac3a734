import type { Threads } from '../../compute/pool.js'
import { AccordError } from '../../errors.js'
import { submittedResults } from '../../formats/coco/coco-results.js'
import { collectScores, submittedScores } from '../../formats/words/word-scores.js'
import { step } from '../../progress.js'
import { enqueueJob } from '../../queue/queue.js'
import type { Handlers } from '../../queue/run-job.js'
import { deleteCurves, insertArtefact, saveCurve } from '../../store/artefacts.js'
import { findDatasets } from '../../store/datasets.js'
import type { Session } from '../../store/engine/session.js'
import { findJobs, LeaseLost, readInput } from '../../store/jobs.js'
import type { Dataset, System } from '../../store/schema/entities.js'
import { deleteSystem, findSystems, requireSystem } from '../../store/systems.js'
import { computeAgreement, planAgreement, storedAgreement } from '../agreement/human-agreement.js'
import { computeFigures } from '../bounds/bound-figures.js'
import { countAtoms } from '../bounds/count-atoms.js'
import { trainBound } from '../bounds/train-bound.js'
import { compareSubjects } from '../comparisons/compare.js'
import { computeComposite } from '../composites/train-composite.js'
import { removeDataset } from '../datasets/remove-dataset.js'
import { evaluateSystem, planEvaluation } from '../evaluations/evaluation-plan.js'
import { continueSharded, countShard, measureShardImages } from '../evaluations/sharded-computation.js'
import type { SplitComputation } from '../evaluations/split-computation.js'
import { importSubmittedBoxes } from '../imports/import-boxes.js'
import { importSubmitted } from '../imports/import-captions.js'
import { importResults } from '../imports/import-results.js'
import { importScores } from '../imports/import-scores.js'
import { importVocabulary } from '../imports/import-vocabulary.js'
import { findDisagreements, judgeMetrics } from '../judgements/judge.js'
import { pageOfImageSelections } from '../selection/content-selection.js'
import { cachedSelection } from '../selection/selection-cache.js'
import { cachedWordMeans, type WordMean } from '../words/compute-word-means.js'
import type { JobInputs, ShardInput } from './kinds.js'

/** When and how computations are divided. */
export interface Division {
  /** Computations on more images are divided into shards. */
  readonly maxUndividedImages: number
  readonly imagesPerShard: number
}

const DIVISION: Division = { maxUndividedImages: 20_000, imagesPerShard: 5_000 }

/** How each kind of job is executed. */
export function createHandlers({ maxUndividedImages, imagesPerShard }: Division = DIVISION): Handlers {
  return {
    importCaptions: ({ input, progress, finishWith }) =>
      finishWith(async (session) => {
        await importSubmitted(session, input, progress)
        return null
      }),

    importBoxes: ({ input, progress, finishWith }) =>
      finishWith(async (session) => {
        const { id } = await importSubmittedBoxes(session, input, progress)
        return { importId: id }
      }),

    async importVocabulary({ input: { datasetId, vocabulary }, database, progress, finishWith }) {
      const dataset = await requireDatasetById(database, datasetId)
      return finishWith((session) => importVocabulary(session, dataset, vocabulary, progress))
    },

    async importResults({ input: { datasetId, captions, ...input }, owner, database, progress, finishWith }) {
      const dataset = await requireDatasetById(database, datasetId)
      return finishWith(async (session) => {
        const submitted = { ...input, source: 'captions', captions: submittedResults(captions) }
        const { systemId } = await importResults(session, dataset, submitted, progress)
        const evaluation = await enqueueJob(
          session,
          'evaluate',
          { datasetId, systemId },
          { owner, isFollowUp: true },
        )
        return { systemId, evaluationId: evaluation.id }
      })
    },

    async importScores({ input, database, progress, finishWith }) {
      const dataset = await requireDatasetById(database, input.datasetId)
      const coverage = { source: 'scores', allowMissing: input.allowMissing }
      return finishWith(async (session) => {
        const { systemId, unknownWords } = await importScores(
          session,
          dataset,
          {
            source: 'scores',
            read: (images) => collectScores(submittedScores(input.scores), images, coverage),
            system: input.system,
          },
          progress,
        )
        return { systemId, unknownWords }
      })
    },

    async evaluate(context) {
      const { input, database, threads, progress } = context
      const system = await requireSystemById(database, input.systemId)
      const computation = await planEvaluation(database, threads, system, input)
      if (computation.imageCount <= maxUndividedImages) {
        await evaluateSystem(database, threads, system, input, progress)
        return null
      }
      return continueSharded(context, computation, imagesPerShard)
    },

    async agreement(context) {
      const { input, database, threads, progress } = context
      const dataset = await requireDatasetById(database, input.datasetId)
      // An equal job may have ended between the request and this one.
      const { missing } = await storedAgreement(database, threads.registry, dataset, input)
      if (missing.length === 0) return null
      const computation = await planAgreement(database, threads, dataset, input)
      if (computation.imageCount <= maxUndividedImages) {
        await computeAgreement(database, threads, dataset, input, progress)
        return null
      }
      return continueSharded(context, computation, imagesPerShard)
    },

    async compare({ input: { datasetId, systemIds, ...input }, database, threads, progress }) {
      const dataset = await requireDatasetById(database, datasetId)
      const systems = await Promise.all(systemIds.map((id) => requireSystemById(database, id)))
      return compareSubjects(database, threads, dataset, systems, input, progress)
    },

    async wordMeans({ input: { datasetId, systemIds, ...input }, database, progress }) {
      const dataset = await requireDatasetById(database, datasetId)
      const means: (readonly WordMean[])[] = []
      for (const [index, systemId] of systemIds.entries()) {
        const system = systemId === null ? null : await requireSystemById(database, systemId)
        const share = step(progress, index, systemIds.length)
        means.push(await cachedWordMeans(database, dataset, system, input, share))
      }
      return means
    },

    async countAtoms({ input, database, progress }) {
      await countAtoms(database, await requireDatasetById(database, input.datasetId), progress)
      return null
    },

    async trainBound({ input, database, threads, progress }) {
      const dataset = await requireDatasetById(database, input.datasetId)
      await trainBound(database, threads, dataset, input.settings, progress)
      return null
    },

    async boundFigures({ input: { datasetId, ...input }, database, threads, progress }) {
      return computeFigures(database, threads, await requireDatasetById(database, datasetId), input, progress)
    },

    async judge({ input: { datasetId, ...input }, database, threads, progress }) {
      const dataset = await requireDatasetById(database, datasetId)
      return judgeMetrics(database, threads, dataset, input, progress)
    },

    async disagreements({ input: { datasetId, ...input }, database, threads, progress }) {
      const dataset = await requireDatasetById(database, datasetId)
      return findDisagreements(database, threads, dataset, input, progress)
    },

    contentSelection: ({ input, database, progress }) => cachedSelection(database, input, progress),
    imageSelections: ({ input, database }) => pageOfImageSelections(database, input),

    async trainComposite({ id: jobId, input, database, threads, progress, finishWith }) {
      await deleteCurves(database, jobId)
      const artefact = await computeComposite(database, threads, input, {
        progress,
        onEpoch: (curve) => saveCurve(database, { jobId, ...curve }),
      })
      return finishWith(async (session) => ({ artefactId: await insertArtefact(session, artefact) }))
    },

    async removeSystem({ input: { datasetId, system }, finishWith }) {
      return finishWith(async (session) => {
        const { id } = await requireSystem(session, datasetId, system)
        await deleteSystem(session, id)
        return null
      })
    },

    removeDataset: ({ input: { dataset }, finishWith }) =>
      finishWith(async (session) => ({ systemCount: await removeDataset(session, dataset) })),

    async countDocuments(context) {
      return countShard(context, await planOf(context.database, context.threads, context.input))
    },
    async measureImages(context) {
      return measureShardImages(context, await planOf(context.database, context.threads, context.input))
    },
  }
}

/** The computation that a shard is a part of. @throws LeaseLost if the parent, and with it the shard, was removed */
async function planOf(
  session: Session,
  threads: Threads,
  { jobId }: ShardInput,
): Promise<SplitComputation<unknown>> {
  const [job] = await findJobs(session, [jobId])
  const input = await readInput(session, jobId)
  if (job === undefined || input === null) throw new LeaseLost()
  if (job.kind === 'evaluate') {
    const evaluation = input as JobInputs['evaluate']
    return planEvaluation(session, threads, await requireSystemById(session, evaluation.systemId), evaluation)
  }
  const agreement = input as JobInputs['agreement']
  return planAgreement(session, threads, await requireDatasetById(session, agreement.datasetId), agreement)
}

async function requireDatasetById(session: Session, id: number): Promise<Dataset> {
  const [dataset] = await findDatasets(session, [id])
  if (dataset) return dataset
  throw new AccordError('UNKNOWN_DATASET', 'the dataset was removed', { source: 'dataset' })
}

async function requireSystemById(session: Session, id: number): Promise<System> {
  const [system] = await findSystems(session, [id])
  if (system) return system
  throw new AccordError('UNKNOWN_SYSTEM', 'the system was removed', { source: 'system' })
}

import type { InputOf, JobKind, KindName, QueryKind, ResultOf } from '../../queue/kind.js'
import { SHARDING, type Sharding } from '../evaluations/division.js'

/**
 * All kinds of jobs. Each loads its modules when it is first executed: loading those of all kinds takes as long as a small
 * import. Inputs are JSON; `datasetId` and `systemId` of an input are the subject of the job.
 *
 * @param sharding when and how computations are divided
 */
export function createKinds(sharding: Sharding = SHARDING) {
  return {
    importCaptions: job(10, async () => (await import('../imports/import-captions.js')).importCaptionsJob),
    importVocabulary: job(
      10,
      async () => (await import('../imports/import-vocabulary.js')).importVocabularyJob,
    ),
    importResults: job(10, async () => (await import('../imports/import-results.js')).importResultsJob),
    importWordScores: job(
      10,
      async () => (await import('../imports/import-word-scores.js')).importWordScoresJob,
    ),
    importBoxes: job(10, async () => (await import('../imports/import-boxes.js')).importBoxesJob),
    importDescriptions: job(
      10,
      async () => (await import('../imports/import-boxes.js')).importDescriptionsJob,
    ),
    importJudgements: job(
      10,
      async () => (await import('../imports/import-judgements.js')).importJudgementsJob,
    ),
    importVotes: job(10, async () => (await import('../imports/import-votes.js')).importVotesJob),
    importArtefact: job(10, async () => (await import('../imports/import-artefact.js')).importArtefactJob),
    removeSystem: job(10, async () => (await import('../datasets/removal-jobs.js')).removeSystemJob),
    removeDataset: job(10, async () => (await import('../datasets/removal-jobs.js')).removeDatasetJob),
    evaluate: job(0, async () =>
      (await import('../evaluations/evaluate-job.js')).createEvaluateJob(sharding),
    ),
    agreement: job(
      20,
      async () => (await import('../agreement/agreement-job.js')).createAgreementJob(sharding),
      { isAwaited: true },
    ),
    countDocuments: job(0, async () => (await import('./shard-jobs.js')).countDocumentsJob),
    measureImages: job(0, async () => (await import('./shard-jobs.js')).measureImagesJob),
    trainComposite: job(0, async () => (await import('../composites/train-composite.js')).trainCompositeJob),
    trainBound: job(-10, async () => (await import('../bounds/train-bound.js')).createTrainBoundJob(), {
      isResumable: true,
    }),
    importBound: job(10, async () => (await import('../bounds/train-bound.js')).importBoundJob),
    countAtoms: job(30, async () => (await import('../bounds/count-atoms.js')).countAtomsJob, {
      isAwaited: true,
    }),
    boundFigures: query(async () => (await import('../bounds/bound-figures.js')).boundFiguresQuery),
    compare: query(async () => (await import('../comparisons/compare.js')).compareQuery),
    contentSelection: query(
      async () => (await import('../selection/content-selection.js')).contentSelectionQuery,
    ),
    disagreements: query(async () => (await import('../judgements/judge.js')).disagreementsQuery),
    imageSelections: query(
      async () => (await import('../selection/content-selection.js')).imageSelectionsQuery,
    ),
    judge: query(async () => (await import('../judgements/judge.js')).judgeQuery),
    wordMeans: query(async () => (await import('../words/compute-word-means.js')).wordMeansQuery),
  }
}

function job<Input, Result>(
  priority: number,
  load: JobKind<Input, Result>['load'],
  options: Pick<JobKind<Input, Result>, 'isAwaited' | 'isResumable'> = {},
): JobKind<Input, Result> {
  return { priority, load, ...options }
}

function query<Input, Result>(load: QueryKind<Input, Result>['load']): QueryKind<Input, Result> {
  return { priority: 30, isAwaited: true, isQuery: true, load }
}

export const KINDS = createKinds()

export type JobKinds = typeof KINDS

export type JobName = KindName<JobKinds>

export type JobInput<Name extends JobName> = InputOf<JobKinds[Name]>

export type JobResult<Name extends JobName> = ResultOf<JobKinds[Name]>

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
    importCaptions: job({
      priority: 10,
      load: async () => (await import('../imports/import-captions.js')).importCaptionsJob,
    }),
    importVocabulary: job({
      priority: 10,
      load: async () => (await import('../imports/import-vocabulary.js')).importVocabularyJob,
    }),
    importResults: job({
      priority: 10,
      load: async () => (await import('../imports/import-results.js')).importResultsJob,
    }),
    importWordScores: job({
      priority: 10,
      load: async () => (await import('../imports/import-word-scores.js')).importWordScoresJob,
    }),
    importBoxes: job({
      priority: 10,
      load: async () => (await import('../imports/import-boxes.js')).importBoxesJob,
    }),
    importDescriptions: job({
      priority: 10,
      load: async () => (await import('../imports/import-boxes.js')).importDescriptionsJob,
    }),
    importJudgements: job({
      priority: 10,
      load: async () => (await import('../imports/import-judgements.js')).importJudgementsJob,
    }),
    importVotes: job({
      priority: 10,
      load: async () => (await import('../imports/import-votes.js')).importVotesJob,
    }),
    importArtefact: job({
      priority: 10,
      load: async () => (await import('../imports/import-artefact.js')).importArtefactJob,
    }),
    removeSystem: job({
      priority: 10,
      load: async () => (await import('../datasets/removal-jobs.js')).removeSystemJob,
    }),
    removeDataset: job({
      priority: 10,
      load: async () => (await import('../datasets/removal-jobs.js')).removeDatasetJob,
    }),
    evaluate: job({
      priority: 0,
      load: async () => (await import('../evaluations/evaluate-job.js')).createEvaluateJob(sharding),
    }),
    agreement: job({
      priority: 20,
      isAwaited: true,
      load: async () => (await import('../agreement/agreement-job.js')).createAgreementJob(sharding),
    }),
    countDocuments: job({
      priority: 0,
      load: async () => (await import('./shard-jobs.js')).countDocumentsJob,
    }),
    measureImages: job({ priority: 0, load: async () => (await import('./shard-jobs.js')).measureImagesJob }),
    trainComposite: job({
      priority: 0,
      load: async () => (await import('../composites/train-composite.js')).trainCompositeJob,
    }),
    trainBound: job({
      priority: -10,
      isResumable: true,
      load: async () => (await import('../bounds/train-bound.js')).createTrainBoundJob(),
    }),
    importBound: job({
      priority: 10,
      load: async () => (await import('../bounds/train-bound.js')).importBoundJob,
    }),
    countAtoms: job({
      priority: 30,
      isAwaited: true,
      load: async () => (await import('../bounds/count-atoms.js')).countAtomsJob,
    }),
    boundFigures: query(async () => (await import('../bounds/bound-figures.js')).boundFiguresQuery),
    compare: query(async () => (await import('../comparisons/compare.js')).compareQuery),
    contentSelection: query(
      async () => (await import('../selection/selection-queries.js')).contentSelectionQuery,
    ),
    disagreements: query(async () => (await import('../judgements/judge.js')).disagreementsQuery),
    imageSelections: query(
      async () => (await import('../selection/selection-queries.js')).imageSelectionsQuery,
    ),
    judge: query(async () => (await import('../judgements/judge.js')).judgeQuery),
    wordMeans: query(async () => (await import('../words/compute-word-means.js')).wordMeansQuery),
  }
}

function job<Input, Result>(kind: JobKind<Input, Result>): JobKind<Input, Result> {
  return kind
}

function query<Input, Result>(load: QueryKind<Input, Result>['load']): QueryKind<Input, Result> {
  return { priority: 30, isAwaited: true, isQuery: true, load }
}

export const KINDS = createKinds()

export type JobKinds = typeof KINDS

export type JobName = KindName<JobKinds>

export type JobInput<Name extends JobName> = InputOf<JobKinds[Name]>

export type JobResult<Name extends JobName> = ResultOf<JobKinds[Name]>

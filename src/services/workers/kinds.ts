import type { JobKind, QueryKind } from '../../queue/kind.js'
import { counted } from '../../shared/numbers.js'
import type { Sharding } from '../evaluations/plan.js'
import { makesDataset } from '../imports/dropped-files.js'

/**
 * All kinds of jobs. Each loads its modules when it is first executed: loading those of all kinds takes as long as a small
 * import. Inputs are JSON; `datasetId` and `systemId` of an input are the subject of the job. Those of inputs that
 * name a dataset say so.
 *
 * @param sharding when and how computations are divided; default: as computation.ts has it
 */
export function createKinds(sharding?: Sharding) {
  return {
    importCaptions: job(10, async () => (await import('../datasets/import-captions.js')).importCaptionsJob, {
      summary: ({ dataset }, { format }) => `Imported the dataset ${dataset}${from(format)}.`,
    }),
    importVocabulary: job(
      10,
      async () => (await import('../words/import-vocabulary.js')).importVocabularyJob,
      { summary: () => 'Replaced the vocabulary.' },
    ),
    importResults: job(10, async () => (await import('../systems/import-results.js')).importResultsJob, {
      summary: ({ system }, { format }) => `Imported the system ${system}${from(format)}.`,
    }),
    importWordScores: job(
      10,
      async () => (await import('../systems/import-word-scores.js')).importWordScoresJob,
      { summary: ({ system }) => `Imported the system ${system}.` },
    ),
    importBoxes: job(10, async () => (await import('../selection/import-boxes.js')).importBoxesJob, {
      summary: ({ dataset }) => `Imported boxes into the dataset ${dataset}.`,
      datasetNames: ({ dataset }) => [dataset],
    }),
    importObjects: job(10, async () => (await import('../selection/import-objects.js')).importObjectsJob, {
      summary: (_input, { imageCount }) => `Imported the objects of ${counted(imageCount, 'image')}.`,
    }),
    importDescriptions: job(
      10,
      async () => (await import('../selection/import-boxes.js')).importDescriptionsJob,
      { summary: ({ system }) => `Imported descriptions of the system ${system}.` },
    ),
    importJudgements: job(
      10,
      async () => (await import('../judgements/import-judgements.js')).importJudgementsJob,
      {
        summary: ({ dataset }) => `Imported judgements into the dataset ${dataset}.`,
        datasetNames: ({ dataset }) => [dataset],
      },
    ),
    importMetricScores: job(
      10,
      async () => (await import('../external/import-metric-scores.js')).importMetricScoresJob,
      { summary: (_input, { metric }) => `Imported scores by ${metric}.` },
    ),
    importVotes: job(10, async () => (await import('../bounds/atom-jobs.js')).importVotesJob, {
      summary: (_input, { voteCount }) => `Imported ${counted(voteCount, 'vote')}.`,
    }),
    importArtefact: job(
      10,
      async () => (await import('../composites/train-composite.js')).importArtefactJob,
      { summary: (_input, { name }) => `Imported the metric ${name}.` },
    ),
    importCollection: job(
      10,
      async () => (await import('../collections/collection-jobs.js')).importCollectionJob,
      {
        summary: ({ dataset }, { imageCount }) =>
          `Created the collection ${dataset} of ${counted(imageCount, 'image')}.`,
      },
    ),
    finishCollection: job(
      10,
      async () => (await import('../collections/collection-jobs.js')).finishCollectionJob,
      {
        summary: ({ dataset }, { captionCount }) =>
          `Created the dataset ${dataset} with ${counted(captionCount, 'caption')}.`,
      },
    ),
    importFiles: job(10, async () => (await import('../imports/import-files.js')).importFilesJob, {
      isResumable: true,
      summary: ({ dataset, files }, { isNewDataset, systemIds }) =>
        `Imported ${counted(files.length, 'file')} ${isNewDataset ? 'as' : 'into'} the dataset ${dataset}, with ${counted(systemIds.length, 'new system')}.`,
      // A dataset that is made or replaced is its subject at its end.
      datasetNames: ({ dataset, files }) => (makesDataset(files) ? [] : [dataset]),
    }),
    undoImport: job(10, async () => (await import('../imports/import-files.js')).undoImportJob, {
      summary: ({ dataset }, { systemCount }) =>
        systemCount === null
          ? `Removed the dataset ${dataset}, which an import had made.`
          : `Removed ${counted(systemCount, 'system')} of the dataset ${dataset}, which an import had added.`,
    }),
    removeSystem: job(10, async () => (await import('../datasets/remove.js')).removeSystemJob, {
      summary: ({ system }) => `Removed the system ${system}.`,
    }),
    removeDataset: job(10, async () => (await import('../datasets/remove.js')).removeDatasetJob, {
      summary: ({ dataset }, { systemCount }) =>
        `Removed the dataset ${dataset} and its ${counted(systemCount, 'system')}.`,
    }),
    evaluate: job(
      0,
      async () => (await import('../evaluations/evaluate-job.js')).createEvaluateJob(sharding),
      { summary: (_input, { scoreIds }) => `Stored ${counted(scoreIds.length, 'score')}.` },
    ),
    submission: job(
      0,
      async () => (await import('../challenges/submission-job.js')).createSubmissionJob(sharding),
      { summary: (_input, { scoreIds }) => `Stored ${counted(scoreIds.length, 'score')} of the submission.` },
    ),
    agreement: job(
      20,
      async () => (await import('../agreement/human-agreement.js')).createAgreementJob(sharding),
      {
        isAwaited: true,
        summary: ({ references }) => `Stored the table of ${counted(references, 'reference')}.`,
      },
    ),
    countDocuments: job(0, async () => (await import('./shard-jobs.js')).countDocumentsJob),
    measureImages: job(0, async () => (await import('./shard-jobs.js')).measureImagesJob),
    trainComposite: job(0, async () => (await import('../composites/train-composite.js')).trainCompositeJob, {
      summary: ({ name }) => `Trained the metric ${name}.`,
    }),
    trainBound: job(-10, async () => (await import('../bounds/train-bound.js')).createTrainBoundJob(), {
      isResumable: true,
      summary: () => 'Trained the bound.',
    }),
    importBound: job(10, async () => (await import('../bounds/train-bound.js')).importBoundJob, {
      summary: () => 'Imported the bound.',
    }),
    countAtoms: job(30, async () => (await import('../bounds/atom-jobs.js')).countAtomsJob, {
      isAwaited: true,
      summary: () => 'Counted the atoms.',
    }),
    board: query(async () => (await import('../challenges/compute-board.js')).boardQuery),
    checkSubmission: query(
      async () => (await import('../challenges/submission-file.js')).checkSubmissionQuery,
    ),
    boundFigures: query(async () => (await import('../bounds/bound-figures.js')).boundFiguresQuery),
    collectionReport: query(
      async () => (await import('../collections/collection-report.js')).collectionReportQuery,
    ),
    compare: query(async () => (await import('../comparisons/compare.js')).compareQuery, {
      ...HEAVY,
      datasetNames: ({ figures }) =>
        figures.map((figure) => (figure.kind === 'METRIC' ? undefined : (figure.vocabularyOf ?? undefined))),
    }),
    contentSelection: query(
      async () => (await import('../selection/content-selection.js')).contentSelectionQuery,
      { ...HEAVY, ...SELECTED },
    ),
    coverage: query(async () => (await import('../coverage/compute-coverage.js')).coverageQuery, {
      datasetNames: ({ documents }) => [documents],
    }),
    imageCoverage: query(async () => (await import('../coverage/compute-coverage.js')).imageCoverageQuery, {
      datasetNames: ({ documents }) => [documents],
    }),
    unconfirmedObjects: query(
      async () => (await import('../coverage/unconfirmed-objects.js')).unconfirmedObjectsQuery,
    ),
    disagreements: query(async () => (await import('../judgements/disagreements.js')).disagreementsQuery),
    diversity: query(async () => (await import('../diversity/compute-diversity.js')).diversityQuery, {
      datasetNames: ({ training }) => [training],
    }),
    imageSelections: query(
      async () => (await import('../selection/content-selection.js')).imageSelectionsQuery,
      SELECTED,
    ),
    judge: query(async () => (await import('../judgements/judge.js')).judgeQuery, HEAVY),
    wordMeans: query(async () => (await import('../words/compute-word-means.js')).wordMeansQuery, {
      ...HEAVY,
      datasetNames: ({ vocabularyOf }) => [vocabularyOf ?? undefined],
    }),
  }
}

function job<Input, Result>(
  priority: number,
  load: JobKind<Input, Result>['load'],
  options: Omit<JobKind<Input, Result>, 'priority' | 'load' | 'isQuery'> = {},
): JobKind<Input, Result> {
  return { priority, load, ...options }
}

function query<Input, Result>(
  load: QueryKind<Input, Result>['load'],
  options: Pick<QueryKind<Input, Result>, 'datasetNames'> & { readonly priority?: number } = {},
): QueryKind<Input, Result> {
  return { priority: 30, isAwaited: true, isQuery: true, load, ...options }
}

/** Of queries that take seconds: those that others wait for less long have their turn before. */
const HEAVY = { priority: 25 } as const

/** Content selection of a dataset, with priors of another one. */
const SELECTED = {
  datasetNames: ({ dataset, priors }: { readonly dataset: string; readonly priors?: string }) => [
    dataset,
    priors,
  ],
}

/** @param format of the file; null for COCO's */
function from(format: string | null): string {
  return format === null ? '' : ` from ${format}`
}

export const KINDS = createKinds()

type Table = typeof KINDS

declare module '../shared/job-kinds.js' {
  interface DeclaredKinds extends Table {}
}

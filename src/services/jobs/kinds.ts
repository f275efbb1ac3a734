import type { BoundSettings } from '../../core/bounds/settings.js'
import type { SubmittedBoxes } from '../../formats/boxes/boxes.js'
import type { VocabularyWord } from '../../formats/words/vocabulary.js'
import type { ImageRange } from '../../store/caption-search.js'
import type { AgreementInput } from '../agreement/human-agreement.js'
import type { BoundFigures, FiguresInput } from '../bounds/bound-figures.js'
import type { CompareInput } from '../comparisons/compare.js'
import type { PairComparison } from '../comparisons/pair-comparison.js'
import type { TrainCompositeInput } from '../composites/train-composite.js'
import type { EvaluateInput } from '../evaluations/evaluation-plan.js'
import type { SubmittedDataset } from '../imports/import-captions.js'
import type { ImportVocabularyReport } from '../imports/import-vocabulary.js'
import type { JudgeInput, JudgeReport, RankedDifferently } from '../judgements/judge.js'
import type {
  ImageSelectionPage,
  ImageSelectionsInput,
  SelectionInput,
  SelectionReport,
} from '../selection/content-selection.js'
import type { WordMean, WordMeansInput } from '../words/compute-word-means.js'

/** Input of each kind of job, as JSON. `datasetId` and `systemId` are the subject of the job. */
export interface JobInputs {
  /** Creates a dataset. */
  importCaptions: SubmittedDataset
  /** Adds boxes to a dataset, or creates one. */
  importBoxes: SubmittedBoxes & { readonly dataset: string }
  importVocabulary: { readonly datasetId: number; readonly vocabulary: readonly VocabularyWord[] }
  /** Stores a captioning system and enqueues its evaluation. */
  importResults: {
    readonly datasetId: number
    readonly system: string
    readonly captions: readonly { readonly imageId: string; readonly caption: string }[]
    readonly allowMissing: boolean
  }
  importScores: {
    readonly datasetId: number
    readonly system: string
    readonly scores: readonly {
      readonly imageId: string
      readonly words: readonly { readonly word: string; readonly score: number }[]
    }[]
    readonly allowMissing: boolean
  }
  evaluate: EvaluateInput & { readonly datasetId: number; readonly systemId: number }
  /** Computes and stores a human agreement table if it is not stored. */
  agreement: AgreementInput & { readonly datasetId: number }
  compare: CompareInput & { readonly datasetId: number; readonly systemIds: readonly number[] }
  /** Of systems, and of people where an id is null. */
  wordMeans: WordMeansInput & { readonly datasetId: number; readonly systemIds: readonly (number | null)[] }
  /** Counts and stores the atoms of the captions of a dataset. */
  countAtoms: { readonly datasetId: number }
  /** Trains a bound; it continues from its checkpoint. */
  trainBound: { readonly datasetId: number; readonly settings: BoundSettings }
  boundFigures: FiguresInput & { readonly datasetId: number }
  judge: JudgeInput & { readonly datasetId: number }
  disagreements: { readonly datasetId: number; readonly metric: string; readonly count: number }
  contentSelection: SelectionInput
  imageSelections: ImageSelectionsInput
  /** `datasetId` is the training data. */
  trainComposite: TrainCompositeInput & { readonly datasetId: number }
  removeSystem: { readonly datasetId: number; readonly system: string }
  /** Has no subject, with which it would be removed itself. */
  removeDataset: { readonly dataset: string }
  /** A shard: counts the document frequencies of a range of images. */
  countDocuments: ShardInput
  /** A shard: measures a range of images. */
  measureImages: ShardInput
}

/** A part of the computation of the job `jobId`. */
export interface ShardInput {
  readonly jobId: number
  readonly position: number
  readonly range: ImageRange
}

/** Result of each kind of job, as JSON; null if the job stores what it computes. */
export interface JobResults {
  importCaptions: null
  importBoxes: { readonly importId: number }
  importVocabulary: ImportVocabularyReport
  importResults: { readonly systemId: number; readonly evaluationId: number }
  importScores: { readonly systemId: number; readonly unknownWords: readonly string[] }
  evaluate: null
  agreement: null
  compare: readonly PairComparison[]
  /** In the order of the systems. */
  wordMeans: readonly (readonly WordMean[])[]
  countAtoms: null
  trainBound: null
  boundFigures: BoundFigures | null
  judge: JudgeReport
  disagreements: readonly RankedDifferently[]
  contentSelection: SelectionReport
  imageSelections: ImageSelectionPage
  trainComposite: { readonly artefactId: number }
  removeSystem: null
  removeDataset: { readonly systemCount: number }
  countDocuments: null
  measureImages: null
}

export type JobKind = keyof JobInputs

/** Kinds that a request waits for. They leave nothing but their result, and are removed some time after their end. */
export const QUERY_KINDS: readonly JobKind[] = [
  'compare',
  'agreement',
  'wordMeans',
  'countAtoms',
  'boundFigures',
  'judge',
  'disagreements',
  'contentSelection',
  'imageSelections',
]

/** Kinds that continue from a checkpoint, so that little is lost where they are interrupted. */
export const RESUMABLE_KINDS: readonly JobKind[] = ['trainBound']

/**
 * Default priority of each kind. Kinds that requests wait for have the highest. Those below 0 are executed when no other
 * job is queued.
 */
export const PRIORITIES: Readonly<Record<JobKind, number>> = {
  evaluate: 0,
  trainComposite: 0,
  importCaptions: 10,
  importBoxes: 10,
  importVocabulary: 10,
  importResults: 10,
  importScores: 10,
  removeSystem: 10,
  removeDataset: 10,
  agreement: 20,
  compare: 30,
  wordMeans: 30,
  countAtoms: 30,
  trainBound: -10,
  boundFigures: 30,
  judge: 30,
  disagreements: 30,
  contentSelection: 30,
  imageSelections: 30,
  countDocuments: 0,
  measureImages: 0,
}

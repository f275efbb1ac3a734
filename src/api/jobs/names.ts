import type { Job } from '../../services/jobs/jobs.js'
import type { JobName } from '../../services/shared/job-kinds.js'
import type { JobKind } from '../shared/schema-types.js'

/** The name of each kind in the schema; parts of divided jobs have none, and are never shown. */
const KIND_NAMES: Readonly<Record<Exclude<JobName, 'countDocuments' | 'measureImages'>, JobKind>> = {
  importCaptions: 'IMPORT_CAPTIONS',
  importBoxes: 'IMPORT_BOXES',
  importObjects: 'IMPORT_OBJECTS',
  importVocabulary: 'IMPORT_VOCABULARY',
  importResults: 'IMPORT_RESULTS',
  importWordScores: 'IMPORT_WORD_SCORES',
  importDescriptions: 'IMPORT_DESCRIPTIONS',
  importJudgements: 'IMPORT_JUDGEMENTS',
  importMetricScores: 'IMPORT_METRIC_SCORES',
  importVotes: 'IMPORT_VOTES',
  importArtefact: 'IMPORT_ARTEFACT',
  importBound: 'IMPORT_BOUND',
  importCollection: 'IMPORT_COLLECTION',
  importFiles: 'IMPORT_FILES',
  undoImport: 'UNDO_IMPORT',
  finishCollection: 'FINISH_COLLECTION',
  evaluate: 'EVALUATE',
  submission: 'SUBMISSION',
  agreement: 'AGREEMENT',
  trainComposite: 'TRAIN_COMPOSITE',
  trainBound: 'TRAIN_BOUND',
  countAtoms: 'COUNT_ATOMS',
  removeSystem: 'REMOVE_SYSTEM',
  removeDataset: 'REMOVE_DATASET',
  boundFigures: 'BOUND_FIGURES',
  collectionReport: 'COLLECTION_REPORT',
  board: 'BOARD',
  checkSubmission: 'CHECK_SUBMISSION',
  compare: 'COMPARE',
  contentSelection: 'CONTENT_SELECTION',
  coverage: 'COVERAGE',
  disagreements: 'DISAGREEMENTS',
  diversity: 'DIVERSITY',
  imageCoverage: 'IMAGE_COVERAGE',
  imageSelections: 'IMAGE_SELECTIONS',
  judge: 'JUDGE',
  unconfirmedObjects: 'UNCONFIRMED_OBJECTS',
  wordMeans: 'WORD_MEANS',
}

export function toJobKind({ kind }: Pick<Job, 'kind'>): JobKind {
  return KIND_NAMES[kind as keyof typeof KIND_NAMES]
}

export function fromJobKind(name: JobKind): JobName {
  return Object.entries(KIND_NAMES).find(([, known]) => known === name)?.[0] as JobName
}

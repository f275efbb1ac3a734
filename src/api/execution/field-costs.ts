import { CHOICES } from '../../services/choices.js'
import { MAX_COMPARED_SYSTEMS } from '../../services/comparisons/comparisons.js'
import { MAX_PAGE_SIZE } from './connection.js'
import { MAX_POINTS } from './points.js'
import type { Sizes } from './sizes.js'

/** What the cost of a field depends on beyond the number of fields in the response. Times are measured on COCO val2017. */
export interface FieldCost {
  /** Length of the list. Default: the page size of a connection, {@link TYPICAL_LIST} for other lists. */
  readonly length?: (sizes: Sizes, argument: ArgumentValue) => number
  /**
   * Computing time on one object. The computation takes turns with other work, and equal ones on the same object are
   * executed once per request.
   */
  readonly milliseconds?: (sizes: Sizes, argument: ArgumentValue) => number
  /** Milliseconds per object of values that are read for many objects at once. */
  readonly reading?: number
}

/** The value of an argument; null or undefined if it is not given and has no default. */
export type ArgumentValue = (name: string) => unknown

/** Assumed length of a list of unknown size. */
export const TYPICAL_LIST = 10

function lengthOf(list: unknown): number | undefined {
  return Array.isArray(list) ? list.length : undefined
}

const systemsOfDataset: FieldCost = { length: ({ systemsPerDataset }) => systemsPerDataset }
const metrics: FieldCost = { length: ({ metrics }) => metrics }
const points: FieldCost = {
  length: (_sizes, argument) => Math.min(Number(argument('points')), MAX_POINTS),
}

/** The words of a vocabulary are read, and hashed. */
const vocabularyHash: FieldCost = { milliseconds: ({ vocabulary }) => vocabulary / 300 }

/** Words are compared with the images that a system has scores of. */
const unscored: FieldCost = { milliseconds: ({ vocabulary }) => vocabulary / 60 }

/** A value for each image: four of them take as long as a field. */
const vector: FieldCost = {
  length: ({ imagesPerDataset }) => imagesPerDataset / 4,
  milliseconds: ({ imagesPerDataset }) => imagesPerDataset / 2500,
}

/** A page of a list that is read by a query of its own. */
const page: FieldCost = { milliseconds: () => 10 }

/** A number of entries that is counted by a query of its own. */
const count: FieldCost = { milliseconds: () => 5 }

/** Fields that are read by a query or from memory for many objects at once, and take up to 0.02 ms for each. */
const READ: Readonly<Record<string, readonly string[]>> = {
  Query: ['node', 'dataset', 'metric', 'job', 'artefact', 'artefacts', 'bound'],
  Dataset: ['image', 'word', 'system', 'boxImports', 'judgements'],
  Image: ['dataset', 'boxes', 'descriptions', 'judgedCaptions'],
  Caption: ['image', 'mentions', 'likelihoods'],
  SystemCaption: ['system', 'image', 'mentions'],
  Word: ['dataset', 'agreement', 'systemResult'],
  WordAgreement: ['signature', 'provenance'],
  UsageModel: ['precision', 'residual', 'signature', 'provenance'],
  System: ['dataset', 'score', 'evaluation', 'bound'],
  SystemWordResult: ['system', 'word', 'signature', 'provenance'],
  WordMistake: ['image'],
  MetricCorrelation: ['first', 'second'],
  MetricScore: ['metric', 'undefinedReason', 'isSmall', 'provenance', 'notes', 'humanScore'],
  CaptionScore: ['metric'],
  ImageScore: ['image'],
  AgreementScore: ['metric', 'provenance', 'notes'],
  PublishedAgreementRow: ['metric'],
  Comparison: ['metric', 'notes'],
  Leaderboard: ['metric'],
  EvaluationJob: ['system'],
  ImportJob: ['dataset', 'system', 'evaluation'],
  AgreementJob: ['dataset'],
  CompositeTrainingJob: ['networks', 'artefact'],
  BoundTrainingJob: ['bound'],
  Box: ['image'],
  Description: ['image', 'caption', 'mentions'],
  SystemDescription: ['image', 'system', 'mentions'],
  ContentSelection: ['priors', 'imageCount', 'excludedImageCount', 'excludedDescriptionCount', 'humanBound'],
  ImageSelection: ['image', 'selected'],
  Bound: ['job', 'split', 'losses', 'system'],
  BoundFigures: ['metric', 'incompleteSystems'],
  BoundPoint: ['bound'],
  SemanticCapacity: ['system'],
  CaptionLikelihood: ['bound'],
  JudgedCaption: ['image', 'preferences'],
  Preference: ['first', 'second', 'preferred'],
  MetaEvaluationRow: ['metric'],
  MetricDifference: ['first', 'second'],
}

const read: FieldCost = { reading: 0.02 }

/**
 * Fields whose lists have a known length or whose values are read or computed, by `Type.field`. Other fields are
 * properties of their objects. Mutations are executed by workers.
 */
export const FIELD_COSTS: Readonly<Record<string, FieldCost>> = {
  ...Object.fromEntries(
    Object.entries(READ).flatMap(([type, fields]) => fields.map((field) => [`${type}.${field}`, read])),
  ),
  '__Schema.types': { length: () => 150 },
  '__Type.fields': { length: () => 3 },
  '__Type.inputFields': { length: () => 1 },
  '__Type.enumValues': { length: () => 2 },
  '__Type.interfaces': { length: () => 1 },
  '__Type.possibleTypes': { length: () => 1 },
  // Most types are not lists, and have no type inside.
  '__Type.ofType': { length: () => 0.5 },
  '__Field.args': { length: () => 1 },

  'Query.datasets': { length: ({ datasets }) => datasets },
  'Query.metrics': metrics,

  'Dataset.images': page,
  'Dataset.words': page,
  'Dataset.systems': systemsOfDataset,
  'Dataset.captions': page,
  'Dataset.atoms': page,
  'Dataset.bounds': { length: () => 20 },
  'Dataset.humanAgreement': { milliseconds: () => 2 },
  'Dataset.publishedAgreement': { milliseconds: () => 2 },
  'Dataset.atomVotes': { milliseconds: () => 1 },
  'Dataset.boundFigures': { milliseconds: () => 2 },
  'Dataset.contentSelection': { milliseconds: () => 1 },
  'Dataset.leaderboard': {
    length: (_sizes, argument) => lengthOf(argument('metrics')) ?? 1,
    milliseconds: ({ systemsPerDataset, vocabulary }, argument) =>
      3 * (lengthOf(argument('metrics')) ?? 1 + (systemsPerDataset * vocabulary) / 1500),
  },
  'Leaderboard.rows': { length: ({ systemsPerDataset }) => systemsPerDataset + 1 },
  // Of mean PHR: how much of it comes from images without a score.
  'LeaderboardRow.notes': { milliseconds: ({ vocabulary }) => vocabulary / 60 },
  'Dataset.comparisons': {
    length: ({ systemsPerDataset }, argument) => {
      const figures = (lengthOf(argument('metrics')) ?? 0) + (lengthOf(argument('words')) ?? 0)
      const systems = lengthOf(argument('systems')) ?? Math.min(systemsPerDataset, MAX_COMPARED_SYSTEMS)
      const sides = systems + (argument('people') === true ? 1 : 0)
      return figures * (argument('baseline') == null ? (sides * (sides - 1)) / 2 : sides)
    },
  },
  'Dataset.wordAgreement': { milliseconds: ({ vocabulary }) => 1 + vocabulary / 300 },
  'WordAgreementSummary.signature': vocabularyHash,
  'WordAgreementSummary.provenance': vocabularyHash,
  'UsageFit.signature': vocabularyHash,
  'UsageFit.provenance': vocabularyHash,
  'PhrSummary.signature': vocabularyHash,
  'PhrSummary.provenance': vocabularyHash,
  'PhrSummary.means': { milliseconds: () => 3 },
  'WordAgreementSummary.means': { milliseconds: () => 3 },
  'UsageModel.expectedHistogram': { reading: 0.02 },
  'PhrSummary.unscoredWordCount': unscored,
  'PhrSummary.unscoredShare': unscored,
  'PhrSummary.notes': unscored,
  'Dataset.usageFit': { milliseconds: ({ vocabulary }) => 1 + vocabulary / 8 },
  'Dataset.usageCurve': { milliseconds: () => 1 },
  'UsageCurve.points': { length: () => 101 },
  'WordAgreementSummary.byPartOfSpeech': { length: () => 7 },

  'Image.captions': { length: ({ captionsPerImage }) => captionsPerImage },
  'Image.systemCaptions': systemsOfDataset,
  'Image.systemDescriptions': systemsOfDataset,
  'Image.words': { length: () => 30, milliseconds: () => 0.1 },
  'Image.atoms': { milliseconds: () => 0.2 },
  'Caption.tokens': { length: () => TYPICAL_LIST, ...read },
  'SystemCaption.tokens': { length: () => TYPICAL_LIST, ...read },
  'Caption.atoms': { milliseconds: () => 0.05 },
  'Caption.sceneGraph': { milliseconds: () => 0.1 },
  'SystemCaption.sceneGraph': { milliseconds: () => 0.1 },
  'SystemCaption.matchedTuples': { milliseconds: () => 0.3 },
  'Caption.scores': { ...metrics, ...read },
  'SystemCaption.scores': { ...metrics, ...read },

  'Word.usageModel': { milliseconds: () => 0.15 },
  'Word.images': { milliseconds: () => 0.1 },
  'WordAgreement.precisionInterval': { milliseconds: () => 0.2 },
  'WordAgreement.recallInterval': { milliseconds: () => 0.2 },
  'UsageModel.usageProbabilityInterval': { milliseconds: () => 0.2 },
  'UsageModel.objectProbabilityInterval': { milliseconds: () => 0.2 },
  'SystemWordResult.curve': { ...points, milliseconds: ({ imagesPerDataset }) => imagesPerDataset / 7500 },
  'SystemWordResult.estimates': { milliseconds: ({ imagesPerDataset }) => imagesPerDataset / 2000 },
  'SystemWordResult.mistakes': { milliseconds: ({ imagesPerDataset }) => imagesPerDataset / 2500 },

  'System.words': page,
  'System.captions': page,
  'Query.jobs': page,
  'MetricScore.vector': { milliseconds: ({ imagesPerDataset }) => 1 + imagesPerDataset / 5000 },
  'ScoreVector.externalIds': vector,
  'ScoreVector.values': vector,
  'MetricScore.distribution': { milliseconds: ({ imagesPerDataset }) => 1 + imagesPerDataset / 5000 },
  'System.metricCorrelations': {
    length: ({ metrics }) => (metrics * (metrics - 1)) / 2,
    milliseconds: ({ metrics, imagesPerDataset }) => (metrics * metrics * imagesPerDataset) / 5000,
  },
  'ScoreDistribution.bins': {
    length: (_sizes, argument) => Math.min(Number(argument('count')), CHOICES.maxBins),
    milliseconds: ({ imagesPerDataset }) => imagesPerDataset / 10_000,
  },
  'ScoreDistribution.quantiles': {
    length: (_sizes, argument) => lengthOf(argument('at')) ?? 5,
    milliseconds: ({ imagesPerDataset }) => imagesPerDataset / 10_000,
  },
  'MetricScore.imageScores': page,
  'System.scores': { ...metrics, ...read },
  'System.phrSummary': { milliseconds: ({ vocabulary }) => 1 + vocabulary / 400 },
  'HumanAgreement.folds': { length: ({ captionsPerImage }) => captionsPerImage },
  'HumanAgreement.scores': metrics,
  'AgreementFold.scores': metrics,

  'ContentSelection.notes': { milliseconds: () => 1 },
  'ContentSelection.signature': read,
  'ContentSelection.provenance': read,
  'ContentSelection.baselines': { milliseconds: () => 1 },
  'ContentSelection.systems': { length: ({ systemsPerDataset }) => systemsPerDataset, milliseconds: () => 1 },
  'ContentSelection.imageScores': page,
  'ContentSelection.concepts': page,
  'ImageSelection.sentence': { milliseconds: () => 0.1 },
  'JudgementSet.metaEvaluation': page,
  'JudgementSet.disagreements': {
    length: (_sizes, argument) => Math.min(Number(argument('first')), MAX_PAGE_SIZE),
    milliseconds: () => 10,
  },

  'AtomConnection.totalCount': count,
  'CaptionConnection.totalCount': count,
  'ConceptImportanceConnection.totalCount': count,
  'JobConnection.totalCount': count,
  'ImageConnection.totalCount': count,
  'ImageScoreConnection.totalCount': count,
  'ImageSelectionConnection.totalCount': count,
  'SystemCaptionConnection.totalCount': count,
  'SystemWordConnection.totalCount': count,
  'WordConnection.totalCount': count,
  'WordMistakeConnection.totalCount': count,
}

import { MAX_COMPARED_SYSTEMS } from '../services/comparisons.js'
import { MAX_BINS } from '../stats/histogram.js'
import { MAX_POINTS } from './points.js'
import type { Sizes } from './sizes.js'

/** What the cost of a field depends on beyond the number of fields in the response. */
export interface FieldCost {
  /** Length of the list. Default: the page size of a connection, {@link TYPICAL_LIST} for other lists. */
  readonly length?: (sizes: Sizes, argument: ArgumentValue) => number
  /**
   * Computing time on one object, measured on COCO val2017 on one core. Equal computations on the same object are
   * executed once per request.
   */
  readonly milliseconds?: (sizes: Sizes, argument: ArgumentValue) => number
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

/** A page of a list that is read by a query of its own. */
const page: FieldCost = { milliseconds: () => 10 }

/** Fields whose lists have a known length or whose values are computed, by `Type.field`. */
export const FIELD_COSTS: Readonly<Record<string, FieldCost>> = {
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
  'Dataset.leaderboard': {
    length: (_sizes, argument) => lengthOf(argument('metrics')) ?? 1,
    milliseconds: ({ systemsPerDataset, vocabulary }, argument) =>
      10 * (lengthOf(argument('metrics')) ?? 1 + (systemsPerDataset * vocabulary) / 2000),
  },
  'Leaderboard.rows': { length: ({ systemsPerDataset }) => systemsPerDataset + 1 },
  'Dataset.comparisons': {
    length: ({ systemsPerDataset }, argument) => {
      const figures = (lengthOf(argument('metrics')) ?? 0) + (lengthOf(argument('words')) ?? 0)
      const systems = lengthOf(argument('systems')) ?? Math.min(systemsPerDataset, MAX_COMPARED_SYSTEMS)
      const sides = systems + (argument('people') === true ? 1 : 0)
      return figures * (argument('baseline') == null ? (sides * (sides - 1)) / 2 : sides)
    },
  },
  'Dataset.wordAgreement': { milliseconds: ({ vocabulary }) => 1 + vocabulary / 75 },
  'Dataset.usageFit': { milliseconds: ({ vocabulary }) => 1 + vocabulary / 8 },
  'Dataset.usageCurve': { ...points, milliseconds: () => 6 },
  'WordAgreementSummary.byPartOfSpeech': { length: () => 7 },

  'Image.captions': { length: ({ captionsPerImage }) => captionsPerImage },
  'Image.systemCaptions': systemsOfDataset,
  'Image.systemDescriptions': systemsOfDataset,
  'Image.words': { length: () => 30, milliseconds: () => 0.15 },
  'Caption.tokens': { length: () => TYPICAL_LIST },
  'SystemCaption.tokens': { length: () => TYPICAL_LIST },
  'Caption.sceneGraph': { milliseconds: () => 0.3 },
  'SystemCaption.sceneGraph': { milliseconds: () => 0.3 },
  'SystemCaption.matchedTuples': { milliseconds: () => 2 },
  'Caption.scores': metrics,
  'SystemCaption.scores': metrics,

  'Word.usageModel': { milliseconds: () => 0.15 },
  'WordAgreement.precisionInterval': { milliseconds: () => 0.2 },
  'WordAgreement.recallInterval': { milliseconds: () => 0.2 },
  'UsageModel.usageProbabilityInterval': { milliseconds: () => 0.2 },
  'UsageModel.objectProbabilityInterval': { milliseconds: () => 0.2 },
  'SystemWordResult.curve': { ...points, milliseconds: () => 1 },

  'SystemWordResult.mistakes': { milliseconds: ({ imagesPerDataset }) => 1 + imagesPerDataset / 2500 },

  'System.words': page,
  'System.captions': page,
  'System.evaluations': page,
  'System.scoreVector': { milliseconds: ({ imagesPerDataset }) => 2 + imagesPerDataset / 500 },
  'System.scoreDistribution': { milliseconds: ({ imagesPerDataset }) => 1 + imagesPerDataset / 5000 },
  'System.metricCorrelations': {
    length: ({ metrics }) => (metrics * (metrics - 1)) / 2,
    milliseconds: ({ metrics, imagesPerDataset }) => (metrics * metrics * imagesPerDataset) / 10_000,
  },
  'ScoreDistribution.bins': { length: (_sizes, argument) => Math.min(Number(argument('count')), MAX_BINS) },
  'ScoreDistribution.quantiles': { length: (_sizes, argument) => lengthOf(argument('at')) ?? 5 },
  'System.imageScores': page,
  'System.scores': metrics,
  'System.phrSummary': { milliseconds: ({ vocabulary }) => 1 + vocabulary / 200 },
  'HumanAgreement.folds': { length: ({ captionsPerImage }) => captionsPerImage },
  'HumanAgreement.scores': metrics,
  'AgreementFold.scores': metrics,
}

import { createWordReplicator } from '../../core/agreement/word-replicates.js'
import type { Interval } from '../../core/stats/interval.js'
import {
  ARCSINE,
  createReplicateMean,
  estimate,
  estimateDifference,
  type ImageGroups,
  imageGroups,
  type Replicates,
  subtract,
} from '../../core/stats/jackknife.js'
import { drawSubsets } from '../../core/stats/rarefaction.js'
import type { SampleSize } from '../../core/stats/sample-size.js'
import { type Progress, step } from '../../progress.js'
import type { QueryHandler } from '../../queue/kind.js'
import { requireDataset } from '../../store/datasets.js'
import type { Database, Session } from '../../store/engine/session.js'
import { readCountedImageIds } from '../../store/images.js'
import type { Dataset, System } from '../../store/schema/entities.js'
import { requireDatasetById, requireSystemById } from '../datasets/subjects.js'
import { SEED } from '../evaluations/record-provenance.js'
import { contentOf, createMemory } from '../shared/memory.js'
import { type RarefiedMean, rarefiedMean } from './rarefied-mean.js'
import { readVocabularyWords, type WordChoice } from './vocabulary.js'
import { placeWords } from './word-places.js'

/** What means over words are of. The input of a job. */
export interface WordMeansInput extends WordChoice {
  /** k */
  readonly references: number
}

/**
 * Figures of words whose means have intervals:
 *
 * - of people: `HUMAN_PRECISION`, `HUMAN_RECALL` over all words that have them, `AGREED_HUMAN_PRECISION` over the words
 *   with human recall above 0, the only ones with a PHR;
 * - of systems with word scores: `PHR`, `AVERAGE_PRECISION`; of captioning systems: `WORD_PRECISION`, `WORD_RECALL`;
 * - of both: `HUMAN_PRECISION_OF_SAME_WORDS`, over the words with a PHR or a word precision of the system, and
 *   `GAP_TO_PEOPLE`, the mean PHR or word precision minus that.
 */
const WORD_MEAN_FIGURES = [
  'HUMAN_PRECISION',
  'AGREED_HUMAN_PRECISION',
  'HUMAN_RECALL',
  'PHR',
  'AVERAGE_PRECISION',
  'WORD_PRECISION',
  'WORD_RECALL',
  'HUMAN_PRECISION_OF_SAME_WORDS',
  'GAP_TO_PEOPLE',
] as const

export type WordMeanFigure = (typeof WORD_MEAN_FIGURES)[number]

/** The mean of a figure over the words that have it. */
export interface WordMean extends SampleSize {
  readonly figure: WordMeanFigure
  /** Number of words that have the figure. */
  readonly wordCount: number
  /** 0..1; a gap −1..1. Null if no word has the figure. */
  readonly value: number | null
  readonly standardError: number | null
  /** 95 % interval, by the jackknife over groups of images. Null if the value is, and with a reason. */
  readonly interval: Interval | null
  /** Of a gap: two-sided p-value of the hypothesis that there is none. */
  readonly pValue: number | null
  /**
   * Null for fewer than 20 images, where no word has the figure in a subset, and for the gap of a captioning system, which has a
   * bias in few images (docs/SIMULATION.md).
   */
  readonly rarefied: RarefiedMean | null
}

export interface WordMeansQuery extends WordMeansInput {
  readonly datasetId: number
  /** Null: people. */
  readonly systemIds: readonly (number | null)[]
}

/** The means of systems and of people, in the order of the ids. */
export const wordMeansQuery: QueryHandler<WordMeansQuery, readonly (readonly WordMean[])[]> = async ({
  input: { datasetId, systemIds, ...input },
  database,
  progress,
}) => {
  const dataset = await requireDatasetById(database, datasetId)
  const means: (readonly WordMean[])[] = []
  for (const [index, systemId] of systemIds.entries()) {
    const system = systemId === null ? null : await requireSystemById(database, systemId)
    means.push(
      await cachedWordMeans(database, dataset, system, input, step(progress, index, systemIds.length)),
    )
  }
  return means
}

const memoryOf = createMemory<WordMean[]>(256)

/**
 * As {@link computeWordMeans}; the means are cached in this process. A system and the captions of a dataset never change;
 * the key names them by their content.
 */
async function cachedWordMeans(
  database: Database,
  dataset: Dataset,
  system: System | null,
  input: WordMeansInput,
  progress: Progress,
): Promise<WordMean[]> {
  const cache = memoryOf(database)
  const { references, partOfSpeech, vocabularyOf } = input
  const other = vocabularyOf == null ? null : await requireDataset(database, vocabularyOf)
  const key = JSON.stringify([
    contentOf(dataset),
    system && [system.id, system.content, system.wordRevision],
    references,
    partOfSpeech && [...new Set(partOfSpeech)].sort(),
    other && contentOf(other),
  ])
  const cached = cache.get(key)
  if (cached) return cached
  const means = await computeWordMeans(database, dataset, system, input, progress)
  cache.set(key, means)
  return means
}

/**
 * Means over the vocabulary of the figures of a system, or of people where it is null, with their intervals. All images
 * of the statistics count, those that the system has no caption or score of too, as in its stored results.
 *
 * Time: about a second for a system with scores of 1,000 words in 5,000 images.
 */
async function computeWordMeans(
  session: Session,
  dataset: Dataset,
  system: System | null,
  { references, ...choice }: WordMeansInput,
  progress: Progress,
): Promise<WordMean[]> {
  progress(0, 'reading words')
  const words = await readVocabularyWords(session, dataset, choice)
  const imageIds = await readCountedImageIds(session, dataset.id)
  const groups = imageGroups(imageIds.length, SEED)
  const subsets = drawSubsets(imageIds.length, SEED)
  const means = createMeans(groups)
  const ofSubsets = subsets && createMeans(subsets.groups)
  const measurements = [means, ofSubsets ?? []]
    .flat()
    .map((part) => ({
      ...part,
      replicator: createWordReplicator(part.groups, dataset.captionsPerImage, references),
    }))
  let measured = 0
  for await (const { images, predicted, scores } of placeWords(session, system, words, imageIds)) {
    progress(measured++ / words.length, 'measuring words')
    for (const { replicator, add, addBeside } of measurements) {
      const human = replicator.human(images)
      if (system === null) {
        add('HUMAN_PRECISION', human.precision)
        add('HUMAN_RECALL', human.recall)
        add('AGREED_HUMAN_PRECISION', where(human.precision, human.recall))
      } else if (predicted) {
        const { precision, recall } = replicator.captioning(images, predicted)
        add('WORD_PRECISION', precision)
        add('WORD_RECALL', recall)
        addBeside(human.precision, precision)
      } else if (scores) {
        const ranking = replicator.ranking(images, scores)
        add('PHR', ranking.precisionAtHumanRecall)
        add('AVERAGE_PRECISION', ranking.averagePrecision)
        addBeside(human.precision, ranking.precisionAtHumanRecall)
      }
    }
  }
  return means.all().map((mean): WordMean => {
    const isGap = mean.figure === 'GAP_TO_PEOPLE'
    const isBiased = isGap && system?.kind === 'CAPTIONS'
    const found = subsets && !isBiased && ofSubsets?.replicatesOf(mean.figure)
    return { ...mean, rarefied: found ? rarefiedMean(found, subsets, !isGap) : null }
  })
}

/** `values` where `condition` is above 0. */
function where(values: Replicates, condition: Replicates): Replicates {
  return values.map((value, i) => (condition[i] > 0 ? value : Number.NaN))
}

function createMeans(groups: ImageGroups) {
  const means = new Map<WordMeanFigure, { wordCount: number; mean: ReturnType<typeof createReplicateMean> }>()
  function add(figure: WordMeanFigure, values: Replicates): void {
    const entry = means.get(figure) ?? { wordCount: 0, mean: createReplicateMean(groups) }
    means.set(figure, entry)
    if (!Number.isNaN(values[0])) entry.wordCount++
    entry.mean.add(values)
  }
  return {
    groups,
    add,
    /** The mean in each replicate; undefined where no word was added. */
    replicatesOf: (figure: WordMeanFigure): Replicates | undefined => means.get(figure)?.mean.mean(),
    /** People beside a system, on the words that the system has a figure of. */
    addBeside(human: Replicates, system: Replicates): void {
      add(
        'HUMAN_PRECISION_OF_SAME_WORDS',
        human.map((value, i) => (Number.isNaN(system[i]) ? Number.NaN : value)),
      )
      add('GAP_TO_PEOPLE', subtract(system, human))
    },
    all: (): Omit<WordMean, 'rarefied'>[] =>
      WORD_MEAN_FIGURES.flatMap((figure) => {
        const entry = means.get(figure)
        return entry ? [toMean(figure, entry.wordCount, entry.mean.mean(), groups)] : []
      }),
  }
}

function toMean(
  figure: WordMeanFigure,
  wordCount: number,
  replicates: Replicates,
  groups: ImageGroups,
): Omit<WordMean, 'rarefied'> {
  const estimated =
    figure === 'GAP_TO_PEOPLE'
      ? estimateDifference(replicates, groups)
      : estimate(replicates, groups, ARCSINE)
  const undefinedFigure = {
    value: null,
    standardError: null,
    interval: null,
    undefinedReason: 'UNDEFINED_FIGURE' as const,
    isSmall: false,
  }
  return { figure, wordCount, pValue: null, ...(estimated ?? undefinedFigure) }
}

import type { Threads } from '../../compute/pool.js'
import { createHeldOutPrecision } from '../../core/agreement/held-out-precision.js'
import type { Interval, SampleSize } from '../../core/stats/interval.js'
import {
  ARCSINE,
  createReplicateMean,
  estimate,
  estimateDifference,
  type ImageGroups,
  imageGroups,
  type Replicates,
  subtract,
  THIRDS,
  WORD_MEAN_FREEDOM,
} from '../../core/stats/jackknife.js'
import {
  drawSubsets,
  joinSubsets,
  rarefiedEstimate,
  type Subsets,
  splitReplicates,
} from '../../core/stats/rarefaction.js'
import { type Progress, step } from '../../progress.js'
import type { QueryHandler } from '../../queue/kind.js'
import { requireDataset } from '../../store/datasets.js'
import type { Database, Session } from '../../store/engine/session.js'
import { readCountedImageIds } from '../../store/images.js'
import type { Dataset, Word } from '../../store/schema/dataset-tables.js'
import type { System } from '../../store/schema/system-tables.js'
import { requireDatasetById, requireSystemById } from '../datasets/require-subjects.js'
import { readVocabularyWords, readWordsOfCaptions, type WordChoice } from '../datasets/vocabulary.js'
import { SEED } from '../provenance/record-provenance.js'
import { contentOf, createCache } from '../shared/cache.js'
import { replicateWords } from './replicate-words.js'
import { createUsersReader, placeWords, type ReadUsers } from './word-places.js'

/** What means over words are of. The input of a job. */
interface WordMeansInput extends WordChoice {
  /** k */
  readonly references: number
  /** Of systems with word scores: it takes as long as their other figures. */
  readonly hasAveragePrecision: boolean
}

/**
 * Figures of words whose means have intervals:
 *
 * - of people: `HUMAN_PRECISION`, `HUMAN_RECALL` over all words that have them, `AGREED_HUMAN_PRECISION` over the words
 *   with human recall above 0, the only ones with a PHR; `HELD_OUT_PRECISION`, measured as that of a captioning system;
 * - of systems with word scores: `PHR`, `AVERAGE_PRECISION`, `HUMAN_PRECISION_OF_SAME_WORDS` over the words with a PHR, and
 *   `GAP_TO_PEOPLE`, the mean PHR minus that;
 * - of captioning systems: `WORD_PRECISION`, over the words of its captions while one caption of people is held out, those of
 *   {@link readWordsOfCaptions}; `WORD_RECALL`; `HELD_OUT_PRECISION` of people, and `GAP_TO_PEOPLE`, the word precision minus that.
 */
const WORD_MEAN_FIGURES = [
  'HUMAN_PRECISION',
  'AGREED_HUMAN_PRECISION',
  'HUMAN_RECALL',
  'PHR',
  'AVERAGE_PRECISION',
  'WORD_PRECISION',
  'WORD_RECALL',
  'HELD_OUT_PRECISION',
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
  /** Null for fewer than 20 images, and where no word has the figure in a subset. */
  readonly rarefied: RarefiedMean | null
}

interface WordMeansQuery extends WordMeansInput {
  readonly datasetId: number
  /** Null: people. */
  readonly systemIds: readonly (number | null)[]
}

/** The means of systems and of people, in the order of the ids. */
export const wordMeansQuery: QueryHandler<WordMeansQuery, readonly (readonly WordMean[])[]> = async ({
  input: { datasetId, systemIds, ...input },
  database,
  threads,
  progress,
}) => {
  const dataset = await requireDatasetById(database, datasetId)
  const readUsers = createUsersReader(database, dataset)
  const means: (readonly WordMean[])[] = []
  for (const [index, systemId] of systemIds.entries()) {
    const system = systemId === null ? null : await requireSystemById(database, systemId)
    const measuring = step(progress, index, systemIds.length)
    means.push(await cachedWordMeans(database, await threads(), dataset, system, input, readUsers, measuring))
  }
  return means
}

const cacheOf = createCache<WordMean[]>(4096)

/** People beside the captioning systems of a table. */
const peopleIn = createCache<MeasuredMean>(16)

/**
 * As {@link computeWordMeans}; the means are cached in this process. A system and the captions of a dataset never change;
 * the key names them by their content.
 */
async function cachedWordMeans(
  database: Database,
  threads: Threads,
  dataset: Dataset,
  system: System | null,
  input: WordMeansInput,
  readUsers: ReadUsers,
  progress: Progress,
): Promise<WordMean[]> {
  const cache = cacheOf(database)
  const { references, hasAveragePrecision, partOfSpeech, vocabularyOf } = input
  const other = vocabularyOf == null ? null : await requireDataset(database, vocabularyOf)
  const keyOf = (subject: System | null) =>
    JSON.stringify([
      contentOf(dataset),
      subject && [subject.id, subject.content, subject.wordRevision],
      references,
      subject?.kind === 'WORD_SCORES' && hasAveragePrecision,
      partOfSpeech && [...new Set(partOfSpeech)].sort(),
      other && contentOf(other),
    ])
  const key = keyOf(system)
  const cached = cache.get(key)
  if (cached) return cached
  const measurePeople = async (measure: () => Promise<MeasuredMean>) => {
    const people = peopleIn(database)
    const found = people.get(keyOf(null)) ?? (await measure())
    people.set(keyOf(null), found)
    return found
  }
  const heldOut = { measurePeople, readUsers }
  const means = await computeWordMeans(database, threads, dataset, system, input, heldOut, progress)
  cache.set(key, means)
  return means
}

/** What the captioning systems of a table share. */
interface HeldOutReading {
  /** What people have beside a captioning system, measured once. */
  measurePeople(measure: () => Promise<MeasuredMean>): Promise<MeasuredMean>
  readonly readUsers: ReadUsers
}

/**
 * Means over words of the figures of a system, or of people where it is null, with their intervals. All images
 * of the statistics count, those that the system has no caption or score of too, as in its stored results.
 *
 * Time: about a second for a system with scores of 1,000 words in 5,000 images.
 */
async function computeWordMeans(
  session: Session,
  threads: Threads,
  dataset: Dataset,
  system: System | null,
  { references, hasAveragePrecision, ...choice }: WordMeansInput,
  { measurePeople, readUsers }: HeldOutReading,
  progress: Progress,
): Promise<WordMean[]> {
  progress(0, 'reading words')
  const words = await readVocabularyWords(session, dataset, choice)
  const imageIds = await readCountedImageIds(session, dataset.id)
  const groups = imageGroups(imageIds.length, SEED)
  const subsets = drawSubsets(imageIds.length, SEED)
  const joined = joinSubsets(groups, subsets)
  const means = createMeans(groups, joined)
  const placed = placeWords(session, system, words, imageIds)
  const method = {
    groups: joined,
    captionsPerImage: dataset.captionsPerImage,
    references,
    hasAveragePrecision,
    hasPeople: true,
  }
  let measured = 0
  for await (const { replicates } of replicateWords(threads, placed, method)) {
    progress(measured++ / words.length, 'measuring words')
    const { human, captioning, precisionAtHumanRecall, averagePrecision } = replicates
    if (system === null && human) {
      means.add('HUMAN_PRECISION', human.precision)
      means.add('HUMAN_RECALL', human.recall)
      means.add('AGREED_HUMAN_PRECISION', where(human.precision, human.recall))
    }
    if (captioning) means.add('WORD_RECALL', captioning.recall)
    if (averagePrecision) means.add('AVERAGE_PRECISION', averagePrecision)
    if (precisionAtHumanRecall && human) {
      means.add('PHR', precisionAtHumanRecall)
      means.addBeside(human.precision, precisionAtHumanRecall)
    }
  }
  const ofVocabulary = means.all().map(([figure, mean]) => toMean(figure, mean, subsets))
  if (system?.kind === 'WORD_SCORES') return ofVocabulary
  const ofCaptions = await readWordsOfCaptions(session, dataset, choice)
  if (ofCaptions.words.length === 0) return ofVocabulary
  const measure = (subject: System | null) =>
    measureHeldOut(session, dataset, subject, ofCaptions.words, imageIds, { references, subsets, readUsers })
  const people = await measurePeople(() => measure(null))
  const heldOut = [toMean('HELD_OUT_PRECISION', people, subsets)]
  if (system !== null) {
    const own = await measure(system)
    // Over the words of the system.
    const gap = { ...own, replicates: subtract(own.replicates, people.replicates) }
    const gapMean = toMean('GAP_TO_PEOPLE', gap, subsets)
    heldOut.push(
      toMean('WORD_PRECISION', own, subsets),
      ofCaptions.areChosenByPeople ? { ...gapMean, ...UNTESTED, rarefied: null } : gapMean,
    )
  }
  return [...ofVocabulary, ...heldOut].sort(
    (one, other) => WORD_MEAN_FIGURES.indexOf(one.figure) - WORD_MEAN_FIGURES.indexOf(other.figure),
  )
}

/** Of a gap over words that the people chose. */
const UNTESTED = {
  standardError: null,
  interval: null,
  pValue: null,
  undefinedReason: 'WORDS_OF_PEOPLE',
} as const

/** `values` where `condition` is above 0. */
function where(values: Replicates, condition: Replicates): Replicates {
  return values.map((value, i) => (condition[i] > 0 ? value : Number.NaN))
}

/** Means of the figures that are added. @param joined the groups with those of subsets */
function createMeans(groups: ImageGroups, joined: ImageGroups) {
  const means = new Map<WordMeanFigure, { wordCount: number; mean: ReturnType<typeof createReplicateMean> }>()
  function add(figure: WordMeanFigure, values: Replicates): void {
    const entry = means.get(figure) ?? { wordCount: 0, mean: createReplicateMean(joined) }
    means.set(figure, entry)
    if (!Number.isNaN(values[0])) entry.wordCount++
    entry.mean.add(values)
  }
  /** The mean in each replicate; undefined where no word was added. The gap is the difference of the means beside it. */
  function replicatesOf(figure: WordMeanFigure): Replicates | undefined {
    if (figure !== 'GAP_TO_PEOPLE') return means.get(figure)?.mean.mean()
    const [own, people] = [replicatesOf('PHR'), replicatesOf('HUMAN_PRECISION_OF_SAME_WORDS')]
    return own && people && subtract(own, people)
  }
  return {
    add,
    /** People beside a system, on the words that the system has a figure of. */
    addBeside(human: Replicates, system: Replicates): void {
      add(
        'HUMAN_PRECISION_OF_SAME_WORDS',
        human.map((value, i) => (Number.isNaN(system[i]) ? Number.NaN : value)),
      )
    },
    all: () =>
      WORD_MEAN_FIGURES.flatMap((figure): [WordMeanFigure, MeasuredMean][] => {
        const replicates = replicatesOf(figure)
        const { wordCount = 0 } = means.get(figure === 'GAP_TO_PEOPLE' ? 'PHR' : figure) ?? {}
        return replicates ? [[figure, { wordCount, groups, replicates }]] : []
      }),
  }
}

function toMean(
  figure: WordMeanFigure,
  { wordCount, groups, replicates }: MeasuredMean,
  subsets: Subsets | null,
): WordMean {
  const isGap = figure === 'GAP_TO_PEOPLE'
  const { ofGroups, ofSubsets } = splitReplicates(replicates, groups)
  const estimated = isGap
    ? estimateDifference(ofGroups, groups, WORD_MEAN_FREEDOM)
    : estimate(ofGroups, groups, ARCSINE)
  const undefinedFigure = {
    value: null,
    standardError: null,
    interval: null,
    undefinedReason: 'UNDEFINED_FIGURE' as const,
    isSmall: false,
  }
  return {
    figure,
    wordCount,
    pValue: null,
    ...(estimated ?? undefinedFigure),
    rarefied: ofSubsets && subsets ? rarefiedMean(ofSubsets, subsets, !isGap) : null,
  }
}

/** The mean of a figure over words. */
export interface MeasuredMean {
  /** Number of words that have the figure; of held-out precision, that the captions use. */
  readonly wordCount: number
  readonly groups: ImageGroups
  /** Without each of the groups in turn, and in subsets of the images if there are any: as {@link joinSubsets}. */
  readonly replicates: Replicates
}

/** How a mean is measured. */
interface HeldOutMethod {
  /** k. */
  readonly references: number
  readonly subsets: Subsets | null
  readonly readUsers: ReadUsers
}

/**
 * The mean word precision of captions, those of a captioning system or of people. See `createHeldOutPrecision`.
 *
 * @param system a captioning system; null for people
 * @param imageIds ascending
 */
export async function measureHeldOut(
  session: Session,
  dataset: Dataset,
  system: System | null,
  words: readonly Word[],
  imageIds: Int32Array,
  { references, subsets, readUsers }: HeldOutMethod,
): Promise<MeasuredMean> {
  const groups = imageGroups(imageIds.length, SEED, THIRDS)
  const usersOf = await readUsers(imageIds)
  const joined = joinSubsets(groups, subsets)
  const precision = createHeldOutPrecision(joined, dataset.captionsPerImage, references)
  for await (const { word, images, predicted } of placeWords(session, system, words, imageIds)) {
    precision.add({ ...images, users: usersOf(word.tokenId) }, predicted)
  }
  return { wordCount: precision.wordCount, groups, replicates: precision.mean() }
}

/** The mean, or difference of means, that is expected for random subsets of the images: it does not depend on their number. */
export interface RarefiedMean {
  /** m, the number of images of a subset: the same for people and all systems. */
  readonly imageCount: number
  readonly value: number
  /** Null where all subsets have the same mean. */
  readonly interval: Interval | null
}

/** Null where a subset has no mean. @param isShare as of `rarefiedEstimate` */
function rarefiedMean(replicates: Replicates, subsets: Subsets, isShare: boolean): RarefiedMean | null {
  const found = rarefiedEstimate(replicates, subsets, isShare)
  return found && { imageCount: subsets.size, value: found.value, interval: found.interval }
}

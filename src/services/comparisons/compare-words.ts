import type { Threads } from '../../compute/pool.js'
import { limitsOf, tighterLimits, type WordLimits } from '../../core/agreement/system-word-intervals.js'
import type { WordReplicates } from '../../core/agreement/word-replicates.js'
import * as jackknife from '../../core/stats/jackknife.js'
import * as rarefaction from '../../core/stats/rarefaction.js'
import { AccordError, quote } from '../../errors.js'
import type { Progress } from '../../progress.js'
import type { Session } from '../../store/engine/session.js'
import { readCountedImageIds } from '../../store/images.js'
import type { Dataset, Word } from '../../store/schema/dataset-tables.js'
import type { System } from '../../store/schema/system-tables.js'
import { readSystemSequences } from '../../store/systems.js'
import { readScoredImageIds } from '../../store/word-scores.js'
import { chooseReferences } from '../datasets/references.js'
import {
  readVocabularyWords,
  readWordsOfCaptions,
  type WordChoice,
  type WordsOfCaptions,
} from '../datasets/vocabulary.js'
import { recordImages } from '../provenance/record-images.js'
import { recordVocabulary, recordWords, SEED } from '../provenance/record-provenance.js'
import { type MeasuredMean, measureHeldOut } from '../words/compute-word-means.js'
import { replicateWords } from '../words/replicate-words.js'
import { createUsersReader, type PlacedWord, placeWords, requireWord } from '../words/word-places.js'
import * as pairing from './pair-comparison.js'

/**
 * A figure of a word, or its mean over the words of the vocabulary that both sides have it for; the mean `WORD_PRECISION` of
 * each side is over its own words, with one caption of people held out; see `readWordsOfCaptions`.
 */
export interface WordFigure extends WordChoice {
  /** `WORD_PRECISION` is that of captioning systems, the others are of systems with word scores. */
  readonly kind: 'PHR' | 'AVERAGE_PRECISION' | 'WORD_PRECISION'
  /** Absent: the mean over the vocabulary. */
  readonly word?: string | null
  /** k; K − 1 when absent. */
  readonly references?: number | null
}

/** The figure of one subject on each word. */
type FigureOfWords = readonly MeasuredWord[]

interface MeasuredWord {
  /** Also in subsets of the images, except for a single word and few images. NaN where the figure is undefined. */
  readonly replicates: jackknife.Replicates
  readonly limits: WordLimits
}

/** A system or people with the images that it has. */
interface Subject {
  /** Position among the systems; people come after the last. */
  readonly position: number
  /** Null for people. */
  readonly system: System | null
  /** Of the images of the statistics, ascending. */
  readonly imageIds: Int32Array
}

/**
 * Every pair of systems, and of a system and people, on a figure of words; see `compareSubjects`. People have human
 * precision, for PHR on the words with a PHR.
 *
 * @throws AccordError NOT_APPLICABLE for systems of another kind, and for the average precision of people;
 * OUT_OF_RANGE for `references`; UNKNOWN_WORD
 */
export async function compareOnWords(
  session: Session,
  threads: Threads,
  dataset: Dataset,
  systems: readonly pairing.PlacedSystem[],
  { people, baseline }: pairing.ComparedSides,
  figure: WordFigure,
  progress: Progress,
): Promise<pairing.MeasuredPair[]> {
  const references = chooseReferences(dataset, figure.references)
  requireKind(systems, people !== null, figure)
  progress(0, 'reading words')
  const { words, areChosenByPeople } = await readWords(session, dataset, figure)
  const counted = await readCountedImageIds(session, dataset.id)
  const subjects: Subject[] = []
  for (const { position, system } of systems) {
    subjects.push({ position, system, imageIds: await imagesOf(session, system, counted) })
  }
  if (people !== null) subjects.push({ position: people, system: null, imageIds: counted })
  subjects.sort((one, other) => sortKey(one) - sortKey(other))

  const vocabulary = recordVocabulary(words.map(({ text }) => text))
  const measured = new Map<string, FigureOfWords>()
  const heldOut = new Map<string, MeasuredMean>()
  const readUsers = createUsersReader(session, dataset)
  const pairs = pairing.pairsOf(subjects, baseline)
  const compared: pairing.MeasuredPair[] = []
  for (const [index, { first, second }] of pairs.entries()) {
    progress(index / pairs.length, 'comparing')
    if (isOfOtherRevision(dataset, first, second)) {
      compared.push(pairing.withoutFigures(first.position, second.position, 'OTHER_REVISION'))
      continue
    }
    const shared = intersect(first.imageIds, second.imageIds)
    if (shared.length === 0) {
      compared.push(pairing.withoutFigures(first.position, second.position, 'NO_SHARED_IMAGES'))
      continue
    }
    const groups = jackknife.imageGroups(shared.length, SEED)
    const subsets = figure.word != null ? null : rarefaction.drawSubsets(shared.length, SEED)
    const joined = rarefaction.joinSubsets(groups, subsets)
    const images = await recordImages(session, dataset.id, shared, counted.length)
    const meanOf = async ({ position, system }: Subject): Promise<MeasuredMean> => {
      const key = `${position} ${images.hash}`
      const known = heldOut.get(key)
      if (known) return known
      const method = { references, subsets, readUsers }
      const mean = await measureHeldOut(session, dataset, system, words, shared, method)
      heldOut.set(key, mean)
      return mean
    }
    const figuresOf = async ({ position, system }: Subject): Promise<FigureOfWords> => {
      const key = `${position} ${images.hash}`
      const known = measured.get(key)
      if (known) return known
      const method = { groups: joined, captionsPerImage: dataset.captionsPerImage, references }
      const figures = await measureWords(session, threads, system, words, shared, figure.kind, method)
      measured.set(key, figures)
      return figures
    }
    const isHeldOut = figure.kind === 'WORD_PRECISION' && figure.word == null
    const record = recordWords(dataset, first.system, {
      metric: figure.kind,
      references,
      images: { ...images, of: images.count, hash: null },
      words: figure.word ?? vocabulary,
      method: jackknife.groupedIntervals(SEED, isHeldOut ? jackknife.THIRDS : undefined),
    })
    const compareSides = async (): Promise<ComparedWords> => {
      if (isHeldOut) {
        const means = compareMeans(await meanOf(first), await meanOf(second), shared, subsets, null)
        return areChosenByPeople && second.system === null ? { ...means, ...UNTESTED } : means
      }
      const figures = [await figuresOf(first), await figuresOf(second)] as const
      const limits = figure.word == null ? null : tighterLimits(figures[0][0].limits, figures[1][0].limits)
      const [one, other] = meansOf(...figures, groups, joined)
      return compareMeans(one, other, shared, subsets, limits)
    }
    compared.push({
      ...pairing.withoutFigures(first.position, second.position, 'UNDEFINED_FIGURE'),
      ...(await compareSides()),
      imageCount: shared.length,
      references: { least: references, most: references, folds: null },
      record,
    })
  }
  return compared
}

function sortKey({ system }: Subject): number {
  return system?.id ?? Number.POSITIVE_INFINITY
}

function requireKind(systems: readonly pairing.PlacedSystem[], people: boolean, { kind }: WordFigure): void {
  const wanted = kind === 'WORD_PRECISION' ? 'CAPTIONS' : 'WORD_SCORES'
  const other = systems.find(({ system }) => system.kind !== wanted)?.system
  if (other) {
    throw new AccordError('NOT_APPLICABLE', 'the system does not have this figure', {
      source: 'systems',
      expected: wanted === 'CAPTIONS' ? 'systems with captions' : 'systems with word scores',
      found: quote(other.name),
    })
  }
  if (!people || kind !== 'AVERAGE_PRECISION') return
  throw new AccordError('NOT_APPLICABLE', 'people have no average precision: they have no scores', {
    source: 'people',
    expected: 'a figure that people have',
    found: kind,
  })
}

async function readWords(
  session: Session,
  dataset: Dataset,
  { word, kind, ...choice }: WordFigure,
): Promise<WordsOfCaptions> {
  if (word != null) return { words: [await requireWord(session, dataset, word)], areChosenByPeople: false }
  if (kind === 'WORD_PRECISION') return readWordsOfCaptions(session, dataset, choice)
  return { words: await readVocabularyWords(session, dataset, choice), areChosenByPeople: false }
}

/** Of a system and people over words that the people chose. */
const UNTESTED = { uncertainty: null, undefinedReason: 'WORDS_OF_PEOPLE', rarefied: null } as const

/** The images of the statistics that a system has captions or scores of. */
async function imagesOf(session: Session, system: System, counted: Int32Array): Promise<Int32Array> {
  const { id, kind } = system
  if (system.missingCountedCount === 0) return counted
  const described =
    kind === 'CAPTIONS'
      ? (await readSystemSequences(session, id)).imageIds
      : await readScoredImageIds(session, id)
  return intersect(counted, described)
}

function intersect(one: Int32Array, other: Int32Array): Int32Array {
  if (one === other) return one
  const others = new Set(other)
  return one.filter((id) => others.has(id))
}

function isOfOtherRevision(dataset: Dataset, first: Subject, second: Subject): boolean {
  const revisionOf = ({ system }: Subject) => (system ?? dataset).wordRevision
  return revisionOf(first) !== revisionOf(second)
}

interface MeasureMethod {
  /** Groups of the images, those of subsets included. */
  readonly groups: jackknife.ImageGroups
  readonly captionsPerImage: number
  readonly references: number
}

/** A figure of each word over some images. */
async function measureWords(
  session: Session,
  threads: Threads,
  system: System | null,
  words: readonly Word[],
  imageIds: Int32Array,
  kind: WordFigure['kind'],
  method: MeasureMethod,
): Promise<FigureOfWords> {
  const wanted = { ...method, hasAveragePrecision: kind === 'AVERAGE_PRECISION', hasPeople: false }
  const placed = withScores(placeWords(session, system, words, imageIds), system)
  const figures: MeasuredWord[] = []
  for await (const { images, predicted, replicates } of replicateWords(threads, placed, wanted)) {
    figures.push({
      replicates: figureOf(replicates, kind),
      limits: limitsOf(images, imageIds.length, predicted?.length),
    })
  }
  return figures
}

/** The images of a word that a system with word scores gave no score to are all tied. */
async function* withScores(
  words: AsyncIterable<PlacedWord>,
  system: System | null,
): AsyncGenerator<PlacedWord> {
  const none = system?.kind === 'WORD_SCORES' ? { images: [], scores: new Float64Array(0) } : null
  for await (const word of words) yield { ...word, scores: word.scores ?? none }
}

/** People have no PHR where human recall is 0. */
function figureOf(
  { human, captioning, precisionAtHumanRecall, averagePrecision }: WordReplicates,
  kind: WordFigure['kind'],
): jackknife.Replicates {
  if (human && kind === 'PHR')
    return human.precision.map((value, i) => (human.recall[i] === 0 ? Number.NaN : value))
  const ofSystem = {
    PHR: precisionAtHumanRecall,
    AVERAGE_PRECISION: averagePrecision,
    WORD_PRECISION: captioning?.precision,
  }
  return (human?.precision ?? ofSystem[kind]) as jackknife.Replicates
}

type MeanFigures = Pick<
  pairing.MeasuredPair,
  | 'firstScore'
  | 'secondScore'
  | 'difference'
  | 'uncertainty'
  | 'scale'
  | 'wordCount'
  | 'isSmall'
  | 'undefinedReason'
>

type ComparedWords = Partial<MeanFigures> & { readonly rarefied: pairing.RarefiedDifference | null }

/**
 * Two means of the same groups and their difference. The number of words is that of the first.
 *
 * @param imageIds of the groups
 * @param limits of a single word; null for a mean
 */
function compareMeans(
  first: MeasuredMean,
  second: MeasuredMean,
  imageIds: Int32Array,
  subsets: rarefaction.Subsets | null,
  limits: WordLimits | null,
): ComparedWords {
  const { groups, wordCount } = first
  const scale = limits === null ? jackknife.IDENTITY : jackknife.DIFFERENCE_LOGIT
  const differences = rarefaction.splitReplicates(
    jackknife.subtract(first.replicates, second.replicates),
    groups,
  )
  const scaled = differences.ofGroups.map(scale.transform)
  const found = jackknife.estimateDifference(scaled, groups, limits?.freedom ?? jackknife.WORD_MEAN_FREEDOM)
  if (found === null) return { rarefied: null }
  const { standardError, freedom, isSmall } = found
  const isTested = found.undefinedReason !== 'TOO_FEW_IMAGES' && limits?.reason == null
  return {
    firstScore: first.replicates[0],
    secondScore: second.replicates[0],
    difference: differences.ofGroups[0],
    uncertainty: isTested
      ? {
          standardError: standardError ?? 0,
          freedom,
          first: { imageIds, values: jackknife.influenceOf(scaled, groups) },
        }
      : null,
    wordCount,
    scale,
    isSmall,
    undefinedReason: found.undefinedReason ?? limits?.reason ?? null,
    rarefied: differences.ofSubsets && subsets && rarefy(differences.ofSubsets, subsets),
  }
}

/** The means over the words that both have a figure for, replicate by replicate. */
function meansOf(
  first: FigureOfWords,
  second: FigureOfWords,
  groups: jackknife.ImageGroups,
  joined: jackknife.ImageGroups,
): [MeasuredMean, MeasuredMean] {
  const means = [jackknife.createReplicateMean(joined), jackknife.createReplicateMean(joined)]
  let wordCount = 0
  for (const [word, { replicates: values }] of first.entries()) {
    const others = second[word].replicates
    if (!Number.isNaN(values[0]) && !Number.isNaN(others[0])) wordCount++
    means[0].add(values.map((value, i) => (Number.isNaN(others[i]) ? Number.NaN : value)))
    means[1].add(others.map((value, i) => (Number.isNaN(values[i]) ? Number.NaN : value)))
  }
  const [one, other] = means.map((mean): MeasuredMean => ({ wordCount, groups, replicates: mean.mean() }))
  return [one, other]
}

/** Null where a subset has no difference. */
function rarefy(
  differences: jackknife.Replicates,
  subsets: rarefaction.Subsets,
): pairing.RarefiedDifference | null {
  const found = rarefaction.rarefiedEstimate(differences, subsets, false)
  if (found === null) return null
  const { value, standardError } = found
  return { imageCount: subsets.size, value, standardError, freedom: rarefaction.RAREFIED_FREEDOM }
}

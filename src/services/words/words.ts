import { createFitComparer } from '../../core/agreement/fit-comparison.js'
import type { GoodnessOfFit } from '../../core/agreement/goodness-of-fit.js'
import { type DefinedMean, definedMean, definedMeanByGroup } from '../../core/agreement/summary.js'
import type { SystemWordEstimates } from '../../core/agreement/system-word-intervals.js'
import { USAGE_MODELS, type UsageModelKind } from '../../core/agreement/usage-model.js'
import {
  fitWord,
  type ModelFigures,
  type ModelIntervals,
  modelFigures,
  modelIntervals,
} from '../../core/agreement/word-model.js'
import {
  humanWordAgreement,
  humanWordIntervals,
  isRareWord,
  type WordAgreement,
  type WordIntervals,
} from '../../core/agreement/words.js'
import { PARTS_OF_SPEECH, type PartOfSpeech } from '../../core/text/part-of-speech.js'
import { AccordError, quote } from '../../errors.js'
import { requireDataset } from '../../store/datasets.js'
import type { Direction, Page, PageRequest } from '../../store/engine/keyset.js'
import type { Session } from '../../store/engine/session.js'
import { findImages } from '../../store/images.js'
import { readWordImages, type WordImagesRequest } from '../../store/postings.js'
import type { Dataset, Image, System, SystemWord, Word } from '../../store/schema/entities.js'
import { readSystemWords } from '../../store/systems.js'
import * as words from '../../store/words.js'
import { giveWay } from '../../turns.js'
import type { UndefinedReason } from '../../undefined-reason.js'
import type { Accord } from '../accord.js'
import { chooseReferences, whyNoAgreement } from '../datasets/references.js'
import {
  FIT_SEED,
  type Provenance,
  usageFitProvenance,
  type WordFigure,
  wordFiguresOf,
  wordProvenance,
} from '../evaluations/provenance.js'
import { recordVocabulary } from '../evaluations/record-provenance.js'
import { groupBy, idsOf, keyBy, keyedRows } from '../shared/groups.js'
import { contentOf, createMemory } from '../shared/memory.js'
import type { PagedList } from '../shared/paging.js'
import { requireSystems } from '../systems/systems.js'
import type { WordMean } from './compute-word-means.js'
import { unscoredOverWords } from './phr.js'
import { requireWord } from './require-word.js'
import { readVocabularyWords, type VocabularyOptions } from './vocabulary.js'
import { systemWordEstimates } from './word-intervals.js'
import { meansOverWords } from './word-means.js'
import { phrWordNotes, unscoredNotes, WORD_GAP_NOTE, wordMeanNotes } from './word-notes.js'

export interface WordOrder {
  readonly field: words.WordOrderField
  readonly direction?: Direction | null
}

const VOCABULARY: words.WordFilter = { isInVocabulary: true }

/** Words of a dataset. Default: the vocabulary in vocabulary order. */
export function listWords(
  { database }: Accord,
  { id }: Dataset,
  filter: words.WordFilter = VOCABULARY,
  orderBy: WordOrder = { field: 'RANK' },
): PagedList<Word> {
  const order = words.wordOrder(orderBy.field, orderBy.direction)
  return {
    order: `words by ${orderBy.field} ${order.direction}`,
    ...words.pagedWords(database, id, filter, order),
  }
}

export function findWord({ database }: Accord, { id }: Dataset, text: string): Promise<Word | null> {
  return words.findWord(database, id, text)
}

export const wordsById = keyedRows(words.findWords, ({ id }) => id)

/** `order` of the images of a word. */
export const IMAGES_OF_WORD_ORDER = 'images of a word'

/**
 * A page of the images of each word, in the order of the dataset.
 *
 * @param captionCount number of the first K captions of the image that use the word; if undefined, at least one
 */
export async function imagesOfWords(
  { database }: Accord,
  wanted: readonly Word[],
  captionCount: number | undefined,
  { after, before, limit, fromEnd }: PageRequest,
): Promise<Map<number, Page<Image>>> {
  const wordIds = idsOf(wanted)
  const read = (request: WordImagesRequest) => readWordImages(database, wordIds, captionCount, request)
  const found = await read({ after: after?.id, before: before?.id, limit: limit + 1, fromEnd })
  const idsOfWords = new Map(
    wordIds.map((wordId) => {
      const ids = [...(found.get(wordId) ?? [])]
      return [wordId, fromEnd ? ids.slice(Math.max(0, ids.length - limit)) : ids.slice(0, limit)]
    }),
  )
  const images = keyBy(
    await findImages(database, [...new Set([...idsOfWords.values()].flat())]),
    ({ id }) => id,
  )
  const onwards = before ? await read({ after: before.id - 1, limit: 1 }) : undefined
  const back = after ? await read({ before: after.id + 1, limit: 1, fromEnd: true }) : undefined
  return new Map(
    wordIds.map((wordId) => {
      const rows = idsOfWords.get(wordId)?.flatMap((id) => images.get(id) ?? []) ?? []
      const hasMore = (found.get(wordId)?.length ?? 0) > limit
      return [
        wordId,
        {
          rows: rows.map((row) => ({ row, position: { value: row.id, id: row.id } })),
          hasNextPage: (!fromEnd && hasMore) || onwards?.has(wordId) === true,
          hasPreviousPage: (fromEnd && hasMore) || back?.has(wordId) === true,
        },
      ]
    }),
  )
}

/** The number of images on all such pages. @throws AccordError OUT_OF_RANGE unless 0 ≤ captionCount ≤ K */
export function countImagesOfWord({ histogram, imageCount }: Word, captionCount: number | undefined): number {
  if (captionCount === undefined) return imageCount
  const count = histogram[captionCount]
  if (count !== undefined) return count
  throw new AccordError('OUT_OF_RANGE', 'no image has this many captions', {
    source: 'count',
    expected: `an integer from 0 to ${histogram.length - 1}`,
    found: String(captionCount),
  })
}

/** Human precision and recall over the words of a vocabulary, 0..1. Null if undefined for all of them. */
export interface WordMeans {
  readonly wordCount: number
  /** Number of words with a precision. */
  readonly definedWordCount: number
  readonly meanPrecision: number | null
  readonly meanRecall: number | null
  readonly undefinedReason: UndefinedReason | null
}

export interface WordAgreementSummary extends WordMeans {
  /** k. Null if no caption can be held out. */
  readonly references: number | null
  /** Parts of speech without words are omitted. */
  readonly byPartOfSpeech: readonly (WordMeans & { readonly partOfSpeech: PartOfSpeech })[]
}

/**
 * Means of human precision and recall over the vocabulary.
 *
 * @throws AccordError OUT_OF_RANGE for `references`
 */
export async function summarizeWords(
  accord: Accord,
  dataset: Dataset,
  { references: wanted, ...choice }: VocabularyOptions = {},
): Promise<WordAgreementSummary> {
  const undefinedReason = whyNoAgreement(dataset)
  if (undefinedReason !== null) {
    const nothing = { wordCount: 0, definedWordCount: 0, meanPrecision: null, meanRecall: null }
    return { references: null, ...nothing, byPartOfSpeech: [], undefinedReason }
  }
  const references = chooseReferences(dataset, wanted)
  const vocabulary = await readVocabularyWords(accord.database, dataset, choice)
  const rows = vocabulary.map((word) => ({ word, agreement: humanWordAgreement(word.histogram, references) }))
  const tagOf = ({ word }: (typeof rows)[number]) => word.partOfSpeech
  const precisions = definedMeanByGroup(rows, tagOf, ({ agreement }) => agreement.precision)
  const recalls = definedMeanByGroup(rows, tagOf, ({ agreement }) => agreement.recall)
  return {
    references,
    ...toMeans(
      definedMean(rows.map(({ agreement }) => agreement.precision)),
      definedMean(rows.map(({ agreement }) => agreement.recall)),
    ),
    byPartOfSpeech: PARTS_OF_SPEECH.flatMap((tag) => {
      const [precision, recall] = [precisions.get(tag), recalls.get(tag)]
      return precision && recall ? [{ partOfSpeech: tag, ...toMeans(precision, recall) }] : []
    }),
  }
}

function toMeans(precision: DefinedMean, recall: DefinedMean): WordMeans {
  return {
    wordCount: precision.total,
    definedWordCount: precision.defined,
    meanPrecision: precision.mean,
    meanRecall: recall.mean,
    undefinedReason: precision.mean === null || recall.mean === null ? 'UNDEFINED_FIGURE' : null,
  }
}

/** Goodness of fit of a usage model over the words of a vocabulary for which every model has a fit. */
export interface UsageFitSummary extends GoodnessOfFit {
  readonly model: UsageModelKind
  /** k. Null if no caption can be held out. */
  readonly references: number | null
  /** Fitted to one half of the images, compared with the other. */
  readonly outOfSample: GoodnessOfFit
}

/**
 * How well a usage model predicts human precision over the vocabulary.
 *
 * @param turn awaited before each word
 * @throws AccordError OUT_OF_RANGE for `references`
 */
export async function summarizeFit(
  accord: Accord,
  dataset: Dataset,
  {
    references: wanted,
    partOfSpeech,
    model: kind,
  }: VocabularyOptions & { readonly model?: UsageModelKind | null },
  turn: () => Promise<unknown> = giveWay,
): Promise<UsageFitSummary> {
  const model = kind ?? 'MOMENT'
  const undefinedReason = whyNoAgreement(dataset)
  if (undefinedReason !== null) {
    const nothing = { wordCount: 0, rootMeanSquaredError: null, rSquared: null, undefinedReason }
    return { model, references: null, ...nothing, outOfSample: nothing }
  }
  const references = chooseReferences(dataset, wanted)
  const key = JSON.stringify([contentOf(dataset), references, partOfSpeech?.toSorted(), model])
  const memory = fitsOf(accord.database)
  let summaries = memory.get(key)
  if (!summaries) {
    const vocabulary = await readVocabularyWords(accord.database, dataset, { partOfSpeech })
    summaries = await summarizeFits(vocabulary, dataset.captionsPerImage, references, model, turn)
    memory.set(key, summaries)
  }
  return summaries.find((summary) => summary.model === model) as UsageFitSummary
}

/** Fits of the models over the vocabulary of a dataset. */
const fitsOf = createMemory<readonly UsageFitSummary[]>(64)

/**
 * The models on the words that all of them share. A model that no word of K captions can have is left out, unless it is
 * `wanted`.
 */
async function summarizeFits(
  vocabulary: readonly Word[],
  captionsPerImage: number,
  references: number,
  wanted?: UsageModelKind,
  turn: () => Promise<unknown> = giveWay,
): Promise<UsageFitSummary[]> {
  const kinds = USAGE_MODELS.filter(
    (kind) => kind === wanted || kind !== 'BETA_BINOMIAL' || captionsPerImage > 2,
  )
  const comparer = createFitComparer(references, FIT_SEED, kinds)
  for (const { histogram } of vocabulary) {
    await turn()
    comparer.add(histogram)
  }
  return comparer
    .compare()
    .map(({ kind, inSample, outOfSample }) => ({ model: kind, references, ...inSample, outOfSample }))
}

/** Words of a vocabulary with all their figures. */
export interface WordReport {
  readonly dataset: Dataset
  /** k. */
  readonly references: number
  /** All of them. */
  readonly vocabulary: readonly WordSummary[]
  /** Those that are listed, with intervals and all models. */
  readonly words: readonly WordFigures[]
  /** Means over the vocabulary with their intervals: of people, and of each system by its name. */
  readonly means: {
    readonly people: readonly WordMean[]
    readonly systems: ReadonlyMap<string, readonly WordMean[]>
  }
  /** Usage models over the vocabulary. */
  readonly fits: readonly UsageFitSummary[]
  /** In the order in which they were asked for. */
  readonly systems: readonly System[]
  /** What to know when reading the means. */
  readonly notes: readonly string[]
  /** How the means over the vocabulary were made. The record of a single word names that word instead. */
  readonly provenance: {
    readonly people: FigureProvenance
    readonly systems: ReadonlyMap<string, FigureProvenance>
    readonly fits: Readonly<Partial<Record<UsageModelKind, Provenance>>>
  }
}

export type FigureProvenance = Readonly<Partial<Record<WordFigure, Provenance>>>

/** The figures of a word, without uncertainty. */
export interface WordSummary {
  readonly word: Word
  readonly human: WordAgreement
  /** The model of the paper. */
  readonly moment: ModelFigures
  /** Results of systems by name; none where a system has no result on the word. */
  readonly systems: ReadonlyMap<string, SystemWord>
}

export interface WordFigures extends WordSummary {
  /** Whether it is used in fewer than 20 images. */
  readonly isRare: boolean
  readonly human: WordAgreement & WordIntervals
  readonly models: Readonly<Record<UsageModelKind, ModelFigures & ModelIntervals>>
  /** With their intervals, by name of the system; none where it has no result on the word. */
  readonly estimates: ReadonlyMap<string, SystemWordEstimates>
}

export interface WordReportOptions extends VocabularyOptions {
  readonly dataset: string
  /** Names of systems to compare with people. */
  readonly systems?: readonly string[]
  /** Texts of the words to list, in the vocabulary or not. Default: the vocabulary. Means are over all of the vocabulary. */
  readonly words?: readonly string[]
  /** List only words that are used in as many images. */
  readonly minImages?: number
  /** Order of the list. Default: that of the vocabulary. */
  readonly sort?: WordSort
  /** Maximum length of the list. */
  readonly top?: number
}

/**
 * A figure to list words by: `gap`, PHR or precision of the first system minus human precision, lowest first; `recall`, human
 * recall; `phr`, of the first system; `residual`, human precision minus that of the moment fit; these highest first. Words
 * without the figure are last.
 */
export type WordSort = 'gap' | 'recall' | 'phr' | 'residual'

/**
 * The figures of the words of a vocabulary.
 *
 * @throws AccordError UNKNOWN_DATASET, UNKNOWN_SYSTEM, UNKNOWN_WORD; NOT_APPLICABLE if a system has no results on words, or
 * not the figure to sort by; OUT_OF_RANGE for `references`
 */
export async function reportWords(
  accord: Accord,
  {
    dataset: name,
    systems: systemNames = [],
    references: wanted,
    words: texts,
    minImages,
    sort,
    top,
    ...choice
  }: WordReportOptions,
): Promise<WordReport> {
  const { database } = accord
  const dataset = await requireDataset(database, name)
  const references = chooseReferences(dataset, wanted)
  const systems = await requireSystems(accord, dataset, systemNames)
  for (const system of systems) requireResultsOnWords(system)
  const vocabulary = await readVocabularyWords(database, dataset, choice)
  const unscored = await unscoredOverWords(accord, vocabulary, idsOf(systems), references)
  const nameOf = new Map(systems.map((system) => [system.id, system.name]))
  const summaries = await summarize(database, vocabulary, systems, references)
  const wordsToList = texts && (await Promise.all(texts.map((text) => requireWord(database, dataset, text))))
  const listed = wordsToList ? await summarize(database, wordsToList, systems, references) : summaries
  const shown = chooseWords(listed, { minImages, sort, top }, systems[0])
  const estimates = await estimateWords(accord, dataset, systems, shown, references)
  const fits = await summarizeFits(vocabulary, dataset.captionsPerImage, references)
  return {
    dataset,
    references,
    systems,
    notes: [
      ...wordMeanNotes(dataset),
      ...(systems.some(({ kind }) => kind === 'CAPTIONS') ? [WORD_GAP_NOTE] : []),
      ...(systems.some(({ kind }) => kind === 'WORD_SCORES') ? phrWordNotes(choice.vocabularyOf) : []),
      ...Array.from(unscored).flatMap(([id, figures]) =>
        unscoredNotes(figures).map((note) => `${nameOf.get(id)}: ${note}`),
      ),
    ],
    means: await readMeans(accord, dataset, systems, { references, ...choice }),
    fits,
    provenance: provenanceOf(dataset, systems, vocabulary, references, fits),
    vocabulary: summaries,
    words: shown.map((summary) => ({
      ...summary,
      isRare: isRareWord(summary.word.histogram),
      human: { ...summary.human, ...humanWordIntervals(summary.word.histogram, references) },
      models: fitAll(summary.word, references),
      estimates: estimates.get(summary.word.id) ?? new Map(),
    })),
  }
}

async function summarize(
  session: Session,
  words: readonly Word[],
  systems: readonly System[],
  references: number,
): Promise<WordSummary[]> {
  const results = await readSystemWords(session, idsOf(systems), references, idsOf(words))
  const nameOf = new Map(systems.map((system) => [system.id, system.name]))
  const resultsByWord = groupBy(results, ({ wordId }) => wordId)
  return words.map((word) => ({
    word,
    human: humanWordAgreement(word.histogram, references),
    moment: modelFigures(fitWord(word.histogram, 'MOMENT'), references),
    systems: keyBy(resultsByWord.get(word.id) ?? [], ({ systemId }) => nameOf.get(systemId) as string),
  }))
}

/** The words to list, in order. @param system the first one, which `gap` and `phr` are of */
function chooseWords(
  words: readonly WordSummary[],
  { minImages = 0, sort, top }: Pick<WordReportOptions, 'minImages' | 'sort' | 'top'>,
  system: System | undefined,
): WordSummary[] {
  const kept = words.filter(({ word }) => word.imageCount >= minImages)
  if (sort === undefined) return kept.slice(0, top)
  const figureOf = figureToSortBy(sort, system)
  return (
    kept
      .map((word) => ({ word, figure: figureOf(word) ?? Number.NEGATIVE_INFINITY }))
      // The difference of two undefined figures is NaN.
      .sort((one, other) => other.figure - one.figure || 0)
      .slice(0, top)
      .map(({ word }) => word)
  )
}

/** A figure whose highest values are first. */
function figureToSortBy(
  sort: WordSort,
  system: System | undefined,
): (word: WordSummary) => number | null | undefined {
  if (sort === 'recall') return ({ human }) => human.recall
  if (sort === 'residual') return ({ moment }) => moment.residual
  if (system === undefined || (sort === 'phr' && system.kind !== 'WORD_SCORES')) {
    throw new AccordError('NOT_APPLICABLE', `words cannot be sorted by ${sort}`, {
      source: 'sort',
      expected: sort === 'phr' ? 'a system with word scores first' : 'a system',
      found: system === undefined ? 'none' : quote(system.name),
    })
  }
  const ofSystem = ({ systems }: WordSummary) => systems.get(system.name)
  if (sort === 'phr') return (word) => ofSystem(word)?.precisionAtHumanRecall
  return (word) => {
    const { precisionAtHumanRecall = null, precision = null } = ofSystem(word) ?? {}
    const own = precisionAtHumanRecall ?? precision
    const { precision: people } = word.human
    return own === null || people === null ? null : people - own
  }
}

/** Words whose scores are in memory at once. */
const WORDS_PER_ESTIMATE = 50

/** Figures with intervals by id of the word and name of the system. */
async function estimateWords(
  accord: Accord,
  dataset: Dataset,
  systems: readonly System[],
  words: readonly WordSummary[],
  references: number,
): Promise<Map<number, Map<string, SystemWordEstimates>>> {
  const byWord = new Map(words.map(({ word }) => [word.id, new Map<string, SystemWordEstimates>()]))
  for (const system of systems) {
    for (let start = 0; start < words.length; start += WORDS_PER_ESTIMATE) {
      const some = words.slice(start, start + WORDS_PER_ESTIMATE).map(({ word }) => word)
      const found = await systemWordEstimates(accord, dataset, system, some, { references, turn: giveWay })
      for (const [id, estimates] of found) byWord.get(id)?.set(system.name, estimates)
    }
  }
  return byWord
}

function provenanceOf(
  dataset: Dataset,
  systems: readonly System[],
  vocabulary: readonly Word[],
  references: number,
  fits: readonly UsageFitSummary[],
): WordReport['provenance'] {
  const words = recordVocabulary(vocabulary.map(({ text }) => text))
  const figuresOf = (system: System | null): FigureProvenance =>
    Object.fromEntries(
      wordFiguresOf(system).map((figure) => [
        figure,
        wordProvenance(dataset, system, { figure, words, references }),
      ]),
    )
  return {
    people: figuresOf(null),
    systems: new Map(systems.map((system) => [system.name, figuresOf(system)])),
    fits: Object.fromEntries(
      fits.map(({ model }) => [model, usageFitProvenance(dataset, words, model, references)]),
    ),
  }
}

async function readMeans(
  accord: Accord,
  dataset: Dataset,
  systems: readonly System[],
  options: VocabularyOptions,
): Promise<WordReport['means']> {
  const [people, ...ofSystems] = await meansOverWords(accord, dataset, [null, ...systems], options)
  return { people, systems: new Map(systems.map(({ name }, index) => [name, ofSystems[index]])) }
}

function fitAll({ histogram }: Word, references: number): WordFigures['models'] {
  const figures = (kind: UsageModelKind) => ({
    ...modelFigures(fitWord(histogram, kind), references),
    ...modelIntervals({ kind, histogram }),
  })
  return { MOMENT: figures('MOMENT'), BINOMIAL: figures('BINOMIAL'), BETA_BINOMIAL: figures('BETA_BINOMIAL') }
}

function requireResultsOnWords({ name, kind }: System): void {
  if (kind !== 'DESCRIPTIONS') return
  throw new AccordError('NOT_APPLICABLE', 'the system has descriptions of boxes and no results on words', {
    source: 'system',
    expected: 'a system with captions or word scores',
    found: quote(name),
  })
}

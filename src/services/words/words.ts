import { createFitComparer, type GoodnessOfFit } from '../../core/agreement/goodness-of-fit.js'
import { USAGE_MODELS, type UsageModelKind } from '../../core/agreement/usage-model.js'
import {
  type DefinedMean,
  definedMean,
  definedMeanByGroup,
  humanWordAgreement,
} from '../../core/agreement/words.js'
import { AccordError } from '../../errors.js'
import { yieldToEventLoop } from '../../event-loop.js'
import { PARTS_OF_SPEECH, type PartOfSpeech } from '../../shared/choices.js'
import type { UndefinedReason } from '../../shared/undefined-reason.js'
import type { Direction, Page, PagedRows, PageRequest } from '../../store/engine/keyset.js'
import { findImages } from '../../store/images.js'
import { readWordImages, type WordImagesRequest } from '../../store/postings.js'
import type { Dataset, Image, Word } from '../../store/schema/dataset-tables.js'
import type { System } from '../../store/schema/system-tables.js'
import * as words from '../../store/words.js'
import { chooseReferences, whyNoAgreement } from '../datasets/references.js'
import { readVocabularyWords, type VocabularyOptions } from '../datasets/vocabulary.js'
import { FIT_SEED } from '../provenance/word-provenance.js'
import type { Accord, Client } from '../shared/accord.js'
import { contentOf, createCache } from '../shared/cache.js'
import { idsOf, keyBy, keyedRows } from '../shared/groups.js'
import type { WordMean } from './compute-word-means.js'

export interface WordOrder {
  readonly field: words.WordOrderField
  readonly direction?: Direction | null
}

const VOCABULARY: words.WordFilter = { vocabulary: 'IN' }

/** Words of a dataset. Default: the vocabulary in vocabulary order. */
export function listWords(
  { database }: Accord,
  { id }: Dataset,
  filter: words.WordFilter = VOCABULARY,
  orderBy: WordOrder = { field: 'RANK' },
): PagedRows<Word> {
  const order = words.wordOrder(orderBy.field, orderBy.direction)
  return words.pagedWords(database, id, filter, order)
}

export function findWord({ database }: Accord, { id }: Dataset, text: string): Promise<Word | null> {
  return words.findWord(database, id, text)
}

export const wordsById = keyedRows(words.findWords, ({ id }) => id)

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
  turn: () => Promise<unknown> = yieldToEventLoop,
): Promise<UsageFitSummary> {
  const model = kind ?? 'MOMENT'
  const undefinedReason = whyNoAgreement(dataset)
  if (undefinedReason !== null) {
    const nothing = { wordCount: 0, rootMeanSquaredError: null, rSquared: null, undefinedReason }
    return { model, references: null, ...nothing, outOfSample: nothing }
  }
  const references = chooseReferences(dataset, wanted)
  const key = JSON.stringify([contentOf(dataset), references, partOfSpeech?.toSorted(), model])
  const cache = fitsOf(accord.database)
  let summaries = cache.get(key)
  if (!summaries) {
    const vocabulary = await readVocabularyWords(accord.database, dataset, { partOfSpeech })
    summaries = await summarizeFits(vocabulary, dataset.captionsPerImage, references, model, turn)
    cache.set(key, summaries)
  }
  return summaries.find((summary) => summary.model === model) as UsageFitSummary
}

/** Fits of the models over the vocabulary of a dataset. */
const fitsOf = createCache<readonly UsageFitSummary[]>(64)

/**
 * The models on the words that all of them share. A model that no word of K captions can have is left out, unless it is
 * `wanted`.
 */
export async function summarizeFits(
  vocabulary: readonly Word[],
  captionsPerImage: number,
  references: number,
  wanted?: UsageModelKind,
  turn: () => Promise<unknown> = yieldToEventLoop,
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

export interface WordMeansOptions extends VocabularyOptions {
  /** Whether systems with word scores have their average precision, which boards do not show. Default: true. */
  readonly hasAveragePrecision?: boolean
}

/**
 * Means over the vocabulary of the figures of systems, and of people where one is null, with their 95 % intervals.
 *
 * @returns aligned to the systems
 * @throws AccordError OUT_OF_RANGE for `references`, QUEUE_FULL
 */
export function meansOverWords(
  accord: Accord,
  dataset: Dataset,
  systems: readonly (System | null)[],
  { hasAveragePrecision = true, ...options }: WordMeansOptions,
  client: Client = {},
): Promise<readonly (readonly WordMean[])[]> {
  const systemIds = systems.map((system) => system?.id ?? null)
  const input = { datasetId: dataset.id, systemIds, hasAveragePrecision, ...toInput(dataset, options) }
  return accord.run('wordMeans', input, client)
}

function toInput(
  { captionsPerImage }: Dataset,
  { references, partOfSpeech, vocabularyOf }: VocabularyOptions,
) {
  return {
    references: chooseReferences({ captionsPerImage }, references),
    partOfSpeech: partOfSpeech ?? null,
    vocabularyOf: vocabularyOf ?? null,
  }
}

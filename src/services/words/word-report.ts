import type { SystemWordEstimates } from '../../core/agreement/system-word-intervals.js'
import type { UsageModelKind } from '../../core/agreement/usage-model.js'
import * as wordModel from '../../core/agreement/word-model.js'
import { WORD_USES } from '../../core/agreement/word-rates.js'
import * as wordAgreement from '../../core/agreement/words.js'
import { AccordError, quote } from '../../errors.js'
import { yieldToEventLoop } from '../../event-loop.js'
import { requireDataset } from '../../store/datasets.js'
import type { Session } from '../../store/engine/session.js'
import type { Dataset, Word } from '../../store/schema/dataset-tables.js'
import type { System, SystemWord } from '../../store/schema/system-tables.js'
import { readSystemWords } from '../../store/systems.js'
import { chooseReferences } from '../datasets/references.js'
import { readVocabularyWords, type VocabularyOptions, type WordChoice } from '../datasets/vocabulary.js'
import * as origin from '../provenance/word-provenance.js'
import type { Accord } from '../shared/accord.js'
import { groupBy, idsOf, keyBy } from '../shared/groups.js'
import { requireSystems } from '../systems/systems.js'
import type { WordMean } from './compute-word-means.js'
import { unscoredOverWords, unscoredWords } from './phr.js'
import { systemWordEstimates } from './word-figures.js'
import { OWN_WORDS_NOTE, phrWordNotes, unscoredNotes, wordMeanNotes } from './word-notes.js'
import { requireWord } from './word-places.js'
import { listByUse, rateWords, type SystemWordRate } from './word-rates.js'
import { meansOverWords, summarizeFits, type UsageFitSummary } from './words.js'

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
  /** Words of the vocabulary that captioning systems use more or less often than people, by name of the system. */
  readonly rates: ReadonlyMap<string, readonly SystemWordRate[]>
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
    readonly fits: Readonly<Partial<Record<UsageModelKind, origin.Provenance>>>
  }
}

export type FigureProvenance = Readonly<Partial<Record<origin.WordFigure, origin.Provenance>>>

/** The figures of a word, without uncertainty. */
export interface WordSummary {
  readonly word: Word
  readonly human: wordAgreement.WordAgreement
  /** The model of the paper. */
  readonly moment: wordModel.ModelFigures
  /** Results of systems by name; none where a system has no result on the word. */
  readonly systems: ReadonlyMap<string, SystemWord>
}

export interface WordFigures extends WordSummary {
  /** Whether it is used in fewer than 20 images. */
  readonly isRare: boolean
  readonly human: wordAgreement.WordAgreement & wordAgreement.WordIntervals
  readonly models: Readonly<Record<UsageModelKind, wordModel.ModelFigures & wordModel.ModelIntervals>>
  /** With their intervals, by name of the system; none where it has no result on the word. */
  readonly estimates: ReadonlyMap<string, SystemWordEstimates>
  /** Names of systems that reach human recall only together with images that have no score for the word. */
  readonly unscored: ReadonlySet<string>
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
 * A figure to list words by: `gap`, PHR or precision of the first system minus human precision, by the upper end of its interval,
 * lowest first: the words on which the system is most certainly below people, those without an interval last. By the figure itself,
 * highest first: `recall`, human recall; `phr`, of the first system; `residual`, human precision minus that of the moment fit. Words
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
  const nameOf = new Map(systems.map((system) => [system.id, system.name]))
  const summaries = await summarize(database, vocabulary, systems, references)
  const wordsToList = texts && (await Promise.all(texts.map((text) => requireWord(database, dataset, text))))
  const needing = await unscoredWords(accord, [...vocabulary, ...(wordsToList ?? [])], idsOf(systems))
  const unscored = await unscoredOverWords(accord, vocabulary, idsOf(systems), references, needing)
  const listed = wordsToList ? await summarize(database, wordsToList, systems, references) : summaries
  const kept = listed.filter(({ word }) => word.imageCount >= (minImages ?? 0))
  const ofFirst = await estimateWords(
    accord,
    dataset,
    systems.slice(0, 1),
    sort === 'gap' ? kept : [],
    references,
  )
  const ofFirstUnscored = needing.get(systems[0]?.id)
  const shown = chooseWords(kept, { minImages, sort, top }, systems[0], ofFirst, ofFirstUnscored)
  const estimates = await estimateWords(accord, dataset, systems, shown, references)
  const fits = await summarizeFits(vocabulary, dataset.captionsPerImage, references)
  return {
    dataset,
    references,
    systems,
    notes: [
      ...wordMeanNotes(dataset),
      ...(systems.some(({ kind }) => kind === 'CAPTIONS') ? [OWN_WORDS_NOTE] : []),
      ...(systems.some(({ kind }) => kind === 'WORD_SCORES') ? phrWordNotes(choice.vocabularyOf) : []),
      ...Array.from(unscored).flatMap(([id, figures]) =>
        unscoredNotes(figures).map((note) => `${nameOf.get(id)}: ${note}`),
      ),
    ],
    means: await readMeans(accord, dataset, systems, { references, ...choice }),
    rates: await rateVocabulary(accord, dataset, systems, vocabulary),
    fits,
    provenance: await provenanceOf(accord, dataset, systems, { references, ...choice }, fits),
    vocabulary: summaries,
    words: shown.map((summary) => ({
      ...summary,
      isRare: wordAgreement.isRareWord(summary.word.histogram),
      human: { ...summary.human, ...wordAgreement.humanWordIntervals(summary.word.histogram, references) },
      models: fitAll(summary.word, references),
      estimates: estimates.get(summary.word.id) ?? new Map(),
      unscored: new Set(
        systems.filter(({ id }) => needing.get(id)?.has(summary.word.id)).map(({ name }) => name),
      ),
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
    human: wordAgreement.humanWordAgreement(word.histogram, references),
    moment: wordModel.modelFigures(wordModel.fitWord(word.histogram, 'MOMENT'), references),
    systems: keyBy(resultsByWord.get(word.id) ?? [], ({ systemId }) => nameOf.get(systemId) as string),
  }))
}

/**
 * The words to list, in order. By PHR and its gap, those that the system reaches human recall of only with images that have no score are
 * last: their PHR says which scores are missing. Those of few images come last where a figure of few images would be first by chance, unless `minImages`
 * says how many are enough; by `gap`, those without an interval. Those of few images without the figure are at the very end.
 *
 * @param system the first one, which `gap` and `phr` are of
 * @param estimates of it, where words are listed by `gap`
 * @param unscored of it, see {@link unscoredWords}
 */
function chooseWords(
  words: readonly WordSummary[],
  { minImages, sort, top }: Pick<WordReportOptions, 'minImages' | 'sort' | 'top'>,
  system: System | undefined,
  estimates: WordEstimates,
  unscored: ReadonlySet<number> = new Set(),
): WordSummary[] {
  if (sort === undefined) return words.slice(0, top)
  const boundOf = ({ word }: WordSummary) =>
    system && estimates.get(word.id)?.get(system.name)?.gapToPeople.interval?.upper
  const figureOf = figureToSortBy(sort, system, boundOf)
  const placeOf = (summary: WordSummary) =>
    2 * LAST * Number(figureOf(summary) == null && wordAgreement.isRareWord(summary.word.histogram)) +
    LAST * Number((sort === 'gap' || sort === 'phr') && unscored.has(summary.word.id)) +
    Number(sort === 'gap' && boundOf(summary) === undefined) +
    Number(sort !== 'recall' && minImages === undefined && wordAgreement.isRareWord(summary.word.histogram))
  const ordered = words.map((word) => {
    const figure = figureOf(word) ?? -Number.MAX_VALUE
    return { word, figure, place: placeOf(word) }
  })
  return ordered
    .sort((one, other) => one.place - other.place || other.figure - one.figure)
    .slice(0, top)
    .map(({ word }) => word)
}

/** More than what else places words at the end. */
const LAST = 4

/** A figure whose highest values are first. */
function figureToSortBy(
  sort: WordSort,
  system: System | undefined,
  boundOf: (word: WordSummary) => number | undefined,
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
    const bound = boundOf(word)
    if (bound !== undefined) return -bound
    const { precisionAtHumanRecall = null, precision = null } = ofSystem(word) ?? {}
    const own = precisionAtHumanRecall ?? precision
    const { precision: people } = word.human
    return own === null || people === null ? null : people - own
  }
}

/** Words whose scores are in memory at once. */
const WORDS_PER_ESTIMATE = 50

/** Figures with intervals by id of the word and name of the system. */
type WordEstimates = ReadonlyMap<number, ReadonlyMap<string, SystemWordEstimates>>

async function estimateWords(
  accord: Accord,
  dataset: Dataset,
  systems: readonly System[],
  words: readonly WordSummary[],
  references: number,
): Promise<WordEstimates> {
  const byWord = new Map(words.map(({ word }) => [word.id, new Map<string, SystemWordEstimates>()]))
  for (const system of systems) {
    for (let start = 0; start < words.length; start += WORDS_PER_ESTIMATE) {
      const some = words.slice(start, start + WORDS_PER_ESTIMATE).map(({ word }) => word)
      const found = await systemWordEstimates(accord, dataset, system, some, {
        references,
        turn: yieldToEventLoop,
      })
      for (const [id, estimates] of found) byWord.get(id)?.set(system.name, estimates)
    }
  }
  return byWord
}

async function provenanceOf(
  accord: Accord,
  dataset: Dataset,
  systems: readonly System[],
  { references, ...choice }: WordChoice & { readonly references: number },
  fits: readonly UsageFitSummary[],
): Promise<WordReport['provenance']> {
  const words = await origin.vocabularyRecord(accord, dataset, choice, false)
  const ofCaptions = await origin.vocabularyRecord(accord, dataset, choice, true)
  const figuresOf = (system: System | null): FigureProvenance =>
    Object.fromEntries(
      origin
        .wordFiguresOf(system)
        .map((figure) => [
          figure,
          origin.wordProvenance(dataset, system, {
            figure,
            words: origin.isHeldOut(system, figure) ? ofCaptions : words,
            references,
          }),
        ]),
    )
  return {
    people: figuresOf(null),
    systems: new Map(systems.map((system) => [system.name, figuresOf(system)])),
    fits: Object.fromEntries(
      fits.map(({ model }) => [model, origin.usageFitProvenance(dataset, words, model, references)]),
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

async function rateVocabulary(
  accord: Accord,
  dataset: Dataset,
  systems: readonly System[],
  vocabulary: readonly Word[],
): Promise<WordReport['rates']> {
  const ids = new Set(idsOf(vocabulary))
  const rates = new Map<string, readonly SystemWordRate[]>()
  for (const system of systems.filter(({ kind }) => kind === 'CAPTIONS')) {
    const ofVocabulary = (await rateWords(accord, dataset, system)).filter(({ word }) => ids.has(word.id))
    rates.set(
      system.name,
      WORD_USES.flatMap((use) => listByUse(ofVocabulary, use)),
    )
  }
  return rates
}

function fitAll({ histogram }: Word, references: number): WordFigures['models'] {
  const figures = (kind: UsageModelKind) => ({
    ...wordModel.modelFigures(wordModel.fitWord(histogram, kind), references),
    ...wordModel.modelIntervals({ kind, histogram }),
  })
  return { MOMENT: figures('MOMENT'), BINOMIAL: figures('BINOMIAL'), BETA_BINOMIAL: figures('BETA_BINOMIAL') }
}

/** @throws AccordError NOT_APPLICABLE for a system of descriptions */
export function requireResultsOnWords({ name, kind }: System): void {
  if (kind !== 'DESCRIPTIONS') return
  throw new AccordError('NOT_APPLICABLE', 'the system has descriptions of boxes and no results on words', {
    source: 'system',
    expected: 'a system with captions or word scores',
    found: quote(name),
  })
}

import { AccordError } from '../../errors.js'
import { visibleDatasets } from '../../services/accounts/access.js'
import { scoredMetrics } from '../../services/agreement/agreement.js'
import { storedPublished } from '../../services/agreement/published.js'
import type { WordFigure } from '../../services/comparisons/compare-words.js'
import {
  compareOnFigures,
  comparisonNotes,
  conclusionOf,
  type Side,
} from '../../services/comparisons/comparisons.js'
import { findDataset, listDatasets } from '../../services/datasets/datasets.js'
import { cachedSubsetFields } from '../../services/datasets/image-subsets.js'
import { whyNoAgreement } from '../../services/datasets/references.js'
import { wordsPerCaption } from '../../services/evaluations/caption-lengths.js'
import { requireFrequencies, requireMetric } from '../../services/evaluations/metrics.js'
import { readScoreTable } from '../../services/exports/score-table.js'
import { listImages } from '../../services/images/image-lists.js'
import { findImage, listCaptions } from '../../services/images/images.js'
import { gapToPeople, leaderboardNotes, shownMean } from '../../services/leaderboard/complete-rows.js'
import { type LeaderboardOptions, rankSystems } from '../../services/leaderboard/leaderboard.js'
import type { LeaderboardRow as RankedRow } from '../../services/leaderboard/ranking.js'
import { leaderboardStandings, type Standing } from '../../services/leaderboard/standings.js'
import { usageFitProvenance } from '../../services/provenance/word-provenance.js'
import { idsOf } from '../../services/shared/groups.js'
import { predictedCurve } from '../../services/words/word-figures.js'
import { wordMeanNotes } from '../../services/words/word-notes.js'
import { findWord, listWords, summarizeFit, summarizeWords } from '../../services/words/words.js'
import type { ImageProperty } from '../../store/images.js'
import type { Dataset as DatasetRow } from '../../store/schema/dataset-tables.js'
import type { AgreementScore } from '../../store/schema/score-tables.js'
import { loadCaptions, loadVocabulary, loadWordMeans } from '../loaders/datasets.js'
import { loadSubsets, loadSystemByName, loadSystemsOfDataset } from '../loaders/systems.js'
import { agreementOf, scoresToOrder } from '../scores/scores.js'
import { roundFields, toPoints, unusedArgument } from '../shared/arguments.js'
import { connect, connectByName, connectLong, connectRows } from '../shared/connection.js'
import type { Context } from '../shared/context.js'
import { present } from '../shared/loader.js'
import { type FigureArguments, figureProvenance, provenanceFields } from '../shared/provenance-fields.js'
import { requestedColumns, requestedFields } from '../shared/requested.js'
import type * as schema from '../shared/schema-types.js'
import { toSubject } from '../shared/subject.js'
import type { LeaderboardModel, UsageFitModel, WordAgreementSummaryModel } from './models.js'

type WordFigureChoice = Omit<WordFigure, 'references'>

export const Query: schema.QueryResolvers = {
  dataset: (_parent, { name }, { accord }) => findDataset(accord, name),
  async datasets(_parent, page, { accord, viewer }) {
    return connectByName(visibleDatasets(viewer, await listDatasets(accord)), page)
  },
}

/** The columns that fields of images read beside the id. */
const IMAGE_COLUMNS: Readonly<Record<string, readonly ImageProperty[]>> = {
  id: [],
  externalId: ['externalId'],
  fileName: ['fileName'],
  url: ['url'],
  width: ['width'],
  height: ['height'],
  captions: [],
  systemCaptions: ['datasetId'],
  boxes: [],
}

export const Dataset: schema.DatasetResolvers = {
  imageFields: (dataset, _args, { accord }) => cachedSubsetFields(accord.database, dataset),

  wordsPerCaption: ({ id }, _args, { accord }) => wordsPerCaption(accord, id),

  image: (dataset, { externalId }, { accord }) => findImage(accord, dataset, externalId),

  async images(dataset, { filter, orderBy, ...page }, context, info) {
    const columns = requestedColumns(info, IMAGE_COLUMNS)
    const order = orderBy && { ...orderBy, scores: () => scoresToOrder(dataset, orderBy.field, context) }
    const list = await listImages(context.accord, dataset, filter ?? {}, columns, context.client, order)
    const isSearch = filter?.captionWords != null || filter?.systemCaption != null
    const images = await (isSearch ? connectLong(list, page, context) : connect(list, page))
    if (requestedFields(info).has('captions')) await loadCaptions.ahead(context, idsOf(images.nodes))
    return images
  },

  async imageSubsets(dataset, { by }, context) {
    const subsets = await loadSubsets(context, { dataset, field: by })
    return subsets.map(({ value, images }) => ({ subset: value, imageCount: images.length }))
  },

  word: (dataset, { text }, { accord }) => findWord(accord, dataset, text),

  words: (dataset, { filter, orderBy, ...page }, { accord }) =>
    connect(listWords(accord, dataset, filter ?? undefined, orderBy ?? undefined), page),

  system: ({ id }, { name }, context) => loadSystemByName(context, { datasetId: id, name }),

  systems: ({ id }, { isBoundIncluded, ...page }, context) =>
    connectByName(
      loadSystemsOfDataset(context, { datasetId: id, isBoundIncluded: isBoundIncluded === true }),
      page,
    ),

  captions: (dataset, { filter, ...page }, context) =>
    connectLong(listCaptions(context.accord, dataset, filter ?? {}, context.client), page, context),

  async wordAgreement(dataset, options, { accord }) {
    const summary = await summarizeWords(accord, dataset, options)
    const { partOfSpeech, vocabularyOf } = options
    return { ...summary, dataset, partOfSpeech, vocabularyOf }
  },

  usageCurve: (dataset, { references, points }) =>
    predictedCurve(dataset, { references, points: toPoints(points) }),

  async usageFit(dataset, options, { accord, turn }) {
    const summary = await summarizeFit(accord, dataset, options, turn)
    return { ...summary, dataset, partOfSpeech: options.partOfSpeech }
  },

  humanAgreement: (dataset, options, context) => agreementOf(dataset, options, context),

  async scoreTable(dataset, { isHumanIncluded: people, ...options }, { accord, turn }) {
    const table = await readScoreTable(accord, dataset, { ...options, people }, turn)
    return { ...table, datasetId: dataset.id }
  },

  async publishedAgreement(dataset, _args, { accord }) {
    const undefinedReason = whyNoAgreement(dataset)
    if (undefinedReason !== null) return { rows: null, undefinedReason }
    const rows = await storedPublished(accord, dataset)
    return rows.length > 0 ? { rows } : { rows: null, undefinedReason: 'NOT_COMPUTED' }
  },

  comparisons(dataset, { isHumanIncluded, baseline, ...options }, { accord, client, outside }) {
    refuseUnusedOfComparisons({ isHumanIncluded, baseline, ...options })
    return outside(
      compareOnFigures(
        accord,
        dataset,
        {
          ...options,
          words: options.words?.map(toWordFigure),
          people: isHumanIncluded ?? undefined,
          baseline: baseline ? toSide(baseline) : undefined,
        },
        client,
      ),
    )
  },

  async leaderboards(dataset, { metrics, isHumanIncluded, ...options }, context) {
    await requireFrequencies(context.accord, metrics, options)
    // Without a second caption people have no scores.
    const isWithPeople = isHumanIncluded && dataset.captionsPerImage > 1
    const references = options.references ?? (isWithPeople ? dataset.captionsPerImage - 1 : null)
    const names = metrics ?? (await scoredMetrics(context.accord, dataset))
    return Promise.all(
      names.map((metric) =>
        toLeaderboard(dataset, { by: 'METRIC', ...options, references, metric }, context),
      ),
    )
  },

  wordLeaderboard(dataset, { figure, ...options }, context) {
    const by = figure ?? 'PHR'
    if (options.isBoundIncluded && by === 'PHR') {
      const reason = 'upper bounds are captions, which have no PHR'
      throw unusedArgument('isBoundIncluded', reason, 'a value beside WORD_PRECISION')
    }
    return toLeaderboard(dataset, { by, ...options }, context)
  },
}

function toWordFigure({ figure: kind, word, ...choice }: schema.WordComparisonInput): WordFigureChoice {
  if (kind === 'METRIC') throw notOfWords()
  if (word != null && (choice.partOfSpeech ?? choice.vocabularyOf) != null) throw wordAndPartOfSpeech()
  return { kind, word, ...choice }
}

/** @throws AccordError NOT_APPLICABLE for an argument that has no effect beside the others */
function refuseUnusedOfComparisons({
  metrics,
  words,
  isHumanIncluded,
  baseline,
  ...ofMetrics
}: schema.DatasetComparisonsArgs): void {
  if (isHumanIncluded && baseline?.human)
    throw unusedArgument('isHumanIncluded', 'people are the baseline', 'another baseline')
  if (ofMetrics.documents != null && words?.length && !metrics?.length)
    throw unusedArgument('documents', 'figures of words do not depend on it', 'a value beside metrics')
}

function toSide({ system }: schema.SideInput): Side {
  return system == null ? { people: true } : { system }
}

function notOfWords(): AccordError {
  return new AccordError('NOT_APPLICABLE', 'a metric is not a figure of words', {
    source: 'words.figure',
    expected: 'a figure of words; metrics are named by the argument metrics',
    found: 'METRIC',
  })
}

function wordAndPartOfSpeech(): AccordError {
  return new AccordError('NOT_APPLICABLE', 'the arguments do not apply to a word', {
    source: 'words.partOfSpeech, words.vocabularyOf',
    expected: 'no value',
  })
}

export const WordAgreementSummary: schema.WordAgreementSummaryResolvers = {
  ...provenanceFields(async (summary: WordAgreementSummaryModel, args: FigureArguments, context) => {
    const words = present(await loadVocabulary(context, summary))
    return figureProvenance(summary.dataset, null, args, { words, references: summary.references })
  }),
  byPartOfSpeech: ({ references, byPartOfSpeech }) => (references === null ? null : byPartOfSpeech),
  means: ({ references, ...summary }, _args, context) =>
    references === null
      ? null
      : loadWordMeans(context, { ...summary, system: null, references, hasAveragePrecision: true }),
  notes: ({ dataset }) => wordMeanNotes(dataset),
}

export const UsageCurve: schema.UsageCurveResolvers = {
  points: ({ points, undefinedReason }, { digits }) => (undefinedReason ? null : roundFields(points, digits)),
}

export const UsageFit: schema.UsageFitResolvers = {
  ...provenanceFields(async (fit: UsageFitModel, _args, context) =>
    fit.references === null
      ? null
      : usageFitProvenance(
          fit.dataset,
          present(await loadVocabulary(context, fit)),
          fit.model,
          fit.references,
        ),
  ),
}

export const LeaderboardRow: schema.LeaderboardRowResolvers = {
  subject: ({ system }) => toSubject(system),
  interval: ({ interval }) => interval(),
  rarefied: ({ rarefied }) => rarefied(),
  gapToPeople: ({ gapToPeople: gap }) => gap(),
  standing: ({ standing }) => standing(),
  notes: ({ notes }) => notes(),
}

/** The key of the human row; those of the others are ids of systems. */
const PEOPLE = 0

export const Leaderboard: schema.LeaderboardResolvers = {
  metric: ({ metric }, _args, { accord }) => (metric === null ? null : requireMetric(accord, metric)),
  rows: ({ rows, undefinedReason }, page) =>
    undefinedReason ? null : connectRows(rows, ({ system }) => system?.id ?? PEOPLE, page),
  people: ({ rows }) => rows.find(({ isHuman }) => isHuman) ?? null,
}

export const PublishedAgreementRow: schema.PublishedAgreementRowResolvers = {
  score: ({ scores }) => scores.at(-1) as AgreementScore,
}

export const Comparison: schema.ComparisonResolvers = {
  first: ({ first }) => toSubject(first),
  second: ({ second }) => toSubject(second),
  metric: ({ figure }, _args, { accord }) =>
    figure.kind === 'METRIC' ? requireMetric(accord, figure.metric) : null,
  conclusion: conclusionOf,
  notes: (comparison, _args, { accord }) => comparisonNotes(accord, comparison),
}

/** A board. Intervals of means over words are computed by one job for all rows, when they are requested. */
async function toLeaderboard(
  dataset: DatasetRow,
  options: LeaderboardOptions,
  context: Context,
): Promise<LeaderboardModel> {
  const metric = options.metric ?? null
  const undefinedReason = whyNoAgreement(dataset)
  // Systems are scored against one caption as well.
  if (undefinedReason === 'NO_CAPTIONS' || (undefinedReason !== null && metric === null)) {
    return { metric, rows: [], undefinedReason }
  }
  const ranking = rankSystems(context.accord, dataset, options, context.client)
  // A worker measures the words of captions.
  const rows = await (options.by === 'WORD_PRECISION' ? context.outside(ranking) : ranking)
  let notes: Promise<(readonly string[])[]> | undefined
  const notesOf = async (index: number) => {
    notes ??= leaderboardNotes(context.accord, dataset, rows, options)
    return (await notes)[index]
  }
  let standings: Promise<(Standing | null)[]> | undefined
  const standingOf = async (index: number) => {
    standings ??= context.outside(
      leaderboardStandings(context.accord, dataset, rows, options, context.client),
    )
    return (await standings)[index]
  }
  const { references, partOfSpeech, vocabularyOf } = options
  const vocabulary = { dataset, partOfSpeech, vocabularyOf }
  const meansOf = async ({ system, value }: RankedRow) =>
    metric === null && value !== null
      ? loadWordMeans(context, { ...vocabulary, system, references, hasAveragePrecision: false })
      : []
  return {
    metric,
    undefinedReason: null,
    rows: rows.map((row, index) => ({
      ...row,
      interval: async () => row.interval ?? shownMean(await meansOf(row), row, options)?.interval ?? null,
      rarefied: async () => shownMean(await meansOf(row), row, options)?.rarefied ?? null,
      gapToPeople: async () => gapToPeople(await meansOf(row)),
      standing: () => standingOf(index),
      notes: () => notesOf(index),
    })),
  }
}

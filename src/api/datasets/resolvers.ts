import { AccordError } from '../../errors.js'
import { visibleDatasets } from '../../services/accounts/access.js'
import { scoredMetrics } from '../../services/agreement/agreement.js'
import { storedPublished } from '../../services/agreement/published.js'
import type { WordFigure } from '../../services/comparisons/compare-words.js'
import { compareOnFigures, comparisonNotes, type Side } from '../../services/comparisons/comparisons.js'
import { findDataset, listDatasets } from '../../services/datasets/datasets.js'
import { whyNoAgreement } from '../../services/datasets/references.js'
import { usageFitProvenance } from '../../services/evaluations/provenance.js'
import { requireMetric } from '../../services/evaluations/scores.js'
import { listCaptions } from '../../services/images/captions.js'
import { findImage, listImages } from '../../services/images/images.js'
import { judgeInterval } from '../../services/shared/intervals.js'
import { predictedCurve } from '../../services/words/word-figures.js'
import { wordMeanNotes } from '../../services/words/word-notes.js'
import { findWord, listWords, summarizeFit, summarizeWords } from '../../services/words/words.js'
import type { ImageProperty } from '../../store/images.js'
import { connect, connectAside, connectById, connectRows } from '../execution/connection.js'
import { roundFields } from '../execution/digits.js'
import { toGlobalId } from '../execution/ids.js'
import { mustBeTrue } from '../execution/one-of.js'
import { toPoints } from '../execution/points.js'
import { present } from '../execution/present.js'
import { type FigureArguments, figureProvenance, provenanceFields } from '../execution/provenance.js'
import { requestedColumns, requestedFields } from '../execution/requested.js'
import type * as schema from '../execution/schema-types.js'
import { agreementOf } from '../scores/scores.js'
import { loadSystemByName, loadSystemsOfDataset } from '../systems/loaders.js'
import { toLeaderboard } from './leaderboard.js'
import { loadVocabulary, loadWordMeans } from './loaders.js'
import type { UsageFitModel, WordAgreementSummaryModel } from './models.js'

type WordFigureChoice = Omit<WordFigure, 'references'>

export const Query: Pick<schema.QueryResolvers, 'dataset' | 'datasets'> = {
  dataset: (_parent, { name }, { accord }) => findDataset(accord, name),
  async datasets(_parent, page, { accord, viewer }) {
    return connectById('datasets', visibleDatasets(viewer, await listDatasets(accord)), page)
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
  systemCaptions: [],
  boxes: [],
}

/** Fields of a comparison that need its test. */
const TEST_FIELDS = ['pValue', 'adjustedPValue', 'isBound', 'isExact', 'resampleCount', 'notes']

export const Dataset: schema.DatasetResolvers = {
  id: ({ id }) => toGlobalId('Dataset', id),

  isPrivate: ({ isPrivate }) => isPrivate === 1,

  image: (dataset, { externalId }, { accord }) => findImage(accord, dataset, externalId),

  images(dataset, { filter, ...page }, context, info) {
    const columns = requestedColumns(info, IMAGE_COLUMNS)
    const list = listImages(context.accord, dataset, filter ?? {}, columns, context.client)
    return filter?.captionWords ? connectAside(list, page, context) : connect(list, page)
  },

  word: (dataset, { text }, { accord }) => findWord(accord, dataset, text),

  words: (dataset, { filter, orderBy, ...page }, { accord }) =>
    connect(listWords(accord, dataset, filter ?? undefined, orderBy ?? undefined), page),

  system: ({ id }, { name }, context) => loadSystemByName(context, { datasetId: id, name }),

  systems: ({ id }, { isBoundIncluded, ...page }, context) =>
    connectById(
      'systems',
      loadSystemsOfDataset(context, { datasetId: id, isBoundIncluded: isBoundIncluded === true }),
      page,
    ),

  captions: (dataset, { filter, ...page }, context) =>
    connectAside(listCaptions(context.accord, dataset, filter ?? {}, context.client), page, context),

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

  async publishedAgreement(dataset, _args, { accord }) {
    const undefinedReason = whyNoAgreement(dataset)
    if (undefinedReason !== null) return { rows: [], undefinedReason }
    const rows = await storedPublished(accord, dataset)
    return { rows, undefinedReason: rows.length > 0 ? null : 'NOT_COMPUTED' }
  },

  comparisons: (
    dataset,
    { isHumanIncluded, resampleCount, baseline, ...options },
    { accord, client, outside },
    info,
  ) =>
    outside(
      compareOnFigures(
        accord,
        dataset,
        {
          ...options,
          words: options.words?.map(toWordFigure),
          people: isHumanIncluded ?? undefined,
          resamples: resampleCount ?? undefined,
          isTested: TEST_FIELDS.some((field) => requestedFields(info).has(field)),
          baseline: baseline ? toSide(baseline) : undefined,
        },
        client,
      ),
    ),

  async leaderboard(dataset, { metrics, isEveryMetric, isHumanIncluded, wordFigure, ...options }, context) {
    const names = metrics ?? (isEveryMetric ? await scoredMetrics(context.accord, dataset) : null)
    // Without a second caption people have no scores.
    const isWithPeople = isHumanIncluded && dataset.captionsPerImage > 1
    const references = options.references ?? (isWithPeople ? dataset.captionsPerImage - 1 : null)
    const boards = names?.map((metric) => ({ by: 'METRIC' as const, ...options, references, metric }))
    return Promise.all(
      (boards ?? [{ by: wordFigure ?? ('PHR' as const), ...options }]).map((board) =>
        toLeaderboard(dataset, board, context),
      ),
    )
  },
}

function toWordFigure({ figure: kind, word, ...choice }: schema.WordComparisonInput): WordFigureChoice {
  if (kind === 'METRIC') throw notOfWords()
  if (word != null && (choice.partOfSpeech ?? choice.vocabularyOf) != null) throw wordAndPartOfSpeech()
  return { kind, word, ...choice }
}

function toSide({ system, isHuman }: schema.SideInput): Side {
  if (system != null) return { system }
  if (isHuman === false) throw mustBeTrue('baseline.isHuman')
  return { people: true }
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
  referenceCount: ({ references }) => references,
  ...provenanceFields(async (summary: WordAgreementSummaryModel, args: FigureArguments, context) => {
    const words = present(await loadVocabulary(context, summary))
    return figureProvenance(summary.dataset, null, args, { words, references: summary.references })
  }),
  means: ({ references, ...summary }, _args, context) =>
    references === null ? [] : loadWordMeans(context, { ...summary, system: null, references }),
  notes: ({ dataset }) => wordMeanNotes(dataset),
}

export const UsageCurve: schema.UsageCurveResolvers = {
  referenceCount: ({ references }) => references,
  points: ({ points }, { digits }) => roundFields(points, digits),
}

export const UsageFit: schema.UsageFitResolvers = {
  referenceCount: ({ references }) => references,
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
  interval: ({ interval }) => interval(),
  rarefied: ({ rarefied }) => rarefied(),
  gapToPeople: ({ gapToPeople: gap }) => gap(),
  standing: ({ standing }) => standing(),
  notes: ({ notes }) => notes(),
  referenceRange: ({ references }) => references,
}

/** The key of the human row; those of the others are ids of systems. */
const PEOPLE = 0

export const Leaderboard: schema.LeaderboardResolvers = {
  metric: ({ metric }, _args, { accord }) => (metric === null ? null : requireMetric(accord, metric)),
  rows: ({ metric, rows }, page) =>
    connectRows(`leaderboard ${metric}`, rows, ({ system }) => system?.id ?? PEOPLE, page),
}

export const PublishedAgreementRow: schema.PublishedAgreementRowResolvers = {
  metric: ({ metric }, _args, { accord }) => requireMetric(accord, metric),
  publishedC5: ({ published }) => published.c5,
  publishedC40: ({ published }) => published.c40,
  undefinedReason: ({ imageCount, interval }) => judgeInterval(imageCount, interval).undefinedReason,
  referenceCount: ({ references }) => references,
}

export const AgreementPoint: schema.AgreementPointResolvers = {
  referenceCount: ({ references }) => references,
  undefinedReason: ({ imageCount, interval }) => judgeInterval(imageCount, interval).undefinedReason,
}

export const AgreementExtrapolation: schema.AgreementExtrapolationResolvers = {
  referenceCount: ({ references }) => references,
}

export const Comparison: schema.ComparisonResolvers = {
  referenceRange: ({ references }) => references,
  resampleCount: ({ resamples }) => resamples,
  figure: ({ figure }) => figure.kind,
  metric: ({ figure }, _args, { accord }) =>
    figure.kind === 'METRIC' ? requireMetric(accord, figure.metric) : null,
  notes: (comparison, _args, { accord }) => comparisonNotes(accord, comparison, comparison.figure),
}

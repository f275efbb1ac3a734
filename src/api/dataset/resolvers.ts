import { chooseReferences } from '../../agreement/references.js'
import { usageCurve } from '../../agreement/usage-model.js'
import { requestAgreement } from '../../services/agreement.js'
import { requestComparisons } from '../../services/comparisons.js'
import { findDataset, listDatasets } from '../../services/datasets.js'
import { findImage, type ImageProperty, listImages } from '../../services/images.js'
import { type LeaderboardRow as RankedRow, rankSystems } from '../../services/leaderboard.js'
import { comparisonNotes, leaderboardNotes, wordMeanNotes } from '../../services/notes.js'
import { usageFitProvenance } from '../../services/provenance.js'
import { requestPublished } from '../../services/published.js'
import { requireMetric } from '../../services/scores.js'
import { gapToPeople, requestWordMeans, shownMean } from '../../services/word-means.js'
import { findWord, listWords, summarizeFit, summarizeWords } from '../../services/words.js'
import { connect } from '../connection.js'
import { toGlobalId } from '../ids.js'
import { toPoints } from '../points.js'
import { present } from '../present.js'
import { type FigureArguments, figureProvenance, provenanceFields } from '../provenance.js'
import { requestedColumns } from '../requested.js'
import type {
  DatasetResolvers,
  LeaderboardRowResolvers,
  PairwiseComparisonResolvers,
  PublishedAgreementResolvers,
  QueryResolvers,
  UsageFitResolvers,
  WordAgreementSummaryResolvers,
} from '../schema-types.js'
import { loadSystemByName, loadSystemsOfDataset } from '../system/loaders.js'
import { toFigure } from './figure.js'
import { loadVocabulary } from './loaders.js'
import type { UsageFitModel, WordAgreementSummaryModel } from './models.js'

export const Query: Pick<QueryResolvers, 'dataset' | 'datasets'> = {
  dataset: (_parent, { name }, { accord }) => findDataset(accord, name),
  datasets: (_parent, _args, { accord }) => listDatasets(accord),
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

export const Dataset: DatasetResolvers = {
  id: ({ id }) => toGlobalId('Dataset', id),

  image: (dataset, { externalId }, { accord }) => findImage(accord, dataset, externalId),

  images: (dataset, { filter, ...page }, { accord }, info) =>
    connect(listImages(accord, dataset, filter ?? {}, requestedColumns(info, IMAGE_COLUMNS)), page),

  word: (dataset, { text }, { accord }) => findWord(accord, dataset, text),

  words: (dataset, { filter, orderBy, ...page }, { accord }) =>
    connect(listWords(accord, dataset, filter ?? undefined, orderBy ?? undefined), page),

  system: ({ id }, { name }, context) => loadSystemByName(context, { datasetId: id, name }),

  systems: ({ id }, _args, context) => loadSystemsOfDataset(context, id),

  wordAgreement: async (dataset, options, { accord, client, outside }) => ({
    ...(await summarizeWords(accord, dataset, options)),
    dataset,
    partOfSpeech: options.partOfSpeech,
    means: () => outside(requestWordMeans(accord, dataset, null, options, client)),
    notes: wordMeanNotes(dataset),
  }),

  usageCurve: ({ captionsPerImage }, { references, points }) =>
    usageCurve(chooseReferences(captionsPerImage, references), toPoints(points)),

  usageFit: async (dataset, options, { accord, checkTime }) => ({
    ...(await summarizeFit(accord, dataset, options, checkTime)),
    dataset,
    partOfSpeech: options.partOfSpeech,
  }),

  humanAgreement: (dataset, options, { accord, client, outside }) =>
    outside(requestAgreement(accord, dataset, options, client)),

  publishedAgreement: (dataset, _args, { accord, client, outside }) =>
    outside(requestPublished(accord, dataset, client)),

  async compare(dataset, { systems, people, resamples, ...choice }, { accord, client, outside }) {
    const figure = toFigure(choice)
    const options = { systems, people: people ?? undefined, figure, resamples: resamples ?? undefined }
    const comparisons = await outside(requestComparisons(accord, dataset, options, client))
    return comparisons.map((comparison) => ({ ...comparison, figure }))
  },

  async leaderboard(dataset, options, { accord, client, outside }) {
    const rows = await rankSystems(accord, dataset, options)
    let notes: Promise<(readonly string[])[]> | undefined
    const notesOf = async (index: number) => {
      notes ??= leaderboardNotes(accord, dataset, rows, options)
      return (await notes)[index]
    }
    const meansOf = ({ system, value }: RankedRow) =>
      options.by === 'PHR' && value !== null
        ? outside(requestWordMeans(accord, dataset, system, options, client))
        : Promise.resolve([])
    return rows.map((row, index) => ({
      ...row,
      interval: async () => row.interval ?? shownMean(await meansOf(row), row)?.interval ?? null,
      gapToPeople: async () => gapToPeople(await meansOf(row)),
      notes: () => notesOf(index),
    }))
  },
}

export const WordAgreementSummary: WordAgreementSummaryResolvers = {
  ...provenanceFields(async (summary: WordAgreementSummaryModel, args: FigureArguments, context) => {
    const words = present(await loadVocabulary(context, summary))
    return figureProvenance(summary.dataset, null, args, { words, references: summary.references })
  }),
  means: ({ means }) => means(),
}

export const UsageFit: UsageFitResolvers = provenanceFields(async (fit: UsageFitModel, _args, context) =>
  usageFitProvenance(fit.dataset, present(await loadVocabulary(context, fit)), fit.model, fit.references),
)

export const LeaderboardRow: LeaderboardRowResolvers = {
  interval: ({ interval }) => interval(),
  gapToPeople: ({ gapToPeople: gap }) => gap(),
  notes: ({ notes }) => notes(),
}

export const PublishedAgreement: PublishedAgreementResolvers = {
  metric: ({ metric }, _args, { accord }) => requireMetric(accord, metric),
  publishedC5: ({ published }) => published.c5,
  publishedC40: ({ published }) => published.c40,
}

export const PairwiseComparison: PairwiseComparisonResolvers = {
  figure: ({ figure }) => figure.kind,
  metric: ({ figure }, _args, { accord }) =>
    figure.kind === 'METRIC' ? requireMetric(accord, figure.metric) : null,
  notes: (comparison, _args, { accord }) => comparisonNotes(accord, comparison, comparison.figure),
}

import { AccordError } from '../../errors.js'
import { storedPublished } from '../../services/agreement/published.js'
import type { WordFigure } from '../../services/comparisons/compare-words.js'
import { compareOnFigures, comparisonNotes, type Side } from '../../services/comparisons/comparisons.js'
import { findDataset, listDatasets } from '../../services/datasets/datasets.js'
import { chooseReferences } from '../../services/datasets/references.js'
import { usageFitProvenance } from '../../services/evaluations/provenance.js'
import { pickMetrics, requireMetric } from '../../services/evaluations/scores.js'
import { listCaptions } from '../../services/images/captions.js'
import { findImage, listImages } from '../../services/images/images.js'
import { predictedCurve } from '../../services/words/word-figures.js'
import { wordMeanNotes } from '../../services/words/word-notes.js'
import { findWord, listWords, summarizeFit, summarizeWords } from '../../services/words/words.js'
import type { ImageProperty } from '../../store/images.js'
import type { Dataset as DatasetModel } from '../../store/schema/entities.js'
import { connect } from '../execution/connection.js'
import { toGlobalId } from '../execution/ids.js'
import { mustBeTrue } from '../execution/one-of.js'
import { toPoints } from '../execution/points.js'
import { present } from '../execution/present.js'
import { type FigureArguments, figureProvenance, provenanceFields } from '../execution/provenance.js'
import { requestedColumns } from '../execution/requested.js'
import type {
  AgreementExtrapolationResolvers,
  AgreementPointResolvers,
  ComparisonResolvers,
  DatasetResolvers,
  LeaderboardResolvers,
  LeaderboardRowResolvers,
  PublishedAgreementResolvers,
  QueryResolvers,
  SideInput,
  UsageFitResolvers,
  WordAgreementSummaryResolvers,
  WordComparisonInput,
} from '../execution/schema-types.js'
import { loadAgreement } from '../scores/loaders.js'
import { loadSystemByName, loadSystemsOfDataset } from '../systems/loaders.js'
import { toLeaderboard } from './leaderboard.js'
import { loadVocabulary, loadWordMeans } from './loaders.js'
import type { UsageFitModel, WordAgreementSummaryModel } from './models.js'

type WordFigureChoice = Omit<WordFigure, 'references'>

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

  systems: ({ id }, { includeBounds }, context) =>
    loadSystemsOfDataset(context, { datasetId: id, includeBounds: includeBounds === true }),

  captions: (dataset, { filter, ...page }, { accord }) =>
    connect(listCaptions(accord, dataset, filter ?? {}), page),

  async wordAgreement(dataset, options, context) {
    if (!hasAgreement(dataset)) return null
    return {
      ...(await summarizeWords(context.accord, dataset, options)),
      dataset,
      partOfSpeech: options.partOfSpeech,
      means: () => loadWordMeans(context, { dataset, system: null, ...options }),
      notes: wordMeanNotes(dataset),
    }
  },

  usageCurve: (dataset, { references, points }) =>
    hasAgreement(dataset) ? predictedCurve(dataset, { references, points: toPoints(points) }) : null,

  async usageFit(dataset, options, { accord, turn }) {
    if (!hasAgreement(dataset)) return null
    return {
      ...(await summarizeFit(accord, dataset, options, turn)),
      dataset,
      partOfSpeech: options.partOfSpeech,
    }
  },

  async humanAgreement(dataset, { references: wanted, metrics }, context) {
    if (!hasAgreement(dataset)) return null
    const references = chooseReferences(dataset, wanted)
    const rows = await loadAgreement(context, { datasetId: dataset.id, references })
    return rows.length > 0 ? { references, rows: await pickMetrics(context.accord, rows, metrics) } : null
  },

  async publishedAgreement(dataset, _args, { accord }) {
    const rows = hasAgreement(dataset) ? await storedPublished(accord, dataset) : []
    return rows.length > 0 ? rows : null
  },

  async agreementReason(dataset, { references: wanted }, context) {
    const reason = captionReason(dataset)
    if (reason !== null) return reason
    const references = chooseReferences(dataset, wanted)
    const rows = await loadAgreement(context, { datasetId: dataset.id, references })
    return rows.length > 0 ? null : 'NOT_COMPUTED'
  },

  comparisons: (dataset, { people, resamples, baseline, ...options }, { accord, client, outside }) =>
    outside(
      compareOnFigures(
        accord,
        dataset,
        {
          ...options,
          words: options.words?.map(toWordFigure),
          people: people ?? undefined,
          resamples: resamples ?? undefined,
          baseline: baseline ? toSide(baseline) : undefined,
        },
        client,
      ),
    ),

  leaderboard: (dataset, { metrics, ...options }, context) => {
    const boards = metrics?.map((metric) => ({ by: 'METRIC' as const, metric, ...options }))
    return Promise.all(
      (boards ?? [{ by: 'PHR' as const, ...options }]).map((board) => toLeaderboard(dataset, board, context)),
    )
  },
}

function hasAgreement(dataset: DatasetModel): boolean {
  return captionReason(dataset) === null
}

function captionReason({ captionsPerImage }: DatasetModel): 'NO_CAPTIONS' | 'ONE_CAPTION' | null {
  return captionsPerImage === 0 ? 'NO_CAPTIONS' : captionsPerImage === 1 ? 'ONE_CAPTION' : null
}

function toWordFigure({ figure: kind, word, partOfSpeech }: WordComparisonInput): WordFigureChoice {
  if (kind === 'METRIC') throw notOfWords()
  if (word != null && partOfSpeech != null) throw wordAndPartOfSpeech()
  return { kind, word, partOfSpeech }
}

function toSide({ system, isHuman }: SideInput): Side {
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
  return new AccordError('NOT_APPLICABLE', 'the argument does not apply to a word', {
    source: 'words.partOfSpeech',
    expected: 'no value',
  })
}

export const WordAgreementSummary: WordAgreementSummaryResolvers = {
  referenceCount: ({ references }) => references,
  ...provenanceFields(async (summary: WordAgreementSummaryModel, args: FigureArguments, context) => {
    const words = present(await loadVocabulary(context, summary))
    return figureProvenance(summary.dataset, null, args, { words, references: summary.references })
  }),
  means: ({ means }) => means(),
}

export const UsageFit: UsageFitResolvers = {
  referenceCount: ({ references }) => references,
  ...provenanceFields(async (fit: UsageFitModel, _args, context) =>
    usageFitProvenance(fit.dataset, present(await loadVocabulary(context, fit)), fit.model, fit.references),
  ),
}

export const LeaderboardRow: LeaderboardRowResolvers = {
  interval: ({ interval }) => interval(),
  gapToPeople: ({ gapToPeople: gap }) => gap(),
  notes: ({ notes }) => notes(),
  referenceRange: ({ references }) => references,
}

export const Leaderboard: LeaderboardResolvers = {
  metric: ({ metric }, _args, { accord }) => (metric === null ? null : requireMetric(accord, metric)),
}

export const PublishedAgreement: PublishedAgreementResolvers = {
  metric: ({ metric }, _args, { accord }) => requireMetric(accord, metric),
  publishedC5: ({ published }) => published.c5,
  publishedC40: ({ published }) => published.c40,
  referenceCount: ({ references }) => references,
}

export const AgreementPoint: AgreementPointResolvers = { referenceCount: ({ references }) => references }

export const AgreementExtrapolation: AgreementExtrapolationResolvers = {
  referenceCount: ({ references }) => references,
}

export const Comparison: ComparisonResolvers = {
  referenceRange: ({ references }) => references,
  resampleCount: ({ resamples }) => resamples,
  figure: ({ figure }) => figure.kind,
  metric: ({ figure }, _args, { accord }) =>
    figure.kind === 'METRIC' ? requireMetric(accord, figure.metric) : null,
  notes: (comparison, _args, { accord }) => comparisonNotes(accord, comparison, comparison.figure),
}

import { correlateMetrics } from '../../services/evaluations/image-scores.js'
import { pickMetrics, requireFrequencies } from '../../services/evaluations/metrics.js'
import type { RecordedScore } from '../../services/evaluations/scores.js'
import { listSystemCaptions } from '../../services/images/images.js'
import { isHeldOut, wordFiguresOf } from '../../services/provenance/word-provenance.js'
import { pagedArray } from '../../services/shared/groups.js'
import { listSystemWords, precisionRecallCurve } from '../../services/systems/systems.js'
import { listMistakes } from '../../services/words/mistakes.js'
import { phrMeanNotes } from '../../services/words/word-notes.js'
import { listByUse } from '../../services/words/word-rates.js'
import type { System as SystemModel, SystemWord } from '../../store/schema/system-tables.js'
import { loadDataset, loadVocabulary, loadWord, loadWordMeans } from '../loaders/datasets.js'
import { loadNewestEvaluation } from '../loaders/jobs.js'
import * as loaders from '../loaders/systems.js'
import { chosenDocuments, chosenReferences, imageScoresOf, ofMetric, scoreOf } from '../scores/scores.js'
import { roundFields, toPoints } from '../shared/arguments.js'
import { connect, connectLong } from '../shared/connection.js'
import type { Context } from '../shared/context.js'
import { toGlobalId } from '../shared/ids.js'
import { present } from '../shared/loader.js'
import { type FigureArguments, figureProvenance, provenanceFields } from '../shared/provenance-fields.js'
import type * as schema from '../shared/schema-types.js'
import type { PhrSummaryModel } from './models.js'

export const System: schema.SystemResolvers = {
  wordsPerCaption: ({ id }, _args, context) => loaders.loadWordsPerCaption(context, id),

  score: (system, args, context) => scoreOf(system, args, context),

  async scores(system, { metrics, ...choice }, context) {
    const references = await chosenReferences(system.datasetId, choice, context)
    await requireFrequencies(context.accord, metrics, choice)
    const documents = await chosenDocuments(choice, context)
    const rows = await scoresOf(system, { metrics, references, documents }, context)
    if (rows.length === 0) return null
    return rows.map((row) => ({
      system,
      metric: row.metric,
      references,
      documents: ofMetric(context, row.metric, choice.documents),
      row,
    }))
  },

  async metricCorrelations(system, { metrics, ...choice }, context) {
    const references = await chosenReferences(system.datasetId, choice, context)
    await requireFrequencies(context.accord, metrics, choice)
    await requireFrequencies(context.accord, metrics, choice)
    const documents = await chosenDocuments(choice, context)
    const rows = await scoresOf(system, { metrics, references, documents }, context)
    const scores = await Promise.all(rows.map((row) => imageScoresOf(row, context)))
    return correlateMetrics(new Map(rows.map(({ metric }, index) => [metric, scores[index]])), context.turn)
  },

  async captions(system, { filter, externalIds, ...page }, context) {
    const dataset = present(await loadDataset(context, system.datasetId))
    const list = listSystemCaptions(
      context.accord,
      dataset,
      system,
      { ...filter, externalIds },
      context.client,
    )
    return connectLong(list, page, context)
  },

  evaluation: ({ id }, _args, context) => loadNewestEvaluation(context, id),

  async words(system, { filter, orderBy, references, ...page }, context) {
    const dataset = present(await loadDataset(context, system.datasetId))
    return connect(listSystemWords(context.accord, system, dataset, { references, filter, orderBy }), page)
  },

  async wordRates(system, { use, ...page }, context) {
    const dataset = present(await loadDataset(context, system.datasetId))
    const rates = await loaders.loadWordRates(context, { dataset, system })
    return connect(
      pagedArray(listByUse(rates, use), ({ word }) => word.id),
      page,
    )
  },

  async phrSummary({ id, datasetId }, options, context) {
    const dataset = present(await loadDataset(context, datasetId))
    const summary = present(await loaders.loadPhrSummary(context, { dataset, systemId: id, ...options }))
    return {
      ...summary,
      dataset,
      systemId: id,
      partOfSpeech: options.partOfSpeech,
      vocabularyOf: options.vocabularyOf,
    }
  },
}

/** Stored scores of a system by the named metrics, by default all. */
async function scoresOf(
  { id }: SystemModel,
  {
    metrics,
    references,
    documents,
  }: {
    readonly metrics?: readonly string[] | null
    readonly references?: number | null
    /** Hash of the document frequencies. */
    readonly documents?: string
  },
  context: Context,
): Promise<RecordedScore[]> {
  const rows = await loaders.loadScores(context, { systemId: id, references: references ?? null, documents })
  return pickMetrics(context.accord, rows, metrics)
}

export const WordRate: schema.WordRateResolvers = {
  interval: ({ interval: { lower, upper } }) => (upper === null ? null : { lower, upper }),
}

export const PhrSummary: schema.PhrSummaryResolvers = {
  async means({ dataset, systemId, partOfSpeech, vocabularyOf, references }, _args, context) {
    if (references === null) return null
    const system = present(await loaders.loadSystem(context, systemId))
    const vocabulary = { dataset, partOfSpeech, vocabularyOf }
    return loadWordMeans(context, { ...vocabulary, system, references, hasAveragePrecision: true })
  },
  unscoredWordCount: async (summary, _args, context) =>
    (await loaders.loadUnscoredPhr(context, summary))?.wordCount ?? null,
  unscoredShare: async (summary, _args, context) =>
    (await loaders.loadUnscoredPhr(context, summary))?.share ?? null,
  async notes(summary, _args, context) {
    const unscored = await loaders.loadUnscoredPhr(context, summary)
    return phrMeanNotes(summary.dataset, summary, unscored)
  },
  ...provenanceFields(async (summary: PhrSummaryModel, args: FigureArguments, context) => {
    const { dataset, systemId, references } = summary
    const system = present(await loaders.loadSystem(context, systemId))
    const figure = args.figure ?? wordFiguresOf(system)[0]
    const isOfCaptions = isHeldOut(system, figure)
    const words = present(await loadVocabulary(context, { ...summary, isOfCaptions }))
    return figureProvenance(dataset, system, { figure }, { words, references })
  }),
}

export const SystemWordResult: schema.SystemWordResultResolvers = {
  id: ({ systemId, wordId, referenceCount }) =>
    toGlobalId('SystemWordResult', systemId, wordId, referenceCount),

  async curve(result, args, context) {
    const points = toPoints(args.points)
    const { systemId, wordId } = result
    const inputs = await loaders.loadCurveInputs(context, { systemId, wordId })
    const curve = await context.inTurn(() => precisionRecallCurve(result, inputs, points))
    return roundFields(curve, args.digits)
  },

  async mistakes(result, { kind, ...page }, context) {
    const system = present(await loaders.loadSystem(context, result.systemId))
    const predict = await loaders.loadPredictions(context, { system, wordId: result.wordId })
    return context.inTurn(() => connect(listMistakes(predict?.() ?? null, kind), page))
  },

  async estimates(result, _args, context) {
    const estimates = await loaders.loadWordEstimates(context, await subjectOf(result, context))
    return estimates ?? {}
  },

  ...provenanceFields(async (result: SystemWord, args: FigureArguments, context) => {
    const { dataset, system, references, word } = await subjectOf(result, context)
    return figureProvenance(dataset, system, args, { words: word.text, references })
  }),
}

async function subjectOf({ systemId, wordId, referenceCount }: SystemWord, context: Context) {
  const system = present(await loaders.loadSystem(context, systemId))
  const dataset = present(await loadDataset(context, system.datasetId))
  const word = present(await loadWord(context, wordId))
  return { dataset, system, references: referenceCount, word }
}

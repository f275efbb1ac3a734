import { usageModelProvenance } from '../../services/provenance/word-provenance.js'
import * as figures from '../../services/words/word-figures.js'
import { countImagesOfWord } from '../../services/words/words.js'
import type { PageRequest } from '../../store/engine/keyset.js'
import { loadDataset, loadImagesOfWord } from '../loaders/datasets.js'
import { loadResultsOfWord, loadSystemByName, loadSystemWord } from '../loaders/systems.js'
import { roundAll, roundFields } from '../shared/arguments.js'
import { connect } from '../shared/connection.js'
import { toGlobalId } from '../shared/ids.js'
import { present } from '../shared/loader.js'
import { type FigureArguments, figureProvenance, provenanceFields } from '../shared/provenance-fields.js'
import type * as schema from '../shared/schema-types.js'

export const Word: schema.WordResolvers = {
  isInVocabulary: ({ vocabularyRank }) => vocabularyRank !== null,
  isRare: (word) => figures.isRare(word),

  agreement: (word, { references }) => figures.agreementOnWord(word, references),
  usageModel: (word, { kind }) => figures.usageModelOfWord(word, kind ?? undefined),

  async systemResult(word, { system: name, references: wanted }, context) {
    const references = figures.referencesOfWord(word, wanted)
    if (references === null) return null
    const system = await loadSystemByName(context, { datasetId: word.datasetId, name })
    return system && loadSystemWord(context, { systemId: system.id, references, wordId: word.id })
  },

  async systemResults(word, { references: wanted, ...page }, context) {
    const references = figures.referencesOfWord(word, wanted)
    return connect(present(await loadResultsOfWord(context, { word, references })), page)
  },

  images(word, { count, ...page }, context) {
    const captionCount = count ?? undefined
    const total = countImagesOfWord(word, captionCount)
    const list = {
      page: (request: PageRequest) => loadImagesOfWord(context, { word, captionCount, request }),
      count: async () => total,
    }
    return connect(list, page)
  },
}

export const WordConnection: schema.WordConnectionResolvers = {
  columns: ({ nodes }, { references, digits }) => ({
    words: nodes,
    agreement: nodes.map((word) => figures.agreementOnWord(word, references)),
    references,
    digits,
  }),
}

export const WordColumns: schema.WordColumnsResolvers = {
  texts: ({ words }) => words.map(({ text }) => text),
  partsOfSpeech: ({ words }) => words.map(({ partOfSpeech }) => partOfSpeech),
  captionCounts: ({ words }) => words.map(({ captionCount }) => captionCount),
  precisions: ({ agreement, digits }) =>
    roundAll(
      agreement.map(({ precision }) => precision),
      digits,
    ),
  recalls: ({ agreement, digits }) =>
    roundAll(
      agreement.map(({ recall }) => recall),
      digits,
    ),
  precisionIntervals: ({ agreement, digits }) =>
    roundFields(
      agreement.map(({ intervals }) => intervals().precisionInterval),
      digits,
    ),
  recallIntervals: ({ agreement, digits }) =>
    roundFields(
      agreement.map(({ intervals }) => intervals().recallInterval),
      digits,
    ),
  residuals: ({ words, references, digits }, { model }) =>
    roundAll(
      words.map(
        (word) =>
          figures.figuresOfModel(figures.usageModelOfWord(word, model ?? undefined), references)?.residual ??
          null,
      ),
      digits,
    ),
}

export const WordAgreement: schema.WordAgreementResolvers = {
  id: ({ word, references }) => toGlobalId('WordAgreement', word.id, references),
  precisionInterval: ({ intervals }) => intervals().precisionInterval,
  recallInterval: ({ intervals }) => intervals().recallInterval,
  ...provenanceFields(
    async ({ word, references }: figures.AgreementOnWord, args: FigureArguments, context) => {
      const dataset = present(await loadDataset(context, word.datasetId))
      return figureProvenance(dataset, null, args, { words: word.text, references })
    },
  ),
}

export const UsageModel: schema.UsageModelResolvers = {
  id: ({ word, kind }) => toGlobalId('UsageModel', word.id, kind),
  usageProbability: ({ result }) => result.fit?.usageProbability ?? null,
  objectProbability: ({ result }) => result.fit?.objectProbability ?? null,
  overdispersion: ({ result }) => result.fit?.overdispersion ?? null,
  usageProbabilityInterval: ({ intervals }) => intervals().usageProbabilityInterval,
  objectProbabilityInterval: ({ intervals }) => intervals().objectProbabilityInterval,
  isWeaklyIdentified: ({ result }) => result.fit?.isWeaklyIdentified ?? null,
  logLikelihood: ({ result }) => result.fit?.logLikelihood ?? null,
  aic: ({ result }) => result.fit?.aic ?? null,
  expectedHistogram: ({ expected }, { digits }) => {
    const histogram = expected()
    return histogram && roundAll(histogram, digits)
  },
  precision: (model, { references }) => figures.figuresOfModel(model, references)?.precision ?? null,
  residual: (model, { references }) => figures.figuresOfModel(model, references)?.residual ?? null,
  ...provenanceFields(async ({ word, kind }: figures.UsageModelOfWord, _args, context) =>
    usageModelProvenance(present(await loadDataset(context, word.datasetId)), word.text, kind),
  ),
}

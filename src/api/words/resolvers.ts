import { chooseReferences } from '../../core/agreement/references.js'
import { predictedRecall } from '../../core/agreement/usage-model.js'
import { modelFigures } from '../../core/agreement/word-model.js'
import { isRareWord } from '../../core/agreement/words.js'
import { usageModelProvenance } from '../../services/evaluations/provenance.js'
import { countImagesOfWord, IMAGES_OF_WORD_ORDER } from '../../services/words/words.js'
import type { PageRequest } from '../../store/engine/keyset.js'
import { loadDataset } from '../datasets/loaders.js'
import { connect } from '../execution/connection.js'
import { toGlobalId } from '../execution/ids.js'
import { present } from '../execution/present.js'
import { type FigureArguments, figureProvenance, provenanceFields } from '../execution/provenance.js'
import type { UsageModelResolvers, WordAgreementResolvers, WordResolvers } from '../execution/schema-types.js'
import { loadSystemByName, loadSystemWord } from '../systems/loaders.js'
import { loadImagesOfWord } from './loaders.js'
import { toUsageModel, toWordAgreement, type UsageModelModel, type WordAgreementModel } from './models.js'

export const Word: WordResolvers = {
  id: ({ id }) => toGlobalId('Word', id),
  inVocabulary: ({ vocabularyRank }) => vocabularyRank !== null,
  countHistogram: ({ histogram }) => histogram,
  isRare: ({ histogram }) => isRareWord(histogram),

  dataset: ({ datasetId }, _args, context) => loadDataset(context, datasetId).then(present),

  agreement(word, { references }) {
    const captionsPerImage = word.histogram.length - 1
    return captionsPerImage < 2 ? null : toWordAgreement(word, chooseReferences(captionsPerImage, references))
  },

  usageModel: (word, { kind }) => toUsageModel(word, kind ?? 'MOMENT'),

  async systemResult({ id, datasetId, histogram }, { system: name, references: chosen }, context) {
    const captionsPerImage = histogram.length - 1
    if (captionsPerImage < 2) return null
    const references = chooseReferences(captionsPerImage, chosen)
    const system = await loadSystemByName(context, { datasetId, name })
    return system && loadSystemWord(context, { systemId: system.id, references, wordId: id })
  },

  images(word, { count, ...page }, context) {
    const captionCount = count ?? undefined
    const total = countImagesOfWord(word, captionCount)
    const list = {
      order: IMAGES_OF_WORD_ORDER,
      page: (request: PageRequest) => loadImagesOfWord(context, { word, captionCount, request }),
      count: async () => total,
    }
    return connect(list, page)
  },
}

export const WordAgreement: WordAgreementResolvers = {
  precisionInterval: ({ intervals }) => intervals().precisionInterval,
  recallInterval: ({ intervals }) => intervals().recallInterval,
  ...provenanceFields(async ({ word, references }: WordAgreementModel, args: FigureArguments, context) => {
    const dataset = present(await loadDataset(context, word.datasetId))
    return figureProvenance(dataset, null, args, { words: word.text, references })
  }),
}

export const UsageModel: UsageModelResolvers = {
  usageProbability: ({ result }) => result.fit?.usageProbability ?? null,
  objectProbability: ({ result }) => result.fit?.objectProbability ?? null,
  overdispersion: ({ result }) => result.fit?.overdispersion ?? null,
  usageProbabilityInterval: ({ intervals }) => intervals().usageProbabilityInterval,
  objectProbabilityInterval: ({ intervals }) => intervals().objectProbabilityInterval,
  isWeaklyIdentified: ({ result }) => result.fit?.isWeaklyIdentified ?? null,
  logLikelihood: ({ result }) => result.fit?.logLikelihood ?? null,
  aic: ({ result }) => result.fit?.aic ?? null,
  recall: ({ result }) => result.fit && predictedRecall(result.fit),
  undefinedReason: ({ result }) => result.undefinedReason,
  precision: (model, { references }) => figuresOf(model, references)?.precision ?? null,
  residual: (model, { references }) => figuresOf(model, references)?.residual ?? null,
  ...provenanceFields(async ({ word, kind }: UsageModelModel, _args, context) =>
    usageModelProvenance(present(await loadDataset(context, word.datasetId)), word.text, kind),
  ),
}

/** Null if images have one caption. */
function figuresOf(model: UsageModelModel, references: number | null | undefined) {
  const captionsPerImage = model.histogram.length - 1
  return captionsPerImage < 2 ? null : modelFigures(model, chooseReferences(captionsPerImage, references))
}

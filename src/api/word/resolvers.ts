import { chooseReferences } from '../../agreement/references.js'
import { predictedRecall } from '../../agreement/usage-model.js'
import { modelFigures } from '../../agreement/word-model.js'
import { isRareWord } from '../../agreement/words.js'
import type { PageRequest } from '../../services/paging.js'
import { countImagesOfWord, IMAGES_OF_WORD_ORDER } from '../../services/words.js'
import { connect } from '../connection.js'
import { toGlobalId } from '../ids.js'
import type { HumanPrecisionRecallResolvers, UsageModelResolvers, WordResolvers } from '../schema-types.js'
import { loadSystemByName, loadSystemWord } from '../system/loaders.js'
import { loadImagesOfWord } from './loaders.js'
import { toHumanPrecisionRecall, toUsageModel } from './models.js'

export const Word: WordResolvers = {
  id: ({ id }) => toGlobalId('Word', id),
  inVocabulary: ({ vocabularyRank }) => vocabularyRank !== null,
  countHistogram: ({ histogram }) => histogram,
  isRare: ({ histogram }) => isRareWord(histogram),

  human: ({ histogram }, { references }) =>
    toHumanPrecisionRecall(histogram, chooseReferences(histogram.length - 1, references)),

  usageModel: ({ histogram }, { kind }, { inTurn }) =>
    inTurn(() => toUsageModel(histogram, kind ?? 'MOMENT')),

  async systemResult({ id, datasetId, histogram }, { system: name, references: chosen }, context) {
    const references = chooseReferences(histogram.length - 1, chosen)
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

export const HumanPrecisionRecall: HumanPrecisionRecallResolvers = {
  precisionInterval: ({ intervals }, _args, { inTurn }) => inTurn(() => intervals().precisionInterval),
  recallInterval: ({ intervals }, _args, { inTurn }) => inTurn(() => intervals().recallInterval),
}

export const UsageModel: UsageModelResolvers = {
  usageProbability: ({ result }) => result.fit?.usageProbability ?? null,
  objectProbability: ({ result }) => result.fit?.objectProbability ?? null,
  usageProbabilityInterval: ({ intervals }, _args, { inTurn }) =>
    inTurn(() => intervals().usageProbabilityInterval),
  objectProbabilityInterval: ({ intervals }, _args, { inTurn }) =>
    inTurn(() => intervals().objectProbabilityInterval),
  isWeaklyIdentified: ({ result }) => result.fit?.isWeaklyIdentified ?? null,
  logLikelihood: ({ result }) => result.fit?.logLikelihood ?? null,
  aic: ({ result }) => result.fit?.aic ?? null,
  recall: ({ result }) => result.fit && predictedRecall(result.fit),
  undefinedReason: ({ result }) => result.undefinedReason,
  precision: (model, { references }) => modelFigures(model, references).precision,
  residual: (model, { references }) => modelFigures(model, references).residual,
}

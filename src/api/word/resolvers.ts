import { fitUsageModel, predictedPrecision, predictedRecall } from '../../agreement/usage-model.js'
import { humanWordAgreement, humanWordIntervals } from '../../agreement/words.js'
import { toPageSize } from '../connection.js'
import { toGlobalId } from '../ids.js'
import { toReferences } from '../references.js'
import type { HumanPrecisionRecallResolvers, UsageModelResolvers, WordResolvers } from '../schema-types.js'
import { imagesOfWord } from './images.js'

export const Word: WordResolvers = {
  id: ({ id }) => toGlobalId('Word', id),
  inVocabulary: ({ vocabularyRank }) => vocabularyRank !== null,
  countHistogram: ({ histogram }) => histogram,

  human({ histogram }, { references }) {
    return { ...humanWordAgreement(histogram, toReferences(histogram.length - 1, references)), histogram }
  },

  usageModel({ histogram }, { kind }, { checkTime }) {
    checkTime()
    return { fit: fitUsageModel(kind ?? 'MOMENT', histogram), histogram }
  },

  async systemResult({ id, datasetId, histogram }, { system: name, references }, { loaders }) {
    const chosen = toReferences(histogram.length - 1, references)
    const system = await loaders.systemByName.load({ datasetId, name })
    return system && loaders.systemWord.load({ systemId: system.id, references: chosen, wordId: id })
  },

  images: (word, { count, ...page }, context) => imagesOfWord(word, count ?? undefined, page, context),
}

export const HumanPrecisionRecall: HumanPrecisionRecallResolvers = {
  precisionInterval({ histogram, references }, _args, { checkTime }) {
    checkTime()
    return humanWordIntervals(histogram, references).precisionInterval
  },
  recallInterval({ histogram, references }, _args, { checkTime }) {
    checkTime()
    return humanWordIntervals(histogram, references).recallInterval
  },
}

export const UsageModel: UsageModelResolvers = {}

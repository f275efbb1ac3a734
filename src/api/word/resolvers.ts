import { fitUsageModel, predictedPrecision, predictedRecall } from '../../agreement/usage-model.js'
import { humanWordAgreement } from '../../agreement/words.js'
import { toGlobalId } from '../ids.js'
import { toReferences } from '../references.js'
import type { HumanPrecisionRecallResolvers, UsageModelResolvers, WordResolvers } from '../schema-types.js'
import { imagesOfWord } from './images.js'
import { toHumanPrecisionRecall } from './models.js'

export const Word: WordResolvers = {
  id: ({ id }) => toGlobalId('Word', id),
  inVocabulary: ({ vocabularyRank }) => vocabularyRank !== null,
  countHistogram: ({ histogram }) => histogram,

  human: ({ histogram }, { references }) =>
    toHumanPrecisionRecall(histogram, toReferences(histogram.length - 1, references)),

  usageModel({ histogram }, args, { checkTime }) {
    checkTime()
    const kind = args.kind ?? 'MOMENT'
    return { kind, result: fitUsageModel(kind, histogram), histogram }
  },

  async systemResult({ id, datasetId, histogram }, { system: name, references }, { loaders }) {
    const chosen = toReferences(histogram.length - 1, references)
    const system = await loaders.systemByName.load({ datasetId, name })
    return system && loaders.systemWord.load({ systemId: system.id, references: chosen, wordId: id })
  },

  images: (word, { count, ...page }, context) => imagesOfWord(word, count ?? undefined, page, context),
}

export const HumanPrecisionRecall: HumanPrecisionRecallResolvers = {
  precisionInterval: ({ intervals }, _args, { inTurn }) => inTurn(() => intervals().precisionInterval),
  recallInterval: ({ intervals }, _args, { inTurn }) => inTurn(() => intervals().recallInterval),
}

export const UsageModel: UsageModelResolvers = {
  usageProbability: ({ result }) => result.fit?.usageProbability ?? null,
  objectProbability: ({ result }) => result.fit?.objectProbability ?? null,
  logLikelihood: ({ result }) => result.fit?.logLikelihood ?? null,
  aic: ({ result }) => result.fit?.aic ?? null,
  recall: ({ result }) => result.fit && predictedRecall(result.fit),
  undefinedReason: ({ result }) => result.undefinedReason,

  precision: ({ result, histogram }, { references }) =>
    result.fit && predictedPrecision(result.fit, toReferences(histogram.length - 1, references)),

  residual({ result, histogram }, args) {
    const references = toReferences(histogram.length - 1, args.references)
    const { precision } = humanWordAgreement(histogram, references)
    return result.fit && precision !== null ? precision - predictedPrecision(result.fit, references) : null
  },
}

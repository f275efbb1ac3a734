import { chooseReferences } from '../../agreement/references.js'
import { predictedRecall } from '../../agreement/usage-model.js'
import { modelFigures } from '../../agreement/word-model.js'
import { isRareWord } from '../../agreement/words.js'
import type { PageRequest } from '../../services/paging.js'
import { usageModelProvenance } from '../../services/provenance.js'
import { countImagesOfWord, IMAGES_OF_WORD_ORDER } from '../../services/words.js'
import { connect } from '../connection.js'
import { loadDataset } from '../dataset/loaders.js'
import { toGlobalId } from '../ids.js'
import { present } from '../present.js'
import { type FigureArguments, figureProvenance, provenanceFields } from '../provenance.js'
import type { HumanPrecisionRecallResolvers, UsageModelResolvers, WordResolvers } from '../schema-types.js'
import { loadSystemByName, loadSystemWord } from '../system/loaders.js'
import { loadImagesOfWord } from './loaders.js'
import {
  type HumanPrecisionRecallModel,
  toHumanPrecisionRecall,
  toUsageModel,
  type UsageModelModel,
} from './models.js'

export const Word: WordResolvers = {
  id: ({ id }) => toGlobalId('Word', id),
  inVocabulary: ({ vocabularyRank }) => vocabularyRank !== null,
  countHistogram: ({ histogram }) => histogram,
  isRare: ({ histogram }) => isRareWord(histogram),

  human: (word, { references }) =>
    toHumanPrecisionRecall(word, chooseReferences(word.histogram.length - 1, references)),

  usageModel: (word, { kind }) => toUsageModel(word, kind ?? 'MOMENT'),

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
  precisionInterval: ({ intervals }) => intervals().precisionInterval,
  recallInterval: ({ intervals }) => intervals().recallInterval,
  ...provenanceFields(
    async ({ word, references }: HumanPrecisionRecallModel, args: FigureArguments, context) => {
      const dataset = present(await loadDataset(context, word.datasetId))
      return figureProvenance(dataset, null, args, { words: word.text, references })
    },
  ),
}

export const UsageModel: UsageModelResolvers = {
  usageProbability: ({ result }) => result.fit?.usageProbability ?? null,
  objectProbability: ({ result }) => result.fit?.objectProbability ?? null,
  usageProbabilityInterval: ({ intervals }) => intervals().usageProbabilityInterval,
  objectProbabilityInterval: ({ intervals }) => intervals().objectProbabilityInterval,
  isWeaklyIdentified: ({ result }) => result.fit?.isWeaklyIdentified ?? null,
  logLikelihood: ({ result }) => result.fit?.logLikelihood ?? null,
  aic: ({ result }) => result.fit?.aic ?? null,
  recall: ({ result }) => result.fit && predictedRecall(result.fit),
  undefinedReason: ({ result }) => result.undefinedReason,
  precision: (model, { references }) => modelFigures(model, references).precision,
  residual: (model, { references }) => modelFigures(model, references).residual,
  ...provenanceFields(async ({ word, kind }: UsageModelModel, _args, context) =>
    usageModelProvenance(present(await loadDataset(context, word.datasetId)), word.text, kind),
  ),
}

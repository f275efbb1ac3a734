import { goodnessOfFit } from '../../agreement/goodness-of-fit.js'
import { type DefinedMean, definedMean, definedMeanByGroup } from '../../agreement/summary.js'
import { fitUsageModel, predictedPrecision, type UsageModelKind } from '../../agreement/usage-model.js'
import { humanWordAgreement } from '../../agreement/words.js'
import type { Database } from '../../store/database.js'
import type { Dataset, Word } from '../../store/entities.js'
import { listWords } from '../../store/words.js'
import { PARTS_OF_SPEECH, type PartOfSpeech } from '../../text/part-of-speech.js'
import type { ResolversTypes } from '../schema-types.js'

/** Words of the vocabulary, of some parts of speech or of all. */
export function vocabularyOf(
  database: Database,
  datasetId: number,
  partOfSpeech: readonly PartOfSpeech[] | null | undefined,
): Promise<Word[]> {
  return listWords(database, datasetId, { inVocabulary: true, partOfSpeech })
}

/** Means of human precision and recall over the vocabulary, in all and by part of speech. */
export async function summarizeAgreement(
  database: Database,
  dataset: Dataset,
  references: number,
  partOfSpeech: readonly PartOfSpeech[] | null | undefined,
): Promise<ResolversTypes['WordAgreementSummary']> {
  const words = await vocabularyOf(database, dataset.id, partOfSpeech)
  const rows = words.map((word) => ({ word, agreement: humanWordAgreement(word.histogram, references) }))
  const group = ({ word }: (typeof rows)[number]) => word.partOfSpeech
  const precisions = definedMeanByGroup(rows, group, ({ agreement }) => agreement.precision)
  const recalls = definedMeanByGroup(rows, group, ({ agreement }) => agreement.recall)
  return {
    references,
    ...means(
      definedMean(rows.map(({ agreement }) => agreement.precision)),
      definedMean(rows.map(({ agreement }) => agreement.recall)),
    ),
    byPartOfSpeech: PARTS_OF_SPEECH.flatMap((tag) => {
      const [precision, recall] = [precisions.get(tag), recalls.get(tag)]
      return precision && recall ? [{ partOfSpeech: tag, ...means(precision, recall) }] : []
    }),
  }
}

/** How well a model's predicted precision fits human precision over the vocabulary. */
export async function summarizeFit(
  database: Database,
  dataset: Dataset,
  references: number,
  model: UsageModelKind,
  partOfSpeech: readonly PartOfSpeech[] | null | undefined,
): Promise<ResolversTypes['UsageFit']> {
  const words = await vocabularyOf(database, dataset.id, partOfSpeech)
  const pairs = words.map(({ histogram }) => {
    const { fit } = fitUsageModel(model, histogram)
    return {
      predicted: fit && predictedPrecision(fit, references),
      empirical: humanWordAgreement(histogram, references).precision,
    }
  })
  const { wordCount, rootMeanSquareError, rSquared, undefinedReason } = goodnessOfFit(pairs)
  return {
    model,
    references,
    wordCount,
    rootMeanSquaredError: rootMeanSquareError,
    rSquared,
    undefinedReason,
  }
}

function means(precision: DefinedMean, recall: DefinedMean) {
  return {
    wordCount: precision.total,
    definedWordCount: precision.defined,
    meanPrecision: precision.mean,
    meanRecall: recall.mean,
  }
}

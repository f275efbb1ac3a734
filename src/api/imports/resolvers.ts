import {
  submitBoxes,
  submitCaptions,
  submitResults,
  submitVocabulary,
  submitWordScores,
} from '../../services/imports/imports.js'
import { asData } from '../execution/mutation-error.js'
import type { MutationResolvers } from '../execution/schema-types.js'

const INPUT = ['InvalidInputError', 'NotFoundError'] as const
const NEW_SYSTEM = [...INPUT, 'NameTakenError', 'MissingImagesError'] as const

export const Mutation: Pick<
  MutationResolvers,
  'importCaptions' | 'importBoxes' | 'importVocabulary' | 'importResults' | 'importWordScores'
> = {
  importCaptions: (_parent, { input }, { accord, client, outside }) =>
    asData('ImportCaptionsSuccess', ['InvalidInputError', 'NameTakenError'], async () => {
      const { captionsPerImage, vocabulary, ...content } = input
      const submitted = {
        ...content,
        captionsPerImage: captionsPerImage ?? undefined,
        vocabulary: vocabulary ?? undefined,
      }
      return {
        dataset: await outside(submitCaptions(accord, submitted, client)),
      }
    }),

  importBoxes: (_parent, { input }, { accord, client, outside }) =>
    asData('ImportBoxesSuccess', [...INPUT, 'NameTakenError'], async () => {
      const descriptions = input.descriptions?.map(({ content, ...description }) => ({
        ...description,
        ...content,
      }))
      return {
        ...(await outside(submitBoxes(accord, { ...input, descriptions }, client))),
      }
    }),

  importVocabulary: (_parent, { input }, { accord, client, outside }) =>
    asData('ImportVocabularySuccess', INPUT, async () => ({
      ...(await outside(submitVocabulary(accord, input, client))),
    })),

  importResults: (_parent, { input }, { accord, client, outside }) =>
    asData('ImportResultsSuccess', NEW_SYSTEM, async () => ({
      ...(await outside(submitResults(accord, input, client))),
    })),

  importWordScores: (_parent, { input }, { accord, client, outside }) =>
    asData('ImportWordScoresSuccess', NEW_SYSTEM, async () => ({
      ...(await outside(submitWordScores(accord, input, client))),
    })),
}

import type { SubmittedBoxes } from '../../formats/boxes/boxes.js'
import { submittedResults } from '../../formats/coco/coco-results.js'
import type { VocabularyWord } from '../../formats/words/vocabulary.js'
import { collectScores, submittedScores } from '../../formats/words/word-scores.js'
import type { Handler } from '../../queue/kind.js'
import { requireDatasetById } from '../datasets/subjects.js'
import { importSubmittedBoxes } from './import-boxes.js'
import { importSubmitted, type SubmittedDataset } from './import-captions.js'
import { importResults } from './import-results.js'
import { importScores } from './import-scores.js'
import { type ImportVocabularyReport, importVocabulary } from './import-vocabulary.js'

/** Creates a dataset. */
export const importCaptionsJob: Handler<SubmittedDataset, null> = ({ input, progress, finishWith }) =>
  finishWith(async (session) => {
    await importSubmitted(session, input, progress)
    return null
  })

/** Adds boxes to a dataset, or creates one. */
export const importBoxesJob: Handler<
  SubmittedBoxes & { readonly dataset: string },
  { readonly importId: number }
> = ({ input, progress, finishWith }) =>
  finishWith(async (session) => {
    const { id } = await importSubmittedBoxes(session, input, progress)
    return { importId: id }
  })

export const importVocabularyJob: Handler<
  { readonly datasetId: number; readonly vocabulary: readonly VocabularyWord[] },
  ImportVocabularyReport
> = async ({ input: { datasetId, vocabulary }, database, progress, finishWith }) => {
  const dataset = await requireDatasetById(database, datasetId)
  return finishWith((session) => importVocabulary(session, dataset, vocabulary, progress))
}

export interface SubmittedResultsInput {
  readonly datasetId: number
  readonly system: string
  readonly captions: readonly { readonly imageId: string; readonly caption: string }[]
  readonly allowMissing: boolean
}

/** Stores a captioning system and starts its evaluation. */
export const importResultsJob: Handler<
  SubmittedResultsInput,
  { readonly systemId: number; readonly evaluationId: number }
> = async ({ input: { datasetId, captions, ...input }, database, progress, finishWith, follow }) => {
  const dataset = await requireDatasetById(database, datasetId)
  return finishWith(async (session) => {
    const submitted = { ...input, source: 'captions', captions: submittedResults(captions) }
    const { systemId } = await importResults(session, dataset, submitted, progress)
    return { systemId, evaluationId: await follow(session, 'evaluate', { datasetId, systemId }) }
  })
}

export interface SubmittedScoresInput {
  readonly datasetId: number
  readonly system: string
  readonly scores: readonly {
    readonly imageId: string
    readonly words: readonly { readonly word: string; readonly score: number }[]
  }[]
  readonly allowMissing: boolean
}

export const importScoresJob: Handler<
  SubmittedScoresInput,
  { readonly systemId: number; readonly unknownWords: readonly string[] }
> = async ({ input, database, progress, finishWith }) => {
  const dataset = await requireDatasetById(database, input.datasetId)
  const coverage = { source: 'scores', allowMissing: input.allowMissing }
  return finishWith(async (session) => {
    const { systemId, unknownWords } = await importScores(
      session,
      dataset,
      {
        source: 'scores',
        read: (images) => collectScores(submittedScores(input.scores), images, coverage),
        system: input.system,
      },
      progress,
    )
    return { systemId, unknownWords }
  })
}

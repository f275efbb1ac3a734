import { AccordError } from '../../errors.js'
import type { VocabularyWord } from '../../formats/words/vocabulary.js'
import type { MatrixLabels } from '../../formats/words/word-scores.js'
import type { Progress } from '../../progress.js'
import { readBoxImports } from '../../store/boxes.js'
import { assertNameFree, requireDataset } from '../../store/datasets.js'
import type { BoxImport, Dataset, System } from '../../store/schema/entities.js'
import { findSystems } from '../../store/systems.js'
import type { Accord, Client } from '../accord.js'
import { type Job, jobsById } from '../jobs/jobs.js'
import type { JobInput } from '../jobs/kinds.js'
import { checkName } from '../shared/names.js'
import type * as boxes from './import-boxes.js'
import type * as captions from './import-captions.js'
import type * as judgements from './import-judgements.js'
import type * as results from './import-results.js'
import type * as scores from './import-scores.js'
import type { ImportVocabularyReport } from './import-vocabulary.js'

// Each import loads only its own modules: loading all of them takes as long as a small import.

/** Imports human captions as a new dataset. @throws AccordError like `importCaptions` in `jobs` */
export async function importCaptions(
  { database }: Accord,
  input: captions.ImportCaptionsInput,
  progress: Progress,
): Promise<captions.ImportCaptionsReport> {
  checkName('dataset', input.dataset)
  const jobs = await import('./import-captions.js')
  return jobs.importCaptions(database, input, progress)
}

/** Imports human judgements on captions. @throws AccordError like `importJudgements` in `jobs` */
export async function importJudgements(
  { database }: Accord,
  input: judgements.ImportJudgementsInput,
  progress: Progress,
): Promise<judgements.ImportJudgementsReport> {
  checkName('dataset', input.dataset)
  const jobs = await import('./import-judgements.js')
  return jobs.importJudgements(database, input, progress)
}

/** Imports boxes into a dataset, or as a new one. @throws AccordError like `importBoxes` in `jobs` */
export async function importBoxes(
  { database }: Accord,
  input: boxes.ImportBoxesInput,
  progress: Progress,
): Promise<boxes.ImportBoxesReport> {
  checkName('dataset', input.dataset)
  const jobs = await import('./import-boxes.js')
  return jobs.importBoxes(database, input, progress)
}

/** A file of a system's results. */
export interface SystemFile {
  readonly file: string
  readonly dataset: string
  readonly system: string
  /** Accept a system without results for some images. */
  readonly allowMissing: boolean
}

/** Imports captions of a system in COCO results format. */
export async function importResults(
  { database }: Accord,
  { file, dataset: name, system, allowMissing }: SystemFile,
  progress: Progress,
): Promise<results.ImportSystemReport> {
  checkName('system', system)
  const dataset = await requireDataset(database, name)
  const { readCocoResults } = await import('../../formats/coco/coco-results.js')
  const jobs = await import('./import-results.js')
  const input = { source: file, captions: readCocoResults(file), system, allowMissing }
  return jobs.importResults(database, dataset, input, progress)
}

/** Word scores in a file; `.npy` requires both lists. */
export interface WordScoresFile extends SystemFile {
  /** CSV file with the word of each column. */
  readonly vocabulary?: string
  /** JSON file with the image id of each row. */
  readonly imageIds?: string
}

/** Imports word scores of a system from `.npy` or `.jsonl`. */
export async function importWordScores(
  { database }: Accord,
  { file, dataset: name, system, allowMissing, ...lists }: WordScoresFile,
  progress: Progress,
): Promise<scores.ImportScoresReport> {
  checkName('system', system)
  const dataset = await requireDataset(database, name)
  const { readWordScores } = await import('../../formats/words/word-scores.js')
  const jobs = await import('./import-scores.js')
  const labels = await readLabels(lists)
  const read: scores.ImportScoresInput['read'] = (images, reading) =>
    readWordScores(file, labels, images, allowMissing, (done, total) =>
      reading(total > 0 ? done / total : 0, 'reading'),
    )
  return jobs.importScores(database, dataset, { source: file, system, read }, progress)
}

async function readLabels({
  vocabulary,
  imageIds,
}: Pick<WordScoresFile, 'vocabulary' | 'imageIds'>): Promise<MatrixLabels | undefined> {
  if (vocabulary === undefined || imageIds === undefined) return undefined
  const { readVocabulary } = await import('../../formats/words/vocabulary.js')
  return { imageIdsFile: imageIds, words: readVocabulary(vocabulary).map(({ word }) => word) }
}

/** Imports the boxes that the descriptions of a system mention. */
export async function importDescriptions(
  { database }: Accord,
  { dataset: name, ...input }: SystemFile,
  progress: Progress,
): Promise<boxes.ImportDescriptionsReport> {
  checkName('system', input.system)
  const dataset = await requireDataset(database, name)
  const jobs = await import('./import-boxes.js')
  return jobs.importDescriptions(database, dataset, input, progress)
}

/**
 * Imports captions as a new dataset, by a worker. Waits for the import.
 *
 * @throws AccordError NAME_TAKEN, QUEUE_FULL; for an invalid name, invalid captions or an invalid vocabulary
 */
export async function submitCaptions(
  accord: Accord,
  input: JobInput<'importCaptions'>,
  client: Client = {},
): Promise<Dataset> {
  const { database } = accord
  checkName('dataset', input.dataset)
  await assertNameFree(database, input.dataset)
  await accord.run('importCaptions', input, client)
  return requireDataset(database, input.dataset)
}

/**
 * Imports boxes into a dataset or as a new one, by a worker. Waits for the import.
 *
 * @throws AccordError QUEUE_FULL; for an invalid name and invalid boxes
 */
export async function submitBoxes(
  accord: Accord,
  input: JobInput<'importBoxes'>,
  client: Client = {},
): Promise<{ readonly dataset: Dataset; readonly import: BoxImport }> {
  const { database } = accord
  checkName('dataset', input.dataset)
  const { importId } = await accord.run('importBoxes', input, client)
  const dataset = await requireDataset(database, input.dataset)
  const added = (await readBoxImports(database, [dataset.id])).find((row) => row.id === importId)
  if (!added) throw new AccordError('UNKNOWN_DATASET', 'the dataset was removed', { source: 'dataset' })
  return { dataset, import: added }
}

/**
 * Replaces the vocabulary of a dataset, by a worker. Waits for it.
 *
 * @throws AccordError UNKNOWN_DATASET, UNKNOWN_WORD, QUEUE_FULL; for invalid words
 */
export async function submitVocabulary(
  accord: Accord,
  { dataset: name, vocabulary }: { readonly dataset: string; readonly vocabulary: readonly VocabularyWord[] },
  client: Client = {},
): Promise<{ readonly dataset: Dataset } & ImportVocabularyReport> {
  const { database } = accord
  const { id: datasetId } = await requireDataset(database, name)
  const report = await accord.run('importVocabulary', { datasetId, vocabulary }, client)
  return { dataset: await requireDataset(database, name), ...report }
}

/** A request to import a system's results. */
interface Submission {
  readonly dataset: string
  readonly system: string
  readonly allowMissing?: boolean | null
}

export interface SubmittedResults extends Submission {
  readonly captions: JobInput<'importResults'>['captions']
}

export interface SubmittedWordScores extends Submission {
  readonly scores: JobInput<'importScores'>['scores']
}

/**
 * Imports captions of a system and starts their evaluation, by workers. Waits for the import.
 *
 * @throws AccordError UNKNOWN_DATASET, NAME_TAKEN, QUEUE_FULL; for invalid captions
 */
export async function submitResults(
  accord: Accord,
  { dataset: name, captions: submitted, ...submission }: SubmittedResults,
  client: Client = {},
): Promise<{ readonly system: System; readonly evaluation: Job }> {
  const input = { ...(await prepare(accord, name, submission)), captions: submitted }
  const { systemId, evaluationId } = await accord.run('importResults', input, client)
  const evaluation = (await jobsById(accord, [evaluationId])).get(evaluationId)
  if (!evaluation) throw removedMeanwhile()
  return { system: await requireStored(accord, systemId), evaluation }
}

/**
 * Imports word scores of a system by a worker. Waits for the import.
 *
 * @returns the system, and the words that no caption uses, which are excluded
 * @throws AccordError UNKNOWN_DATASET, NAME_TAKEN, UNKNOWN_WORD, QUEUE_FULL; for invalid scores
 */
export async function submitWordScores(
  accord: Accord,
  { dataset: name, scores: submitted, ...submission }: SubmittedWordScores,
  client: Client = {},
): Promise<{ readonly system: System; readonly unknownWords: readonly string[] }> {
  requireFinite(submitted)
  const input = { ...(await prepare(accord, name, submission)), scores: submitted }
  const { systemId, unknownWords } = await accord.run('importScores', input, client)
  return { system: await requireStored(accord, systemId), unknownWords }
}

/** Job inputs are stored as JSON, which has only finite numbers. */
function requireFinite(scores: SubmittedWordScores['scores']): void {
  for (const [image, { words }] of scores.entries()) {
    const word = words.findIndex(({ score }) => !Number.isFinite(score))
    if (word < 0) continue
    throw new AccordError('INVALID_VALUE', 'invalid score', {
      source: 'scores',
      place: `scores[${image}].words[${word}]`,
      expected: 'a finite number',
      found: String(words[word].score),
    })
  }
}

async function prepare(
  { database }: Accord,
  datasetName: string,
  { system, allowMissing }: Omit<Submission, 'dataset'>,
): Promise<{ datasetId: number; system: string; allowMissing: boolean }> {
  checkName('system', system)
  const { id } = await requireDataset(database, datasetName)
  return { datasetId: id, system, allowMissing: allowMissing ?? false }
}

async function requireStored({ database }: Accord, systemId: number): Promise<System> {
  const [system] = await findSystems(database, [systemId])
  if (!system) throw removedMeanwhile()
  return system
}

function removedMeanwhile(): AccordError {
  return new AccordError('UNKNOWN_SYSTEM', 'the system was removed after its import', { source: 'system' })
}

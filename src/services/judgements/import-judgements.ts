import { createContentHash } from '../../compute/content-hash.js'
import type { JudgementKind } from '../../core/judgements/judgement.js'
import { createTokenNumbers } from '../../core/text/token-numbers.js'
import { AccordError, quote } from '../../errors.js'
import { type Matching, type MatchOptions, matchImages, matchNotes } from '../../formats/coco/known-images.js'
import { type InputFile, nameOf } from '../../formats/io/files.js'
import { wrongValue } from '../../formats/io/values.js'
import { readJudgements } from '../../formats/judgements/judgement-file.js'
import type { JudgementFile, RatingNames } from '../../formats/judgements/judgements.js'
import { type Progress, part } from '../../progress.js'
import type { Match } from '../../shared/choices.js'
import { findDataset } from '../../store/datasets.js'
import type { Session } from '../../store/engine/session.js'
import { findImages, readDescribedImages } from '../../store/images.js'
import { insertJudgements } from '../../store/judgements.js'
import type { Dataset } from '../../store/schema/dataset-tables.js'
import { saveTokens } from '../../store/tokens.js'
import { importDataset } from '../datasets/import-captions.js'
import { checkName } from '../shared/names.js'
import { requireTokenizer } from '../shared/tokens.js'
import { type FileSource, type ImportContext, importJob, withoutJob } from '../uploads/import-job.js'
import { requirePrivate } from '../uploads/requirements.js'

export interface ImportJudgementsInput<File = FileSource> {
  /** Name of the dataset: a new one where the file has reference captions. */
  readonly dataset: string
  /** Any of the formats of `readJudgements`. */
  readonly file: File
  /**
   * The captions of THumB or Flickr8k, or the votes of PASCAL-50S. Default for the latter two: the file that is published beside
   * the file.
   */
  readonly captions?: File
  /** Of a new dataset: whether only hosts and administrators see it. Judgements are as private as their dataset. Default: false. */
  readonly isPrivate?: boolean
  /** Of ratings, one in each record or row: what the file calls their fields. Default: recognized. */
  readonly columns?: RatingNames
  /** The rule by which the file names images of a dataset that exists. Default: the first one that finds the most. */
  readonly match?: Match
}

export interface ImportJudgementsReport {
  readonly datasetId: number
  /** Whether the dataset is new: its human captions are the references of the file. */
  readonly isNewDataset: boolean
  readonly kind: JudgementKind
  readonly imageCount: number
  readonly captionCount: number
  readonly judgementCount: number
  readonly ownCaptionCount: number
  readonly missingRatingCount: number
  /** How its images were matched with those of the dataset; null for a new one. */
  readonly matching: Matching | null
  /** What to know of it, for people. */
  readonly notes: readonly string[]
  readonly equalPairCount: number
}

/**
 * Imports human judgements on captions: with references, as a new dataset; without, on the images of an existing one.
 *
 * @throws AccordError errors of the readers; NAME_TAKEN for a dataset that exists, or has judgements; UNKNOWN_DATASET;
 *   UNKNOWN_IMAGE; NOT_APPLICABLE for an image without human captions, or a file of captions where there is none
 */
export async function importJudgements<Ending>(
  { progress, finishWith }: ImportContext<ImportJudgementsReport, Ending>,
  input: ImportJudgementsInput<InputFile>,
): Promise<Ending> {
  checkName('dataset', input.dataset)
  const reading = part(progress, 0, 0.3)
  const onProgress = (share: number) => reading(share, 'reading')
  const file = readJudgements(input.file, { captions: input.captions, columns: input.columns, onProgress })
  const isNewDataset = file.images[0].references !== null
  return finishWith(async (session) => {
    if (isNewDataset) await importReferences(session, input, file, part(progress, 0.3, 0.8))
    const dataset = await findDataset(session, input.dataset)
    if (dataset === null) throw withoutReferences(input)
    if (input.isPrivate) requirePrivate(dataset)
    progress(0.8, 'writing')
    const match = isNewDataset ? ('id' as const) : input.match
    const { imageIds, matching } = await findImageIds(session, dataset, file, { source: input.file, match })
    const counts = await write(session, dataset, file, imageIds)
    progress(1, 'done')
    return {
      datasetId: dataset.id,
      isNewDataset,
      kind: file.kind,
      imageCount: file.images.length,
      captionCount: file.captions.length,
      ownCaptionCount: file.ownCaptionCount,
      missingRatingCount: file.missingRatingCount,
      matching: isNewDataset ? null : matching,
      notes: isNewDataset ? [] : matchNotes(matching),
      ...counts,
    }
  })
}

/** Stores human judgements of a file. Fails as {@link importJudgements}. */
export const importJudgementsJob = importJob<ImportJudgementsInput, ImportJudgementsReport>(importJudgements)

function withoutReferences({ dataset, file }: ImportJudgementsInput<InputFile>): AccordError {
  return new AccordError(
    'UNKNOWN_DATASET',
    'the judgements have no reference captions, and the dataset does not exist',
    {
      source: nameOf(file),
      expected: 'references in the file, or an existing dataset',
      found: quote(dataset),
    },
  )
}

/** Imports the references of the file as a new dataset. */
async function importReferences(
  session: Session,
  { dataset, isPrivate }: Pick<ImportJudgementsInput, 'dataset' | 'isPrivate'>,
  { images }: JudgementFile,
  progress: Progress,
): Promise<void> {
  const captioned = images.map(({ externalId, references }) => ({
    externalId,
    fileName: null,
    url: null,
    width: null,
    height: null,
    captions: (references ?? []).map((text, index) => ({ externalId: `${externalId}#${index}`, text })),
  }))
  await importDataset(withoutJob(session, progress), { dataset, isPrivate }, captioned)
}

/** The ids of the images of the file. */
async function findImageIds(
  session: Session,
  { id }: Dataset,
  { images }: JudgementFile,
  options: MatchOptions,
): Promise<{ readonly imageIds: readonly number[]; readonly matching: Matching }> {
  const described = await readDescribedImages(session, id)
  const names = images.map(({ externalId }) => externalId)
  const { find, expect, ...matching } = matchImages(names, described, options)
  const imageIds = images.map(({ externalId, at }) => {
    const found = find(externalId)
    if (found !== undefined) return described.ids.get(found) as number
    throw wrongValue('UNKNOWN_IMAGE', 'unknown image', at('image_id'), expect(externalId), quote(externalId))
  })
  const captionCounts = new Map(
    (await findImages(session, imageIds)).map((image) => [image.id, image.captionCount]),
  )
  const without = imageIds.findIndex((imageId) => captionCounts.get(imageId) === 0)
  if (without >= 0) {
    const { externalId, at } = images[without]
    throw new AccordError('NOT_APPLICABLE', 'the image has no human captions, which are the references', {
      ...at('image_id'),
      expected: 'an image with human captions',
      found: quote(externalId),
    })
  }
  return { imageIds, matching }
}

async function write(
  session: Session,
  dataset: Dataset,
  { kind, images, captions, preferences, ownCaptionCount }: JudgementFile,
  imageIds: readonly number[],
): Promise<Pick<ImportJudgementsReport, 'judgementCount' | 'equalPairCount'>> {
  const datasetId = dataset.id
  const numbers = createTokenNumbers(requireTokenizer(dataset))
  const numbered = captions.map(({ text }) => numbers.numbersOf(text))
  const tokenIds = await saveTokens(session, numbers.texts)
  const content = createContentHash()
  for (const { image, text, system, ratings } of captions) {
    const named = system === null ? [] : [system]
    content.add(JSON.stringify([images[image].externalId, text, ratings, ...named]))
  }
  for (const { externalId, first, second, preferred, category } of preferences) {
    const texts = [captions[first].text, captions[second].text]
    content.add(JSON.stringify([externalId, ...texts, preferred, category]))
  }
  const counts = {
    judgementCount:
      kind === 'PREFERENCES'
        ? preferences.length
        : captions.reduce((sum, { ratings }) => sum + ratings.length, 0),
    equalPairCount: preferences.filter(({ first, second }) => captions[first].text === captions[second].text)
      .length,
  }
  const captionCount = captions.length
  const set = { datasetId, kind, captionCount, ownCaptionCount, ...counts, content: content.digest([kind]) }
  await insertJudgements(
    session,
    set,
    captions.map(({ image, text, system, ratings }, index) => ({
      imageId: imageIds[image],
      text,
      system,
      tokens: numbered[index].map((token) => tokenIds[token]),
      ratings: [...ratings],
    })),
    preferences,
  )
  return counts
}

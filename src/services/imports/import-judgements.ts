import { extname } from 'node:path'
import { createContentHash } from '../../compute/content-hash.js'
import type { JudgementKind } from '../../core/judgements/judgement.js'
import { createTokenNumbers } from '../../core/text/tokenizer.js'
import { AccordError, quote } from '../../errors.js'
import { readFlickr8kJudgements } from '../../formats/judgements/flickr8k.js'
import { type JudgementFile, readJudgementLines } from '../../formats/judgements/judgements.js'
import { type Progress, part } from '../../progress.js'
import { requireDataset } from '../../store/datasets.js'
import type { Session } from '../../store/engine/session.js'
import { findImages, readImageIds } from '../../store/images.js'
import { insertJudgements } from '../../store/judgements.js'
import type { Dataset } from '../../store/schema/entities.js'
import { saveTokens } from '../../store/tokens.js'
import { importDataset } from './import-captions.js'

export interface ImportJudgementsInput {
  /** JSON Lines, or one of Flickr8k's files with a name ending in `.txt`. */
  readonly file: string
  readonly dataset: string
  /** Flickr8k's captions; by default `Flickr8k.token.txt` beside the file. */
  readonly captions?: string
}

export interface ImportJudgementsReport {
  readonly dataset: string
  /** Whether the dataset is new: its human captions are the references of the file. */
  readonly isNewDataset: boolean
  readonly kind: JudgementKind
  readonly imageCount: number
  readonly captionCount: number
  readonly judgementCount: number
  readonly ownCaptionCount: number
  readonly equalPairCount: number
}

/**
 * Imports human judgements on captions: with references, as a new dataset; without, on the images of an existing one.
 *
 * @throws AccordError errors of the readers; NAME_TAKEN for a dataset that exists, or has judgements; UNKNOWN_DATASET;
 *   UNKNOWN_IMAGE; NOT_APPLICABLE for an image without human captions, or a file of captions where there is none
 */
export async function importJudgements(
  session: Session,
  input: ImportJudgementsInput,
  progress: Progress,
): Promise<ImportJudgementsReport> {
  const file = readFile(input, part(progress, 0, 0.3))
  const isNewDataset = file.images[0].references !== null
  return session.transaction(async (inner) => {
    if (isNewDataset) await importReferences(inner, input.dataset, file, part(progress, 0.3, 0.8))
    const dataset = await requireDataset(inner, input.dataset)
    progress(0.8, 'writing')
    const imageIds = await findImageIds(inner, dataset, file)
    const counts = await write(inner, dataset, file, imageIds)
    progress(1, 'done')
    return {
      dataset: input.dataset,
      isNewDataset,
      kind: file.kind,
      imageCount: file.images.length,
      captionCount: file.captions.length,
      ownCaptionCount: file.ownCaptionCount,
      ...counts,
    }
  })
}

function readFile({ file, captions }: ImportJudgementsInput, progress: Progress): JudgementFile {
  const onProgress = (read: number, total: number) => progress(total > 0 ? read / total : 0, 'reading')
  if (extname(file) === '.txt') return readFlickr8kJudgements(file, captions, onProgress)
  if (captions === undefined) return readJudgementLines(file, onProgress)
  throw new AccordError('NOT_APPLICABLE', 'JSON Lines contain the captions', {
    source: 'captions',
    expected: 'none, or judgements in a .txt file of Flickr8k',
    found: captions,
  })
}

/** Imports the references of the file as a new dataset. */
async function importReferences(
  session: Session,
  dataset: string,
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
  await importDataset(session, { dataset }, captioned, progress)
}

/** The ids of the images of the file. */
async function findImageIds(session: Session, { id }: Dataset, { images }: JudgementFile): Promise<number[]> {
  const known = await readImageIds(
    session,
    id,
    images.map(({ externalId }) => externalId),
  )
  const imageIds = images.map(({ externalId, at }) => {
    const imageId = known.get(externalId)
    if (imageId !== undefined) return imageId
    const detail = { expected: 'the id of an image of the dataset', found: quote(externalId) }
    throw new AccordError('UNKNOWN_IMAGE', 'unknown image', { ...at('image_id'), ...detail })
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
  return imageIds
}

async function write(
  session: Session,
  { id: datasetId }: Dataset,
  { kind, images, captions, preferences, ownCaptionCount }: JudgementFile,
  imageIds: readonly number[],
): Promise<Pick<ImportJudgementsReport, 'judgementCount' | 'equalPairCount'>> {
  const numbers = createTokenNumbers()
  const numbered = captions.map(({ text }) => numbers.numbersOf(text))
  const tokenIds = await saveTokens(session, numbers.texts)
  const content = createContentHash()
  for (const { image, text, ratings } of captions) {
    content.add(JSON.stringify([images[image].externalId, text, ratings]))
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
    captions.map(({ image, text, ratings }, index) => ({
      imageId: imageIds[image],
      text,
      tokens: numbered[index].map((token) => tokenIds[token]),
      ratings: [...ratings],
    })),
    preferences,
  )
  return counts
}

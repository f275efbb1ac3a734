import { statSync } from 'node:fs'
import { AccordError, quote } from '../errors.js'
import {
  finishSource,
  fitBoxes,
  keepKnown,
  readBoxes,
  readSystemDescriptions,
  type Tally,
} from '../formats/boxes.js'
import { readCocoInstances } from '../formats/coco-instances.js'
import type { ReadProgress } from '../formats/files.js'
import { readFlickr30kEntities } from '../formats/flickr30k-entities.js'
import { readJsonObject } from '../formats/json-stream.js'
import { missingImages } from '../formats/known-images.js'
import { BASELINES } from '../selection/baselines.js'
import type { BoxedImage, BoxSource } from '../selection/types.js'
import type { BoxImportCounts } from '../store/box-entities.js'
import {
  hasDescriptions,
  insertBoxes,
  insertSystemDescriptions,
  readBoxedImages,
  readStoredImages,
  type StoredImage,
} from '../store/boxes.js'
import { type Database, inTransaction } from '../store/database.js'
import { findDataset, insertDataset } from '../store/datasets.js'
import type { Dataset, System } from '../store/entities.js'
import { findSystem, insertSystem } from '../store/systems.js'
import type { ImportSystemReport } from './import-results.js'
import { type Progress, part } from './progress.js'

export interface ImportBoxesInput {
  /** JSON of boxes and descriptions, COCO instances JSON, or a folder of Flickr30k Entities. */
  readonly path: string
  /** A data set whose images get the boxes, or the name of a new one. */
  readonly dataset: string
}

export interface ImportBoxesReport extends BoxImportCounts {
  readonly dataset: string
  /** Whether the data set was made, of the images in the source and without captions. */
  readonly isNew: boolean
}

/**
 * Imports boxes, and human descriptions that name them. Where the data set exists, boxes join the images that it
 * has, and descriptions the captions; where it does not, it is made of the source's images.
 *
 * @throws AccordError for what is wrong with the source, and what `insertBoxes` throws; the database is then as
 *   it was before
 */
export async function importBoxes(
  database: Database,
  { path, dataset: name }: ImportBoxesInput,
  progress: Progress,
): Promise<ImportBoxesReport> {
  const reading = part(progress, 0, 0.7)
  const source = readSource(path, (read, total) => reading(total > 0 ? read / total : 0, 'reading'))
  const existing = await findDataset(database, name)
  progress(0.7, 'writing')
  const counts = within(path, () =>
    inTransaction(database, () => {
      if (!existing) return insertBoxes(database, insertImages(database, name, source, path), source)
      const stored = readStoredImages(database, existing.id)
      return insertBoxes(database, existing.id, withKnownSizes(source, stored))
    }),
  )
  progress(1, 'done')
  return { dataset: name, isNew: !existing, ...counts }
}

export interface ImportDescriptionsInput {
  /** JSON: an array with an image's `caption` in mention markup, or its `mentions`, in each element. */
  readonly file: string
  /** A captioning system of the data set, or the name of a new system. */
  readonly system: string
  /** Keep a system that describes not all images with boxes. */
  readonly allowMissing: boolean
}

export interface ImportDescriptionsReport extends ImportSystemReport {
  /** Whether the system was made: it has descriptions and no captions. */
  readonly isNew: boolean
}

/**
 * Imports which boxes a system's descriptions name. They join the captions of a captioning system of this name;
 * where there is none, a system with descriptions alone is made.
 *
 * @throws AccordError NOT_APPLICABLE where the data set has no boxes or the system is of another kind; NAME_TAKEN
 *   where it has descriptions, or the name is that of a baseline; what is wrong with the file; MISSING_IMAGES;
 *   INVALID_VALUE where a text is not that of the system's caption
 */
export async function importDescriptions(
  database: Database,
  dataset: Dataset,
  { file, system: name, allowMissing }: ImportDescriptionsInput,
  progress: Progress,
): Promise<ImportDescriptionsReport> {
  const existing = await requireFreeSystem(database, dataset, name)
  const images = new Map(readBoxedImages(database, dataset.id).map((image) => [image.imageId, image]))
  const boxed = new Map([...images].filter(([, { boxes }]) => boxes.length > 0))
  if (boxed.size === 0) throw noBoxes(dataset.name)
  const reading = part(progress, 0, 0.7)
  const descriptions = readSystemDescriptions(file, images, (read, total) =>
    reading(total > 0 ? read / total : 0, 'reading'),
  )
  const described = new Set(descriptions.map(({ imageId }) => imageId))
  const seen = new Set([...described].filter((imageId) => boxed.has(imageId)))
  const missing = missingImages(boxed, seen, { source: file, allowMissing })
  progress(0.7, 'writing')
  const systemId = within(file, () =>
    inTransaction(database, () => {
      const id =
        existing?.id ??
        insertSystem(
          database,
          {
            datasetId: dataset.id,
            name,
            imageCount: described.size,
            missingImageCount: images.size - described.size,
          },
          'DESCRIPTIONS',
        )
      insertSystemDescriptions(database, dataset.id, id, descriptions)
      return id
    }),
  )
  progress(1, 'done')
  return { systemId, imageCount: described.size, missing, isNew: !existing }
}

/** What asking for boxes of a data set without any comes to. */
export function noBoxes(dataset: string): AccordError {
  return new AccordError('NOT_APPLICABLE', 'the data set has no boxes; `accord import boxes` adds them', {
    source: 'dataset',
    expected: 'a data set with boxes',
    found: quote(dataset),
  })
}

function readSource(path: string, onProgress: ReadProgress): BoxSource {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return readFlickr30kEntities(path, onProgress)
  return looksLikeCoco(path) ? readCocoInstances(path, onProgress) : readBoxes(path, onProgress)
}

/**
 * Whether a JSON file is in one of COCO's formats, by its first record: of `annotations` or `categories`, or an
 * image with an `id`. Files without any record are left to the reader of boxes, which says what they lack.
 */
function looksLikeCoco(file: string): boolean {
  const optional = ['images', 'annotations', 'categories', 'descriptions']
  for (const { array, value } of readJsonObject(file, { required: [], optional })) {
    if (array === 'images') return typeof value === 'object' && value !== null && 'id' in value
    return array !== 'descriptions'
  }
  return false
}

/** A data set of images without captions. */
function insertImages(database: Database, name: string, { images }: BoxSource, path: string): number {
  if (images.length === 0) {
    throw new AccordError('INVALID_SHAPE', 'there are no images to make a data set of', {
      source: path,
      expected: 'images',
      found: 'none',
    })
  }
  const none = new Int32Array(0)
  return insertDataset(database, {
    name,
    captionsPerImage: 0,
    excludedImageCount: 0,
    images: images.map(({ imageId, width, height }) => ({
      externalId: imageId,
      fileName: null,
      url: null,
      width,
      height,
    })),
    captions: [],
    firstCaption: new Int32Array(images.length + 1),
    sequences: { tokens: none, offsets: Int32Array.of(0) },
    words: [],
    counts: { words: none, captionCounts: none, images: none },
  })
}

/** Fits boxes into images whose size the source does not give but the data set knows. */
function withKnownSizes(source: BoxSource, stored: ReadonlyMap<string, StoredImage>): BoxSource {
  const tally: Tally = { ...source.counts }
  const resized = new Map<string, BoxedImage>()
  for (const image of source.images) {
    const row = stored.get(image.imageId)
    const isSized = image.width !== null || !row || row.width === null || row.height === null
    if (isSized || image.boxes.length === 0) continue
    resized.set(image.imageId, fitBoxes({ ...image, width: row.width, height: row.height }, tally))
  }
  const images = source.images.map((image) => resized.get(image.imageId) ?? image)
  const descriptions = source.descriptions.map((description) => {
    const image = resized.get(description.imageId)
    return image ? { ...description, ...keepKnown(description, image, tally) } : description
  })
  return finishSource(images, descriptions, tally)
}

async function requireFreeSystem(database: Database, dataset: Dataset, name: string): Promise<System | null> {
  if (['human', ...BASELINES].includes(name)) {
    throw new AccordError('NAME_TAKEN', 'results of content selection have a row of this name', {
      source: 'system',
      expected: `a name other than human, ${BASELINES.join(', ')}`,
      found: quote(name),
    })
  }
  const system = await findSystem(database, dataset.id, name)
  if (system?.kind === 'WORD_SCORES') {
    throw new AccordError('NOT_APPLICABLE', 'a word-score system has no descriptions', {
      source: 'system',
      expected: 'a captioning system, or a new name',
      found: quote(name),
    })
  }
  if (system && hasDescriptions(database, system.id)) {
    throw new AccordError('NAME_TAKEN', 'the system has descriptions with boxes; remove it first', {
      source: 'system',
      expected: 'a captioning system without them, or a new name',
      found: quote(name),
    })
  }
  return system
}

/** Adds the source to errors that come from writing what was read of it. */
function within<Result>(source: string, write: () => Result): Result {
  try {
    return write()
  } catch (error) {
    if (!(error instanceof AccordError) || error.detail.source !== undefined) throw error
    throw new AccordError(error.code, error.summary, { ...error.detail, source })
  }
}

import { statSync } from 'node:fs'
import { createContentHash, createDatasetHash } from '../../compute/content-hash.js'
import { canonicalJson } from '../../core/metrics/provenance.js'
import { BASELINES } from '../../core/selection/baselines.js'
import type { BoxedImage, BoxSource, SystemDescription } from '../../core/selection/scenes.js'
import { AccordError, quote } from '../../errors.js'
import {
  finishSource,
  fitBoxes,
  keepKnown,
  readBoxes,
  readSystemDescriptions,
  type SubmittedBoxes,
  submittedBoxes,
  type Tally,
} from '../../formats/boxes/boxes.js'
import { readFlickr30kEntities } from '../../formats/boxes/flickr30k-entities.js'
import { readCocoInstances } from '../../formats/coco/coco-instances.js'
import { missingImages } from '../../formats/coco/known-images.js'
import { beginsWith, type InputFile, type ReadProgress } from '../../formats/io/files.js'
import { readJsonObject } from '../../formats/io/json-stream.js'
import { ZIP_MAGIC } from '../../formats/io/zip.js'
import { type Progress, part } from '../../progress.js'
import {
  hasDescriptions,
  insertBoxes,
  insertSystemDescriptions,
  readBoxedImages,
  readStoredImages,
  type StoredImage,
} from '../../store/boxes.js'
import { createDataset, findDataset, finishDataset } from '../../store/datasets.js'
import type { Session } from '../../store/engine/session.js'
import { countCounted, insertImages, readImageIds, reserveImageIds } from '../../store/images.js'
import type { BoxImport, BoxImportCounts, Dataset, System } from '../../store/schema/entities.js'
import { findSystem, finishSystem, insertSystem } from '../../store/systems.js'
import type { ImportSystemReport } from './import-results.js'

export interface ImportBoxesInput {
  /** JSON of boxes and descriptions, COCO instances JSON, or Flickr30k Entities as a zip file or a folder. */
  readonly path: string
  /** Name of the dataset to which boxes are added, or of a new one. */
  readonly dataset: string
}

export interface ImportBoxesReport extends BoxImportCounts {
  readonly dataset: string
  /** Whether the dataset was created, from the images of the source and without captions. */
  readonly isNew: boolean
}

/**
 * Imports boxes, and human descriptions that mention them. If the dataset exists, boxes are added to its images and
 * descriptions are linked to its captions; otherwise it is created from the images of the source.
 *
 * @throws AccordError for an invalid source, and errors of `insertBoxes`; the database does not change
 */
export async function importBoxes(
  session: Session,
  { path, dataset: name }: ImportBoxesInput,
  progress: Progress,
): Promise<ImportBoxesReport> {
  const reading = part(progress, 0, 0.7)
  const source = readSource(path, (read, total) => reading(total > 0 ? read / total : 0, 'reading'))
  const { isNew, added } = await addBoxes(session, { source, path, dataset: name }, part(progress, 0.7, 1))
  return { dataset: name, isNew, ...added.counts }
}

/** Imports boxes that were submitted; see {@link importBoxes}. */
export async function importSubmittedBoxes(
  session: Session,
  { dataset, ...submitted }: SubmittedBoxes & Pick<ImportBoxesInput, 'dataset'>,
  progress: Progress,
): Promise<BoxImport> {
  const source = submittedBoxes(submitted)
  const { added } = await addBoxes(session, { source, path: undefined, dataset }, progress)
  return added
}

async function addBoxes(
  session: Session,
  { source, path, dataset: name }: { source: BoxSource; path: string | undefined; dataset: string },
  progress: Progress,
): Promise<{ readonly isNew: boolean; readonly added: BoxImport }> {
  const existing = await findDataset(session, name)
  progress(0, 'writing')
  const added = await addSource(path, () =>
    session.transaction(async (session) => {
      if (!existing) return insertBoxes(session, await createFromImages(session, name, source, path), source)
      const stored = await readStoredImages(session, existing.id)
      return insertBoxes(session, existing.id, withKnownSizes(source, stored))
    }),
  )
  progress(1, 'done')
  return { isNew: !existing, added }
}

export interface ImportDescriptionsInput {
  /** JSON array of objects with an image's `caption` in mention markup, or its `mentions`. */
  readonly file: string
  /** Name of a captioning system of the dataset, or of a new system. */
  readonly system: string
  /** Accept a system without descriptions of some images with boxes. */
  readonly allowMissing: boolean
}

export interface ImportDescriptionsReport extends ImportSystemReport {
  /** Whether the system was created; it has descriptions and no captions. */
  readonly isNew: boolean
}

/**
 * Imports the boxes that a system's descriptions mention. If a captioning system of this name exists, they are linked
 * to its captions; otherwise a system with descriptions only is created.
 *
 * @throws AccordError NOT_APPLICABLE if the dataset has no boxes or the system is of another kind; NAME_TAKEN if the
 *   system has descriptions, or the name is that of a baseline; errors of the file reader; MISSING_IMAGES;
 *   INVALID_VALUE if a text differs from the system's caption
 */
export async function importDescriptions(
  session: Session,
  dataset: Dataset,
  { file, system: name, allowMissing }: ImportDescriptionsInput,
  progress: Progress,
): Promise<ImportDescriptionsReport> {
  const existing = await requireFreeSystem(session, dataset, name)
  const images = new Map((await readBoxedImages(session, dataset.id)).map((image) => [image.imageId, image]))
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
  const systemId = await addSource(file, () =>
    session.transaction(async (session) => {
      const id = existing?.id ?? (await createFromDescriptions(session, dataset, name, images, descriptions))
      await insertSystemDescriptions(session, dataset.id, id, descriptions)
      return id
    }),
  )
  progress(1, 'done')
  return { systemId, imageCount: described.size, missing, isNew: !existing }
}

/** The error for a dataset without boxes. */
export function noBoxes(dataset: string): AccordError {
  return new AccordError('NOT_APPLICABLE', 'the dataset has no boxes; `accord import boxes` adds them', {
    source: 'dataset',
    expected: 'a dataset with boxes',
    found: quote(dataset),
  })
}

function readSource(file: InputFile, onProgress: ReadProgress): BoxSource {
  if (isFolder(file) || beginsWith(file, ZIP_MAGIC)) return readFlickr30kEntities(file, onProgress)
  return looksLikeCoco(file) ? readCocoInstances(file, onProgress) : readBoxes(file, onProgress)
}

function isFolder(file: InputFile): boolean {
  return typeof file === 'string' && statSync(file, { throwIfNoEntry: false })?.isDirectory() === true
}

/**
 * Whether a JSON file is in a COCO format, decided by its first record: one of `annotations` or `categories`, or an
 * image with an `id`. Files without records are read, and refused, by the reader of boxes.
 */
function looksLikeCoco(file: InputFile): boolean {
  const optional = ['images', 'annotations', 'categories', 'descriptions']
  for (const { array, value } of readJsonObject(file, { required: [], optional })) {
    if (array === 'images') return typeof value === 'object' && value !== null && 'id' in value
    return array !== 'descriptions'
  }
  return false
}

/** Creates a dataset of images without captions. @returns its id */
async function createFromImages(
  session: Session,
  name: string,
  { images }: BoxSource,
  path: string | undefined,
): Promise<number> {
  if (images.length === 0) {
    throw new AccordError('INVALID_SHAPE', 'a new dataset requires images', {
      source: path,
      expected: 'images',
      found: 'none',
    })
  }
  const datasetId = await createDataset(session, name)
  const content = createDatasetHash()
  for (const { imageId } of images) content.addImage(imageId, [])
  const newImages = images.map(({ imageId, width, height }) => ({
    externalId: imageId,
    fileName: null,
    url: null,
    width,
    height,
    captionCount: 0,
  }))
  await insertImages(session, datasetId, await reserveImageIds(session, images.length), newImages)
  await finishDataset(session, datasetId, {
    captionsPerImage: 0,
    imageCount: images.length,
    captionCount: 0,
    excludedImageCount: 0,
    revision: content.digest(0),
    wordRevision: null,
  })
  return datasetId
}

/** Creates a system of descriptions without captions. @returns its id */
async function createFromDescriptions(
  session: Session,
  { id: datasetId }: Dataset,
  name: string,
  images: ReadonlyMap<string, BoxedImage>,
  descriptions: readonly SystemDescription[],
): Promise<number> {
  const content = createContentHash()
  for (const description of descriptions) content.add(canonicalJson(description))
  const imageIds = await readImageIds(session, datasetId)
  const described = new Set(descriptions.map(({ imageId }) => imageId))
  const missing = [...images.keys()].filter((imageId) => !described.has(imageId))
  const counts = { imageCount: described.size, missingImageCount: missing.length }
  const id = await insertSystem(session, { datasetId, name, ...counts }, 'DESCRIPTIONS')
  await finishSystem(session, id, {
    content: content.digest(['descriptions']),
    wordRevision: null,
    missingCountedCount: await countCounted(session, datasetId, missing, imageIds),
  })
  return id
}

/** Clips boxes to images whose size is known only to the dataset. */
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

async function requireFreeSystem(session: Session, dataset: Dataset, name: string): Promise<System | null> {
  if (['human', ...BASELINES].includes(name)) {
    throw new AccordError('NAME_TAKEN', 'reserved name', {
      source: 'system',
      expected: `a name other than human, ${BASELINES.join(', ')}`,
      found: quote(name),
    })
  }
  const system = await findSystem(session, dataset.id, name)
  if (system?.kind === 'WORD_SCORES') {
    throw new AccordError('NOT_APPLICABLE', 'a word-score system cannot have descriptions', {
      source: 'system',
      expected: 'a captioning system, or a new name',
      found: quote(name),
    })
  }
  if (system && (await hasDescriptions(session, system.id))) {
    throw new AccordError('NAME_TAKEN', 'the system already has descriptions; remove it first', {
      source: 'system',
      expected: 'a captioning system without them, or a new name',
      found: quote(name),
    })
  }
  return system
}

/** Runs `write` and adds `source` to errors without a source. */
async function addSource<Result>(source: string | undefined, write: () => Promise<Result>): Promise<Result> {
  try {
    return await write()
  } catch (error) {
    if (!(error instanceof AccordError) || error.detail.source !== undefined || source === undefined)
      throw error
    throw new AccordError(error.code, error.summary, { ...error.detail, source })
  }
}

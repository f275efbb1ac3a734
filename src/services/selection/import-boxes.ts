import { createContentHash, createDatasetHash } from '../../compute/content-hash.js'
import { canonicalJson } from '../../core/metrics/provenance.js'
import { BASELINES } from '../../core/selection/baselines.js'
import type { BoxedImage, BoxSource, SystemDescription } from '../../core/selection/scenes.js'
import { AccordError, quote } from '../../errors.js'
import * as boxFiles from '../../formats/boxes/boxes.js'
import { readFlickr30kEntities } from '../../formats/boxes/flickr30k-entities.js'
import { readCocoInstances } from '../../formats/coco/coco-instances.js'
import { missingImages } from '../../formats/coco/known-images.js'
import { type InputFile, isFolder, isZip, type ReadProgress } from '../../formats/io/files.js'
import { readJsonObject } from '../../formats/io/json-stream.js'
import { wrongValue } from '../../formats/io/values.js'
import { requireFolder } from '../../formats/pictures/picture-folder.js'
import { part } from '../../progress.js'
import { hasDescriptions, readBoxedImages, readStoredImages, type StoredImage } from '../../store/boxes.js'
import { createDataset, findDataset, finishDataset, type NewDataset } from '../../store/datasets.js'
import type { Session } from '../../store/engine/session.js'
import { countCounted, insertImages, readImageIds, reserveImageIds } from '../../store/images.js'
import { insertBoxes, insertSystemDescriptions } from '../../store/insert-boxes.js'
import type { BoxImportCounts } from '../../store/schema/box-tables.js'
import type { Dataset } from '../../store/schema/dataset-tables.js'
import type { System } from '../../store/schema/system-tables.js'
import { findSystem, finishSystem, insertSystem } from '../../store/systems.js'
import { requireDatasetById } from '../datasets/require-subjects.js'
import { checkName, checkSystemName } from '../shared/names.js'
import { type ImportSystemInput, type ImportSystemReport, MAX_NAMED } from '../systems/import-results.js'
import { addSource, type FileSource, type ImportContext, importJob } from '../uploads/import-job.js'
import { removeReplacedSystem, requirePrivate } from '../uploads/requirements.js'

export interface ImportBoxesInput<File = FileSource> {
  /** Name of the dataset to which boxes are added, or of a new one. */
  readonly dataset: string
  /** JSON of boxes and descriptions, COCO instances JSON, or Flickr30k Entities as a zip file or a folder. */
  readonly file: File
  /** Of a new dataset: whether only hosts and administrators see it. Boxes are as private as their dataset. Default: false. */
  readonly isPrivate?: boolean
  /** Of a new dataset: folder of its pictures, on this machine. Default: it has none. */
  readonly imagesFolder?: string
}

export interface ImportBoxesReport extends BoxImportCounts {
  readonly datasetId: number
  readonly importId: number
  /** Whether the dataset was created, from the images of the source and without captions. */
  readonly isNew: boolean
}

/**
 * Imports boxes, and human descriptions that mention them. If the dataset exists, boxes are added to its images and
 * descriptions are linked to its captions; otherwise it is created from the images of the source.
 *
 * @throws AccordError for an invalid source, and errors of `insertBoxes`; NOT_APPLICABLE for private boxes of a dataset that is
 *   not; the database does not change
 */
export async function importBoxes<Ending>(
  { database, progress, finishWith }: ImportContext<ImportBoxesReport, Ending>,
  { file, dataset: name, isPrivate = false, imagesFolder }: ImportBoxesInput<InputFile>,
): Promise<Ending> {
  checkName('dataset', name)
  const existing = await findDataset(database, name)
  if (existing && isPrivate) requirePrivate(existing)
  const pictures = imagesFolder === undefined ? undefined : await requireFolder(imagesFolder)
  const reading = part(progress, 0, 0.7)
  const source = readSource(file, (share) => reading(share, 'reading'))
  progress(0.7, 'writing')
  return addSource(file, () =>
    finishWith(async (session) => {
      const datasetId =
        existing?.id ??
        (await createFromImages(session, name, { isPrivate, imagesFolder: pictures }, source, file))
      const added = existing ? withKnownSizes(source, await readStoredImages(session, existing.id)) : source
      const { id: importId, counts } = await insertBoxes(session, datasetId, added)
      progress(1, 'done')
      return { datasetId, importId, isNew: !existing, ...counts }
    }),
  )
}

/** Adds the boxes of a file to a dataset, or creates one. Fails as {@link importBoxes}. */
export const importBoxesJob = importJob<ImportBoxesInput, ImportBoxesReport>(importBoxes)

/**
 * Descriptions in a JSON array of objects with an image's `caption` in mention markup, or its `mentions`; of a captioning
 * system of the dataset, or of a new system.
 */
export type ImportDescriptionsInput<File = FileSource> = ImportSystemInput<File>

export interface ImportDescriptionsReport extends ImportSystemReport {
  /** Whether the system was created; it has descriptions and no captions. */
  readonly isNew: boolean
}

/**
 * Imports the boxes that a system's descriptions mention. If a captioning system of this name exists, they are linked
 * to its captions; otherwise a system with descriptions only is created.
 *
 * @throws AccordError NOT_APPLICABLE if the dataset has no boxes or the system is of another kind; NAME_TAKEN if the
 *   system has descriptions, unless it has nothing else and is replaced, or the name is that of a baseline; errors of the file reader; MISSING_IMAGES;
 *   INVALID_VALUE if a text differs from the system's caption
 */
export async function importDescriptions<Ending>(
  { database, progress, finishWith }: ImportContext<ImportDescriptionsReport, Ending>,
  { datasetId, file, system: name, isMissingAllowed, isReplaced }: ImportDescriptionsInput<InputFile>,
): Promise<Ending> {
  const dataset = await requireDatasetById(database, datasetId)
  const existing = await requireFreeSystem(database, dataset, name, isReplaced)
  const images = new Map((await readBoxedImages(database, datasetId)).map((image) => [image.imageId, image]))
  const boxed = new Map([...images].filter(([, { boxes }]) => boxes.length > 0))
  if (boxed.size === 0) throw noBoxes(dataset.name)
  const reading = part(progress, 0, 0.7)
  const descriptions = boxFiles.readSystemDescriptions(file, images, (share) => reading(share, 'reading'))
  const described = new Set(descriptions.map(({ imageId }) => imageId))
  const seen = new Set([...described].filter((imageId) => boxed.has(imageId)))
  const missing = missingImages(boxed, seen, { source: file, isMissingAllowed })
  progress(0.7, 'writing')
  return addSource(file, () =>
    finishWith(async (session) => {
      const imageCount = described.size
      if (isReplaced && !existing) await removeReplacedSystem(session, datasetId, name)
      const systemId =
        existing?.id ?? (await createFromDescriptions(session, dataset, name, images, descriptions))
      await insertSystemDescriptions(session, datasetId, systemId, descriptions)
      progress(1, 'done')
      const missingImageCount = missing.length
      return {
        systemId,
        imageCount,
        missingImageCount,
        missing: missing.slice(0, MAX_NAMED),
        isNew: !existing,
      }
    }),
  )
}

/** Stores the boxes that the descriptions of a file mention. Fails as {@link importDescriptions}. */
export const importDescriptionsJob = importJob<ImportDescriptionsInput, ImportDescriptionsReport>(
  importDescriptions,
)

/** The error for a dataset without boxes. */
export function noBoxes(dataset: string): AccordError {
  return new AccordError('NOT_APPLICABLE', 'the dataset has no boxes; `accord import boxes` adds them', {
    source: 'dataset',
    expected: 'a dataset with boxes',
    found: quote(dataset),
  })
}

function readSource(file: InputFile, onProgress: ReadProgress): BoxSource {
  if (isFolder(file) || isZip(file)) return readFlickr30kEntities(file, onProgress)
  return looksLikeCoco(file) ? readCocoInstances(file, onProgress) : boxFiles.readBoxes(file, onProgress)
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
  options: NewDataset,
  { images }: BoxSource,
  file: InputFile,
): Promise<number> {
  if (images.length === 0) {
    const summary = 'a new dataset requires images'
    throw wrongValue('INVALID_SHAPE', summary, { source: file }, 'images', 'none')
  }
  const datasetId = await createDataset(session, name, options)
  const content = createDatasetHash()
  for (const { imageId } of images) content.addImage(imageId, [])
  const newImages = images.map(({ imageId, width, height }) => ({
    externalId: imageId,
    fileName: null,
    url: null,
    width,
    height,
    fields: null,
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
  const tally: boxFiles.Tally = { ...source.counts }
  const resized = new Map<string, BoxedImage>()
  for (const image of source.images) {
    const row = stored.get(image.imageId)
    const isSized = image.width !== null || !row || row.width === null || row.height === null
    if (isSized || image.boxes.length === 0) continue
    resized.set(image.imageId, boxFiles.fitBoxes({ ...image, width: row.width, height: row.height }, tally))
  }
  const images = source.images.map((image) => resized.get(image.imageId) ?? image)
  const descriptions = source.descriptions.map((description) => {
    const image = resized.get(description.imageId)
    return image ? { ...description, ...boxFiles.keepKnown(description, image, tally) } : description
  })
  return boxFiles.finishSource(images, descriptions, tally)
}

/**
 * A captioning system that has no descriptions; null if there is none of this name, or one of descriptions that is replaced.
 *
 * @throws AccordError INVALID_VALUE, NAME_TAKEN, NOT_APPLICABLE
 */
async function requireFreeSystem(
  session: Session,
  dataset: Dataset,
  name: string,
  isReplaced = false,
): Promise<System | null> {
  checkSystemName(name)
  if (BASELINES.some((baseline) => baseline === name)) {
    throw new AccordError('NAME_TAKEN', 'reserved name', {
      source: 'system',
      expected: `a name other than ${BASELINES.join(', ')}`,
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
  if (system?.kind === 'DESCRIPTIONS' && isReplaced) return null
  if (system && (await hasDescriptions(session, system.id))) {
    throw new AccordError('NAME_TAKEN', 'the system already has descriptions; remove it first', {
      source: 'system',
      expected: 'a captioning system without them, or a new name',
      found: quote(name),
    })
  }
  return system
}

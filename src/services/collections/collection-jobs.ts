import { AccordError, quote } from '../../errors.js'
import { readImageList } from '../../formats/captions/image-list.js'
import { part } from '../../progress.js'
import type { Handler } from '../../queue/kind.js'
import {
  insertCollection,
  readCollectionImages,
  readEndedTasks,
  readPicturedImages,
  requireCollection,
} from '../../store/collections.js'
import { requireDataset } from '../../store/datasets.js'
import type { Session } from '../../store/engine/session.js'
import { findImages, listImageIds, readCaptions } from '../../store/images.js'
import type { Collection, CollectionTask } from '../../store/schema/collection-tables.js'
import type { Image } from '../../store/schema/dataset-tables.js'
import { type CaptionedImage, type ImportCaptionsReport, importDataset } from '../datasets/import-captions.js'
import { requireDatasetById } from '../datasets/require-subjects.js'
import { groupBy } from '../shared/groups.js'
import { importResults } from '../systems/import-results.js'
import { type FileSource, importJob, withoutJob } from '../uploads/import-job.js'
import { requireFinish, requireNewCollection } from '../uploads/requirements.js'

export interface FinishCollectionInput {
  /** Name of the collection. */
  readonly collection: string
  /** Name of the new dataset. */
  readonly dataset: string
  /**
   * Name of a system that has the last caption of each image with all captions that are asked for. The other captions are the
   * references: so COCO Captions (Chen et al. 2015), section 4.1, scores people.
   */
  readonly people?: string
}

export interface FinishCollectionReport
  extends Pick<ImportCaptionsReport, 'datasetId' | 'imageCount' | 'captionCount' | 'captionsPerImage'> {
  /** Of the system, null without one. */
  readonly systemId: number | null
  /** Captions that are kept apart as its own. */
  readonly peopleCaptionCount: number
}

/**
 * Creates a dataset of the captions that a collection has at the moment; of one that describes the images of a dataset, of
 * those of the dataset and then the new ones; it is private if that dataset is. Images without captions are left out. The
 * collection continues.
 *
 * @throws AccordError UNKNOWN_COLLECTION; INVALID_VALUE for a name; NAME_TAKEN; UNKNOWN_DATASET where the described dataset was removed; NOT_APPLICABLE
 *   where there are no captions
 */
export const finishCollectionJob: Handler<FinishCollectionInput, FinishCollectionReport> = async ({
  input: { collection: name, dataset, people },
  database,
  progress,
  finishWith,
}) => {
  const collection = await requireCollection(database, name)
  await requireFinish(database, { dataset, people })
  const tasks = (await readEndedTasks(database, collection.id)).filter(({ status }) => status === 'DESCRIBED')
  const collected = groupBy(tasks, ({ imageId }) => imageId)
  const apart = people === undefined ? new Map<number, CollectionTask>() : lastCaptions(collected, collection)
  const images = await captionedImages(database, collection, collected, apart)
  if (images.length === 0) throw missing('the collection has no captions yet', 'at least one caption', name)
  if (people !== undefined && images.every((image) => image.apart === undefined)) {
    throw missing(
      'no image has a caption to keep apart yet',
      'images with all captions, and references',
      name,
    )
  }
  const isPrivate = collection.isExtension && (await requireDataset(database, name)).isPrivate
  return finishWith(async (session) => {
    const context = withoutJob<ImportCaptionsReport>(session, part(progress, 0, 0.8))
    const imported = await importDataset(context, { dataset, isPrivate }, images)
    const { datasetId, imageCount, captionCount, captionsPerImage } = imported
    const report = { datasetId, imageCount, captionCount, captionsPerImage }
    if (people === undefined) return { ...report, systemId: null, peopleCaptionCount: 0 }
    const system = await importResults(
      withoutJob(session, part(progress, 0.8, 1)),
      await requireDatasetById(session, datasetId),
      { source: name, captions: submitted(images), system: people, isMissingAllowed: true, match: 'id' },
    )
    return { ...report, systemId: system.systemId, peopleCaptionCount: system.imageCount }
  })
}

/** The last caption of each image that has all captions that the collection asks for, by the image. */
function lastCaptions(
  collected: ReadonlyMap<number, readonly CollectionTask[]>,
  { captionsPerImage }: Collection,
): Map<number, CollectionTask> {
  const last = new Map<number, CollectionTask>()
  for (const [imageId, tasks] of collected) {
    if (tasks.length >= captionsPerImage) last.set(imageId, tasks[tasks.length - 1])
  }
  return last
}

/** An image of the new dataset. */
interface DescribedAgain extends CaptionedImage {
  /** The text that is kept apart. */
  readonly apart?: string
}

/** The images with a caption, in the order of the collection or of the dataset that it describes. */
async function captionedImages(
  session: Session,
  collection: Collection,
  collected: ReadonlyMap<number, readonly CollectionTask[]>,
  apart: ReadonlyMap<number, CollectionTask>,
): Promise<DescribedAgain[]> {
  const earlier = collection.isExtension ? await imagesOfDataset(session, collection.name) : []
  const described = new Map<string, CaptionedImage>(earlier.map((image) => [image.externalId, image]))
  const asked = await readCollectionImages(session, collection.id)
  const askedById = new Map(asked.map((image) => [image.externalId, image]))
  let number = largestNumber(earlier)
  return [...(earlier.length > 0 ? earlier : asked)].flatMap((image) => {
    const imageId = askedById.get(image.externalId)?.id ?? -1
    const last = apart.get(imageId)
    const added = (collected.get(imageId) ?? [])
      .filter((task) => task !== last)
      .map(({ caption }) => ({ externalId: String(++number), text: caption as string }))
    const captions = [...(described.get(image.externalId)?.captions ?? []), ...added]
    if (captions.length === 0) return []
    return { ...image, captions, apart: last?.caption ?? undefined }
  })
}

/** The largest id of a caption that is a number; 0 if there is none. New captions continue from it. */
function largestNumber(images: readonly CaptionedImage[]): number {
  let largest = 0
  for (const { captions } of images) {
    for (const { externalId } of captions) {
      const number = Number(externalId)
      if (Number.isSafeInteger(number) && number > largest) largest = number
    }
  }
  return largest
}

/** @throws AccordError UNKNOWN_DATASET */
async function imagesOfDataset(session: Session, name: string): Promise<CaptionedImage[]> {
  const { id } = await requireDataset(session, name)
  const imageIds = [...(await listImageIds(session, id))]
  const captions = groupBy(await readCaptions(session, imageIds), ({ imageId }) => imageId)
  const images = await findImages(session, imageIds)
  return images
    .sort((one, other) => one.id - other.id)
    .map((image) => ({ ...image, captions: captions.get(image.id) ?? [] }))
}

function* submitted(images: readonly DescribedAgain[]) {
  for (const { externalId, apart } of images)
    if (apart !== undefined) yield { imageId: externalId, text: apart }
}

function missing(summary: string, expected: string, name: string): AccordError {
  return new AccordError('NOT_APPLICABLE', summary, { source: 'collection', expected, found: quote(name) })
}

export interface ImportCollectionInput<File = FileSource> {
  /** Name of the collection: of the dataset whose images are described, or with a file of the new dataset. */
  readonly dataset: string
  /** Captions of each image, each by another annotator. */
  readonly captionsPerImage: number
  /** Id of the user who creates it. Default: nobody, on a server without accounts. */
  readonly host?: string
  /** In a format of `readImageList`. Default: the images of the dataset. */
  readonly file?: File
}

export interface ImportCollectionReport {
  readonly collectionId: number
  readonly imageCount: number
}

/**
 * Creates a collection of captions.
 *
 * @throws AccordError NAME_TAKEN for a collection or, with a file, a dataset of the name; UNKNOWN_DATASET; OUT_OF_RANGE for
 *   `captionsPerImage`; NOT_APPLICABLE for a dataset without pictures; errors of `readImageList`
 */
export const importCollectionJob = importJob<ImportCollectionInput, ImportCollectionReport>(
  async ({ database, finishWith }, input) => {
    const { dataset: name, captionsPerImage, host, file } = input
    await requireNewCollection(database, input)
    const images = file === undefined ? await picturedImages(database, name) : readImageList(file)
    return finishWith(async (session) => {
      const collection = { name, captionsPerImage, isExtension: file === undefined, host: host ?? null }
      return { collectionId: await insertCollection(session, collection, images), imageCount: images.length }
    })
  },
)

async function picturedImages(session: Session, name: string): Promise<Image[]> {
  const images = await readPicturedImages(session, (await requireDataset(session, name)).id)
  if (images.length > 0) return images
  throw new AccordError('NOT_APPLICABLE', 'the dataset has no pictures', {
    source: 'dataset',
    expected: 'images with the address of a picture, or a folder of pictures',
    found: quote(name),
  })
}

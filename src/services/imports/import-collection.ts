import { AccordError, quote } from '../../errors.js'
import { readImageList } from '../../formats/captions/image-list.js'
import { insertCollection, readPicturedImages } from '../../store/collections.js'
import { requireDataset } from '../../store/datasets.js'
import type { Session } from '../../store/engine/session.js'
import type { Image } from '../../store/schema/entities.js'
import { type FileSource, importJob } from './import-job.js'
import { requireNewCollection } from './requirements.js'

export interface ImportCollectionInput<File = FileSource> {
  /** Name of the collection: of the dataset whose images are described, or with a file of the new dataset. */
  readonly dataset: string
  /** Captions of each image, each by another annotator. */
  readonly captionsPerImage: number
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
    const { dataset: name, captionsPerImage, file } = input
    await requireNewCollection(database, input)
    const images = file === undefined ? await imagesOfDataset(database, name) : readImageList(file)
    return finishWith(async (session) => {
      const collection = { name, captionsPerImage, isExtension: file === undefined ? 1 : 0 }
      return { collectionId: await insertCollection(session, collection, images), imageCount: images.length }
    })
  },
)

async function imagesOfDataset(session: Session, name: string): Promise<Image[]> {
  const images = await readPicturedImages(session, (await requireDataset(session, name)).id)
  if (images.length > 0) return images
  throw new AccordError('NOT_APPLICABLE', 'the dataset has no pictures', {
    source: 'dataset',
    expected: 'images with the address of a picture, or with boxes',
    found: quote(name),
  })
}

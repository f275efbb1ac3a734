import { isAbsolute } from 'node:path'
import { currentTime } from '../../clock.js'
import { AccordError, quote } from '../../errors.js'
import { type DescribedImages, matchImages } from '../../formats/coco/known-images.js'
import * as pictureFolder from '../../formats/pictures/picture-folder.js'
import { projectFile } from '../../project.js'
import * as collections from '../../store/collections.js'
import { findDataset, findDatasets } from '../../store/datasets.js'
import { readDescribedImages } from '../../store/images.js'
import type { Collection } from '../../store/schema/collection-tables.js'
import type { Dataset } from '../../store/schema/dataset-tables.js'
import { takesPart } from '../../store/submissions.js'
import { isHost, readPublicDatasets } from '../accounts/access.js'
import type { Viewer } from '../accounts/viewer.js'
import type { Accord } from '../shared/accord.js'
import { createCache } from '../shared/cache.js'

/** The pictures of a dataset's images. */
interface DatasetPictures {
  readonly folder: pictureFolder.PictureFolder
  /** Paths in the folder by external id of the image. */
  readonly names: ReadonlyMap<string, string>
}

/** A dataset whose pictures are known, for as long as its folder does not change. */
interface KeptPictures {
  readonly source: string
  readonly pictures: Promise<DatasetPictures | null>
  checkedAt: number
}

/** Milliseconds for which a folder is taken to be unchanged. */
const FRESH_MS = 2000

const keptPictures = createCache<KeptPictures>(20)

/** The folder of a dataset's pictures: its own one, which is in the package if its path is relative, or that of the server. */
function folderOf({ options }: Accord, { imagesFolder }: Dataset): string | null {
  if (imagesFolder === null) return options.imagesFolder ?? null
  return isAbsolute(imagesFolder) ? imagesFolder : projectFile(imagesFolder)
}

/** The pictures of a dataset. Null where the dataset has no folder, or it cannot be read. */
async function picturesOf(accord: Accord, dataset: Dataset): Promise<DatasetPictures | null> {
  const folder = folderOf(accord, dataset)
  if (folder === null) return null
  const source = { key: String(dataset.id), revision: dataset.revision, folder }
  return keptOrRead(accord, source, () => readDescribedImages(accord.database, dataset.id))
}

/** The pictures of a collection: of the dataset that is described again, or of new images in the folder of the server. */
async function picturesOfCollection(
  accord: Accord,
  { id, name }: Collection,
): Promise<DatasetPictures | null> {
  const dataset = await findDataset(accord.database, name)
  if (dataset) return picturesOf(accord, dataset)
  const { imagesFolder: folder } = accord.options
  if (folder === undefined) return null
  return keptOrRead(accord, { key: `collection ${id}`, revision: '', folder }, async () => {
    const images = await collections.readCollectionImages(accord.database, id)
    return {
      ids: new Set(images.map(({ externalId }) => externalId)),
      fileNames: new Map(
        images.flatMap(({ externalId, fileName }) => (fileName === null ? [] : [[externalId, fileName]])),
      ),
      uncaptioned: new Set<string>(),
    }
  })
}

/** Where pictures are, and what they are pictures of. */
interface PictureSource {
  readonly key: string
  readonly revision: string
  readonly folder: string
}

/** The pictures of images, read when they or their folder have changed. Null for a folder that cannot be read. */
async function keptOrRead(
  accord: Accord,
  { key, revision, folder }: PictureSource,
  readImages: () => Promise<DescribedImages>,
): Promise<DatasetPictures | null> {
  const kept = keptPictures(accord.database)
  const source = `${folder} ${revision}`
  const known = kept.get(key)
  if (known?.source === source && (await isFresh(known))) return known.pictures
  // What cannot be read is looked for again when it is next asked for.
  const pictures = readPictures(readImages, folder).catch(() => null)
  kept.set(key, { source, pictures, checkedAt: currentTime() })
  return pictures
}

async function isFresh(kept: KeptPictures): Promise<boolean> {
  if (currentTime() - kept.checkedAt < FRESH_MS) return true
  kept.checkedAt = currentTime()
  const pictures = await kept.pictures
  return pictures !== null && !(await pictureFolder.hasChanged(pictures.folder))
}

/**
 * Pictures are found as systems' captions find their images: by the one rule that finds the most of them. Of several pictures of an
 * image, the first one is shown.
 */
async function readPictures(
  readImages: () => Promise<DescribedImages>,
  path: string,
): Promise<DatasetPictures> {
  const folder = await pictureFolder.listPictures(path)
  const { find } = matchImages(folder.names, await readImages(), { source: path })
  const names = new Map<string, string>()
  for (const name of folder.names) {
    const imageId = find(name)
    if (imageId !== undefined && !names.has(imageId)) names.set(imageId, name)
  }
  return { folder, names }
}

/** How many images of a dataset have a picture. */
export async function countPictures(accord: Accord, datasetId: number): Promise<number> {
  const [dataset] = await findDatasets(accord.database, [datasetId])
  return (await picturesOf(accord, dataset))?.names.size ?? 0
}

/** Where the server has the pictures of images of a dataset, by external id; those without a picture are not in it. */
export async function picturePaths(
  accord: Accord,
  datasetId: number,
  images: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const [dataset] = await findDatasets(accord.database, [datasetId])
  return pathsOf(dataset?.name, dataset ? await picturesOf(accord, dataset) : null, images)
}

/** The same of images of a collection. */
export async function collectionPicturePaths(
  accord: Accord,
  collectionId: number,
  images: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const [collection] = await collections.findCollections(accord.database, [collectionId])
  return pathsOf(collection?.name, collection ? await picturesOfCollection(accord, collection) : null, images)
}

function pathsOf(
  name: string | undefined,
  pictures: DatasetPictures | null,
  images: readonly string[],
): ReadonlyMap<string, string> {
  const path = (image: string) => `pictures/${encodeURIComponent(name ?? '')}/${encodeURIComponent(image)}`
  return new Map(images.flatMap((image) => (pictures?.names.has(image) ? [[image, path(image)]] : [])))
}

/**
 * A picture of a dataset, and whether everybody may see it. In its own size: pictures of datasets of captions have 500 to 640 pixels,
 * pages load those on the screen, and what makes small ones (sharp) is a native package of 20 MB.
 */
export interface ServedPicture extends pictureFolder.OpenPicture {
  readonly isPublic: boolean
}

/**
 * Opens the picture of an image, for whoever sees its dataset, and for annotators to whom a collection shows it. Close its file.
 *
 * @throws AccordError UNKNOWN_IMAGE where there is none for the viewer
 */
export async function openPictureFor(
  accord: Accord,
  viewer: Viewer,
  { dataset: name, image }: { readonly dataset: string; readonly image: string },
): Promise<ServedPicture> {
  const isPublic = (await readPublicDatasets(accord)).names.has(name)
  const dataset = isPublic || isHost(viewer) ? await findDataset(accord.database, name) : null
  const pictures = dataset
    ? await picturesOf(accord, dataset)
    : await picturesForAnnotator(accord, viewer, name, image)
  const file = pictures?.names.get(image)
  const picture =
    pictures && file !== undefined ? await pictureFolder.openPicture(pictures.folder, file) : null
  if (picture) return { ...picture, isPublic }
  throw new AccordError('UNKNOWN_IMAGE', 'there is no such picture', { source: 'image', found: quote(image) })
}

/**
 * The pictures of a collection, where it shows the viewer the image. Those of a private dataset are shown to whom the image was
 * given, and no more after they take part in a challenge on it: others could ask which images it has.
 */
async function picturesForAnnotator(
  accord: Accord,
  { user, scopes }: Viewer,
  name: string,
  image: string,
): Promise<DatasetPictures | null> {
  if (user === null || !scopes.has('submit')) return null
  const { database } = accord
  const collection = await collections.findCollection(database, name)
  if (!collection) return null
  const { id: collectionId, isExtension } = collection
  const dataset = isExtension ? await findDataset(database, name) : null
  const isShown = dataset?.isPrivate
    ? (await collections.wasGiven(database, { collectionId, externalId: image, annotator: user.id })) &&
      !(await takesPart(database, dataset.id, user.id))
    : await collections.hasCollectionImage(database, collectionId, image)
  return isShown ? picturesOfCollection(accord, collection) : null
}

import { createWordVocabulary } from '../../core/objects/object-mentions.js'
import { firstTerm } from '../../core/selection/importance.js'
import { AccordError, quote } from '../../errors.js'
import { readImageObjects } from '../../formats/coco/image-objects.js'
import { type InputFile, nameOf } from '../../formats/io/files.js'
import { readImageIds } from '../../store/images.js'
import { saveImageObjects } from '../../store/objects.js'
import { requireDatasetById } from '../datasets/require-subjects.js'
import { MAX_NAMED } from '../systems/import-results.js'
import { type FileSource, type ImportContext, importJob } from '../uploads/import-job.js'

export interface ImportObjectsInput<File = FileSource> {
  readonly datasetId: number
  /** COCO instances, or a table of images and names of objects. */
  readonly file: File
}

export interface ImportObjectsReport {
  /** Images of the dataset that the file has, with objects or without. */
  readonly imageCount: number
  /** Objects of these images, each name once in an image. */
  readonly objectCount: number
  /** Images of the file that the dataset does not have, which are left out. */
  readonly unknownImageCount: number
  /** Number of different names that stand for none of COCO's 80 categories. */
  readonly otherNameCount: number
  /** The first of them. */
  readonly otherNames: readonly string[]
}

/**
 * Stores the annotated objects of images of a dataset, in place of those of these images that were imported before.
 *
 * @throws AccordError errors of `readImageObjects`; UNKNOWN_IMAGE if the dataset has none of the images
 */
export async function importObjects<Ending>(
  { database, progress, finishWith }: ImportContext<ImportObjectsReport, Ending>,
  { datasetId, file }: ImportObjectsInput<InputFile>,
): Promise<Ending> {
  progress(0, 'reading')
  const read = readImageObjects(file)
  const dataset = await requireDatasetById(database, datasetId)
  const ids = await readImageIds(database, dataset.id)
  const objects = new Map<number, string[]>()
  for (const [externalId, names] of read) {
    const id = ids.get(externalId)
    if (id !== undefined) objects.set(id, [...names])
  }
  if (objects.size === 0) {
    throw new AccordError('UNKNOWN_IMAGE', 'no image is in the dataset', {
      source: nameOf(file),
      expected: `image ids such as ${[...ids.keys()].slice(0, 1).map(quote)}`,
      found: [...read.keys()].slice(0, 3).map(quote).join(', ') || 'no images',
    })
  }
  const vocabulary = createWordVocabulary()
  const names = new Set([...objects.values()].flat())
  const others = [...names].filter((name) => vocabulary.objectsNamed(firstTerm(name)).length === 0)
  return finishWith(async (session) => {
    progress(0.5, 'writing')
    await saveImageObjects(session, dataset.id, objects)
    progress(1, 'done')
    return {
      imageCount: objects.size,
      objectCount: [...objects.values()].reduce((sum, { length }) => sum + length, 0),
      unknownImageCount: read.size - objects.size,
      otherNameCount: others.length,
      otherNames: others.slice(0, MAX_NAMED),
    }
  })
}

/** Stores the annotated objects of a file. Fails as {@link importObjects}. */
export const importObjectsJob = importJob<ImportObjectsInput, ImportObjectsReport>(importObjects)

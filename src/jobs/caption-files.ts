import { basename } from 'node:path'
import { compareAnnotations, readCocoCaptions } from '../formats/coco-captions.js'
import { checkResults, readCocoResults } from '../formats/coco-results.js'
import { type ReadProgress, STANDARD_INPUT } from '../formats/files.js'
import type { ReferenceLists } from '../metrics/metric.js'
import { chooseCaptionsPerImage } from './captions-per-image.js'
import type { CaptionTokenizer } from './compute/tokenizing.js'
import { createDatasetHash, createResultsHash } from './content-hash.js'

/** Human captions of a file in COCO captions format. */
export interface ReferenceFile {
  /** External ids of images, in the order of the file, with the positions of the images. */
  readonly positionOfImage: ReadonlyMap<string, number>
  /** Positions of the captions of each image in the corpus; an image may have none. */
  readonly lists: ReferenceLists
  /** The content hash of the dataset that an import of the file creates. */
  readonly revision: string
}

/** Reads human captions. @throws AccordError as `readCocoCaptions` */
export function readReferenceFile(
  file: string,
  tokenizer: CaptionTokenizer,
  onProgress: ReadProgress,
): ReferenceFile {
  const externalIds: string[] = []
  const captions: {
    imageKey: number
    externalId: string
    rank: number | null
    text: string
    place: number
  }[] = []
  const imageOfKey = readCocoCaptions(
    file,
    {
      addImage({ externalId }) {
        externalIds.push(externalId)
      },
      addAnnotation(annotation) {
        captions.push({ ...annotation, place: tokenizer.add(annotation.text) })
      },
    },
    onProgress,
  )
  const byImage = externalIds.map((): typeof captions => [])
  for (const caption of captions) byImage[imageOfKey[caption.imageKey]].push(caption)
  const content = createDatasetHash()
  for (const [image, group] of byImage.entries()) {
    content.addImage(externalIds[image], group.sort(compareAnnotations))
  }
  return {
    positionOfImage: new Map(externalIds.map((id, image) => [id, image])),
    lists: {
      references: Int32Array.from(byImage.flatMap((group) => group.map(({ place }) => place))),
      referenceOffsets: offsetsOf(byImage),
    },
    revision: content.digest(
      chooseCaptionsPerImage(
        Int32Array.from(byImage, ({ length }) => length),
        undefined,
      ),
    ),
  }
}

/** Captions of a system in COCO results format. */
export interface ResultsFile {
  readonly file: string
  /** Positions of the described images in the references, ascending. */
  readonly images: Int32Array
  /** The position in the corpus of the caption of each of these images. */
  readonly candidates: Int32Array
  readonly missingImageCount: number
  /** The content hash of the system that an import of the file creates. */
  readonly content: string
}

/** Reads captions of a system. @throws AccordError as `readCocoResults` and `checkResults` */
export function readResultsFile(
  file: string,
  { positionOfImage }: ReferenceFile,
  allowMissing: boolean,
  tokenizer: CaptionTokenizer,
  onProgress: ReadProgress,
): ResultsFile {
  const placeOfImage = new Int32Array(positionOfImage.size).fill(-1)
  const content = createResultsHash()
  const coverage = { source: file, allowMissing }
  const missing = checkResults(
    readCocoResults(file, onProgress),
    positionOfImage as Map<string, number>,
    coverage,
    (imageId, text) => {
      placeOfImage[positionOfImage.get(imageId) as number] = tokenizer.add(text)
      content.addCaption(imageId, text)
    },
  )
  const images = Int32Array.from(placeOfImage.keys()).filter((image) => placeOfImage[image] >= 0)
  return {
    file,
    images,
    candidates: images.map((image) => placeOfImage[image]),
    missingImageCount: missing.length,
    content: content.digest(),
  }
}

/**
 * Names for systems: the names of their files without extensions, or the paths if these are not distinct. Of names as the
 * COCO evaluation server requires them, `captions_val2017_mine_results.json`, the name of the algorithm: `mine`.
 */
export function nameSystems(files: readonly string[]): string[] {
  const names = files.map((file) =>
    file === STANDARD_INPUT
      ? 'stdin'
      : basename(file)
          .replace(/(\.json)?(\.gz)?$/i, '')
          .replace(/^captions_[^_]+_(.+)_results$/, '$1'),
  )
  return names.map((name, index) => (names.indexOf(name) === names.lastIndexOf(name) ? name : files[index]))
}

function offsetsOf(groups: readonly (readonly unknown[])[]): Int32Array {
  const offsets = new Int32Array(groups.length + 1)
  for (const [index, { length }] of groups.entries()) offsets[index + 1] = offsets[index] + length
  return offsets
}

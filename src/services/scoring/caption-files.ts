import { basename } from 'node:path'
import { imageRecord } from '../../compute/content-hash.js'
import type { CaptionTokenizer } from '../../compute/tokenizing.js'
import { isPeople } from '../../core/judgements/judgement.js'
import type { ReferenceLists } from '../../core/metrics/reference-lists.js'
import { AccordError } from '../../errors.js'
import { readReferences, readResults } from '../../formats/captions/caption-files.js'
import { type CaptionReading, LINES, needlessIds } from '../../formats/captions/caption-format.js'
import type { CaptionColumns } from '../../formats/captions/columns.js'
import * as cocoCaptions from '../../formats/coco/coco-captions.js'
import { checkResults, type ResultsCheck } from '../../formats/coco/coco-results.js'
import type { DescribedImages, Matching } from '../../formats/coco/known-images.js'
import { STANDARD_INPUT } from '../../formats/io/files.js'
import { chooseCaptionsPerImage } from '../datasets/references.js'

/** How a file was recognized, and what it has. */
export interface FileFormat {
  readonly file: string
  readonly format: string
  /** Those of the columns that were named that the file has. */
  readonly columns: readonly string[]
  readonly imageCount: number
  readonly captionCount: number
}

/** Whether a file has a caption per line; undefined for COCO's. */
export const isLines = (format: Pick<FileFormat, 'format'> | undefined) =>
  format?.format.startsWith(LINES) === true

/**
 * Checks that lines without image ids are beside as many lines, which alone shows that they are of the same images.
 *
 * @param references the first of the formats
 * @throws AccordError NOT_APPLICABLE for a file of another format, or with another number of lines
 */
export function requireParallelLines(formats: readonly FileFormat[], results: readonly string[]): void {
  const [{ file, imageCount: lineCount }] = formats
  for (const result of results) {
    const own = formats.find((format) => format.file === result)
    if (isLines(own) && own?.imageCount === lineCount) continue
    throw new AccordError('NOT_APPLICABLE', 'lines without image ids', {
      source: file,
      expected: `--ids FILE, or as many lines in all files, ${lineCount}`,
      found: `${isLines(own) ? `${own?.imageCount} lines` : (own?.format ?? 'COCO’s JSON')} in ${result}`,
    })
  }
}

/** @throws AccordError NOT_APPLICABLE if there are image ids, and none of the files that share them needs them */
export function requireNeededIds(imageIds: string | undefined, formats: readonly FileFormat[]): void {
  if (imageIds === undefined || formats.some(isLines)) return
  throw needlessIds(
    imageIds,
    formats.map(({ file, format }) => `${format} in ${file}`).join(', ') || 'COCO’s JSON',
  )
}

/**
 * Checks that each column that is named is one of a file that shares them.
 *
 * @throws AccordError INVALID_VALUE
 */
export function requireUsedColumns(
  columns: CaptionColumns | undefined,
  formats: readonly FileFormat[],
): void {
  const unused = Object.entries(columns ?? {}).find(
    ([, name]) => !formats.some(({ columns: used }) => used.includes(name)),
  )
  if (unused === undefined) return
  throw new AccordError('INVALID_VALUE', 'no file has the column', {
    source: 'columns',
    expected:
      formats.map(({ file, format }) => `one of ${file} (${format})`).join(', or ') ||
      'a file with columns; COCO’s are known',
    found: unused.join('='),
  })
}

/** Human captions of a file. */
export interface ReferenceFile {
  /** Positions of the images by external id, in the order of the file. */
  readonly positionOfImage: ReadonlyMap<string, number>
  readonly images: DescribedImages
  /** What the file says of images beside, by external id. */
  readonly fields: ReadonlyMap<string, cocoCaptions.ImageFields>
  /** Positions of the captions of each image in the corpus; an image may have none. */
  readonly lists: ReferenceLists
  /** K of the dataset that an import of the file creates. */
  readonly captionsPerImage: number
  /** For the content hash of that dataset. */
  readonly records: readonly (readonly string[])[]
}

const NO_FIELDS: cocoCaptions.ImageFields = {}

/** Reads human captions. @throws AccordError as `readReferences` */
export function readReferenceFile(
  file: string,
  tokenizer: CaptionTokenizer,
  reading: CaptionReading,
): ReferenceFile {
  const externalIds: string[] = []
  const fileNames = new Map<string, string>()
  const fields = new Map<string, cocoCaptions.ImageFields>()
  const imgids = new Map<string, string>()
  const annotations: cocoCaptions.Annotation[] = []
  const places: number[] = []
  const imageOfKey = readReferences(
    file,
    {
      addImage({ externalId, fileName, fields: own }) {
        externalIds.push(externalId)
        fields.set(externalId, own ?? NO_FIELDS)
        if (own?.[cocoCaptions.IMGID] !== undefined) imgids.set(externalId, own[cocoCaptions.IMGID])
        if (fileName !== null) fileNames.set(externalId, fileName)
      },
      addAnnotation(annotation) {
        annotations.push(annotation)
        places.push(tokenizer.add(annotation.text))
      },
    },
    reading,
  )
  const byImage = externalIds.map((): number[] => [])
  for (const [index, { imageKey }] of annotations.entries()) byImage[imageOfKey[imageKey]].push(index)
  const references = new Int32Array(annotations.length)
  const referenceOffsets = new Int32Array(byImage.length + 1)
  const records: string[][] = []
  let end = 0
  for (const [image, group] of byImage.entries()) {
    group.sort((one, other) => cocoCaptions.compareAnnotations(annotations[one], annotations[other]))
    for (const index of group) references[end++] = places[index]
    referenceOffsets[image + 1] = end
    records.push(
      imageRecord(
        externalIds[image],
        group.map((index) => annotations[index]),
      ),
    )
  }
  const captionCounts = Int32Array.from(byImage, ({ length }) => length)
  const positionOfImage = new Map(externalIds.map((id, image) => [id, image]))
  const uncaptioned = new Set(externalIds.filter((_, image) => captionCounts[image] === 0))
  return {
    positionOfImage,
    images: { ids: positionOfImage, fileNames, uncaptioned, imgids },
    fields,
    lists: { references, referenceOffsets },
    captionsPerImage: chooseCaptionsPerImage(captionCounts, undefined),
    records,
  }
}

/** Captions of a system. */
export interface ResultsFile {
  readonly file: string
  /** Positions of the described images in the references, ascending. */
  readonly images: Int32Array
  /** The position in the corpus of the caption of each of these images. */
  readonly candidates: Int32Array
  readonly missingImageCount: number
  readonly matching: Matching
  /** What to know of the captions; see `checkResults`. */
  readonly notes: readonly string[]
  /** For the content hash of the system that an import of the file creates. */
  readonly records: readonly (readonly string[])[]
}

/** Reads captions of a system. @throws AccordError as `readResults` and `checkResults` */
export function readResultsFile(
  file: string,
  { positionOfImage, images: described }: ReferenceFile,
  check: Omit<ResultsCheck, 'source'>,
  tokenizer: CaptionTokenizer,
  reading: CaptionReading,
): ResultsFile {
  const placeOfImage = new Int32Array(positionOfImage.size).fill(-1)
  const records: string[][] = []
  const { missing, matching, notes } = checkResults(
    readResults(file, reading),
    described,
    { source: file, ...check },
    (imageId, text) => {
      placeOfImage[positionOfImage.get(imageId) as number] = tokenizer.add(text)
      records.push([imageId, text])
    },
  )
  const images = Int32Array.from(placeOfImage.keys()).filter((image) => placeOfImage[image] >= 0)
  return {
    file,
    images,
    candidates: images.map((image) => placeOfImage[image]),
    missingImageCount: missing.length,
    matching,
    notes,
    records,
  }
}

/** Names for systems: those of their files, or the paths if these are not distinct, or stand for people. */
export function nameSystems(files: readonly string[]): string[] {
  const names = files.map(nameFile)
  const isFree = (name: string) => names.indexOf(name) === names.lastIndexOf(name) && !isPeople(name)
  return names.map((name, index) => (isFree(name) ? name : files[index]))
}

/**
 * The name of a file without its extension. Of one as the COCO evaluation server requires it,
 * `captions_val2017_mine_results.json`, the name of the algorithm: `mine`.
 */
export function nameFile(file: string): string {
  if (file === STANDARD_INPUT) return 'stdin'
  return basename(file)
    .replace(/(\.(json|jsonl|csv|tsv|txt))?(\.gz)?$/i, '')
    .replace(/^captions_[^_]+_(.+)_results$/, '$1')
}

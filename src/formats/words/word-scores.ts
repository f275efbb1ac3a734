import { extname } from 'node:path'
import { type AccordError, quote } from '../../errors.js'
import { readImageIds } from '../captions/image-list.js'
import { type Coverage, type KnownImages, missingImages, requireNewImage } from '../coco/known-images.js'
import { beginsWith, type InputFile, nameOf, type ReadProgress } from '../io/files.js'
import { parseJsonLine } from '../io/json.js'
import { readLines } from '../io/lines.js'
import { NPY_MAGIC, type NpyBlock, type NpyShape, readNpy } from '../io/npy.js'
import { Spool } from '../io/spool.js'
import {
  describeValue,
  invalidValue,
  type JsonObject,
  type Locate,
  locateLine,
  requireId,
  requireObject,
  wrongShape,
  wrongValue,
} from '../io/values.js'

/**
 * A system's scores of words for images, in a temporary file until {@link WordScores.close}. They have the precision of
 * their source, single for a float32 `.npy` and double for a float64 `.npy` and for JSON: rounding doubles to single
 * precision would make different scores equal, and images with equal scores share one threshold of PHR and AP.
 */
export interface WordScores {
  /** External ids of the scored images, in the order of submission. */
  readonly imageIds: readonly string[]
  /** External ids of the images without scores, in the order of the dataset. */
  readonly missing: readonly string[]
  readonly words: readonly string[]
  /** The scores of some words, as indices into `words`; each word once, in any order. */
  columns(words: ReadonlySet<number>): Iterable<WordColumn>
  /** Removes the temporary file. */
  close(): void
}

/** The scores of one word. */
interface WordColumn {
  /** Index of the word. */
  readonly word: number
  /**
   * Positions in `imageIds` of the images that have a score for the word, ascending. All words of an `.npy` file
   * share one array.
   */
  readonly images: Int32Array
  /** Aligned to `images`; all finite. */
  readonly scores: Float32Array | Float64Array
}

/** The names of the rows and columns of an `.npy` file. */
export interface MatrixLabels {
  /** The image id of each row, see `readImageIds`. */
  readonly imageIdsFile: InputFile
  /** The word of each column. */
  readonly words: readonly string[]
}

/** The scores of one image before they are compared with the dataset. */
export interface SubmittedScores {
  readonly imageId: string
  /** The score of each word. */
  readonly words: JsonObject
  /** The places of `image_id` and of a word in `words`, for errors. */
  readonly at: Locate
}

/**
 * Reads a file of word scores: `.npy`, with `labels`, or `.jsonl` and `.jsonl.gz`, without; see
 * {@link readMatrixScores} and {@link readScoreLines}. A name without an ending is that of JSON Lines, unless the file
 * begins like an `.npy` file.
 *
 * @throws AccordError INVALID_VALUE for other names; NOT_APPLICABLE for missing or superfluous labels
 */
export function readWordScores(
  file: InputFile,
  labels: MatrixLabels | undefined,
  images: KnownImages,
  isMissingAllowed: boolean,
  onProgress?: ReadProgress,
): WordScores {
  const name = nameOf(file)
  const hasEnding = extname(name) !== ''
  if (hasEnding ? name.endsWith('.npy') : beginsWith(file, NPY_MAGIC)) {
    if (labels === undefined) {
      throw wrongValue(
        'NOT_APPLICABLE',
        'an .npy file does not name its rows and columns',
        { source: file },
        'a vocabulary and a file of image ids beside it',
        'neither',
      )
    }
    return readMatrixScores(file, labels, images, isMissingAllowed, onProgress)
  }
  if (!hasEnding || name.endsWith('.jsonl') || name.endsWith('.jsonl.gz')) {
    if (labels !== undefined) {
      throw wrongValue(
        'NOT_APPLICABLE',
        'a .jsonl file names its images and words itself',
        { source: file },
        'no vocabulary and no file of image ids',
        'them',
      )
    }
    return collectScores(readScoreLines(file, onProgress), images, { source: file, isMissingAllowed })
  }
  throw invalidValue(
    'unknown kind of file',
    { source: file },
    'a name ending in .npy, .jsonl or .jsonl.gz',
    quote(name.slice(name.lastIndexOf('/') + 1)),
  )
}

/** Partitions of the temporary file: a fraction of the scores as large as this is read at once. */
const PARTITIONS = 256

/**
 * Reads an `.npy` file, images × words, float32 or float64; its rows are `labels.imageIdsFile`, its columns
 * `labels.words`. Rows and columns are counted from 0 in errors, as in NumPy.
 *
 * @throws AccordError the errors of `readNpy` and `readImageIds`; INVALID_SHAPE if the labels do not match the shape;
 *   UNKNOWN_IMAGE and DUPLICATE_ID for an image id; MISSING_IMAGES unless `isMissingAllowed`; INVALID_VALUE for a score
 *   that is not finite
 */
export function readMatrixScores(
  file: InputFile,
  labels: MatrixLabels,
  images: KnownImages,
  isMissingAllowed: boolean,
  onProgress?: ReadProgress,
): WordScores {
  const { words, imageIdsFile } = labels
  const seen = new Set<string>()
  for (const { id, at } of readImageIds(imageIdsFile)) requireNewImage(id, images, seen, at)
  const missing = missingImages(images, seen, { source: imageIdsFile, isMissingAllowed })
  const imageIds = [...seen]
  return spoolScores((spool) => {
    let bytesPerValue: 4 | 8 = 4
    const checkShape = (shape: NpyShape) => {
      if (shape.rows !== imageIds.length || shape.columns !== words.length) {
        const expected = `${imageIds.length} images (rows) × ${words.length} words (columns)`
        throw wrongShape({ source: file }, expected, `${shape.rows} × ${shape.columns}`)
      }
      bytesPerValue = shape.bytesPerValue
    }
    const width = Math.ceil(words.length / PARTITIONS)
    for (const block of readNpy(file, checkShape, onProgress)) {
      requireFinite(file, block, imageIds, words)
      for (let column = 0; column < words.length; column += width) {
        const { values, rowCount } = block
        const tile = values.subarray(column * rowCount, (column + width) * rowCount)
        spool.append(column / width, new Uint8Array(tile.buffer, tile.byteOffset, tile.byteLength))
      }
    }
    const everyImage = Int32Array.from(imageIds, (_, index) => index)
    return {
      imageIds,
      missing,
      words,
      *columns(wanted) {
        for (let first = 0; first < words.length; first += width) {
          const columns = Array.from({ length: Math.min(width, words.length - first) }, (_, i) => first + i)
          if (!columns.some((column) => wanted.has(column))) continue
          const tiles = spool.records(first / width)
          const values = joinTiles(tiles, columns.length, imageIds.length, bytesPerValue)
          for (const [index, word] of columns.entries()) {
            if (wanted.has(word)) yield { word, images: everyImage, scores: values[index] }
          }
        }
      },
    }
  })
}

/** @throws AccordError INVALID_VALUE */
function requireFinite(
  file: InputFile,
  { firstRow, rowCount, values }: NpyBlock,
  imageIds: readonly string[],
  words: readonly string[],
): void {
  for (let i = 0; i < values.length; i++) {
    if (Number.isFinite(values[i])) continue
    const row = firstRow + (i % rowCount)
    const column = Math.floor(i / rowCount)
    const place = `row ${row}, column ${column} (image ${imageIds[row]}, word ${quote(words[column])})`
    throw notFinite({ source: nameOf(file), place }, values[i])
  }
}

/** The columns of tiles of consecutive rows, each tile column by column. */
function joinTiles(
  tiles: Iterable<Buffer>,
  columnCount: number,
  rows: number,
  bytesPerValue: 4 | 8,
): (Float32Array | Float64Array)[] {
  const Values = bytesPerValue === 4 ? Float32Array : Float64Array
  const columns = Array.from({ length: columnCount }, () => new Values(rows))
  let row = 0
  for (const tile of tiles) {
    const bytes = tile.length / columnCount
    for (const [index, column] of columns.entries()) {
      tile.copy(new Uint8Array(column.buffer), row * bytesPerValue, index * bytes, (index + 1) * bytes)
    }
    row += bytes / bytesPerValue
  }
  return columns
}

/** Scores whose columns are read from a spool, which is closed with them, or if `read` throws. */
function spoolScores(read: (spool: Spool) => Omit<WordScores, 'close'>): WordScores {
  const spool = new Spool()
  try {
    return { ...read(spool), close: () => spool.close() }
  } catch (error) {
    spool.close()
    throw error
  }
}

/**
 * Reads a `.jsonl` file with one image per line: `{"image_id": 139, "words": {"dog": 0.98, …}}`, with scores of any
 * words; other keys are ignored.
 *
 * @throws AccordError FILE_NOT_FOUND; INVALID_JSON and INVALID_SHAPE with the number of the line
 */
function* readScoreLines(file: InputFile, onProgress?: ReadProgress): Generator<SubmittedScores> {
  for (const line of readLines(file, onProgress)) {
    const place = locateLine(file, line.number)
    const record = requireObject(parseJsonLine(file, line), place)
    yield {
      imageId: requireId(record, 'image_id', place),
      words: requireObject(record.words, () => place('words')),
      at: place,
    }
  }
}

/**
 * Groups scores of single images by word and checks the images against those of a dataset. An image without a score for
 * a word is different from an image with the score 0.
 *
 * @throws AccordError UNKNOWN_IMAGE; DUPLICATE_ID for an image that is submitted twice; MISSING_IMAGES unless `isMissingAllowed`;
 *   INVALID_SHAPE and INVALID_VALUE for a score that is not a finite number
 */
export function collectScores(
  submitted: Iterable<SubmittedScores>,
  images: KnownImages,
  coverage: Coverage,
): WordScores {
  return spoolScores((spool) => {
    const imageIds = new Set<string>()
    const wordIndex = new Map<string, number>()
    const entry = Buffer.alloc(ENTRY_BYTES)
    for (const { imageId, words, at } of submitted) {
      requireNewImage(imageId, images, imageIds, () => at('image_id'))
      entry.writeUInt32LE(imageIds.size - 1, IMAGE)
      for (const text of Object.keys(words)) {
        const score = requireScore(words[text], () => at(`words[${quote(text)}]`))
        let word = wordIndex.get(text)
        if (word === undefined) {
          word = wordIndex.size
          wordIndex.set(text, word)
        }
        entry.writeUInt32LE(word, WORD)
        entry.writeDoubleLE(score, SCORE)
        spool.append(word % PARTITIONS, entry)
      }
    }
    return {
      imageIds: [...imageIds],
      missing: missingImages(images, imageIds, coverage),
      words: [...wordIndex.keys()],
      *columns(wanted) {
        for (let partition = 0; partition < Math.min(PARTITIONS, wordIndex.size); partition++) {
          for (const column of groupEntries(spool.records(partition))) {
            if (wanted.has(column.word)) yield column
          }
        }
      },
    }
  })
}

// An entry of a spool: a score of a word for an image.
const WORD = 0
const IMAGE = 4
const SCORE = 8
const ENTRY_BYTES = 16

/** The columns of entries, whose images ascend. */
function* groupEntries(entries: Iterable<Buffer>): Generator<WordColumn> {
  const columns = new Map<number, { readonly images: number[]; readonly scores: number[] }>()
  for (const entry of entries) {
    const word = entry.readUInt32LE(WORD)
    let column = columns.get(word)
    if (column === undefined) {
      column = { images: [], scores: [] }
      columns.set(word, column)
    }
    column.images.push(entry.readUInt32LE(IMAGE))
    column.scores.push(entry.readDoubleLE(SCORE))
  }
  for (const [word, { images, scores }] of columns) {
    yield { word, images: Int32Array.from(images), scores: Float64Array.from(scores) }
  }
}

/**
 * Separates the words that a dataset has, as indices into `scores.words`, from those that it does not have: these are
 * reported and left out, because the vocabulary of a detector may come from another dataset.
 *
 * @throws AccordError UNKNOWN_WORD if the dataset has none of them
 */
export function splitWords(
  scores: WordScores,
  known: { has(word: string): boolean },
  source: InputFile,
): { readonly known: readonly number[]; readonly unknown: readonly string[] } {
  const positions = scores.words.flatMap((word, index) => (known.has(word) ? [index] : []))
  const unknown = scores.words.filter((word) => !known.has(word))
  if (positions.length === 0) {
    const found =
      unknown.length === 0 ? 'no words' : `${unknown.length} others, the first ${quote(unknown[0])}`
    throw wrongValue(
      'UNKNOWN_WORD',
      'unknown words',
      { source },
      'words that captions of the dataset use',
      found,
    )
  }
  return { known: positions, unknown }
}

/** @throws AccordError INVALID_SHAPE; INVALID_VALUE */
function requireScore(score: unknown, at: Locate): number {
  if (typeof score !== 'number') throw wrongShape(at(), 'a number', describeValue(score))
  if (!Number.isFinite(score)) throw notFinite(at(), score)
  return score
}

function notFinite(at: ReturnType<Locate>, score: number): AccordError {
  return invalidValue('invalid score', at, 'a finite number', String(score))
}

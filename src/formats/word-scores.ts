import { type AccordError, quote } from '../errors.js'
import { excerpt, firstWrongByte } from './broken-json.js'
import type { ReadProgress } from './files.js'
import { readJsonArray } from './json-stream.js'
import { type Coverage, type KnownImages, missingImages, requireNewImage } from './known-images.js'
import { type Line, readLines } from './lines.js'
import { readNpy } from './npy.js'
import {
  describeValue,
  externalId,
  type Locate,
  locateElement,
  locateLine,
  requireId,
  requireObject,
  wrongShape,
  wrongValue,
} from './values.js'

/**
 * Scores that a system gave to words of images, to be taken word by word. They keep the precision of their
 * source, single for a float32 `.npy` and double for a float64 `.npy` and for JSON: rounding doubles to single
 * precision would make different scores equal, and images with equal scores are one threshold of PHR and AP.
 */
export interface WordScores {
  /** External ids of the scored images, in the order they were handed in. */
  readonly imageIds: readonly string[]
  /** External ids of the images that were not handed in, in the order of the data set. */
  readonly missing: readonly string[]
  readonly words: readonly string[]
  /** The scores of the word `words[index]`. */
  column(index: number): WordColumn
}

/** The scores of one word. */
export interface WordColumn {
  /**
   * Positions in `imageIds` of the images that have a score for the word, ascending. All words of an `.npy` file
   * share one array.
   */
  readonly images: Int32Array
  /** Aligned to `images`; all finite. */
  readonly scores: Float32Array | Float64Array
}

/** What the rows and columns of an `.npy` file are. */
export interface MatrixLabels {
  /** Path of a JSON file: an array with the image id of each row. */
  readonly imageIdsFile: string
  /** The word of each column. */
  readonly words: readonly string[]
}

/** The scores of one image as they were handed in, before they are held against the data set. */
export interface SubmittedScores {
  readonly imageId: string
  readonly words: Iterable<readonly [word: string, score: unknown]>
  /** Where the image id stands, and a word's score, for errors. */
  readonly at: Locate
  atWord(word: string): ReturnType<Locate>
}

/**
 * Reads a file of word scores: `.npy`, with `labels`, or `.jsonl` and `.jsonl.gz`, without; see
 * {@link readMatrixScores} and {@link readScoreLines}. INVALID_VALUE for other names; NOT_APPLICABLE where labels
 * are missing or there is nothing they could name.
 */
export function readWordScores(
  file: string,
  labels: MatrixLabels | undefined,
  images: KnownImages,
  allowMissing: boolean,
  onProgress?: ReadProgress,
): WordScores {
  if (file.endsWith('.npy')) {
    if (labels === undefined) {
      throw wrongValue(
        'NOT_APPLICABLE',
        'an .npy file does not name its rows and columns',
        { source: file },
        'a vocabulary and a file of image ids beside it',
        'neither',
      )
    }
    return readMatrixScores(file, labels, images, allowMissing, onProgress)
  }
  if (file.endsWith('.jsonl') || file.endsWith('.jsonl.gz')) {
    if (labels !== undefined) {
      throw wrongValue(
        'NOT_APPLICABLE',
        'a .jsonl file names its images and words itself',
        { source: file },
        'no vocabulary and no file of image ids',
        'them',
      )
    }
    return collectScores(readScoreLines(file, onProgress), images, { source: file, allowMissing })
  }
  throw wrongValue(
    'INVALID_VALUE',
    'unknown kind of file',
    { source: file },
    'a name ending in .npy, .jsonl or .jsonl.gz',
    quote(file.slice(file.lastIndexOf('/') + 1)),
  )
}

/**
 * Reads an `.npy` file, images × words, float32 or float64; its rows are `labels.imageIdsFile`, its columns
 * `labels.words`. Rows and columns are counted from 0 in errors, as NumPy does.
 *
 * Throws what `readNpy` and `readJsonArray` throw; INVALID_SHAPE where the labels do not fit; UNKNOWN_IMAGE and
 * DUPLICATE_ID for an image id; MISSING_IMAGES unless `allowMissing`; INVALID_VALUE for a score that is not finite.
 */
export function readMatrixScores(
  file: string,
  labels: MatrixLabels,
  images: KnownImages,
  allowMissing: boolean,
  onProgress?: ReadProgress,
): WordScores {
  const { words, imageIdsFile } = labels
  const imageIds = readImageIds(imageIdsFile, images)
  const missing = missingImages(images, imageIds, { source: imageIdsFile, allowMissing })
  const { rows, columns, values } = readNpy(file, onProgress)
  if (rows !== imageIds.size || columns !== words.length) {
    const expected = `${imageIds.size} images (rows) × ${words.length} words (columns)`
    throw wrongShape({ source: file }, expected, `${rows} × ${columns}`)
  }
  const ids = [...imageIds]
  for (let i = 0; i < values.length; i++) {
    if (Number.isFinite(values[i])) continue
    const row = i % rows
    const column = Math.floor(i / rows)
    const place = `row ${row}, column ${column} (image ${ids[row]}, word ${quote(words[column])})`
    throw notFinite({ source: file, place }, values[i])
  }
  const everyImage = Int32Array.from(ids, (_, index) => index)
  return {
    imageIds: ids,
    missing,
    words,
    column: (index) => ({ images: everyImage, scores: values.subarray(index * rows, (index + 1) * rows) }),
  }
}

/**
 * Reads a `.jsonl` file, one image a line: `{"image_id": 139, "words": {"dog": 0.98, …}}`, with scores of any
 * words; other keys are skipped.
 *
 * Throws FILE_NOT_FOUND; INVALID_JSON and INVALID_SHAPE with the number of the line.
 */
export function* readScoreLines(file: string, onProgress?: ReadProgress): Generator<SubmittedScores> {
  for (const line of readLines(file, onProgress)) {
    const place = locateLine(file, line.number)
    const record = requireObject(parseLine(file, line), place)
    yield {
      imageId: requireId(record, 'image_id', place),
      words: Object.entries(requireObject(record.words, () => place('words'))),
      at: () => place('image_id'),
      atWord: (word) => place(`words[${quote(word)}]`),
    }
  }
}

/** Scores from an argument instead of a file; places read `scores[17].words[3]`. */
export function* submittedScores(
  scores: Iterable<{
    readonly imageId: string
    readonly words: readonly { readonly word: string; readonly score: number }[]
  }>,
): Generator<SubmittedScores> {
  let index = 0
  for (const { imageId, words } of scores) {
    const place = locateElement(undefined, 'scores', index++)
    const at = () => place('imageId')
    yield {
      imageId: externalId(imageId, at),
      words: words.map(({ word, score }) => [word, score] as const),
      at,
      atWord: (word) => place(`words[${words.findLastIndex((entry) => entry.word === word)}]`),
    }
  }
}

/**
 * Gathers scores of single images by word and holds the images against those of a data set. A word that an image
 * does not name has no score for it, which is not a score of 0.
 *
 * Throws UNKNOWN_IMAGE; DUPLICATE_ID for an image, or a word of an image, that comes twice; MISSING_IMAGES unless
 * `allowMissing`; INVALID_SHAPE and INVALID_VALUE for a score that is no finite number.
 */
export function collectScores(
  submitted: Iterable<SubmittedScores>,
  images: KnownImages,
  coverage: Coverage,
): WordScores {
  const imageIds = new Set<string>()
  const wordIndex = new Map<string, number>()
  const rows: SparseRow[] = []
  for (const scored of submitted) {
    requireNewImage(scored.imageId, images, imageIds, scored.at)
    rows.push(readRow(scored, wordIndex))
  }
  const missing = missingImages(images, imageIds, coverage)
  const { firsts, positions, scores } = transpose(rows, wordIndex.size)
  return {
    imageIds: [...imageIds],
    missing,
    words: [...wordIndex.keys()],
    column: (index) => ({
      images: positions.subarray(firsts[index], firsts[index + 1]),
      scores: scores.subarray(firsts[index], firsts[index + 1]),
    }),
  }
}

/**
 * Which of the words a data set knows: positions in `scores.words`, and the words it does not know, to be told to
 * the user and left out: a detector's vocabulary need not come from this data set. Throws UNKNOWN_WORD where it
 * knows none.
 */
export function splitWords(
  scores: WordScores,
  known: { has(word: string): boolean },
  source: string,
): { readonly known: readonly number[]; readonly unknown: readonly string[] } {
  const positions = scores.words.flatMap((word, index) => (known.has(word) ? [index] : []))
  const unknown = scores.words.filter((word) => !known.has(word))
  if (positions.length === 0) {
    const found =
      unknown.length === 0 ? 'no words' : `${unknown.length} others, the first ${quote(unknown[0])}`
    throw wrongValue(
      'UNKNOWN_WORD',
      'no word is known',
      { source },
      'words that captions of the data set use',
      found,
    )
  }
  return { known: positions, unknown }
}

/** The scores of one image: word `words[i]` has the score `scores[i]`. */
interface SparseRow {
  readonly words: Int32Array
  readonly scores: Float64Array
}

function readImageIds(file: string, images: KnownImages): Set<string> {
  const ids = new Set<string>()
  for (const { index, value } of readJsonArray(file)) {
    const at = locateElement(file, '', index)
    requireNewImage(externalId(value, at), images, ids, at)
  }
  return ids
}

function readRow({ words, atWord }: SubmittedScores, wordIndex: Map<string, number>): SparseRow {
  const entries = [...words]
  const row = { words: new Int32Array(entries.length), scores: new Float64Array(entries.length) }
  const seen = new Set<string>()
  for (const [i, [word, score]] of entries.entries()) {
    if (seen.has(word)) {
      throw wrongValue(
        'DUPLICATE_ID',
        'duplicate word',
        atWord(word),
        'each word once',
        `${quote(word)} again`,
      )
    }
    seen.add(word)
    if (typeof score !== 'number') throw wrongShape(atWord(word), 'a number', describeValue(score))
    if (!Number.isFinite(score)) throw notFinite(atWord(word), score)
    let index = wordIndex.get(word)
    if (index === undefined) {
      index = wordIndex.size
      wordIndex.set(word, index)
    }
    row.words[i] = index
    row.scores[i] = score
  }
  return row
}

/** From scores by image to scores by word: those of word `w` are at `firsts[w] … firsts[w + 1] - 1`. */
function transpose(rows: readonly SparseRow[], wordCount: number) {
  const firsts = new Int32Array(wordCount + 1)
  for (const { words } of rows) for (const word of words) firsts[word + 1]++
  for (let i = 1; i <= wordCount; i++) firsts[i] += firsts[i - 1]

  const next = firsts.slice()
  const positions = new Int32Array(firsts[wordCount])
  const scores = new Float64Array(firsts[wordCount])
  for (const [image, row] of rows.entries()) {
    for (let i = 0; i < row.words.length; i++) {
      const target = next[row.words[i]]++
      positions[target] = image
      scores[target] = row.scores[i]
    }
  }
  return { firsts, positions, scores }
}

function parseLine(file: string, { number, text }: Line): unknown {
  try {
    return JSON.parse(text)
  } catch {
    const bytes = Buffer.from(text)
    const wrong = firstWrongByte(bytes)
    if (wrong === undefined) {
      throw wrongValue(
        'INVALID_JSON',
        'the line is cut off',
        locateLine(file, number)(),
        'the rest of the object',
        'the end of the line',
      )
    }
    const column = bytes.toString('utf8', 0, wrong).length + 1
    const at = locateLine(file, number)(`column ${column}`)
    throw wrongValue('INVALID_JSON', 'not JSON', at, 'valid JSON', excerpt(bytes.subarray(wrong)))
  }
}

function notFinite(at: ReturnType<Locate>, score: number): AccordError {
  return wrongValue('INVALID_VALUE', 'not a score', at, 'a finite number', String(score))
}

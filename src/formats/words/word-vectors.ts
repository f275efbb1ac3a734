import { createHash } from 'node:crypto'
import { basename } from 'node:path'
import { type FoundVectors, normalize, type WordVectors } from '../../core/metrics/wmd/transport.js'
import { quote } from '../../errors.js'
import { builtFile } from '../io/built-files.js'
import { ByteWindow } from '../io/byte-window.js'
import { openFile, readWhole } from '../io/files.js'
import { readByteLines } from '../io/lines.js'
import { invalidValue, locateLine, wrongShape, wrongValue } from '../io/values.js'

/** Name of the built-in vectors in signatures. */
const BUILT_IN_NAME = 'glove-6B-100d'

/**
 * Word vectors: those of a file, or the built-in ones, see scripts/build-vectors.js. They are read when words are first
 * looked up. Of a file only the vectors of these words are retained.
 *
 * @param file word2vec `.bin`; else text as GloVe or fastText write it, also gzipped
 * @throws AccordError FILE_NOT_FOUND; `lookUp` throws what is wrong with the file
 */
export function openWordVectors(file?: string): WordVectors {
  if (file === undefined) return { name: BUILT_IN_NAME, isBuiltIn: true, lookUp: lookUpBuiltIn() }
  openFile(file).close()
  return { name: basename(file).replace(/[|:\s]/g, '_'), isBuiltIn: false, lookUp: lookUpInFile(file) }
}

/** SHA-256 of a file of vectors, or of the built-in ones, in hexadecimal digits. @throws AccordError FILE_NOT_FOUND */
export function hashWordVectors(file?: string): string {
  const hash = createHash('sha256')
  const source = openFile(file ?? builtInFile())
  try {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES)
    for (let count = source.read(chunk, 0); count > 0; count = source.read(chunk, 0)) {
      hash.update(chunk.subarray(0, count))
    }
    return hash.digest('hex')
  } finally {
    source.close()
  }
}

const CHUNK_BYTES = 1024 * 1024

function builtInFile(): string {
  return builtFile('english/glove.vectors', 'the word vectors')
}

/** Bytes before the words of the built-in vectors, and how their values are packed. */
const HEADER_BYTES = 16
const STEP = 1e-5
const OFFSET = 2 ** 19
const VALUE_BITS = 20

function lookUpBuiltIn(): WordVectors['lookUp'] {
  let loaded: { rowOf: ReadonlyMap<string, number>; dimension: number; packed: Buffer } | undefined

  function load() {
    const bytes = readWhole(builtInFile())
    const dimension = bytes.readUInt32LE(8)
    const end = HEADER_BYTES + bytes.readUInt32LE(12)
    const words = bytes.toString('utf8', HEADER_BYTES, end).split('\n')
    return { rowOf: new Map(words.map((word, row) => [word, row])), dimension, packed: bytes.subarray(end) }
  }

  return (words) => {
    loaded ??= load()
    const { rowOf, dimension, packed } = loaded
    const found = words.map((word) => rowOf.get(word))
    const rows = new Int32Array(words.length).fill(-1)
    const values = new Float64Array(found.filter((row) => row !== undefined).length * dimension)
    let size = 0
    for (const [index, row] of found.entries()) {
      if (row === undefined) continue
      unpack(packed, row * dimension, values, size * dimension, dimension)
      rows[index] = size++
    }
    return { rows, dimension, values }
  }
}

/** Reads `count` values, an even number, from value `first` on, and scales them to unit length. */
function unpack(packed: Buffer, first: number, values: Float64Array, start: number, count: number): void {
  const mask = 2 ** VALUE_BITS - 1
  for (let i = 0; i < count; i += 2) {
    const position = ((first + i) * 2 * VALUE_BITS) / 16
    const low = packed.readUInt32LE(position)
    const high = packed[position + 4]
    values[start + i] = ((low & mask) - OFFSET) * STEP
    values[start + i + 1] = (((low >>> VALUE_BITS) | (high << (32 - VALUE_BITS))) - OFFSET) * STEP
  }
  normalize(values, start, count)
}

/** Looks words up in a file, reading it whenever words are asked for that were not asked for before. */
function lookUpInFile(file: string): WordVectors['lookUp'] {
  const known = new Map<string, Float64Array | null>()
  let dimension = 0

  return (words): FoundVectors => {
    const wanted = new Set(words.filter((word) => !known.has(word)))
    if (wanted.size > 0) {
      const found = file.endsWith('.bin') ? readBinary(file, wanted) : readText(file, wanted)
      dimension = found.dimension
      for (const word of wanted) known.set(word, found.vectors.get(word) ?? null)
    }
    const rows = new Int32Array(words.length).fill(-1)
    const vectors: Float64Array[] = []
    for (const [index, word] of words.entries()) {
      const vector = known.get(word)
      if (vector) rows[index] = vectors.push(vector) - 1
    }
    const values = new Float64Array(vectors.length * dimension)
    for (const [row, vector] of vectors.entries()) values.set(vector, row * dimension)
    return { rows, dimension, values }
  }
}

/** The vectors of some words of a file, of unit length. */
interface ReadVectors {
  readonly dimension: number
  readonly vectors: ReadonlyMap<string, Float64Array>
}

const SPACE = 0x20
const LINE_FEED = 0x0a
const MAX_DIMENSION = 10_000

/**
 * Reads text: a word and its values on each line, separated by spaces; fastText begins with a line of the number of
 * words and of dimensions. A word may contain spaces (GloVe has such); it is not a token of a caption.
 */
function readText(file: string, wanted: ReadonlySet<string>): ReadVectors {
  const vectors = new Map<string, Float64Array>()
  let dimension = 0
  let announced: number | undefined
  let count = 0
  for (const { number, bytes } of readByteLines(file)) {
    const end = endOfLine(bytes)
    if (end === 0) continue
    if (number === 1) {
      const header = /^(\d+) (\d+)$/.exec(bytes.toString('utf8', 0, Math.min(end, 40)))
      if (header) {
        announced = Number(header[1])
        dimension = requireDimension(Number(header[2]), file)
        continue
      }
    }
    count++
    const fields = countFields(bytes, end)
    if (dimension === 0) dimension = requireDimension(fields - 1, file)
    if (fields !== dimension + 1 && !hasSpacesInWord(bytes, end, fields, dimension)) {
      const found = `${fields - 1}`
      throw wrongShape(locateLine(file, number)(), `a word and ${dimension} values`, found)
    }
    if (fields !== dimension + 1) continue
    const space = bytes.indexOf(SPACE)
    const word = bytes.toString('utf8', 0, space)
    // The values of the first line are read in any case: they tell whether this is a file of vectors.
    if (count > 1 && !wanted.has(word)) continue
    const values = parseValues(bytes.toString('utf8', space, end), { file, number, dimension, word })
    if (!wanted.has(word)) continue
    requireNew(vectors, word, file, `line ${number}`)
    vectors.set(word, values)
  }
  if (count === 0) throw wrongShape({ source: file }, 'at least one word', 'none')
  requireComplete(file, announced, count)
  return { dimension, vectors }
}

/** The number of bytes of a line without spaces and a carriage return at its end. */
function endOfLine(bytes: Buffer): number {
  let end = bytes.length
  while (end > 0 && (bytes[end - 1] === SPACE || bytes[end - 1] === 0x0d)) end--
  return end
}

function countFields(bytes: Buffer, end: number): number {
  let fields = 1
  for (let i = 0; i < end; i++) if (bytes[i] === SPACE) fields++
  return fields
}

/** Whether the surplus fields belong to the word: then one of them is not a number. */
function hasSpacesInWord(bytes: Buffer, end: number, fields: number, dimension: number): boolean {
  if (fields <= dimension + 1) return false
  const surplus = bytes
    .toString('utf8', 0, end)
    .split(' ')
    .slice(1, fields - dimension)
  return surplus.some((field) => field === '' || !Number.isFinite(Number(field)))
}

interface VectorPlace {
  readonly file: string
  readonly number: number
  readonly dimension: number
  readonly word: string
}

function parseValues(text: string, { file, number, dimension, word }: VectorPlace): Float64Array {
  const fields = text.trim().split(' ')
  const values = Float64Array.from(fields, Number)
  const invalid = values.findIndex((value) => !Number.isFinite(value))
  if (invalid >= 0) {
    const place = locateLine(file, number)(`value ${invalid + 1} of ${quote(word)}`)
    throw invalidValue('invalid vector', place, 'a finite number', quote(fields[invalid]))
  }
  normalize(values, 0, dimension)
  return values
}

/** Reads word2vec's binary format: the numbers of words and of dimensions, then words with float32 values. */
function readBinary(file: string, wanted: ReadonlySet<string>): ReadVectors {
  const source = openFile(file)
  try {
    const window = new ByteWindow(source)
    const header = /^(\d+) (\d+)$/.exec(takeUntil(window, LINE_FEED, 40) ?? '')
    if (!header) {
      throw wrongShape({ source: file, place: 'line 1' }, 'the numbers of words and of dimensions', 'others')
    }
    const announced = Number(header[1])
    const dimension = requireDimension(Number(header[2]), file)
    const vectors = new Map<string, Float64Array>()
    for (let index = 0; index < announced; index++) {
      const word = takeUntil(window, SPACE, MAX_WORD_BYTES)?.replace(/^\n/, '')
      if (word === undefined || !has(window, 4 * dimension)) {
        requireComplete(file, announced, index)
        break
      }
      if (wanted.has(word)) {
        requireNew(vectors, word, file, `word ${index + 1}`)
        vectors.set(word, takeFloats(window, dimension, { file, number: index + 1, dimension, word }))
      }
      window.start += 4 * dimension
    }
    return { dimension, vectors }
  } finally {
    source.close()
  }
}

/** Longest word of a binary file; longer ones are a damaged file. */
const MAX_WORD_BYTES = 4096

/** Takes the text before a byte, and the byte; undefined at the end of the file, or if the text is too long. */
function takeUntil(window: ByteWindow, byte: number, maxBytes: number): string | undefined {
  for (;;) {
    const found = window.bytes.subarray(window.start, window.end).indexOf(byte)
    if (found >= 0) {
      const text = window.bytes.toString('utf8', window.start, window.start + found)
      window.start += found + 1
      return text
    }
    if (window.end - window.start > maxBytes || !window.more()) return undefined
  }
}

/** Whether the file has this many bytes more. */
function has(window: ByteWindow, bytes: number): boolean {
  while (window.end - window.start < bytes) if (!window.more()) return false
  return true
}

function takeFloats(window: ByteWindow, dimension: number, place: VectorPlace): Float64Array {
  const values = new Float64Array(dimension)
  for (let d = 0; d < dimension; d++) values[d] = window.bytes.readFloatLE(window.start + 4 * d)
  const invalid = values.findIndex((value) => !Number.isFinite(value))
  if (invalid >= 0) {
    const at = {
      source: place.file,
      place: `word ${place.number}, value ${invalid + 1} of ${quote(place.word)}`,
    }
    throw invalidValue('invalid vector', at, 'a finite number', String(values[invalid]))
  }
  normalize(values, 0, dimension)
  return values
}

function requireDimension(dimension: number, file: string): number {
  if (dimension >= 2 && dimension <= MAX_DIMENSION) return dimension
  const expected = `word vectors of 2 to ${MAX_DIMENSION} dimensions`
  throw wrongShape({ source: file, place: 'line 1' }, expected, String(dimension))
}

function requireNew(vectors: ReadonlyMap<string, unknown>, word: string, file: string, place: string): void {
  if (!vectors.has(word)) return
  const detail = `${quote(word)} again`
  throw wrongValue('DUPLICATE_ID', 'duplicate word', { source: file, place }, 'each word once', detail)
}

function requireComplete(file: string, announced: number | undefined, count: number): void {
  if (announced === undefined || announced === count) return
  const summary = count < announced ? 'the file is truncated' : 'too many words'
  throw wrongValue('INVALID_SHAPE', summary, { source: file }, `${announced} words`, String(count))
}

/**
 * Rows of numbers that are found by a text. Each row has one or more lists of values. The file is searched without
 * being parsed first.
 */
interface TextIndex {
  /** Returns the number of the row of a text, −1 if the index does not have it. */
  find(text: string): number
  /** The same for parts of the text that are joined by a character, without joining them. */
  findJoined(parts: readonly string[], separator: string): number
  textOf(row: number): string
  /** Returns a list of a row: a view of the file, not to be written to. */
  valuesOf(row: number, list: number): Int32Array
}

/** A row to encode: its text and its lists. */
export type TextIndexRow = readonly [text: string, ...lists: readonly (readonly number[])[]]

/** Numbers before the first array: kind, lists per row, slots, rows, values, and bytes of text. */
const HEADER_LENGTH = 6

/** The arrays of an index, one after the other in the file, in the byte order of the machine that built it. */
interface Arrays {
  readonly listCount: number
  /**
   * A hash table with open addressing: the number of a row + 1 in the low {@link ROW_BITS} bits, and bits of its hash above,
   * so that few other texts are read; 0 for a free slot.
   */
  readonly slots: Int32Array
  /** Per row, where its text ends; the first entry is 0. */
  readonly textEnds: Int32Array
  /** Per row and list, where its values end; the first entry is 0. */
  readonly valueEnds: Int32Array
  readonly values: Int32Array
  /** The texts of all rows, one byte per character. */
  readonly text: Uint8Array
}

/**
 * Encodes rows with distinct texts. They are numbered from 0 in the given order.
 *
 * @param kind identifies the kind of file
 * @throws RangeError for a text with other characters than ASCII, and 2^20 rows or more
 */
export function encodeTextIndex(kind: number, listCount: number, rows: readonly TextIndexRow[]): Uint8Array {
  const texts = rows.map(([text]) => text)
  const lists = rows.flatMap(([, ...lists]) => lists)
  const slots = hashTexts(texts)
  const textEnds = endsOf(texts)
  const valueEnds = endsOf(lists)
  const values = Int32Array.from(lists.flat())
  const text = Uint8Array.from(Buffer.from(texts.join(''), 'utf8'))
  if (texts.length >= ROW_MASK) throw new RangeError(`expected fewer than ${ROW_MASK} texts`)
  if (text.length !== textEnds[texts.length]) throw new RangeError('expected texts of ASCII characters')
  const header = Int32Array.of(kind, listCount, slots.length, texts.length, values.length, text.length)
  return Buffer.concat(
    [header, slots, textEnds, valueEnds, values, text].map(({ buffer }) => new Uint8Array(buffer)),
  )
}

/** Returns the index of an encoded file, null if the bytes are not one of this kind. */
export function decodeTextIndex(bytes: Uint8Array, kind: number): TextIndex | null {
  const arrays = readArrays(bytes, kind)
  if (!arrays) return null
  const { listCount, values, valueEnds, text, textEnds } = arrays
  return {
    find: (text) => findText(arrays, [text], 0),
    findJoined: (parts, separator) => findText(arrays, parts, separator.charCodeAt(0)),
    textOf: (row) => String.fromCharCode(...text.subarray(textEnds[row], textEnds[row + 1])),
    valuesOf(row, list) {
      const index = row * listCount + list
      return values.subarray(valueEnds[index], valueEnds[index + 1])
    },
  }
}

function readArrays(bytes: Uint8Array, kind: number): Arrays | null {
  if (bytes.length < 4 * HEADER_LENGTH) return null
  const header = new Int32Array(bytes.buffer, bytes.byteOffset, HEADER_LENGTH)
  const [fileKind, listCount, slotCount, rowCount, valueCount, textLength] = header
  const lengths = [slotCount, rowCount + 1, listCount * rowCount + 1, valueCount]
  const textStart = 4 * lengths.reduce((sum, length) => sum + length, HEADER_LENGTH)
  if (fileKind !== kind || bytes.length !== textStart + textLength) return null
  let start = bytes.byteOffset + 4 * HEADER_LENGTH
  const [slots, textEnds, valueEnds, values] = lengths.map((length) => {
    const array = new Int32Array(bytes.buffer, start, length)
    start += array.byteLength
    return array
  })
  return { listCount, slots, textEnds, valueEnds, values, text: bytes.subarray(textStart) }
}

/** @param separator the code of the character between two parts */
function findText({ slots, text, textEnds }: Arrays, parts: readonly string[], separator: number): number {
  const mask = slots.length - 1
  const hash = hashText(parts, separator)
  let slot = hash & mask
  for (; slots[slot] !== 0; slot = (slot + 1) & mask) {
    if ((slots[slot] ^ hash) >>> ROW_BITS !== 0) continue
    const row = (slots[slot] & ROW_MASK) - 1
    if (isAt(parts, separator, text, textEnds[row], textEnds[row + 1])) return row
  }
  return -1
}

function isAt(
  parts: readonly string[],
  separator: number,
  text: Uint8Array,
  start: number,
  end: number,
): boolean {
  let position = start
  for (let index = 0; index < parts.length; index++) {
    const part = parts[index]
    if (index > 0 && text[position++] !== separator) return false
    if (position + part.length > end) return false
    for (let i = 0; i < part.length; i++) if (text[position++] !== part.charCodeAt(i)) return false
  }
  return position === end
}

function hashTexts(texts: readonly string[]): Int32Array {
  const slots = new Int32Array(2 ** Math.ceil(Math.log2(2 * texts.length + 1)))
  const mask = slots.length - 1
  texts.forEach((text, row) => {
    const hash = hashText([text], 0)
    let slot = hash & mask
    while (slots[slot] !== 0) slot = (slot + 1) & mask
    slots[slot] = (hash & ~ROW_MASK) | (row + 1)
  })
  return slots
}

const ROW_BITS = 20
const ROW_MASK = 2 ** ROW_BITS - 1

const FNV_START = 0x811c9dc5
const FNV_PRIME = 0x01000193

/** FNV-1a over the characters of a text. */
function hashText(parts: readonly string[], separator: number): number {
  let hash = FNV_START
  for (let index = 0; index < parts.length; index++) {
    const part = parts[index]
    if (index > 0) hash = Math.imul(hash ^ separator, FNV_PRIME)
    for (let i = 0; i < part.length; i++) hash = Math.imul(hash ^ part.charCodeAt(i), FNV_PRIME)
  }
  return hash ^ (hash >>> 15)
}

function endsOf(lists: readonly { readonly length: number }[]): Int32Array {
  const ends = new Int32Array(lists.length + 1)
  lists.forEach(({ length }, index) => {
    ends[index + 1] = ends[index] + length
  })
  return ends
}

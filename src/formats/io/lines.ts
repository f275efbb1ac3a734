import { isUtf8 } from 'node:buffer'
import { AccordError } from '../../errors.js'
import { ByteWindow, MAX_RECORD_BYTES } from './byte-window.js'
import { UTF8_TEXT } from './encodings.js'
import { type InputFile, openFile, type ReadProgress } from './files.js'
import { locateLine } from './values.js'

/** A line of a text file, without its line break. */
export interface Line {
  /** Line number, starting at 1. */
  readonly number: number
  readonly text: string
}

const LINE_FEED = 0x0a

/** A line as bytes, without its line break; valid until the next line is read. */
interface ByteLine {
  /** Line number, starting at 1. */
  readonly number: number
  readonly bytes: Buffer
}

/**
 * Reads the lines of a file as bytes. Memory does not grow with the size of the file. Files whose names end in `.gz` are
 * decompressed.
 *
 * @throws AccordError FILE_NOT_FOUND; OUT_OF_RANGE for a line of more than 16 MiB
 */
export function* readByteLines(file: InputFile, onProgress?: ReadProgress): Generator<ByteLine> {
  const source = openFile(file)
  try {
    const window = new ByteWindow(source, onProgress)
    for (let number = 1; ; number++) {
      const bytes = nextLine(file, window, number)
      if (bytes === undefined) return
      yield { number, bytes }
    }
  } finally {
    source.close()
  }
}

/**
 * Reads the lines of a UTF-8 file, see {@link readByteLines}. A byte order mark is skipped. A carriage return before a line
 * feed is part of the line.
 *
 * @throws AccordError as {@link readByteLines}; INVALID_VALUE for bytes that are not UTF-8
 */
export function* readTextLines(file: InputFile, onProgress?: ReadProgress): Generator<Line> {
  for (const { number, bytes } of readByteLines(file, onProgress)) {
    if (!isUtf8(bytes)) {
      const detail = { expected: UTF8_TEXT, found: 'other bytes' }
      throw new AccordError('INVALID_VALUE', 'not UTF-8', { ...locateLine(file, number)(), ...detail })
    }
    const line = bytes.toString('utf8')
    yield { number, text: number === 1 && line.startsWith('\ufeff') ? line.slice(1) : line }
  }
}

/** The lines of {@link readTextLines} that are not blank. */
export function* readLines(file: InputFile, onProgress?: ReadProgress): Generator<Line> {
  for (const line of readTextLines(file, onProgress)) if (line.text.trim() !== '') yield line
}

function nextLine(file: InputFile, window: ByteWindow, number: number): Buffer | undefined {
  for (let searched = 0; ; ) {
    const found = window.bytes.subarray(0, window.end).indexOf(LINE_FEED, window.start + searched)
    if (found >= 0) {
      const line = window.bytes.subarray(window.start, found)
      window.start = found + 1
      return line
    }
    searched = window.end - window.start
    if (window.more()) continue
    if (window.isFull) {
      const detail = { expected: `at most ${MAX_RECORD_BYTES} bytes`, found: 'more' }
      throw new AccordError('OUT_OF_RANGE', 'line too long', { ...locateLine(file, number)(), ...detail })
    }
    if (searched === 0) return undefined
    const line = window.bytes.subarray(window.start, window.end)
    window.start = window.end
    return line
  }
}

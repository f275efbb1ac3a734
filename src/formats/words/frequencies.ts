import { createHash } from 'node:crypto'
import type { HashedFrequencies } from '../../core/metrics/hashed-frequencies.js'
import { isTokenizerVersion } from '../../core/text/tokenization.js'
import { TOKENIZERS } from '../../shared/choices.js'
import { builtFile } from '../io/built-files.js'
import { type InputFile, readWhole } from '../io/files.js'
import { describeValue, wrongShape } from '../io/values.js'

/** Of the captions that n-grams were counted in; the tokenizer with its version. */
export interface CountedTokens {
  readonly tokenizer: string
  readonly language: string
}

/**
 * Files of document frequencies. The first line is JSON:
 *
 *     {"format":"accord-frequencies","version":1,"tokenizer":"ptb-3.4.1","language":"en","images":5000,"ngrams":127401}
 *
 * The language is left out where it is English. After the line, for each n-gram by ascending hash: the hash minus the one before, and the number of images that have the n-gram,
 * as numbers of variable length (LEB128). N-grams of one image are left out. Equal tables have equal bytes.
 */
export interface FrequencyFile extends HashedFrequencies, CountedTokens {
  /** SHA-256 of the file, decompressed, in hexadecimal digits. */
  readonly hash: string
}

const FORMAT = 'accord-frequencies'
const VERSION = 1

/** How names of files of document frequencies end. */
const FILE_NAME = /\.frequencies(\.gz)?$/

/** Whether a source of document frequencies is the name of a file. */
export function isFrequencyFile(name: string): boolean {
  return FILE_NAME.test(name)
}

/** The name of the built-in document frequencies, those of all captions of COCO val2017. */
export const BUILT_IN_FREQUENCIES = 'coco'

/** Reads the built-in document frequencies; see scripts/build-frequencies.js. @throws AccordError RESOURCE_MISSING if the package has not been built */
export function readBuiltInFrequencies(): FrequencyFile {
  return readFrequencies(builtFile('english/coco.frequencies', 'the document frequencies'))
}

/** Reads a file of `accord export frequencies`. @throws AccordError FILE_NOT_FOUND; INVALID_SHAPE; INVALID_VALUE for gzip */
export function readFrequencies(file: InputFile): FrequencyFile {
  return decodeFrequencies(readWhole(file), file)
}

export function encodeFrequencies(
  { imageCount, ngrams: { hashes }, counts }: HashedFrequencies,
  { tokenizer, language }: CountedTokens,
): Buffer {
  const header = {
    format: FORMAT,
    version: VERSION,
    tokenizer,
    ...(language !== 'en' && { language }),
    images: imageCount,
    ngrams: hashes.length,
  }
  const line = Buffer.from(`${JSON.stringify(header)}\n`)
  const bytes = Buffer.alloc(line.length + hashes.length * 2 * MAX_BYTES)
  line.copy(bytes)
  let end = line.length
  const write = (number: number) => {
    let rest = number
    for (; rest > 127; rest = Math.floor(rest / 128)) bytes[end++] = (rest % 128) | 128
    bytes[end++] = rest
  }
  hashes.forEach((hash, ngram) => {
    write(ngram === 0 ? hash : hash - hashes[ngram - 1])
    write(counts[ngram])
  })
  return bytes.subarray(0, end)
}

/** Maximum length of a number: 7 bits in each byte. */
const MAX_BYTES = 7

/** The largest hash. */
const MAX_HASH = 2 ** 48 - 1

/** @param file for errors @throws AccordError INVALID_SHAPE for other bytes */
export function decodeFrequencies(bytes: Buffer, file: InputFile): FrequencyFile {
  const lineEnd = bytes.subarray(0, MAX_HEADER_BYTES).indexOf(0x0a)
  const header = parseHeader(bytes.subarray(0, Math.max(0, lineEnd)))
  const { format, version, tokenizer, language = 'en', images, ngrams } = header
  const wrong = (place: string, expected: string, found: string) =>
    wrongShape({ source: file, place }, expected, found)
  if (format !== FORMAT)
    throw wrong(
      'first line',
      'document frequencies of accord export frequencies',
      `${bytes.length} other bytes`,
    )
  if (version !== VERSION) throw wrong('first line, version', String(VERSION), describeValue(version))
  if (!isTokenizerVersion(tokenizer))
    throw wrong('first line, tokenizer', `one of ${TOKENIZERS.join(', ')}`, describeValue(tokenizer))
  if (typeof language !== 'string')
    throw wrong('first line, language', 'a BCP 47 tag', describeValue(language))
  if (!isCount(images)) throw wrong('first line, images', 'a whole number from 1', describeValue(images))
  if (ngrams !== 0 && !(isCount(ngrams) && ngrams <= bytes.length))
    throw wrong('first line, ngrams', 'the number of n-grams', describeValue(ngrams))
  let start = lineEnd + 1
  const read = () => {
    let number = 0
    for (let factor = 1; ; factor *= 128) {
      const byte = bytes[start++]
      if (byte === undefined || factor > 2 ** 42) return Number.NaN
      number += (byte & 127) * factor
      if (byte < 128) return number
    }
  }
  const hashes = new Float64Array(ngrams)
  const counts = new Int32Array(ngrams)
  for (let ngram = 0; ngram < ngrams; ngram++) {
    const step = read()
    const count = read()
    const hash = ngram === 0 ? step : hashes[ngram - 1] + step
    const isValid = hash <= MAX_HASH && (ngram === 0 || step > 0) && count >= 1 && count <= images
    if (!isValid)
      throw wrong(`n-gram ${ngram + 1} of ${ngrams}`, 'a greater hash and a number of images', 'other bytes')
    hashes[ngram] = hash
    counts[ngram] = count
  }
  if (start !== bytes.length)
    throw wrong(`after ${ngrams} n-grams`, 'the end of the file', `${bytes.length - start} more bytes`)
  const hash = createHash('sha256').update(bytes).digest('hex')
  return { imageCount: images, ngrams: { hashes }, counts, hash, tokenizer, language }
}

/** Maximum length of the first line. */
const MAX_HEADER_BYTES = 1024

function parseHeader(line: Buffer): Readonly<Record<string, unknown>> {
  try {
    const header: unknown = JSON.parse(line.toString('utf8'))
    return typeof header === 'object' && header !== null ? { ...header } : {}
  } catch {
    return {}
  }
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) > 0
}

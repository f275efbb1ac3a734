import {
  createLayout,
  type Layout,
  padWords,
  readTensor,
  tensorsOf,
  writeTensor,
} from '../../core/bounds/engine/layout.js'
import type { ModelSpecification } from '../../core/bounds/engine/training.js'
import type { Vocabulary } from '../../core/bounds/material.js'
import type { BoundOutcome } from '../../core/bounds/settings.js'
import { AccordError, quote } from '../../errors.js'
import { ATOM_KINDS, BOUND_KINDS, type BoundSettings, DEFAULT_BOUND_SETTINGS } from '../../shared/choices.js'
import { parseJson } from '../io/json.js'
import { COUNT, integerFrom, listOf, NUMBER, objectOf, shapeCheck, TEXT } from '../io/schema.js'
import { invalidValue, type Locate, wrongShape } from '../io/values.js'

/**
 * The file of a trained language model: one line of JSON, filled with spaces to a multiple of 4 bytes, its line feed
 * included, followed by the parameters as little-endian 32-bit floating-point numbers.
 *
 * `tensors` of the header lists the parameters in the order of the numbers, each row by row, under their names in Yao et
 * al. 2016, section 4.3: `E_w` and `E_a` have a row for each word and atom; `W_f`, `U_f`, `A_f`, `b_f` and likewise for
 * the gates i, o and the candidate c; `W_p`, `b_p`, `U_p`, `d`. `words` and `atoms` name their rows. Word 0 begins a
 * caption and is only an input, word 1 ends it, and word 2 stands for every other word.
 */
interface ModelHeader extends Vocabulary {
  readonly format: typeof FORMAT
  readonly version: number
  readonly settings: BoundSettings
  readonly specification: ModelSpecification
  readonly training: TrainingSummary
  readonly tensors: readonly { readonly name: string; readonly rows: number; readonly columns: number }[]
}

const FORMAT = 'accord bound model'
const VERSION = 1
const LINE_FEED = 10
const OPEN_OBJECT = 0x7b

/** The begin, the end, and every unknown word. */
const SPECIAL_WORD_COUNT = 3

/** Captions of a mini-batch, and words of a caption. */
const MAX_BATCH = 1024
const MAX_LENGTH = 10_000

const NUMERIC_SETTINGS = Object.entries(DEFAULT_BOUND_SETTINGS).flatMap(([name, value]) =>
  typeof value === 'number' ? name : [],
)

/** How a model was trained. */
export type TrainingSummary = Pick<BoundOutcome, 'steps' | 'bestStep' | 'validationLoss'>

type ModelContent = Pick<ModelHeader, 'settings' | 'specification' | 'training' | 'words' | 'atoms'>

/** Encodes a model. @param numbers its memory */
export function encodeModel(content: ModelContent, layout: Layout, numbers: Float32Array): Buffer {
  const tensors = tensorsOf(layout)
  const header: ModelHeader = {
    format: FORMAT,
    version: VERSION,
    settings: content.settings,
    specification: content.specification,
    training: content.training,
    tensors: shapesOf(layout),
    words: content.words,
    atoms: content.atoms,
  }
  const text = Buffer.from(JSON.stringify(header))
  const line = Buffer.alloc(Math.ceil((text.length + 1) / 4) * 4, ' ')
  text.copy(line)
  line[line.length - 1] = LINE_FEED
  const weights = tensors.map((tensor) => Buffer.from(Float32Array.from(readTensor(tensor, numbers)).buffer))
  return Buffer.concat([line, ...weights])
}

const ATOM = objectOf({ kind: { enum: [...ATOM_KINDS] }, text: TEXT })

const checkHeader = shapeCheck<ModelHeader>(
  objectOf({
    format: { const: FORMAT },
    version: { const: VERSION },
    settings: objectOf({
      kind: { enum: [...BOUND_KINDS] },
      visualOnly: { type: 'boolean' },
      ...Object.fromEntries(NUMERIC_SETTINGS.map((name) => [name, NUMBER])),
    }),
    specification: objectOf({
      size: objectOf({ words: COUNT, atoms: COUNT, embedding: integerFrom(1), state: integerFrom(1) }),
      batch: integerFrom(1, MAX_BATCH),
      maxLength: integerFrom(1, MAX_LENGTH),
    }),
    training: objectOf({ steps: COUNT, bestStep: COUNT, validationLoss: NUMBER }),
    tensors: listOf(objectOf({ name: TEXT, rows: COUNT, columns: COUNT })),
    words: { ...listOf(TEXT, SPECIAL_WORD_COUNT), uniqueItems: true },
    atoms: listOf(ATOM),
  }),
)

/**
 * Decodes the header of a model, and checks that the parameters fit it.
 *
 * @param source name of the file, for errors
 * @throws AccordError INVALID_JSON; INVALID_SHAPE for another file, another version of the format, or sizes that contradict
 *   each other or the file; INVALID_VALUE for a parameter that is not finite; OUT_OF_RANGE as `createLayout`
 */
export function decodeHeader(file: Buffer, source: string): ModelHeader {
  const at: Locate = (place) => ({ source, place: place ? `header, ${place}` : 'header' })
  const value = parseHeader(file, at)
  const { format, version } = (value ?? {}) as { format?: unknown; version?: unknown }
  if (format !== FORMAT || version !== VERSION) {
    throw new AccordError('INVALID_SHAPE', 'not a model of a bound', {
      source,
      expected: `a file of version ${VERSION}, as written by accord bounds export`,
      found: format === FORMAT ? `version ${quote(version)}` : 'other content',
    })
  }
  const header = checkHeader(value, at)
  requireSizes(header, at)
  const expected = 4 * header.tensors.reduce((sum, { rows, columns }) => sum + rows * columns, 0)
  const found = file.length - startOfParameters(file)
  if (found !== expected) {
    throw new AccordError('INVALID_SHAPE', 'an incomplete model of a bound', {
      source,
      expected: `${expected} bytes of parameters`,
      found: String(found),
    })
  }
  const wrong = parametersOf(file).findIndex((parameter) => !Number.isFinite(parameter))
  if (wrong < 0) return header
  const place = `parameter ${wrong}`
  throw invalidValue('invalid parameter', { source, place }, 'a finite number', 'another')
}

/** Requires that the sizes, the settings and the lists of a header are those of one model. */
function requireSizes({ settings, specification, tensors, words, atoms }: ModelHeader, at: Locate): void {
  const { size } = specification
  const sizes = {
    words: words.length,
    atoms: atoms.length,
    embedding: settings.embedding,
    state: settings.state,
  }
  for (const [name, expected] of Object.entries(sizes)) {
    const found = size[name as keyof typeof size]
    if (found !== expected) {
      throw wrongShape(at(`specification.size.${name}`), String(expected), String(found))
    }
  }
  const smallest = { precision: 'single', captionsPerPart: 1, maxLength: 1, parts: 1 } as const
  const expected = shapesOf(createLayout(size, smallest))
  if (JSON.stringify(tensors) === JSON.stringify(expected)) return
  throw wrongShape(at('tensors'), 'the parameters of a model of this size', 'others')
}

function shapesOf(layout: Layout): ModelHeader['tensors'] {
  return tensorsOf(layout).map(({ name, rows, columns }) => ({ name, rows, columns }))
}

/** Undefined for a file that does not begin with a line of JSON. */
function parseHeader(file: Buffer, at: Locate): unknown {
  const end = file.indexOf(LINE_FEED)
  if (end < 0 || file[0] !== OPEN_OBJECT) return undefined
  try {
    return parseJson(file.toString('utf8', 0, end), at)
  } catch (error) {
    if (error instanceof AccordError) throw error
    return undefined
  }
}

function startOfParameters(file: Buffer): number {
  return file.indexOf(LINE_FEED) + 1
}

function parametersOf(file: Buffer): Float32Array {
  const start = file.byteOffset + startOfParameters(file)
  return new Float32Array(file.buffer.slice(start, file.byteOffset + file.length) as ArrayBuffer)
}

/** Writes the parameters of a file to the memory of a model with the same sizes. */
export function loadWeights(file: Buffer, layout: Layout, numbers: Float32Array | Float64Array): void {
  const values = parametersOf(file)
  padWords(numbers, layout)
  let start = 0
  for (const tensor of tensorsOf(layout)) {
    const count = tensor.rows * tensor.columns
    writeTensor(tensor, numbers, values.subarray(start, start + count))
    start += count
  }
}

import { padWords } from '../../core/bounds/engine/initial-weights.js'
import type { Layout } from '../../core/bounds/engine/layout.js'
import { readTensor, tensorsOf, writeTensor } from '../../core/bounds/engine/tensors.js'
import type { ModelSpecification } from '../../core/bounds/engine/training.js'
import type { Vocabulary } from '../../core/bounds/material.js'
import type { BoundOutcome, BoundSettings } from '../../core/bounds/settings.js'
import { AccordError } from '../../errors.js'

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
    tensors: tensors.map(({ name, rows, columns }) => ({ name, rows, columns })),
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

/**
 * Decodes the header of a model.
 *
 * @param source name of the file, for errors
 * @throws AccordError INVALID_SHAPE for another file, or another version of the format
 */
export function decodeHeader(file: Buffer, source: string): ModelHeader {
  const header = parseHeader(file)
  if (header?.format !== FORMAT || header.version !== VERSION) {
    throw new AccordError('INVALID_SHAPE', 'not a model of a bound', {
      source,
      expected: `a file of version ${VERSION}, as written by accord bounds export`,
      found: header?.format === FORMAT ? `version ${header.version}` : 'other content',
    })
  }
  const count = header.tensors.reduce((sum, { rows, columns }) => sum + rows * columns, 0)
  const found = file.length - file.indexOf(LINE_FEED) - 1
  if (found === 4 * count) return header
  throw new AccordError('INVALID_SHAPE', 'an incomplete model of a bound', {
    source,
    expected: `${4 * count} bytes of parameters`,
    found: String(found),
  })
}

function parseHeader(file: Buffer): ModelHeader | null {
  const end = file.indexOf(LINE_FEED)
  if (end < 0) return null
  try {
    return JSON.parse(file.toString('utf8', 0, end))
  } catch {
    return null
  }
}

/** Writes the parameters of a file to the memory of a model with the same sizes. */
export function loadWeights(file: Buffer, layout: Layout, numbers: Float32Array | Float64Array): void {
  const bytes = file.buffer.slice(
    file.byteOffset + file.indexOf(LINE_FEED) + 1,
    file.byteOffset + file.length,
  )
  const values = new Float32Array(bytes as ArrayBuffer)
  padWords(numbers, layout)
  let start = 0
  for (const tensor of tensorsOf(layout)) {
    const count = tensor.rows * tensor.columns
    writeTensor(tensor, numbers, values.subarray(start, start + count))
    start += count
  }
}

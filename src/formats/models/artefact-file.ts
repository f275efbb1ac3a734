import { createHash } from 'node:crypto'
import type { ArtefactHeader, TrainedComposite } from '../../core/composite/artefact.js'
import { countWeights } from '../../core/composite/network.js'
import { canonicalJson } from '../../core/metrics/provenance.js'
import { type InputFile, nameOf, readWhole } from '../io/files.js'
import { describeValue, requireObject, wrongShape, wrongValue } from '../io/values.js'

/** An artefact, with the hash of its content. */
export function finishArtefact(header: ArtefactHeader, weights: Float64Array): TrainedComposite {
  return { header, weights, hash: hashArtefact(header, weights) }
}

/** SHA-256 of the header as JSON with sorted keys, and of the weights as little-endian doubles. */
function hashArtefact(header: ArtefactHeader, weights: Float64Array): string {
  return createHash('sha256').update(canonicalJson(header)).update(bytesOf(weights)).digest('hex')
}

/**
 * An artefact as JSON: `{"accord": "composite metric", "hash", "header", "weights"}`, weights as little-endian doubles
 * in Base64.
 */
export function encodeArtefact({ header, weights, hash }: TrainedComposite): string {
  const content = { accord: KIND, hash, header, weights: bytesOf(weights).toString('base64') }
  return `${JSON.stringify(content, null, 2)}\n`
}

const KIND = 'composite metric'

/** Revision of the header, as in {@link ArtefactHeader}. */
const FORMAT = 1

/**
 * Reads a file of {@link encodeArtefact}.
 *
 * @throws AccordError FILE_NOT_FOUND; INVALID_JSON; INVALID_SHAPE for another content or format; INVALID_VALUE for an artefact
 *   that was edited
 */
export function readArtefact(file: InputFile): TrainedComposite {
  const { accord, hash, header, weights } = requireObject(parse(file), () => ({ source: nameOf(file) }))
  if (accord !== KIND || typeof header !== 'object' || header === null || typeof weights !== 'string') {
    throw wrongShape({ source: file }, 'an artefact of accord artefacts export', describeValue(accord))
  }
  const { format } = header as Partial<ArtefactHeader>
  if (format !== FORMAT) {
    throw wrongShape({ source: file, place: 'header.format' }, `format ${FORMAT}`, describeValue(format))
  }
  const artefact = finishArtefact(header as ArtefactHeader, numbersOf(Buffer.from(weights, 'base64')))
  if (artefact.hash !== hash) {
    const at = { source: file, place: 'hash' }
    throw wrongValue('INVALID_VALUE', 'the artefact was edited', at, artefact.hash, JSON.stringify(hash))
  }
  const expected = countWeights(artefact.header.network)
  if (artefact.weights.length !== expected) {
    throw wrongShape({ source: file, place: 'weights' }, `${expected} numbers`, `${artefact.weights.length}`)
  }
  return artefact
}

function parse(file: InputFile): unknown {
  const text = readWhole(file).toString('utf8')
  try {
    return JSON.parse(text)
  } catch (error) {
    throw wrongValue('INVALID_JSON', 'not JSON', { source: file }, 'JSON', (error as Error).message)
  }
}

function bytesOf(weights: Float64Array): Buffer {
  return Buffer.from(weights.buffer, weights.byteOffset, weights.byteLength)
}

function numbersOf(bytes: Buffer): Float64Array {
  return new Float64Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + (bytes.length & ~7)))
}

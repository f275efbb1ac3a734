import { createHash } from 'node:crypto'
import type { ArtefactHeader, TrainedComposite } from '../../core/composite/artefact.js'
import { countWeights } from '../../core/composite/network.js'
import { canonicalJson } from '../../core/metrics/provenance.js'
import { quote } from '../../errors.js'
import { type InputFile, nameOf } from '../io/files.js'
import { readJsonFile } from '../io/json.js'
import { COUNT, integerFrom, listOf, NUMBER, objectOf, shapeCheck, TEXT } from '../io/schema.js'
import { describeValue, invalidValue, type Locate, requireObject, wrongShape } from '../io/values.js'

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

/** Maximum size of a file in bytes. */
const MAX_BYTES = 16 * 1024 * 1024

/** Units of a hidden layer, and hidden layers. */
const MAX_UNITS = 1000
const MAX_LAYERS = 10

const NETWORK = objectOf({
  inputs: integerFrom(1, 100),
  hidden: listOf(integerFrom(1, MAX_UNITS), 0, MAX_LAYERS),
  activation: { enum: ['tanh', 'relu'] },
  dropout: { type: 'number', minimum: 0, exclusiveMaximum: 1 },
})

const checkFile = shapeCheck<{ hash: string; header: ArtefactHeader; weights: string }>(
  objectOf({
    hash: TEXT,
    header: objectOf({
      format: { const: FORMAT },
      name: TEXT,
      features: listOf(
        objectOf({
          metric: TEXT,
          signature: TEXT,
          mean: NUMBER,
          deviation: { type: 'number', exclusiveMinimum: 0 },
        }),
        2,
        100,
      ),
      network: NETWORK,
      others: listOf(objectOf({ seed: NUMBER, network: NETWORK }), 0, 100),
      training: objectOf({
        objective: { enum: ['ORIGIN', 'RATINGS', 'PREFERENCES'] },
        dataset: TEXT,
        revision: TEXT,
        systems: listOf(objectOf({ name: TEXT, content: TEXT })),
        captionCount: COUNT,
        comparisonCount: COUNT,
        excludedImageCount: COUNT,
      }),
      validation: objectOf({
        kind: { enum: ['RATINGS', 'PREFERENCES'] },
        dataset: TEXT,
        revision: TEXT,
        captionCount: COUNT,
      }),
      seed: NUMBER,
      epochs: listOf(objectOf({ loss: NUMBER, agreement: { type: 'number', nullable: true } }), 1),
      bestEpoch: COUNT,
    }),
    weights: TEXT,
  }),
)

/**
 * Reads a file of {@link encodeArtefact}.
 *
 * @throws AccordError FILE_NOT_FOUND; INVALID_JSON; OUT_OF_RANGE for more than 16 MiB; INVALID_SHAPE for another content or
 *   format, and for sizes that contradict each other; INVALID_VALUE for an artefact that was edited, or a weight that is not
 *   finite
 */
export function readArtefact(file: InputFile): TrainedComposite {
  const at: Locate = (place) => ({ source: nameOf(file), place })
  const content = readJsonFile(file, MAX_BYTES)
  const { accord } = requireObject(content, at)
  if (accord !== KIND) throw wrongShape(at(), 'an artefact of accord artefacts export', describeValue(accord))
  const { hash, header, weights } = checkFile(content, at)
  const artefact = finishArtefact(header, numbersOf(Buffer.from(weights, 'base64')))
  if (artefact.hash !== hash) {
    throw invalidValue('the artefact was edited', at('hash'), artefact.hash, quote(hash))
  }
  requireConsistent(artefact, at)
  return artefact
}

function requireConsistent({ header, weights }: TrainedComposite, at: Locate): void {
  const { network, others, features, epochs, bestEpoch } = header
  const networks = [network, ...others.map((other) => other.network)]
  for (const [index, { inputs }] of networks.entries()) {
    if (inputs === features.length) continue
    const place = index === 0 ? 'header.network' : `header.others[${index - 1}].network`
    throw wrongShape(at(`${place}.inputs`), `${features.length}, as many as features`, String(inputs))
  }
  if (bestEpoch >= epochs.length) {
    throw wrongShape(at('header.bestEpoch'), `one of ${epochs.length} epochs`, String(bestEpoch))
  }
  const expected = networks.reduce((sum, shape) => sum + countWeights(shape), 0)
  if (weights.length !== expected) {
    throw wrongShape(at('weights'), `${expected} numbers`, `${weights.length}`)
  }
  const wrong = weights.findIndex((weight) => !Number.isFinite(weight))
  if (wrong < 0) return
  const place = at(`weights[${wrong}]`)
  throw invalidValue('invalid weight', place, 'a finite number', String(weights[wrong]))
}

function bytesOf(weights: Float64Array): Buffer {
  return Buffer.from(weights.buffer, weights.byteOffset, weights.byteLength)
}

function numbersOf(bytes: Buffer): Float64Array {
  return new Float64Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + (bytes.length & ~7)))
}

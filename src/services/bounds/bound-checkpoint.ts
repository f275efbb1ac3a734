import type { OpenedModel } from '../../compute/shared-model.js'
import type { CheckpointHeader } from '../../core/bounds/settings.js'
import { AccordError } from '../../errors.js'
import * as store from '../../store/bounds.js'
import type { Session } from '../../store/engine/session.js'
import type { Bound } from '../../store/schema/bound-tables.js'

const CHECKPOINT_VERSION = 1

/** Maximum size of a part of a checkpoint in bytes. */
const PART_BYTES = 4 * 1024 * 1024

/** State of a training, without the model. */
export interface TrainingState {
  step: number
  bestLoss: number | null
  bestStep: number
  /** Weights with the lowest validation loss. */
  best: Float32Array
}

/** Weights, the averages of Adadelta and the best weights, in parts. */
export function toCheckpoint({ model }: OpenedModel, state: TrainingState, dataset: string) {
  const { weights, squares, updates, parameterCount } = model.layout
  const numbers = model.numbers as Float32Array
  const arrays = [
    ...[weights, squares, updates].map((start) => numbers.subarray(start, start + parameterCount)),
    state.best,
  ]
  const parts = arrays.flatMap((array) => {
    // Copied, because memory that is shared between threads cannot be written by the engines.
    const bytes = Buffer.from(new Float32Array(array).buffer)
    const count = Math.ceil(bytes.length / PART_BYTES)
    return Array.from({ length: count }, (_, index) =>
      bytes.subarray(index * PART_BYTES, (index + 1) * PART_BYTES),
    )
  })
  const header: CheckpointHeader = {
    version: CHECKPOINT_VERSION,
    dataset,
    step: state.step,
    bestLoss: state.bestLoss,
    bestStep: state.bestStep,
    partCount: parts.length,
  }
  return { header, parts }
}

/** Loads the checkpoint of a bound, if it has one; otherwise the training starts from the beginning. */
export async function resume(
  session: Session,
  { id }: Bound,
  { model }: OpenedModel,
  dataset: string,
): Promise<TrainingState> {
  const { weights, squares, updates, parameterCount } = model.layout
  const numbers = model.numbers as Float32Array
  const [{ checkpoint }] = await store.findBounds(session, [id])
  if (checkpoint === null) {
    await store.resetBound(session, id)
    return { step: 0, bestLoss: null, bestStep: 0, best: numbers.slice(0, parameterCount) }
  }
  checkCheckpoint(checkpoint, dataset)
  const bytes = Buffer.concat(await store.readCheckpoint(session, id))
  if (bytes.length !== 16 * parameterCount) {
    throw wrongCheckpoint(`${16 * parameterCount} bytes`, String(bytes.length))
  }
  const stored = new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length))
  const array = (index: number) => stored.subarray(index * parameterCount, (index + 1) * parameterCount)
  numbers.set(array(0), weights)
  numbers.set(array(1), squares)
  numbers.set(array(2), updates)
  const { step, bestLoss, bestStep } = checkpoint
  return { step, bestLoss, bestStep, best: array(3).slice() }
}

function checkCheckpoint({ version, dataset }: CheckpointHeader, expected: string): void {
  if (version !== CHECKPOINT_VERSION)
    throw wrongCheckpoint(`version ${CHECKPOINT_VERSION}`, `version ${version}`)
  if (dataset !== expected) throw wrongCheckpoint(`the dataset with the hash ${expected}`, dataset)
}

function wrongCheckpoint(expected: string, found: string): AccordError {
  return new AccordError('INVALID_SHAPE', 'the checkpoint of the bound cannot be used', {
    source: 'bound',
    expected,
    found,
  })
}

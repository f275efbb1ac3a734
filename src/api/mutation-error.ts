import { setImmediate as nextTurn } from 'node:timers/promises'
import { AccordError } from '../errors.js'
import type { MutationError } from './schema-types.js'

/**
 * The result of a mutation, or its expected failure as data. Other errors are thrown. The mutation starts in the next
 * turn of the event loop, since parsing its input may have taken one.
 */
export async function asData<Result>(
  mutate: () => Promise<Result>,
): Promise<Result | (MutationError & { readonly __typename: 'MutationError' })> {
  try {
    await nextTurn()
    return await mutate()
  } catch (error) {
    if (!(error instanceof AccordError)) throw error
    const { source, place, expected, found } = error.detail
    return {
      __typename: 'MutationError',
      code: error.code,
      message: error.message,
      place: place ?? source,
      expected,
      found,
    }
  }
}

import type { AccordError } from '../../errors.js'
import { ConstraintViolation } from './session.js'

/** The result of a statement. Violated constraints are thrown as the given errors. */
export async function translateViolations<Result>(
  execute: () => Promise<Result>,
  errors: { readonly [Kind in ConstraintViolation['kind']]?: () => AccordError },
): Promise<Result> {
  try {
    return await execute()
  } catch (error) {
    if (error instanceof ConstraintViolation) throw errors[error.kind]?.() ?? error
    throw error
  }
}

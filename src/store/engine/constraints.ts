import type { AccordError } from '../../errors.js'
import { ConstraintViolation } from './session.js'

/** The result of `insert`. Violated constraints are thrown as the given errors. */
export async function translateViolations<Result>(
  insert: () => Promise<Result>,
  errors: { readonly UNIQUE: () => AccordError; readonly FOREIGN_KEY?: () => AccordError },
): Promise<Result> {
  try {
    return await insert()
  } catch (error) {
    if (error instanceof ConstraintViolation) throw errors[error.kind]?.() ?? error
    throw error
  }
}

import { setImmediate as nextTurn } from 'node:timers/promises'
import { AccordError, type ErrorCode } from '../../errors.js'
import { publicErrorLogged } from './public-error.js'
import type { MutationError } from './schema-types.js'

/** Types of expected failures. */
type ErrorType =
  | 'InvalidInputError'
  | 'NotFoundError'
  | 'NameTakenError'
  | 'NotAllowedError'
  | 'NotApplicableError'
  | 'UnavailableError'

/** The type of each code. */
const TYPES: Readonly<Record<ErrorCode, ErrorType>> = {
  INVALID_JSON: 'InvalidInputError',
  INVALID_SHAPE: 'InvalidInputError',
  INVALID_VALUE: 'InvalidInputError',
  DUPLICATE_ID: 'InvalidInputError',
  UNKNOWN_IMAGE: 'InvalidInputError',
  UNKNOWN_BOX: 'InvalidInputError',
  UNKNOWN_WORD: 'InvalidInputError',
  OUT_OF_RANGE: 'InvalidInputError',
  INVALID_CURSOR: 'InvalidInputError',
  UNKNOWN_DATASET: 'NotFoundError',
  UNKNOWN_SYSTEM: 'NotFoundError',
  UNKNOWN_METRIC: 'NotFoundError',
  UNKNOWN_JOB: 'NotFoundError',
  UNKNOWN_USER: 'NotFoundError',
  UNKNOWN_TOKEN: 'NotFoundError',
  UNKNOWN_UPLOAD: 'NotFoundError',
  UNKNOWN_COLLECTION: 'NotFoundError',
  UNKNOWN_TASK: 'NotFoundError',
  UNKNOWN_CHALLENGE: 'NotFoundError',
  UNKNOWN_SUBMISSION: 'NotFoundError',
  NO_SUBMISSIONS_LEFT: 'NotApplicableError',
  NAME_TAKEN: 'NameTakenError',
  UNAUTHENTICATED: 'NotAllowedError',
  FORBIDDEN: 'NotAllowedError',
  MISSING_IMAGES: 'InvalidInputError',
  NOT_APPLICABLE: 'NotApplicableError',
  DIVERGED: 'NotApplicableError',
  // The job was lost, or the server, its database or its files cannot be used at the moment.
  FILE_NOT_FOUND: 'UnavailableError',
  RESOURCE_MISSING: 'UnavailableError',
  CANCELLED: 'UnavailableError',
  BUSY: 'UnavailableError',
  QUEUE_FULL: 'UnavailableError',
  TOO_MANY_UPLOADS: 'UnavailableError',
  TOO_MANY_ATTEMPTS: 'UnavailableError',
  WORKER_LOST: 'UnavailableError',
  NO_WORKER: 'UnavailableError',
  TIMEOUT: 'UnavailableError',
  TOO_MANY_OBJECTS: 'UnavailableError',
  TOO_COSTLY: 'UnavailableError',
}

/** Every mutation can fail in these ways. */
type CommonType = 'NotAllowedError' | 'NotApplicableError' | 'UnavailableError'

/** An expected failure as data: one of the types. */
export type Failure<Type extends ErrorType = ErrorType> = Type extends ErrorType
  ? MutationError & { readonly __typename: Type }
  : never

/**
 * The result of a mutation, or its expected failure as data. Other errors are thrown, also expected ones of a type that
 * the mutation does not have. The mutation starts in the next turn of the event loop, since parsing its input may have
 * taken one.
 *
 * @param name the type of the result
 * @param types of failures besides those that every mutation has
 */
export async function asData<
  const Name extends string,
  Result extends object,
  Type extends ErrorType = never,
>(
  name: Name,
  types: readonly Type[],
  mutate: () => Promise<Result>,
): Promise<(Result & { readonly __typename: Name }) | Failure<Type | CommonType>> {
  try {
    await nextTurn()
    return { ...(await mutate()), __typename: name }
  } catch (error) {
    if (!(error instanceof AccordError)) throw error
    const allowed: readonly ErrorType[] = [
      ...types,
      'NotAllowedError',
      'NotApplicableError',
      'UnavailableError',
    ]
    if (!allowed.includes(TYPES[error.code])) throw error
    const failure: MutationError & { readonly __typename: ErrorType } = {
      __typename: TYPES[error.code],
      ...publicErrorLogged(error),
    }
    return failure as Failure<Type | CommonType>
  }
}

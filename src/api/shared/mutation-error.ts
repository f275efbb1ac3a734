import { setImmediate as nextTurn } from 'node:timers/promises'
import { AccordError, type ErrorDetail } from '../../errors.js'
import type { Job } from '../../services/jobs/jobs.js'
import { consequencesOf, type ErrorCode, type ErrorType } from '../../shared/error-codes.js'
import type { MutationError } from './schema-types.js'

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
    const { type } = consequencesOf(error.code)
    if (!allowed.includes(type)) throw error
    const failure: MutationError & { readonly __typename: ErrorType } = {
      __typename: type,
      ...publicErrorLogged(error),
    }
    return failure as Failure<Type | CommonType>
  }
}

/** The failures of mutations that start a job; later ones are those of the job. */
const FAILURES = ['InvalidInputError', 'NotFoundError', 'NameTakenError'] as const

/** The result of a mutation that starts or cancels a job. */
export function asJob(start: () => Promise<Job>) {
  return asData('JobSuccess', FAILURES, async () => ({ job: await start() }))
}

/**
 * What clients see of an expected failure. `place` is the location in a file, or the argument or field itself. Failures of the
 * server name no path, host or user; sources that clients name are fields, and files without folders.
 */
export function publicError({
  code,
  message,
  summary,
  detail: { source, place = source, expected, found },
}: {
  readonly code: ErrorCode
  readonly message: string
  readonly summary: string
  readonly detail: ErrorDetail
}) {
  return isOfServer(code, source) ? { code, message: summary } : { code, message, place, expected, found }
}

/** The same; what is hidden is written to stderr. */
export function publicErrorLogged(error: AccordError): ReturnType<typeof publicError> {
  if (isOfServer(error.code, error.detail.source) && error.code !== 'BUSY') console.error(error.message)
  return publicError(error)
}

function isOfServer(code: ErrorCode, source = ''): boolean {
  return consequencesOf(code).isOfServer || /^([/\\]|[a-z]+:[/\\])/i.test(source)
}

import { setImmediate as nextTurn } from 'node:timers/promises'
import { AccordError, type ErrorDetail } from '../../errors.js'
import type { Job } from '../../services/jobs/jobs.js'
import { consequencesOf, type ErrorCode } from '../../shared/error-codes.js'

/** An expected failure as data. */
type Failure = ReturnType<typeof publicError> & { readonly __typename: 'MutationError' }

/**
 * The result of a mutation, or its expected failure as data. Other errors are thrown. The mutation starts in the next turn of the
 * event loop, since parsing its input may have taken one.
 *
 * @param name the type of the result
 */
export async function asData<const Name extends string, Result extends object>(
  name: Name,
  mutate: () => Promise<Result>,
): Promise<(Result & { readonly __typename: Name }) | Failure> {
  try {
    await nextTurn()
    return { ...(await mutate()), __typename: name }
  } catch (error) {
    if (!(error instanceof AccordError)) throw error
    return { __typename: 'MutationError', ...publicErrorLogged(error) }
  }
}

/** The result of a mutation that starts or cancels a job; later failures are those of the job. */
export function asJob(start: () => Promise<Job>) {
  return asData('JobSuccess', async () => ({ job: await start() }))
}

/** The result of a mutation that removes an object. @param remove returns its id */
export function asRemoval(remove: () => Promise<string>) {
  return asData('RemovalSuccess', async () => ({ removedId: await remove() }))
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

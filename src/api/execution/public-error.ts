import type { AccordError, ErrorCode, ErrorDetail } from '../../errors.js'

/** Codes of failures of the files and the database of the server. */
const OF_SERVER: readonly ErrorCode[] = ['FILE_NOT_FOUND', 'RESOURCE_MISSING', 'BUSY']

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
  return OF_SERVER.includes(code) || /^([/\\]|[a-z]+:[/\\])/i.test(source)
}

import { AccordError } from '../errors.js'
import type { JobFailure } from '../store/entities.js'

/** What is recorded of an error that ended a job. Of a bug, a client is told only that there is one. */
export function toFailure(error: unknown): JobFailure {
  if (error instanceof AccordError) {
    const { code, message, summary, detail } = error
    return { code, message, summary, detail }
  }
  const summary = 'the job failed because of a bug in Accord; the log of the worker contains the error'
  return { code: 'INTERNAL', message: summary, summary, detail: {} }
}

/** The error that a job ended with: an AccordError, or another error for a bug. */
export function toError({ code, message, summary, detail }: JobFailure): Error {
  return code === 'INTERNAL' ? new Error(message) : new AccordError(code, summary, detail)
}

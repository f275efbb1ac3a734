import { AccordError } from '../errors.js'
import type { JobFailure } from '../store/entities.js'

/** The stored failure of a job. The details of a bug are hidden from clients. */
export function toFailure(error: unknown): JobFailure {
  if (error instanceof AccordError) {
    const { code, message, summary, detail } = error
    return { code, message, summary, detail }
  }
  const summary = 'the job failed because of a bug in Accord; the log of the worker contains the error'
  return { code: 'INTERNAL', message: summary, summary, detail: {} }
}

/** The error of a failed job: an AccordError, or another error for a bug. */
export function toError({ code, message, summary, detail }: JobFailure): Error {
  return code === 'INTERNAL' ? new Error(message) : new AccordError(code, summary, detail)
}

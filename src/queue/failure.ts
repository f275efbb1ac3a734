import { AccordError } from '../errors.js'
import type { JobFailure } from '../store/schema/entities.js'

/** The stored failure of a job. The details of a bug are hidden from clients. */
export function toFailure(error: unknown): JobFailure {
  if (error instanceof AccordError) {
    const { code, message, summary, detail } = error
    return { code, message, summary, detail }
  }
  const summary = 'the job failed because of a bug in Accord; the log of the worker contains the error'
  return { code: 'INTERNAL', message: summary, summary, detail: {} }
}

/** An error that another thread threw. Between threads, errors keep their properties, but lose their class. */
export function fromThread(error: unknown): unknown {
  if (!(error instanceof Error) || error.name !== 'AccordError') return error
  const { code, summary, detail } = error as AccordError
  return new AccordError(code, summary, detail)
}

/** The error of a failed job: an AccordError, or another error for a bug. */
export function toError({ code, message, summary, detail }: JobFailure): Error {
  return code === 'INTERNAL' ? new Error(message) : new AccordError(code, summary, detail)
}

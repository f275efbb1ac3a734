import { refusal } from './bad-input.js'

/**
 * Waits for something that a client sends.
 *
 * @param what for the error
 * @param signal ends waiting
 * @throws GraphQLError with status 408 when the time is over; the reason of the signal
 */
export function within<Result>(
  seconds: number,
  what: string,
  sent: Promise<Result>,
  signal?: AbortSignal,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal?.reason)
    if (signal?.aborted) abort()
    signal?.addEventListener('abort', abort, { once: true })
    const timer = setTimeout(() => reject(tooSlow(what, seconds)), seconds * 1000)
    sent.then(resolve, reject).finally(() => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
    })
  })
}

/** The error for what did not arrive in time. */
export function tooSlow(what: string, seconds: number) {
  return refusal(`The request is too slow: expected ${what} within ${seconds} s.`, 'TIMEOUT', 408)
}

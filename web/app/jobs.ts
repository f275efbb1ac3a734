import type { AnyVariables } from '@urql/core'
import {
  JobProgressDocument,
  type JobRowFragment,
  type StartedFragment,
  type TypedDocumentString,
} from '../generated/documents'
import { change } from './change'
import { client, forgetAnswers } from './client'
import { isUnfinished } from './look-again'
import { errorOf } from './request-error'

/** Starts a job. @returns its id @throws Error as {@link change} */
export async function startJob<Variables extends AnyVariables>(
  document: TypedDocumentString<{ result: StartedFragment }, Variables>,
  variables: Variables,
): Promise<string> {
  return (await change(document, variables)).job.id
}

/** Time until a job is looked for again on a server that does not answer: it may only be starting again. */
const RETRY_MS = 2000

/**
 * Follows a job to its end, also where the server is started again meanwhile.
 *
 * @param onRefused called where the server answers, but not with the job
 * @returns a function that stops it
 */
export function watchJob(
  id: string,
  onChange: (job: JobRowFragment) => void,
  onRefused: (error: Error & { readonly code?: string }) => void = () => {},
): () => void {
  let stop = () => {}
  let isEnded = false
  const watch = () => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const { unsubscribe } = client
      .subscription(JobProgressDocument.toString(), { id })
      .subscribe(({ data, error }) => {
        const job: JobRowFragment | undefined = data?.jobProgress
        // The end may be told twice: what looks like progress after it would never go away again.
        if (isEnded || (!job && !error)) return
        const refused = error && !error.networkError ? errorOf(error) : undefined
        // With an error that comes later there still is the last state of the job.
        const isRefused = refused !== undefined && (!job || refused.code === 'UNAUTHENTICATED')
        if (error?.networkError) timer ??= setTimeout(watch, RETRY_MS)
        else if (isRefused) onRefused(refused)
        isEnded = isRefused || (!error?.networkError && !(job && isUnfinished(job)))
        if (isEnded) forgetAnswers()
        if (job && !isRefused) onChange(job)
      })
    stop = () => {
      clearTimeout(timer)
      unsubscribe()
    }
  }
  watch()
  return () => stop()
}

/** Follows a job to its end. @throws Error with the code, the place, and what was expected and found, if it fails */
export function followJob(id: string, onChange: (job: JobRowFragment) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const change = (job: JobRowFragment) => {
      onChange(job)
      if (isUnfinished(job)) return
      // The first message may come before `watchJob` has returned.
      setTimeout(() => stop())
      if (job.status === 'DONE') resolve()
      else reject(failureOf(job))
    }
    const stop = watchJob(id, change, reject)
  })
}

/** Why a job that has ended is not done. */
export function failureOf({ failure }: JobRowFragment): Error {
  return Object.assign(new Error(failure?.message ?? 'It was cancelled.'), failure)
}

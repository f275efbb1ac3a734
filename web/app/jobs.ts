import type { AnyVariables } from '@urql/core'
import {
  JobProgressDocument,
  type JobRowFragment,
  type StartedFragment,
  type TypedDocumentString,
} from '../generated/documents'
import { change, messageOf } from './change'
import { client, forgetAnswers } from './client'
import { isUnfinished } from './look-again'

/** Starts a job. @returns its id @throws Error as {@link change} */
export async function startJob<Variables extends AnyVariables>(
  document: TypedDocumentString<{ result: StartedFragment }, Variables>,
  variables: Variables,
): Promise<string> {
  return (await change(document, variables)).job.id
}

/** Follows a job to its end. @throws Error with the code, the place, and what was expected and found, if it fails */
export function followJob(id: string, onChange: (job: JobRowFragment) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    let isEnded = false
    const { unsubscribe } = client
      .subscription(JobProgressDocument.toString(), { id })
      .subscribe(({ data, error }) => {
        const job: JobRowFragment | undefined = data?.jobProgress
        // The end may be told twice: what looks like progress after it would never go away again.
        if (isEnded || (!job && !error)) return
        if (job) onChange(job)
        if (job && isUnfinished(job)) return
        isEnded = true
        // The first message may come before `subscribe` has returned.
        setTimeout(() => unsubscribe())
        forgetAnswers()
        if (job?.status === 'DONE') resolve()
        else {
          const message = job?.failure?.message ?? (error ? messageOf(error) : 'It was cancelled.')
          reject(Object.assign(new Error(message), job?.failure))
        }
      })
  })
}

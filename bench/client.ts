/** A server that was started with `accord serve`, queried over HTTP. */
import type { Process } from './measure.js'

export type Query = (text: string, variables?: object) => Promise<Record<string, unknown>>

/** Sends queries to a server; throws where an answer has errors. */
export function queryAt(url: string): Query {
  return async (text, variables) => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: text, variables }),
    })
    const { data, errors } = (await response.json()) as { data: Record<string, unknown>; errors?: unknown }
    if (errors) throw new Error(JSON.stringify(errors))
    return data
  }
}

/** A client of a process of `accord serve`, once it accepts requests. */
export async function clientOf(server: Process): Promise<Query> {
  return queryAt((await server.firstOutput).split(' ').at(-1) as string)
}

/** Starts the evaluation of a system. Returns its id. */
export async function startEvaluation(query: Query, dataset: string, system: string): Promise<string> {
  const { startEvaluation: answer } = (await query(
    `mutation ($dataset: String!, $system: String!) {
      startEvaluation(input: { dataset: $dataset, system: $system }) {
        ... on JobSuccess { job { id } }
        ... on MutationError { message }
      }
    }`,
    { dataset, system },
  )) as { startEvaluation: { job?: { id: string }; message?: string } }
  if (!answer.job) throw new Error(answer.message)
  return answer.job.id
}

interface ObservedJob {
  readonly status: string
  readonly progress: number
  readonly message: string | null
  readonly failure: { readonly message: string } | null
}

/** Looks at a job until it is done. */
export async function untilDone(
  query: Query,
  id: string,
  onProgress: (progress: number, message: string | null) => void = () => {},
): Promise<void> {
  for (;;) {
    const { job } = (await query(
      'query ($id: ID!) { job(id: $id) { status progress message failure { message } } }',
      { id },
    )) as { job: ObservedJob }
    if (job.status === 'DONE') return
    if (job.status === 'FAILED' || job.status === 'CANCELLED') throw new Error(job.failure?.message)
    onProgress(job.progress, job.message)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

import { openAsBlob } from 'node:fs'
import { basename } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { AccordError, type ErrorCode } from '../errors.js'
import type { Progress } from '../progress.js'
import type { SubmitInput } from '../services/challenges/submissions.js'

/** A server, and what proves who asks it. */
interface Server {
  readonly server: string
  readonly token?: string
}

/** Interval of questions about a submission, in milliseconds. */
const POLL_MS = 500

const SUBMIT = `mutation ($input: SubmitInput!) { submit(input: $input) {
  ... on SubmitSuccess { submissions { id } } ... on MutationError { code message } } }`

const STATE = `query ($id: ID!) { node(id: $id) { ... on Submission {
  fileName queuedBeforeCount job { status progress message failure { message } } } } }`

/** What became of a submission. */
export interface RemoteSubmission {
  readonly fileName: string
  readonly status: string
  readonly message: string | null
}

/**
 * Sends a file to a server, submits it, and waits for the end of its evaluation.
 *
 * @throws AccordError of the server; FILE_NOT_FOUND for the file, and for a server that does not answer
 */
export async function submitToServer(
  at: Server,
  path: string,
  { phases: phaseNames, ...input }: Omit<SubmitInput, 'upload'>,
  progress: Progress,
): Promise<RemoteSubmission[]> {
  const body = await openBlob(path)
  const name = encodeURIComponent(basename(path))
  const { id: upload } = await send<{ id: string }>(
    at,
    `uploads?filename=${name}`,
    'application/octet-stream',
    body,
  )
  const { submit } = await ask<{ submit: { submissions: { id: string }[] } }>(at, SUBMIT, {
    input: { ...input, phaseNames, upload },
  })
  const ended: RemoteSubmission[] = []
  for (const { id } of submit.submissions) {
    for (;;) {
      const { node } = await ask<{ node: RemoteState }>(at, STATE, { id })
      const { status, failure, progress: share, message } = node.job
      if (status !== 'QUEUED' && status !== 'RUNNING') {
        ended.push({ fileName: node.fileName, status, message: failure?.message ?? null })
        break
      }
      const before = node.queuedBeforeCount ?? 0
      progress(
        (ended.length + share) / submit.submissions.length,
        before > 0 ? `${before} before it` : (message ?? 'waiting'),
      )
      await sleep(POLL_MS)
    }
  }
  return ended
}

/** @throws AccordError FILE_NOT_FOUND */
async function openBlob(path: string): Promise<Blob> {
  try {
    return await openAsBlob(path)
  } catch {
    throw new AccordError('FILE_NOT_FOUND', 'the file does not exist or cannot be read', { source: path })
  }
}

interface RemoteState {
  readonly fileName: string
  readonly queuedBeforeCount: number | null
  readonly job: {
    readonly status: string
    readonly progress: number
    readonly message: string | null
    readonly failure: { readonly message: string } | null
  }
}

async function ask<Data>(at: Server, query: string, variables: object): Promise<Data> {
  const { data, errors } = await send<{ data: Record<string, unknown>; errors?: { message: string }[] }>(
    at,
    'graphql',
    'application/json',
    JSON.stringify({ query, variables }),
  )
  const failed = Object.values(data ?? {}).find((value): value is { code: ErrorCode; message: string } =>
    Boolean(value && typeof value === 'object' && 'code' in value),
  )
  if (failed) throw new AccordError(failed.code, failed.message)
  if (errors)
    throw new AccordError('NOT_APPLICABLE', errors.map(({ message }) => message).join('; '), {
      source: at.server,
    })
  return data as Data
}

async function send<Answer>(
  { server, token }: Server,
  path: string,
  type: string,
  body: Blob | string,
): Promise<Answer> {
  const base = server.endsWith('/') ? server : `${server}/`
  const headers = {
    'content-type': type,
    accept: 'application/json',
    ...(token && { authorization: `Bearer ${token}` }),
  }
  const unreachable = (found: string) =>
    new AccordError('FILE_NOT_FOUND', 'the server does not answer as accord serve does', {
      source: server,
      found,
    })
  const response = await fetch(new URL(path, base), { method: 'POST', headers, body }).catch(
    (error: Error) => {
      throw unreachable(String((error.cause as Error | undefined)?.message ?? error.message))
    },
  )
  const text = await response.text()
  const answer = await Promise.resolve(text)
    .then(JSON.parse)
    .catch(() => {
      throw unreachable(`status ${response.status}`)
    })
  if (response.ok || 'data' in answer) return answer as Answer
  const [error = answer] = answer.errors ?? []
  throw new AccordError(
    error.extensions?.code ?? error.code ?? 'NOT_APPLICABLE',
    String(error.message ?? text),
    { source: server },
  )
}

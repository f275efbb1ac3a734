import { openAsBlob } from 'node:fs'
import { basename } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { AccordError } from '../errors.js'
import type { Progress } from '../progress.js'
import { keyOfRequest, type SubmitInput } from '../services/challenges/submit.js'
import { nearestFile } from '../system-errors.js'
import { askServer, postTo, type Server } from './ask-server.js'

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
 * Sends a file to a server, submits it unless the same was submitted before, and waits for the end of its evaluation.
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
  const { content: upload } = await postTo<{ id: string; sha256: string }>(
    at,
    `uploads?filename=${name}`,
    'application/octet-stream',
    body,
  )
  const idempotencyKey = keyOfRequest(upload.sha256, { ...input, phases: phaseNames })
  const { submit } = (
    await askServer<{ submit: { submissions: { id: string }[] } }>(at, SUBMIT, {
      input: { ...input, phaseNames, upload: upload.id, idempotencyKey },
    })
  ).content
  const ended: RemoteSubmission[] = []
  for (const { id } of submit.submissions) {
    for (;;) {
      const { node } = (await askServer<{ node: RemoteState }>(at, STATE, { id })).content
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
    throw new AccordError('FILE_NOT_FOUND', 'the file does not exist or cannot be read', {
      source: path,
      suggestion: nearestFile(path),
    })
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

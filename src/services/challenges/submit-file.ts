import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { requireReadable } from '../../formats/io/files.js'
import type { JobRow } from '../../store/jobs.js'
import type { Submission } from '../../store/schema/entities.js'
import type { Accord, Client } from '../accord.js'
import type { Viewer } from '../accounts/viewer.js'
import { storeUpload } from '../imports/uploads.js'
import { startWorkers } from '../jobs/workers.js'
import { type SubmitInput, submit } from './submissions.js'

/** A submission whose job has ended. */
export interface EndedSubmission {
  readonly submission: Submission
  readonly job: JobRow
}

/**
 * Submits a file of this machine as {@link submit} does, and executes jobs of the database until those of the submissions have
 * ended: in this process, beside other workers of the database, if there are any.
 *
 * @param location of the database, with its password
 * @throws AccordError as {@link submit}; FILE_NOT_FOUND
 */
export async function submitFile(
  accord: Accord,
  viewer: Viewer,
  path: string,
  input: Omit<SubmitInput, 'upload'>,
  { signal = new AbortController().signal, ...client }: Client = {},
): Promise<EndedSubmission[]> {
  requireReadable(path)
  const { size } = await stat(path)
  const file = {
    owner: viewer.user?.id ?? '',
    name: basename(path),
    announcedBytes: size,
    maxOwnedBytes: Infinity,
    signal,
  }
  const { id: upload } = await storeUpload(accord, file, createReadStream(path))
  const submissions = await submit(accord, viewer, { ...input, upload }, { ...client, signal })
  const { location, meteorFolder, embeddingsFile } = accord.options
  const workers = await startWorkers({ location, count: 1, meteorFolder, embeddingsFile })
  try {
    const ended: EndedSubmission[] = []
    for (const submission of submissions) {
      const share = ended.length / submissions.length
      for await (const job of accord.queue.changesOf(submission.jobId as number, signal)) {
        client.progress?.(share + job.progress / submissions.length, job.message ?? 'waiting')
      }
      ended.push({ submission, job: await accord.queue.waitForEnd(submission.jobId as number, signal) })
    }
    return ended
  } finally {
    await workers.close()
  }
}

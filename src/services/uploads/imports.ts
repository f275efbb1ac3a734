import { AccordError } from '../../errors.js'
import { type FileContent, recognizeContent } from '../../formats/captions/file-content.js'
import type { Session } from '../../store/engine/session.js'
import { assignUploads, findUploads, lockUploads } from '../../store/uploads.js'
import type { Job } from '../jobs/jobs.js'
import type { Accord, Client } from '../shared/accord.js'
import type { JobInput, JobName } from '../shared/job-kinds.js'
import { isOwn, requireOwn, unknownUpload, uploadsOf, withSource } from './import-job.js'
import { requireNewCollection, requireNewDataset, requireNewSystem } from './requirements.js'
import { COMPLETE_MS } from './uploads.js'

/** The kinds of imports. */
export type ImportName = Extract<JobName, `import${string}`>

/** What is checked before an import is started, so that its client learns of it at once. */
const CHECKS: {
  readonly [Name in ImportName]?: (session: Session, input: JobInput<Name>) => Promise<void>
} = {
  importCaptions: (session, { dataset }) => requireNewDataset(session, dataset),
  importCollection: requireNewCollection,
  importResults: (session, { datasetId, system }) => requireNewSystem(session, datasetId, system),
  importWordScores: (session, { datasetId, system }) => requireNewSystem(session, datasetId, system),
}

/**
 * Starts an import of uploads by workers, or returns the unfinished one with the same input. The uploads are removed when
 * they are imported; after a failure they can be imported again.
 *
 * @throws AccordError UNKNOWN_UPLOAD for one that was imported, has expired or is another user's; NOT_APPLICABLE for one that another job
 *   imports, or if the database is read-only; QUEUE_FULL; INVALID_VALUE and NAME_TAKEN for the name of a new dataset or
 *   captioning system; UNKNOWN_DATASET
 */
export function startImport<Name extends ImportName>(
  accord: Accord,
  kind: Name,
  input: JobInput<Name>,
  client: Client = {},
): Promise<Job> {
  const uploads = uploadsOf(input)
  return accord.database.transaction(async (session) => {
    await CHECKS[kind]?.(session, input)
    const job = await accord.start(kind, input, client, session)
    await lockUploads(session, uploads)
    const found = await findUploads(session, uploads)
    const unknown = uploads.find((id) => !found.some((upload) => upload.id === id))
    if (unknown !== undefined) throw unknownUpload(unknown)
    requireOwn(found, client)
    if (found.some(({ jobId, isImported }) => isImported && jobId !== job.id)) throw importedElsewhere()
    await assignUploads(session, uploads, job.id, COMPLETE_MS)
    return job
  })
}

function importedElsewhere(): AccordError {
  return new AccordError('NOT_APPLICABLE', 'another job imports the upload', {
    source: 'upload',
    expected: 'one import of each upload',
  })
}

/** A file that was sent to be imported. */
export interface RecognizedUpload {
  readonly id: string
  /** Name of the file. */
  readonly name: string
  /** What it seems to hold; null for nothing that is recognized. */
  readonly content: FileContent | null
}

/** What an upload of a client seems to hold. Null for one that does not exist any more. */
export async function recognizeUpload(
  { database }: Accord,
  id: string,
  { owner }: Client = {},
): Promise<RecognizedUpload | null> {
  const [upload] = await findUploads(database, [id])
  if (!upload || !isOwn(upload, owner)) return null
  return withSource(database, { upload: id }, async (file) => ({
    id,
    name: upload.name,
    content: recognizeContent(file),
  }))
}

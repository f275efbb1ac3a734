import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import type { SchemaObject } from 'ajv'
import { requireReadable } from '../../formats/io/files.js'
import { readJsonFile } from '../../formats/io/json.js'
import { listOf, shapeCheck, TEXT } from '../../formats/io/schema.js'
import type { WorkerOptions, Workers } from '../../queue/worker.js'
import { findPhasesOfChallenges } from '../../store/challenges.js'
import { readNamedCaptions } from '../../store/check.js'
import type { JobRow } from '../../store/jobs.js'
import type { Submission } from '../../store/schema/challenge-tables.js'
import * as store from '../../store/submissions.js'
import { removeUploadFiles } from '../../store/uploads.js'
import type { Viewer } from '../accounts/viewer.js'
import type { Accord, Client } from '../shared/accord.js'
import { idsOf } from '../shared/groups.js'
import { requireOther } from '../uploads/import-job.js'
import { alone, storeUpload } from '../uploads/uploads.js'
import { storedScoresOfSubmissions } from './board.js'
import type { ChallengeInput } from './challenges.js'
import { requireChallenge, requireHost } from './hosts.js'
import { methodsById } from './submissions.js'
import { keyOfRequest, type SubmitInput, submit } from './submit.js'

/** Maximum size of the description of a challenge in bytes. */
const MAX_BYTES = 1024 * 1024

const BOOLEAN: SchemaObject = { type: 'boolean' }
const INTEGER: SchemaObject = { type: 'integer' }
const LIMIT: SchemaObject = { type: ['integer', 'null'] }

/** An object with these keys and no others. */
function onlyOf(
  properties: Readonly<Record<string, SchemaObject>>,
  required: readonly string[] = [],
): SchemaObject {
  return { type: 'object', properties, required: [...required], additionalProperties: false }
}

const PHASE = onlyOf(
  {
    name: TEXT,
    dataset: TEXT,
    opensAt: TEXT,
    closesAt: TEXT,
    isPrivate: BOOLEAN,
    metrics: listOf(TEXT),
    rankedBy: TEXT,
    decimals: INTEGER,
    references: INTEGER,
    boardFrom: { type: ['string', 'null'] },
    isImageScoreShown: BOOLEAN,
    admittedTeams: { type: ['array', 'null'], items: TEXT },
    limits: onlyOf({ perDay: LIMIT, total: LIMIT, concurrent: LIMIT, attempts: LIMIT, teamsPerUser: LIMIT }),
    baselines: listOf(TEXT),
  },
  ['name'],
)

const check = shapeCheck<Omit<ChallengeInput, 'name'>>(
  onlyOf({
    title: TEXT,
    description: TEXT,
    timeZone: TEXT,
    isPaused: BOOLEAN,
    isDraft: BOOLEAN,
    phases: listOf(PHASE),
  }),
)

/**
 * Reads the description of a challenge: JSON with the properties of {@link ChallengeInput} but its name.
 *
 * @throws AccordError FILE_NOT_FOUND, INVALID_JSON; INVALID_SHAPE for another value or key
 */
export function readChallengeFile(path: string): Omit<ChallengeInput, 'name'> {
  return check(readJsonFile(path, MAX_BYTES), (place) => ({ source: path, place }))
}

/**
 * All submissions to a challenge with their scores and captions, by phase and age, as JSON with a line for each. The captions
 * are in COCO's format of results.
 *
 * @throws AccordError UNKNOWN_CHALLENGE; UNAUTHENTICATED, FORBIDDEN
 */
export async function* exportSubmissions(
  accord: Accord,
  viewer: Viewer,
  name: string,
): AsyncGenerator<string> {
  const challenge = await requireChallenge(accord.database, viewer, name)
  requireHost(viewer, challenge)
  for (const phase of await findPhasesOfChallenges(accord.database, [challenge.id])) {
    const submissions = await store.listSubmissions(accord.database, [phase.id])
    const scores = await storedScoresOfSubmissions(accord, { challenge, phase }, submissions)
    const methods = await methodsById(accord, idsOf(submissions))
    for (const {
      id,
      jobId: _job,
      systemId,
      phaseId: _phase,
      uploadId: _upload,
      ...submission
    } of submissions) {
      const captions = systemId === null ? [] : await readNamedCaptions(accord.database, systemId)
      const results = captions.map(({ imageId, text }) => ({ image_id: imageId, caption: text }))
      const method = methods.get(id)
      yield `${JSON.stringify({ phase: phase.name, ...submission, method, scores: scores.get(id), captions: results })}\n`
    }
  }
}

/** A submission whose job has ended. */
export interface EndedSubmission {
  readonly submission: Submission
  readonly job: JobRow
}

/** For whom a file is submitted, and what starts the workers that execute its jobs. */
export interface SubmittingClient extends Client {
  startWorkers(options: WorkerOptions): Promise<Workers>
}

/**
 * Submits a file of this machine as {@link submit} does, at most once where the same is repeated, and executes jobs of the database until those of the submissions have
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
  { signal = new AbortController().signal, startWorkers, ...client }: SubmittingClient,
): Promise<EndedSubmission[]> {
  requireReadable(path)
  requireOther(path, accord.database.location)
  const { size } = await stat(path)
  const file = {
    owner: viewer.user?.id ?? '',
    name: basename(path),
    announcedBytes: size,
    limits: alone(Infinity),
    signal,
  }
  const { id: upload, sha256 } = await storeUpload(accord, file, createReadStream(path))
  const idempotencyKey = keyOfRequest(sha256, input)
  const submissions = await submit(
    accord,
    viewer,
    { ...input, upload, idempotencyKey },
    { ...client, signal },
  )
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
    await removeUploadFiles(accord.database)
  }
}

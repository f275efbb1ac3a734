import { AccordError, nullFor } from '../../errors.js'
import type { EnqueueOptions } from '../../queue/queue.js'
import type { Session } from '../../store/engine/session.js'
import { findJobs } from '../../store/jobs.js'
import type { Phase, Submission } from '../../store/schema/challenge-tables.js'
import { listSubmissions, setSubmissionJob } from '../../store/submissions.js'
import { findSystems } from '../../store/systems.js'
import { findUploads } from '../../store/uploads.js'
import { storedAgreement } from '../agreement/human-agreement.js'
import { requireDatasetById } from '../datasets/require-subjects.js'
import { findCurrentScores } from '../evaluations/scores.js'
import type { Accord, Client } from '../shared/accord.js'
import { metricsOf } from '../shared/computing.js'
import { baselinesOf, systemIdsOf } from './board-figures.js'
import { evaluationOf } from './phases.js'

/**
 * Starts the job of a failed submission again: another worker, or a database that can be reached, may finish it.
 *
 * @param options of the job. Default: for its team
 * @throws AccordError NOT_APPLICABLE unless it has failed, and where its file was removed; QUEUE_FULL
 */
export async function runAgain(
  { queue }: Accord,
  session: Session,
  { id, jobId, team, systemId, uploadId }: Submission,
  { datasetId }: Phase,
  options: EnqueueOptions = {},
): Promise<void> {
  const [job] = await findJobs(session, [jobId as number])
  const isStored =
    systemId !== null || (uploadId !== null && (await findUploads(session, [uploadId])).length > 0)
  if (job.status !== 'FAILED' || !isStored) {
    throw new AccordError('NOT_APPLICABLE', 'the submission cannot be run again', {
      source: 'id',
      expected: 'one that has failed, and whose file is stored',
      found: isStored ? job.status : 'no file any more; submit it again',
    })
  }
  const input = { submissionId: id, datasetId }
  const next = await queue.enqueue(session, 'submission', input, { owner: ownerOf(team), ...options })
  await setSubmissionJob(session, id, next.id)
}

/** The owner of the jobs of a team. @param team its id */
export function ownerOf(team: string): string {
  return `team ${team}`
}

/**
 * Starts the computation of what is missing on the board of a phase: the figures of people, of baselines, and of submissions
 * whose captions are stored. Its jobs are added even if the queue is full.
 *
 * @param session the transaction that decides what the board shows
 * @returns the number of evaluations
 */
export async function computePhase(
  accord: Accord,
  session: Session,
  phase: Phase,
  { owner }: Client,
): Promise<number> {
  const { queue } = accord
  const { metrics, references } = phase.settings
  const dataset = await requireDatasetById(session, phase.datasetId)
  if (references !== null) {
    const { missing } = await storedAgreement(session, metricsOf(accord), dataset, { references, metrics })
    const input = { datasetId: dataset.id, references, metrics: missing }
    if (missing.length > 0) await queue.enqueue(session, 'agreement', input, { owner, isFollowUp: true })
  }
  const submissions = await listSubmissions(session, [phase.id])
  const submitted = submissions.filter(({ status }) => status === 'DONE')
  const systems = [
    ...(await baselinesOf(session, phase)),
    ...(await findSystems(session, systemIdsOf(submitted))),
  ]
  let evaluationCount = 0
  for (const { id: systemId } of systems) {
    const stored = await findCurrentScores(accord, { systemId, metrics, references }, undefined, session)
    const missing = metrics.filter((metric) => !stored.has(metric))
    if (missing.length === 0) continue
    const input = { ...evaluationOf(phase, systemId), metrics: missing }
    await queue.enqueue(session, 'evaluate', input, { owner, isFollowUp: true })
    evaluationCount++
  }
  return evaluationCount
}

/** Runs the failed submissions to a phase again whose files are stored, even if the queue is full. @returns their number */
export async function runFailedAgain(accord: Accord, session: Session, phase: Phase): Promise<number> {
  let submissionCount = 0
  for (const submission of await listSubmissions(session, [phase.id])) {
    if (submission.status !== 'FAILED' || submission.isWithdrawn) continue
    const isStarted = runAgain(accord, session, submission, phase, { isFollowUp: true }).then(() => true)
    if (await nullFor('NOT_APPLICABLE', isStarted)) submissionCount++
  }
  return submissionCount
}

import type { Threads } from '../../compute/pool.js'
import { part } from '../../progress.js'
import { type Handler, type JobContext, RECORDED } from '../../queue/kind.js'
import type { Session } from '../../store/engine/session.js'
import type { Phase, Submission } from '../../store/schema/challenge-tables.js'
import { findSubmissions, finishImport, submissionRemoved } from '../../store/submissions.js'
import { requireDatasetById, requireSystemById } from '../datasets/require-subjects.js'
import { type EvaluateResult, planEvaluation } from '../evaluations/evaluate-job.js'
import { executePlan, type Sharding } from '../evaluations/plan.js'
import { importResults } from '../systems/import-results.js'
import { boardOf, type ChallengePhase, datasetsOf, evaluationOf, requirePhaseById } from './phases.js'
import { withResults } from './submission-file.js'

export interface SubmissionInput {
  readonly submissionId: number
  readonly datasetId: number
}

/** Progress when the captions are stored. */
const IMPORTED = 0.3

/**
 * Stores the captions of a submission as a system, unless an earlier attempt has, and computes its scores by the plan of
 * evaluations. The board of its phase is computed next.
 */
export function createSubmissionJob(sharding?: Sharding): Handler<SubmissionInput, EvaluateResult> {
  return async (context) => {
    const { submission, ...chosen } = await readSubmission(context.database, context.input)
    const { phase } = chosen
    const systemId = submission.systemId ?? (await importCaptions(context, submission, chosen))
    const plan = await planSystem(context.database, await context.threads(), phase, systemId)
    const evaluation = { ...context, progress: part(context.progress, IMPORTED, 1) }
    const result = await executePlan(evaluation, plan, sharding)
    if (result !== RECORDED) await context.follow(context.database, 'board', boardOf(phase))
    return result
  }
}

/** The plan of a submission whose captions are stored, for its shards. */
export async function planSubmission(session: Session, threads: Threads, input: SubmissionInput) {
  const { submission, phase } = await readSubmission(session, input)
  return planSystem(session, threads, phase, submission.systemId as number)
}

async function planSystem(session: Session, threads: Threads, phase: Phase, systemId: number) {
  const system = await requireSystemById(session, systemId)
  return planEvaluation(session, threads, system, evaluationOf(phase, systemId))
}

async function readSubmission(session: Session, { submissionId }: SubmissionInput) {
  const [submission] = await findSubmissions(session, [submissionId])
  if (!submission) throw submissionRemoved()
  return { submission, ...(await requirePhaseById(session, submission.phaseId)) }
}

async function importCaptions(
  { database, progress, requireLease }: JobContext<SubmissionInput, EvaluateResult>,
  submission: Submission,
  { challenge, phase: { datasetId } }: ChallengePhase,
): Promise<number> {
  const dataset = await requireDatasetById(database, datasetId)
  const { uploadId, entry } = submission
  const datasetIds = await datasetsOf(database, challenge)
  const place = { upload: uploadId as string, entry, datasetId, datasetIds }
  return withResults(database, place, (file, captions) =>
    importResults(
      {
        database,
        progress: part(progress, 0, IMPORTED),
        finishWith: (write) =>
          database.transaction(async (session) => {
            await requireLease(session)
            const { systemId } = await write(session)
            await finishImport(session, submission, systemId)
            return systemId
          }),
      },
      dataset,
      {
        source: file,
        captions,
        system: `submission ${submission.id}`,
        isMissingAllowed: false,
        areFileNamesIgnored: true,
      },
    ),
  )
}

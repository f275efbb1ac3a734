import type { Threads } from '../../compute/pool.js'
import { AccordError } from '../../errors.js'
import { readResults } from '../../formats/captions/results.js'
import { part } from '../../progress.js'
import type { Handler, JobContext } from '../../queue/kind.js'
import type { Session } from '../../store/engine/session.js'
import type { Phase, Submission } from '../../store/schema/entities.js'
import { findSubmissions, finishImport } from '../../store/submissions.js'
import { requireDatasetById, requireSystemById } from '../datasets/subjects.js'
import type { Sharding } from '../evaluations/division.js'
import { type EvaluateResult, planEvaluation } from '../evaluations/evaluation-plan.js'
import { executePlan } from '../evaluations/plan-shards.js'
import { importResults } from '../imports/import-results.js'
import { evaluationOf, requirePhaseById } from './phases.js'
import { withResults } from './submission-file.js'

export interface SubmissionInput {
  readonly submissionId: number
  readonly datasetId: number
}

/** Progress when the captions are stored. */
const IMPORTED = 0.3

/**
 * Stores the captions of a submission as a system, unless an earlier attempt has, and computes its scores by the plan of
 * evaluations.
 */
export function createSubmissionJob(sharding: Sharding): Handler<SubmissionInput, EvaluateResult> {
  return async (context) => {
    const { submission, phase } = await readSubmission(context.database, context.input)
    const systemId = submission.systemId ?? (await importCaptions(context, submission, phase))
    const plan = await planSystem(context.database, await context.threads(), phase, systemId)
    const evaluation = { ...context, progress: part(context.progress, IMPORTED, 1) }
    return executePlan(evaluation, plan, sharding)
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
  if (!submission) throw new AccordError('UNKNOWN_SUBMISSION', 'the submission was removed', { source: 'id' })
  return { submission, ...(await requirePhaseById(session, submission.phaseId)) }
}

async function importCaptions(
  { database, progress, requireLease }: JobContext<SubmissionInput, EvaluateResult>,
  submission: Submission,
  { datasetId }: Phase,
): Promise<number> {
  const dataset = await requireDatasetById(database, datasetId)
  return withResults(database, submission.uploadId as string, submission.entry, (file) =>
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
        captions: readResults(file),
        system: `submission ${submission.id}`,
        isMissingAllowed: false,
      },
    ),
  )
}

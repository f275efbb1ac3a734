import { scoresOfSubmissions, storedScoresOfSubmissions } from '../../services/challenges/board.js'
import * as challenges from '../../services/challenges/challenges.js'
import type { ChallengePhase } from '../../services/challenges/phases.js'
import { submissionsById, submissionsBySystem } from '../../services/challenges/submissions.js'
import type { Submission } from '../../store/schema/entities.js'
import type { Context } from '../execution/context.js'
import { defineListLoader, defineLoader, defineRowLoader } from '../execution/loader.js'
import { present } from '../execution/present.js'

export const loadChallenge = defineRowLoader(challenges.challengesById)

/** The phases of a challenge, oldest first. */
export const loadPhasesOfChallenge = defineListLoader(challenges.phasesByChallenge)

export const loadPhase = defineRowLoader(challenges.phasesById)

const loadAnySubmission = defineRowLoader(submissionsById)

/** A submission that the viewer may see; null for others. */
export async function loadSubmission(context: Context, id: number): Promise<Submission | null> {
  const submission = await loadAnySubmission(context, id)
  if (!submission) return null
  const { challenge } = await chosenOf(context, submission.phaseId)
  return challenges.maySee(context.viewer, challenge, submission) ? submission : null
}

const loadSubmissionOfSystem = defineRowLoader(submissionsBySystem)

/** Whether a system is a submission whose captions the viewer may not see: its phase shows no scores of images, or it is of others. */
export async function isHiddenSubmission(context: Context, systemId: number): Promise<boolean> {
  const submission = await loadSubmissionOfSystem(context, systemId)
  if (!submission) return false
  const { challenge, phase } = await chosenOf(context, submission.phaseId)
  if (challenges.isHostOf(context.viewer, challenge)) return false
  return !phase.settings.isImageScoreShown || !challenges.maySee(context.viewer, challenge, submission)
}

const loadAnyAuditEntry = defineRowLoader(challenges.auditById)

/** An entry of an audit log that the viewer may see; null for others. */
export async function loadAuditEntry(context: Context, id: number) {
  const entry = await loadAnyAuditEntry(context, id)
  const challenge = entry?.challengeId == null ? null : await loadChallenge(context, entry.challengeId)
  return challenge && challenges.isHostOf(context.viewer, challenge) ? entry : null
}

/** A phase with its challenge. */
export async function chosenOf(context: Context, phaseId: number): Promise<ChallengePhase> {
  const phase = await loadPhase(context, phaseId).then(present)
  return { phase, challenge: await loadChallenge(context, phase.challengeId).then(present) }
}

/** The scores of a submission. */
export const loadSubmissionScores = defineLoader({
  part: ({ id }: Submission) => id,
  group: ({ phaseId }) => phaseId,
  read: async (accord, _ids, submissions, context) =>
    scoresOfSubmissions(accord, await chosenOf(context, submissions[0].phaseId), submissions),
  absent: [],
})

/** All stored scores of a submission, oldest first. */
export const loadStoredScores = defineLoader({
  part: ({ id }: Submission) => id,
  group: ({ phaseId }) => phaseId,
  read: async (accord, _ids, submissions, context) =>
    storedScoresOfSubmissions(accord, await chosenOf(context, submissions[0].phaseId), submissions),
  absent: [],
})

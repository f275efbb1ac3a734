import { teamsById } from '../../services/accounts/teams.js'
import { usersById } from '../../services/accounts/users.js'
import type { Named } from '../../services/accounts/viewer.js'
import { scoresOfSubmissions, storedScoresOfSubmissions } from '../../services/challenges/board.js'
import * as challenges from '../../services/challenges/challenges.js'
import { isHostOf, mayKnow, maySee } from '../../services/challenges/hosts.js'
import type { ChallengePhase } from '../../services/challenges/phases.js'
import type { Quota } from '../../services/challenges/quota.js'
import {
  methodsById,
  quotaOf,
  submissionsById,
  submissionsBySystem,
} from '../../services/challenges/submissions.js'
import * as collections from '../../services/collections/collections.js'
import { collectionPicturePaths } from '../../services/images/pictures.js'
import { isOfKind, type Job } from '../../services/jobs/jobs.js'
import type { Team, User } from '../../store/schema/account-tables.js'
import type { Challenge, Phase, Submission } from '../../store/schema/challenge-tables.js'
import type { CollectionImage } from '../../store/schema/collection-tables.js'
import type { AccountOfRequest, Context } from '../shared/context.js'
import { defineListLoader, defineLoader, defineRowLoader, present } from '../shared/loader.js'

export const loadChallenge = defineRowLoader(challenges.challengesById)

/** A challenge that the viewer knows of; null for a draft of others. */
export async function loadKnownChallenge(context: Context, id: number): Promise<Challenge | null> {
  const challenge = await loadChallenge(context, id)
  return challenge && mayKnow(context.viewer, challenge) ? challenge : null
}

/** The phases of a challenge, oldest first. */
export const loadPhasesOfChallenge = defineListLoader(challenges.phasesByChallenge)
export const loadPhase = defineRowLoader(challenges.phasesById)

/** A phase of a challenge that the viewer knows of. */
export async function loadKnownPhase(context: Context, id: number): Promise<Phase | null> {
  const phase = await loadPhase(context, id)
  return phase && (await loadKnownChallenge(context, phase.challengeId)) ? phase : null
}

/** A submission, whoever may see it. */
export const loadAnySubmission = defineRowLoader(submissionsById)

/** A submission that the viewer may see; null for others. */
export async function loadSubmission(context: Context, id: number): Promise<Submission | null> {
  const submission = await loadAnySubmission(context, id)
  if (!submission) return null
  const { challenge } = await chosenOf(context, submission.phaseId)
  return maySee(context.viewer, challenge, submission) ? submission : null
}

/** The description of the method of a submission, which is read only when it is asked for. */
export const loadMethod = defineRowLoader(methodsById)

const loadSubmissionOfSystem = defineRowLoader(submissionsBySystem)

/** Whether a system is a submission whose captions the viewer may not see: its phase shows no scores of images, or it is of others. */
export async function isHiddenSubmission(context: Context, systemId: number): Promise<boolean> {
  const submission = await loadSubmissionOfSystem(context, systemId)
  if (!submission) return false
  const { challenge, phase } = await chosenOf(context, submission.phaseId)
  if (isHostOf(context.viewer, challenge)) return false
  return !phase.settings.isImageScoreShown || !maySee(context.viewer, challenge, submission)
}

/**
 * Whether a job works on a submission, or on a file that is submitted, to a challenge that the viewer does not host. Its texts may
 * name captions.
 */
export async function isJobOfOthers(context: Context, job: Job): Promise<boolean> {
  if (isOfKind(job, 'checkSubmission')) return isOfOtherHosts(context, job.input.phases[0].id)
  if (isOfKind(job, 'submission')) {
    const submission = await loadAnySubmission(context, job.input.submissionId)
    return isOfOtherHosts(context, submission?.phaseId)
  }
  if (isOfKind(job, 'board')) {
    const phase = await loadPhase(context, job.input.phaseId)
    return phase !== null && (await loadKnownChallenge(context, phase.challengeId)) === null
  }
  return job.systemId !== null && isHiddenSubmission(context, job.systemId)
}

/** Whether the viewer does not host the challenge of a phase. Nobody does who is no administrator, once it was removed. */
async function isOfOtherHosts(context: Context, phaseId: number | undefined): Promise<boolean> {
  const phase = phaseId === undefined ? null : await loadPhase(context, phaseId)
  const challenge = phase && (await loadChallenge(context, phase.challengeId))
  return challenge ? !isHostOf(context.viewer, challenge) : !context.viewer.isAdministrator
}

const loadAnyAuditEntry = defineRowLoader(challenges.auditById)

/** An entry of an audit log that the viewer may see; null for others. */
export async function loadAuditEntry(context: Context, id: number) {
  const entry = await loadAnyAuditEntry(context, id)
  const challenge = entry?.challengeId == null ? null : await loadChallenge(context, entry.challengeId)
  return challenge && isHostOf(context.viewer, challenge) ? entry : null
}

/** A phase with its challenge. */
export async function chosenOf(context: Context, phaseId: number): Promise<ChallengePhase> {
  const phase = await loadPhase(context, phaseId).then(present)
  return { phase, challenge: await loadChallenge(context, phase.challengeId).then(present) }
}

/** The quota of a team in a phase. Null if the viewer may not see it. */
export async function findQuota(context: Context, phaseId: number, team: string): Promise<Quota | null> {
  const chosen = await chosenOf(context, phaseId)
  const { accord, viewer } = context
  return maySee(viewer, chosen.challenge, { team }) ? quotaOf(accord, viewer, chosen, team) : null
}

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

/** The members of a team of a server with accounts, by name. */
export const loadMembers = defineLoader<string, string, readonly { readonly name: string }[]>({
  part: (id) => id,
  read: (_accord, ids, _keys, { account }) => (account as AccountOfRequest).accounts.members(ids),
  absent: [],
})

/** A user by id; null after the account was deleted. */
export const loadUser = defineLoader<string, string, User | null>({
  part: (id) => id,
  read: (accord, ids) => usersById(accord, ids),
  absent: null,
})

const loadStoredTeam = defineLoader<string, string, Team | null>({
  part: (id) => id,
  read: (accord, ids) => teamsById(accord, ids),
  absent: null,
})

/** A team by id; null for that of the command line on a server with accounts. */
export async function loadTeam(context: Context, id: string): Promise<Named | null> {
  return context.viewer.teams.find((team) => team.id === id) ?? (await loadStoredTeam(context, id))
}

/** The team that hosts, submits or is admitted. That of the command line has its id as a name. */
export async function teamOf(context: Context, id: string): Promise<Named> {
  return (await loadTeam(context, id)) ?? { id, name: id }
}

export const loadCollection = defineRowLoader(collections.collectionsById)
export const loadCollectionImage = defineRowLoader(collections.collectionImagesById)

/** The path of the picture of an image of a collection; null where it has none. */
export const loadCollectionPicture = defineLoader({
  part: ({ externalId }: Pick<CollectionImage, 'collectionId' | 'externalId'>) => externalId,
  group: ({ collectionId }) => collectionId,
  read: (accord, images, [{ collectionId }]) => collectionPicturePaths(accord, collectionId, images),
  absent: null as string | null,
})

/** A task, whoever may see it. */
export const loadAnyTask = defineRowLoader(collections.tasksById)

/** How far a collection is. */
export const loadState = defineRowLoader(collections.collectionCounts)

/** The image of a dataset that an image of a collection is. */
export const loadDescribedImage = defineRowLoader(collections.describedImages)

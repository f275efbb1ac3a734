import { currentTime } from '../../clock.js'
import { AccordError, requireInteger } from '../../errors.js'
import { lockPhase } from '../../store/challenges.js'
import type { PagedRows } from '../../store/engine/keyset.js'
import type { Session } from '../../store/engine/session.js'
import type { Submission } from '../../store/schema/challenge-tables.js'
import type { SubmissionWithJob } from '../../store/submissions.js'
import * as store from '../../store/submissions.js'
import { requireTeams } from '../accounts/teams.js'
import { requireScope, requireTeam, requireUser, type Viewer } from '../accounts/viewer.js'
import { cancelJob } from '../jobs/jobs.js'
import type { Accord, Client } from '../shared/accord.js'
import { keyedRows, ofDatabase } from '../shared/groups.js'
import { audit } from './challenges.js'
import { isHostOf, maySee, requireHost } from './hosts.js'
import { runAgain } from './phase-figures.js'
import { type ChallengePhase, requirePhase, requirePhaseById } from './phases.js'
import { type Quota, readQuota } from './quota.js'
import { findSurplus, WITH_ANOTHER } from './submit.js'

/** A submission of a team of the viewer, or to a challenge that the viewer hosts. @throws AccordError UNKNOWN_SUBMISSION */
async function requireSubmission(
  { database }: Accord,
  viewer: Viewer,
  id: number,
): Promise<ChallengePhase & { readonly submission: Submission }> {
  const [submission] = await store.findSubmissions(database, [id])
  const chosen = submission && (await requirePhaseById(database, submission.phaseId))
  if (chosen && maySee(viewer, chosen.challenge, submission)) return { submission, ...chosen }
  throw new AccordError('UNKNOWN_SUBMISSION', 'unknown submission', {
    source: 'id',
    expected: 'a submission of a team of the viewer',
  })
}

/**
 * Cancels the job of a submission, which is then not charged any more, and waits for its end.
 *
 * @throws AccordError UNAUTHENTICATED, FORBIDDEN; UNKNOWN_SUBMISSION; NOT_APPLICABLE if it has ended
 */
export async function cancelSubmission(
  accord: Accord,
  viewer: Viewer,
  id: number,
  client: Client = {},
): Promise<Submission> {
  requireScope(viewer, 'submit')
  const { submission, challenge } = await requireSubmission(accord, viewer, id)
  const cancelled = (session: Session) =>
    audit(session, viewer, 'cancelSubmission', challenge, { submission: id })
  await cancelJob(accord, submission.jobId as number, client, cancelled)
  return submission
}

/** How often teams start a submission again. */
const MAX_RUNS = 10

/**
 * Runs a failed submission again, without regard to the quota and also after the end of the phase: its worker or its database was
 * lost. It is charged as if it had not failed.
 *
 * @throws AccordError UNAUTHENTICATED, FORBIDDEN; UNKNOWN_SUBMISSION; NOT_APPLICABLE unless it has failed, if it is withdrawn, where
 *   its file was removed, and for teams after 10 runs; QUEUE_FULL
 */
export async function rerunSubmission(accord: Accord, viewer: Viewer, id: number): Promise<Submission> {
  requireScope(viewer, 'submit')
  const { submission, challenge, phase } = await requireSubmission(accord, viewer, id)
  if (submission.isWithdrawn) throw withdrawn()
  return accord.database.transaction(async (session) => {
    await lockPhase(session, phase.id)
    const runCount = await store.countRuns(session, submission, phase)
    if (runCount >= MAX_RUNS && !isHostOf(viewer, challenge)) {
      throw new AccordError('NOT_APPLICABLE', 'the submission was run too often; a host can run it again', {
        source: 'id',
        expected: `fewer than ${MAX_RUNS} runs`,
      })
    }
    const [current] = await store.findSubmissions(session, [id])
    if (!current) throw store.submissionRemoved()
    await runAgain(accord, session, current, phase)
    await audit(session, viewer, 'rerunSubmission', challenge, { submission: id })
    return (await store.findSubmissions(session, [id]))[0]
  })
}

/**
 * Withdraws a submission from the board. It stays charged.
 *
 * @throws AccordError UNAUTHENTICATED, FORBIDDEN; UNKNOWN_SUBMISSION
 */
export async function withdrawSubmission(accord: Accord, viewer: Viewer, id: number): Promise<Submission> {
  requireScope(viewer, 'submit')
  const { submission, challenge } = await requireSubmission(accord, viewer, id)
  await accord.database.transaction(async (session) => {
    await store.withdrawSubmission(session, submission)
    await audit(session, viewer, 'withdrawSubmission', challenge, { submission: id })
  })
  return { ...submission, isWithdrawn: true, isChosen: false }
}

/**
 * Makes a submission the entry of its team on the board instead of the best one.
 *
 * @param isChosen false: the best one is the entry again
 * @throws AccordError UNAUTHENTICATED, FORBIDDEN; UNKNOWN_SUBMISSION; NOT_APPLICABLE if it is withdrawn
 */
export async function chooseEntry(
  accord: Accord,
  viewer: Viewer,
  id: number,
  isChosen: boolean,
): Promise<Submission> {
  requireScope(viewer, 'submit')
  const { submission, challenge, phase } = await requireSubmission(accord, viewer, id)
  if (submission.isWithdrawn) throw withdrawn()
  await accord.database.transaction(async (session) => {
    await store.chooseSubmission(session, phase, submission.team, isChosen ? id : null)
    await audit(session, viewer, 'chooseEntry', challenge, { submission: id, isChosen })
  })
  return { ...submission, isChosen }
}

function withdrawn(): AccordError {
  return new AccordError('NOT_APPLICABLE', 'the submission was withdrawn', { source: 'id' })
}

export interface GrantInput {
  readonly challenge: string
  readonly phase?: string | null
  /** Id or name of the team. */
  readonly team: string
  /** 1 to 1,000. */
  readonly count: number
}

/** Maximum number of submissions that are granted at once. */
const MAX_GRANT = 1000

/**
 * Grants a team submissions beyond the limits per day, in total and of attempts.
 *
 * @returns its quota
 * @throws AccordError UNAUTHENTICATED, FORBIDDEN; UNKNOWN_CHALLENGE, UNKNOWN_TEAM; OUT_OF_RANGE
 */
export async function grantSubmissions(
  accord: Accord,
  viewer: Viewer,
  { challenge: name, phase: phaseName, team: wanted, count }: GrantInput,
): Promise<ChallengePhase & { readonly quota: Quota }> {
  const chosen = await requirePhase(accord.database, viewer, name, phaseName)
  const { challenge, phase } = chosen
  requireHost(viewer, challenge)
  requireInteger(count, 1, MAX_GRANT, 'count')
  const [team] = await requireTeams(accord.database, [wanted], 'team')
  return accord.database.transaction(async (session) => {
    await store.insertGrant(session, { phaseId: phase.id, team, count })
    await audit(session, viewer, 'grantSubmissions', challenge, { phase: phase.name, team, count })
    return { ...chosen, quota: await readQuota(session, chosen, team, currentTime()) }
  })
}

/**
 * The quota of a team of the viewer, or of any team for hosts. Nothing is left for a viewer who takes part with another team.
 *
 * @throws AccordError UNAUTHENTICATED, FORBIDDEN
 */
export async function quotaOf(
  { database }: Accord,
  viewer: Viewer,
  chosen: ChallengePhase,
  team: string,
): Promise<Quota> {
  if (!isHostOf(viewer, chosen.challenge)) requireTeam(viewer, team)
  const quota = await readQuota(database, chosen, team, currentTime())
  const isMember = viewer.teams.some(({ id }) => id === team)
  const surplus = isMember && (await findSurplus(database, chosen.phase, team, requireUser(viewer).id))
  return surplus
    ? { ...quota, left: 0, whyNone: `${WITH_ANOTHER}, ${surplus.found}; expected ${surplus.expected}` }
    : quota
}

/** The submissions to a phase that the viewer may see, oldest first. @param team Default: all of them */
export function listSubmissions(
  { database }: Accord,
  viewer: Viewer,
  { challenge, phase }: ChallengePhase,
  team?: string | null,
): PagedRows<Submission> {
  const own = isHostOf(viewer, challenge) ? null : viewer.teams.map(({ id }) => id)
  const teams = team == null ? own : own === null || own.includes(team) ? [team] : []
  return store.pagedSubmissions(database, phase.id, teams)
}

/** All submissions to a phase with the states of their jobs, oldest first. */
export const submissionsOfPhase = (
  { database }: Accord,
  { phase }: ChallengePhase,
): Promise<SubmissionWithJob[]> => store.listSubmissions(database, [phase.id])

/** The descriptions of the methods of submissions, by id of the submission: Markdown, as it was written. */
export async function methodsById(
  { database }: Accord,
  ids: readonly number[],
): Promise<Map<number, string>> {
  return new Map((await store.readMethods(database, ids)).map(({ id, method }) => [id, method]))
}

/** The places of all queued jobs in the queue, by id. */
export const queuePlaces = ofDatabase(store.readQueuePlaces)

export const submissionsById = keyedRows(store.findSubmissions, ({ id }) => id)

/** Submissions by the id of the system that has their captions. */
export const submissionsBySystem = keyedRows(store.findSubmissionsOfSystems, ({ systemId }) => systemId)

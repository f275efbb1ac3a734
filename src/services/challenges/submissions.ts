import { AccordError, quote, requireInteger } from '../../errors.js'
import { findPhasesOfChallenges, lockPhase, requireChallenge } from '../../store/challenges.js'
import type { Session } from '../../store/engine/session.js'
import type { Submission } from '../../store/schema/entities.js'
import type { SubmissionWithJob } from '../../store/submissions.js'
import * as store from '../../store/submissions.js'
import { findUploads } from '../../store/uploads.js'
import type { Accord, Client } from '../accord.js'
import {
  forbidden,
  type Named,
  requireScope,
  requireTeam,
  requireUser,
  type Viewer,
} from '../accounts/viewer.js'
import { unknownUpload } from '../imports/import-job.js'
import { cancelJob } from '../jobs/jobs.js'
import { keyedRows, ofDatabase } from '../shared/groups.js'
import { audit, isHostOf, maySee, requireHost, stageOf } from './challenges.js'
import { dayOf } from './days.js'
import { type ChallengePhase, requirePhase, requirePhaseById } from './phases.js'
import { type Quota, readQuota, requireQuota } from './quota.js'
import type { CheckedFile } from './submission-file.js'

export interface SubmitInput {
  /** Name. */
  readonly challenge: string
  /** Names. Default: the only phase; of a zip file, all that are open. */
  readonly phases?: readonly string[] | null
  /** Id of the file. */
  readonly upload: string
  /** Id of a team of the viewer. Default: the only one. */
  readonly team?: string | null
  /** Markdown. Default: empty. */
  readonly method?: string | null
  /** URLs that begin with https:// or http://. Default: none. */
  readonly links?: readonly string[] | null
  /** Whether others do not see the team before the end of the phase. Default: false. */
  readonly isAnonymous?: boolean | null
}

/** Maximum length of the description of a method, and number of links. */
const MAX_METHOD_LENGTH = 20_000
const MAX_LINKS = 10

/**
 * Checks a file and accepts it as a submission to each phase. What is wrong with it costs nothing. All are accepted in one
 * transaction, which charges them and adds their jobs, or none.
 *
 * @throws AccordError UNAUTHENTICATED, FORBIDDEN; UNKNOWN_CHALLENGE, UNKNOWN_UPLOAD; NOT_APPLICABLE for a phase that is not open
 *   by the clock of the server, or does not admit the team; NO_SUBMISSIONS_LEFT; QUEUE_FULL; errors of the check of the file
 */
export async function submit(
  accord: Accord,
  viewer: Viewer,
  input: SubmitInput,
  client: Client = {},
): Promise<Submission[]> {
  const team = chooseTeam(viewer, input.team)
  const { method, links } = checkTexts(input)
  const chosen = await choosePhases(accord.database, input)
  for (const one of chosen) await requireAdmission(accord.database, one, team)
  const phases = chosen.map(({ phase: { id, name, datasetId } }) => ({ id, name, datasetId }))
  const files = await accord.run('checkSubmission', { upload: input.upload, phases }, client)
  const details = {
    method,
    links,
    isAnonymous: input.isAnonymous ? 1 : 0,
    submitter: viewer.user?.id ?? null,
  }
  return accord.database.transaction(async (session) => {
    const [upload] = await findUploads(session, [input.upload])
    if (!upload) throw unknownUpload(input.upload)
    const ids: number[] = []
    for (const file of files.toSorted((one, other) => one.phaseId - other.phaseId)) {
      ids.push(await accept(accord, session, file, { ...details, team, uploadId: upload.id }))
    }
    return (await store.findSubmissions(session, ids)).toSorted((one, other) => one.id - other.id)
  })
}

type Accepted = Pick<Submission, 'method' | 'links' | 'isAnonymous' | 'submitter'> & {
  readonly team: Named
  readonly uploadId: string
}

/** Charges a submission and adds its job. @returns its id */
async function accept(
  accord: Accord,
  session: Session,
  { phaseId, entry, fileName }: CheckedFile,
  { team, ...details }: Accepted,
): Promise<number> {
  await lockPhase(session, phaseId)
  // The clock, the limits and what is used, once nobody else can change them.
  const chosen = await requirePhaseById(session, phaseId)
  const now = Date.now()
  const { isGranted } = await requireAdmission(session, chosen, team, now)
  const { phase, challenge } = chosen
  const id = await store.insertSubmission(session, {
    ...details,
    phaseId,
    team: team.id,
    teamName: team.name,
    entry,
    fileName,
    day: dayOf(now, challenge.timeZone),
    acceptedAt: new Date(now).toISOString(),
    isGranted: isGranted ? 1 : 0,
  })
  const input = { submissionId: id, datasetId: phase.datasetId }
  const job = await accord.start('submission', input, { owner: `team ${team.id}` }, session)
  await store.updateSubmission(session, id, { jobId: job.id })
  return id
}

/** @throws AccordError NOT_APPLICABLE, NO_SUBMISSIONS_LEFT */
async function requireAdmission(session: Session, chosen: ChallengePhase, team: Named, now = Date.now()) {
  const { challenge, phase } = chosen
  const { opensAt, closesAt, admittedTeams } = phase.settings
  const stage = stageOf(phase, challenge, now)
  if (stage !== 'OPEN') {
    throw new AccordError('NOT_APPLICABLE', `the phase ${CLOSED[stage]}`, {
      source: 'phase',
      place: phase.name,
      expected: `a time from ${opensAt} to before ${closesAt}`,
      found: `${new Date(now).toISOString()} on the clock of the server`,
    })
  }
  if (admittedTeams !== null && !admittedTeams.includes(team.id)) {
    throw new AccordError('NOT_APPLICABLE', 'the phase does not admit the team', {
      source: 'phase',
      place: phase.name,
      found: quote(team.name),
    })
  }
  return requireQuota(session, chosen, team.id, now)
}

const CLOSED = { UPCOMING: 'has not begun', PAUSED: 'is paused', CLOSED: 'has ended' } as const

/** The team that submits. @throws AccordError UNAUTHENTICATED, FORBIDDEN; INVALID_SHAPE without a choice of several */
function chooseTeam(viewer: Viewer, id: string | null | undefined): Named {
  requireScope(viewer, 'submit')
  requireUser(viewer)
  if (id != null) return requireTeam(viewer, id)
  const [team, ...others] = viewer.teams
  if (!team) throw forbidden('a member of a team')
  if (others.length === 0) return team
  throw new AccordError('INVALID_SHAPE', 'no team was named', {
    source: 'team',
    expected: `one of ${viewer.teams.map((one) => one.id).join(', ')}`,
  })
}

function checkTexts({ method, links }: SubmitInput): Pick<Submission, 'method' | 'links'> {
  const texts = { method: method ?? '', links: links ?? [] }
  if (texts.method.length > MAX_METHOD_LENGTH || texts.links.length > MAX_LINKS) {
    throw new AccordError('OUT_OF_RANGE', 'the description of the method is too long', {
      source: 'method, links',
      expected: `at most ${MAX_METHOD_LENGTH} characters and ${MAX_LINKS} links`,
      found: `${texts.method.length} and ${texts.links.length}`,
    })
  }
  const wrong = texts.links.find((link) => !/^https?:\/\/[^\s/]/i.test(link) || !URL.canParse(link))
  if (wrong === undefined && !texts.method.includes('\0')) return texts
  throw new AccordError('INVALID_VALUE', 'invalid link or text', {
    source: 'method, links',
    expected: 'URLs that begin with https:// or http://, and text without U+0000',
    found: quote(wrong ?? texts.method),
  })
}

/** The phases that are named; without names the only one, or all that are open. @throws AccordError UNKNOWN_CHALLENGE */
async function choosePhases(
  session: Session,
  { challenge: name, phases }: SubmitInput,
): Promise<ChallengePhase[]> {
  if (phases != null && phases.length > 0) {
    const chosen: ChallengePhase[] = []
    for (const phase of new Set(phases)) chosen.push(await requirePhase(session, name, phase))
    return chosen
  }
  const challenge = await requireChallenge(session, name)
  const all = await findPhasesOfChallenges(session, [challenge.id])
  const open = all.filter((phase) => stageOf(phase, challenge) === 'OPEN')
  if (open.length > 0) return open.map((phase) => ({ challenge, phase }))
  return [await requirePhase(session, name, all.at(0)?.name)]
}

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
  await cancelJob(accord, submission.jobId as number, client)
  await audit(accord.database, viewer, 'cancelSubmission', challenge, { submission: id })
  return submission
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
    await store.updateSubmission(session, id, { isWithdrawn: 1, isChosen: 0 })
    await audit(session, viewer, 'withdrawSubmission', challenge, { submission: id })
  })
  return { ...submission, isWithdrawn: 1, isChosen: 0 }
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
  if (submission.isWithdrawn) {
    throw new AccordError('NOT_APPLICABLE', 'the submission was withdrawn', { source: 'id' })
  }
  await accord.database.transaction(async (session) => {
    await store.chooseSubmission(session, phase, submission.team, isChosen ? id : null)
    await audit(session, viewer, 'chooseEntry', challenge, { submission: id, isChosen })
  })
  return { ...submission, isChosen: isChosen ? 1 : 0 }
}

export interface GrantInput {
  readonly challenge: string
  readonly phase?: string | null
  /** Id of the team. */
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
 * @throws AccordError UNAUTHENTICATED, FORBIDDEN; UNKNOWN_CHALLENGE; OUT_OF_RANGE
 */
export async function grantSubmissions(
  accord: Accord,
  viewer: Viewer,
  { challenge: name, phase: phaseName, team, count }: GrantInput,
): Promise<ChallengePhase & { readonly quota: Quota }> {
  const chosen = await requirePhase(accord.database, name, phaseName)
  const { challenge, phase } = chosen
  requireHost(viewer, challenge)
  requireInteger(count, 1, MAX_GRANT, 'count')
  await accord.database.transaction(async (session) => {
    await store.insertGrant(session, { phaseId: phase.id, team, count })
    await audit(session, viewer, 'grantSubmissions', challenge, { phase: phase.name, team, count })
  })
  return { ...chosen, quota: await readQuota(accord.database, chosen, team, Date.now()) }
}

/**
 * The quota of a team of the viewer, or of any team for hosts.
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
  return readQuota(database, chosen, team, Date.now())
}

/** The submissions to a phase that the viewer may see, oldest first. @param team Default: all of them */
export async function listSubmissions(
  { database }: Accord,
  viewer: Viewer,
  { challenge, phase }: ChallengePhase,
  team?: string | null,
): Promise<SubmissionWithJob[]> {
  const rows = await store.listSubmissions(database, [phase.id], team ?? undefined)
  return rows.filter((row) => maySee(viewer, challenge, row))
}

/** The places of all queued jobs in the queue, by id. */
export const queuePlaces = ofDatabase(store.readQueuePlaces)

export const submissionsById = keyedRows(store.findSubmissions, ({ id }) => id)

/** Submissions by the id of the system that has their captions. */
export const submissionsBySystem = keyedRows(store.findSubmissionsOfSystems, ({ systemId }) => systemId)

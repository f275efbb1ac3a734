import { currentTime } from '../../clock.js'
import { hashText } from '../../compute/content-hash.js'
import { AccordError, quote } from '../../errors.js'
import type { ErrorCode } from '../../shared/error-codes.js'
import { findPhasesOfChallenges, lockPhase } from '../../store/challenges.js'
import type { Session } from '../../store/engine/session.js'
import type { Phase, Submission } from '../../store/schema/challenge-tables.js'
import * as store from '../../store/submissions.js'
import { findUploads, removeUploadFiles } from '../../store/uploads.js'
import {
  type Named,
  requireScope,
  requireTeam,
  requireUser,
  type Viewer,
  withoutTeam,
} from '../accounts/viewer.js'
import type { Accord, Client } from '../shared/accord.js'
import { CONTROLS_OF_TEXT } from '../shared/names.js'
import { requireOwnSources, unknownUpload } from '../uploads/import-job.js'
import { audit, stageOf } from './challenges.js'
import { requireChallenge } from './hosts.js'
import { ownerOf } from './phase-figures.js'
import { type ChallengePhase, datasetsOf, requirePhase, requirePhaseById } from './phases.js'
import { dayOf, requireQuota } from './quota.js'
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
  /** Any text, which names the request: {@link submit} does not accept twice what a user sends with one key. Default: none. */
  readonly idempotencyKey?: string | null
}

/** The key with which a client repeats a submission: equal for equal requests with equal files. @param sha256 of the file */
export function keyOfRequest(
  sha256: string,
  { phases, method, links, isAnonymous }: Omit<SubmitInput, 'upload'>,
): string {
  return JSON.stringify([sha256, phases, method, links, isAnonymous])
}

/** Maximum length of the description of a method, and number of links. */
const MAX_METHOD_LENGTH = 20_000

const MAX_LINKS = 10

/**
 * Checks a file and accepts it as a submission to each phase. What is wrong with it costs nothing. All are accepted in one
 * transaction, which charges them and adds their jobs, or none. What was accepted with the same key of the same user, for the team
 * and the phase, is returned instead, unless it has failed, or was cancelled or withdrawn; also after the phase. The file of a
 * refused submission is removed.
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
  await requireOwnSources(accord.database, { file: { upload: input.upload } }, client)
  try {
    return await checkAndAccept(accord, viewer, input, client)
  } catch (error) {
    if (isRefusal(error)) await discardFile(accord, input.upload)
    throw error
  }
}

/** Removes the file of a request at once unless a submission needs it, to make room. */
async function discardFile({ database }: Accord, upload: string): Promise<void> {
  await database.transaction((session) => store.removeUnusedUpload(session, upload))
  await removeUploadFiles(database)
}

/** Whether the same request would be refused again. */
function isRefusal(error: unknown): boolean {
  const passing: readonly ErrorCode[] = [
    'BUSY',
    'DATABASE_UNAVAILABLE',
    'QUEUE_FULL',
    'CANCELLED',
    'WORKER_LOST',
    'NO_WORKER',
    'TIMEOUT',
  ]
  return error instanceof AccordError && !passing.includes(error.code)
}

async function checkAndAccept(
  accord: Accord,
  viewer: Viewer,
  input: SubmitInput,
  client: Client,
): Promise<Submission[]> {
  const team = chooseTeam(viewer, input.team)
  const { method, links } = checkTexts(input)
  const chosen = await choosePhases(accord.database, viewer, input)
  const submitter = requireUser(viewer).id
  const idempotencyKey = input.idempotencyKey == null ? null : hashText(input.idempotencyKey)
  const sender = { team: team.id, submitter, idempotencyKey }
  const repeated: Submission[] = []
  for (const one of chosen) {
    const former = await store.findRepeated(accord.database, one.phase.id, sender)
    if (former) repeated.push(former)
    else await requireAdmission(accord.database, one, team, submitter)
  }
  if (repeated.length === chosen.length) {
    await discardFile(accord, input.upload)
    return repeated.toSorted((one, other) => one.id - other.id)
  }
  const phases = chosen.map(({ phase: { id, name, datasetId } }) => ({ id, name, datasetId }))
  const datasetIds = await datasetsOf(accord.database, chosen[0].challenge)
  const files = await accord.run('checkSubmission', { upload: input.upload, phases, datasetIds }, client)
  const details = { method, links, isAnonymous: input.isAnonymous ?? false, submitter, idempotencyKey }
  return accord.database.transaction(async (session) => {
    const [upload] = await findUploads(session, [input.upload])
    if (!upload) throw unknownUpload(input.upload)
    const ids: number[] = []
    for (const file of files.toSorted((one, other) => one.phaseId - other.phaseId)) {
      ids.push(await accept(accord, session, viewer, file, { ...details, team, uploadId: upload.id }))
    }
    await store.removeUnusedUpload(session, upload.id)
    return (await store.findSubmissions(session, ids)).toSorted((one, other) => one.id - other.id)
  })
}

type Accepted = Pick<store.NewSubmission, 'method' | 'links' | 'isAnonymous' | 'idempotencyKey'> & {
  readonly submitter: string
  readonly team: Named
  readonly uploadId: string
}

/** Charges a submission and adds its job, unless it is a repetition. @returns its id */
async function accept(
  accord: Accord,
  session: Session,
  viewer: Viewer,
  { phaseId, entry, fileName }: CheckedFile,
  { team, ...details }: Accepted,
): Promise<number> {
  await lockPhase(session, phaseId)
  const repeated = await store.findRepeated(session, phaseId, { ...details, team: team.id })
  if (repeated) return repeated.id
  // The clock, the limits and what is used, once nobody else can change them.
  const chosen = await requirePhaseById(session, phaseId)
  const now = currentTime()
  const { isGranted } = await requireAdmission(session, chosen, team, details.submitter, now)
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
    isGranted,
  })
  const input = { submissionId: id, datasetId: phase.datasetId }
  const job = await accord.start('submission', input, { owner: ownerOf(team.id) }, session)
  await store.setSubmissionJob(session, id, job.id)
  const detail = { phase: phase.name, team: team.name, submission: id, file: fileName }
  await audit(session, viewer, 'submit', challenge, detail)
  return id
}

/** @throws AccordError NOT_APPLICABLE, NO_SUBMISSIONS_LEFT */
async function requireAdmission(
  session: Session,
  chosen: ChallengePhase,
  team: Named,
  submitter: string,
  now = currentTime(),
) {
  const { challenge, phase } = chosen
  const { opensAt, closesAt, admittedTeams } = phase.settings
  const stage = stageOf(phase, challenge, now)
  if (stage !== 'OPEN') {
    throw new AccordError('NOT_APPLICABLE', `the phase ${CLOSED[stage]}`, {
      source: 'phase',
      place: phase.name,
      ...(stage === 'PAUSED' || stage === 'DRAFT'
        ? { expected: 'a phase that its hosts have opened' }
        : {
            expected: `a time from ${opensAt} to before ${closesAt}`,
            found: `${new Date(now).toISOString()} on the clock of the server`,
          }),
    })
  }
  if (admittedTeams !== null && !admittedTeams.includes(team.id)) {
    throw new AccordError('NOT_APPLICABLE', 'the phase does not admit the team', {
      source: 'phase',
      place: phase.name,
      found: quote(team.name),
    })
  }
  const surplus = await findSurplus(session, phase, team.id, submitter)
  if (surplus) {
    const { expected, found } = surplus
    throw new AccordError('NOT_APPLICABLE', WITH_ANOTHER, {
      source: 'phase',
      place: phase.name,
      expected,
      found,
    })
  }
  return requireQuota(session, chosen, team.id, now)
}

export const WITH_ANOTHER = 'the user takes part in the phase with another team'

/**
 * Limits are those of people: who has many teams submits for one of them.
 *
 * @param teamId of a team for which a user would submit
 * @returns what is allowed, and the other teams of the user, if it is one too many
 */
export async function findSurplus(session: Session, { id, settings }: Phase, teamId: string, user: string) {
  const { teamsPerUser } = settings.limits
  if (teamsPerUser === null) return null
  const others = await store.teamsOfUser(session, id, user)
  others.delete(teamId)
  if (others.size < teamsPerUser) return null
  return {
    expected: `submissions of at most ${teamsPerUser === 1 ? 'one team' : `${teamsPerUser} teams`} of a user; hosts can allow more`,
    found: [...others.values()].map((other) => quote(other)).join(', '),
  }
}

const CLOSED = {
  DRAFT: 'is one of a draft',
  UPCOMING: 'has not begun',
  PAUSED: 'is paused',
  CLOSED: 'has ended',
} as const

/** The team that submits. @throws AccordError UNAUTHENTICATED, FORBIDDEN; INVALID_SHAPE without a choice of several */
function chooseTeam(viewer: Viewer, id: string | null | undefined): Named {
  requireScope(viewer, 'submit')
  requireUser(viewer)
  if (id != null) return requireTeam(viewer, id)
  const [team, ...others] = viewer.teams
  if (!team) throw withoutTeam()
  if (others.length === 0) return team
  throw new AccordError('INVALID_SHAPE', 'no team was named', {
    source: 'team',
    expected: `one of ${viewer.teams.map((one) => one.id).join(', ')}`,
  })
}

function checkTexts({ method, links }: SubmitInput): Pick<store.NewSubmission, 'method' | 'links'> {
  const texts = { method: method ?? '', links: links ?? [] }
  if (texts.method.length > MAX_METHOD_LENGTH || texts.links.length > MAX_LINKS) {
    throw new AccordError('OUT_OF_RANGE', 'the description of the method is too long', {
      source: 'method, links',
      expected: `at most ${MAX_METHOD_LENGTH} characters and ${MAX_LINKS} links`,
      found: `${texts.method.length} and ${texts.links.length}`,
    })
  }
  const wrong = texts.links.find((link) => !/^https?:\/\/[^\s/]/i.test(link) || !URL.canParse(link))
  if (wrong === undefined && !CONTROLS_OF_TEXT.test(texts.method)) return texts
  throw new AccordError('INVALID_VALUE', 'invalid link or text', {
    source: 'method, links',
    expected: 'URLs that begin with https:// or http://, and text without control characters',
    found: quote(wrong ?? texts.method),
  })
}

/** The phases that are named; without names the only one, or all that are open. @throws AccordError UNKNOWN_CHALLENGE */
async function choosePhases(
  session: Session,
  viewer: Viewer,
  { challenge: name, phases }: SubmitInput,
): Promise<ChallengePhase[]> {
  if (phases != null && phases.length > 0) {
    const chosen: ChallengePhase[] = []
    for (const phase of new Set(phases)) chosen.push(await requirePhase(session, viewer, name, phase))
    return chosen
  }
  const challenge = await requireChallenge(session, viewer, name)
  const all = await findPhasesOfChallenges(session, [challenge.id])
  const open = all.filter((phase) => stageOf(phase, challenge) === 'OPEN')
  if (open.length > 0) return open.map((phase) => ({ challenge, phase }))
  return [await requirePhase(session, viewer, name, all.at(0)?.name)]
}

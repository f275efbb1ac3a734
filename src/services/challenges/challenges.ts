import { isDeepStrictEqual } from 'node:util'
import { currentTime } from '../../clock.js'
import { AccordError, quote } from '../../errors.js'
import { findAuditEntries, findAuditOfChallenges, insertAuditEntry } from '../../store/accounts.js'
import * as store from '../../store/challenges.js'
import { makePrivate } from '../../store/datasets.js'
import type { Session } from '../../store/engine/session.js'
import { requestCancellation } from '../../store/jobs.js'
import type { AuditEntry, Challenge, Phase, PhaseSettings } from '../../store/schema/challenge-tables.js'
import { listSubmissions } from '../../store/submissions.js'
import { requireScope, requireTeam, type Viewer, withoutTeam } from '../accounts/viewer.js'
import type { Accord, Client } from '../shared/accord.js'
import { refreshMetrics } from '../shared/computing.js'
import { groupedRows, idsOf, keyedRows } from '../shared/groups.js'
import { CONTROLS, CONTROLS_OF_TEXT } from '../shared/names.js'
import { requireChallenge, requireHost } from './hosts.js'
import { computePhase, runFailedAgain } from './phase-figures.js'
import { checkTimeZone } from './quota.js'
import { checkSlug, type PhaseInput, resolvePhase } from './resolve-phase.js'

/** A challenge as hosts describe it. What is absent has its default, or stays as it is. */
export interface ChallengeInput {
  /** Of small letters and digits, with single `.`, `-` or `_` between them. */
  readonly name: string
  /** At most 200 characters. Default: the name. */
  readonly title?: string
  /** Markdown, at most 10,000 characters. Default: empty. */
  readonly description?: string
  /** Default: UTC. */
  readonly timeZone?: string
  /** Whether it accepts no submissions. Default: false. */
  readonly isPaused?: boolean
  /** Whether only its hosts see it. False opens it for good. Default: false. */
  readonly isDraft?: boolean
  readonly phases?: readonly PhaseInput[]
}

/** Maximum numbers of characters. */
const MAX_LENGTHS = { title: 200, description: 10_000 } as const

export const challengesById = keyedRows(store.findChallenges, ({ id }) => id)

/** The phases of challenges, oldest first. */
export const phasesByChallenge = groupedRows(store.findPhasesOfChallenges, ({ challengeId }) => challengeId)
export const phasesById = keyedRows(store.findPhases, ({ id }) => id)

/** Where a phase stands by the clock of the server. */
export type PhaseStage = 'DRAFT' | 'UPCOMING' | 'OPEN' | 'PAUSED' | 'CLOSED'

export function stageOf(
  { settings }: Phase,
  { isPaused, isDraft }: Challenge,
  now = currentTime(),
): PhaseStage {
  if (isDraft) return 'DRAFT'
  if (now >= Date.parse(settings.closesAt)) return 'CLOSED'
  if (isPaused) return 'PAUSED'
  return now < Date.parse(settings.opensAt) ? 'UPCOMING' : 'OPEN'
}

/** A challenge, and what was started of it. */
export interface StartedChallenge {
  readonly challenge: Challenge
  /** Evaluations of submissions and baselines. */
  readonly evaluationCount: number
  /** Failed submissions that run again. */
  readonly submissionCount: number
}

/**
 * Creates a challenge, and starts the computation of the figures of people and baselines on its boards.
 *
 * @param hostTeam id of the team that hosts it. Default: the first one of the viewer
 * @throws AccordError UNAUTHENTICATED, FORBIDDEN; NAME_TAKEN; UNKNOWN_DATASET, UNKNOWN_METRIC, UNKNOWN_SYSTEM, UNKNOWN_TEAM; INVALID_VALUE and
 *   OUT_OF_RANGE for a value of the input
 */
export async function createChallenge(
  accord: Accord,
  viewer: Viewer,
  { phases = [], ...input }: ChallengeInput,
  hostTeam?: string | null,
  client: Client = {},
): Promise<StartedChallenge> {
  requireScope(viewer, 'host')
  checkChallengeName(input.name)
  checkLengths(input)
  const { timeZone = 'UTC' } = input
  checkTimeZone(timeZone)
  const team = hostTeam == null ? viewer.teams.at(0) : requireTeam(viewer, hostTeam)
  if (!team) throw withoutTeam()
  await refreshMetrics(accord)
  return accord.database.transaction(async (session) => {
    const { title = input.name, description = '' } = input
    const id = await store.insertChallenge(session, {
      name: input.name,
      title,
      description,
      timeZone,
      hostTeam: team.id,
      isPaused: input.isPaused ?? false,
      isDraft: input.isDraft ?? false,
    })
    const evaluationCount = await computePhases(
      accord,
      session,
      await savePhases(accord, session, id, phases),
      client,
    )
    await audit(session, viewer, 'createChallenge', { id, name: input.name }, { ...input, phases })
    return {
      challenge: await requireChallenge(session, viewer, input.name),
      evaluationCount,
      submissionCount: 0,
    }
  })
}

/**
 * Changes a challenge and its phases, which are named; those that are not known are added. Where metrics or references change,
 * all submissions are evaluated again; their former scores stay. Failed ones are not run again by it.
 *
 * @throws AccordError as {@link createChallenge}; UNKNOWN_CHALLENGE; NOT_APPLICABLE for another dataset of a phase, and for
 *   a draft that was opened
 */
export async function updateChallenge(
  accord: Accord,
  viewer: Viewer,
  { name, phases = [], ...changes }: ChallengeInput,
  client: Client = {},
): Promise<StartedChallenge> {
  const { id, ...known } = await requireChallenge(accord.database, viewer, name)
  requireHost(viewer, known)
  const { isPaused, isDraft, ...texts } = changes
  if (isDraft && !known.isDraft) throw opened(name)
  checkLengths(texts)
  if (texts.timeZone !== undefined) checkTimeZone(texts.timeZone)
  await refreshMetrics(accord)
  return accord.database.transaction(async (session) => {
    const row = {
      ...texts,
      ...(isPaused !== undefined && { isPaused }),
      ...(isDraft !== undefined && { isDraft }),
    }
    if (Object.keys(row).length > 0) await store.updateChallenge(session, id, row)
    const evaluationCount = await computePhases(
      accord,
      session,
      await savePhases(accord, session, id, phases),
      client,
    )
    await audit(session, viewer, 'updateChallenge', { id, name }, { ...changes, phases })
    return { challenge: await requireChallenge(session, viewer, name), evaluationCount, submissionCount: 0 }
  })
}

/** Whoever has seen a challenge may have submitted to it. */
function opened(name: string): AccordError {
  return new AccordError('NOT_APPLICABLE', 'the challenge was opened, and is no draft any more', {
    source: 'isDraft',
    expected: 'a challenge that was not opened; one that was can be paused',
    found: quote(name),
  })
}

/**
 * Evaluates again, by workers, what this version would compute in another way: after a metric has changed; and
 * runs failed submissions again, also after the end of their phases. Former scores stay.
 *
 * @throws AccordError UNKNOWN_CHALLENGE; UNAUTHENTICATED, FORBIDDEN
 */
export async function rerunChallenge(
  accord: Accord,
  viewer: Viewer,
  name: string,
  client: Client = {},
): Promise<StartedChallenge> {
  const challenge = await requireChallenge(accord.database, viewer, name)
  requireHost(viewer, challenge)
  await refreshMetrics(accord)
  return accord.database.transaction(async (session) => {
    const phases = await store.findPhasesOfChallenges(session, [challenge.id])
    const evaluationCount = await computePhases(accord, session, phases, client)
    let submissionCount = 0
    for (const phase of phases) submissionCount += await runFailedAgain(accord, session, phase)
    const detail = { evaluations: evaluationCount, submissions: submissionCount }
    await audit(session, viewer, 'rerunChallenge', challenge, detail)
    return { challenge, evaluationCount, submissionCount }
  })
}

/**
 * Removes a challenge with all submissions, whose unfinished jobs are cancelled.
 *
 * @returns its former id, and the number of submissions
 * @throws AccordError UNKNOWN_CHALLENGE; UNAUTHENTICATED, FORBIDDEN
 */
export async function removeChallenge({ database }: Accord, viewer: Viewer, name: string) {
  const challenge = await requireChallenge(database, viewer, name)
  requireHost(viewer, challenge)
  return database.transaction(async (session) => {
    const phases = await store.findPhasesOfChallenges(session, [challenge.id])
    for (const { id } of phases) await store.lockPhase(session, id)
    const submissions = await listSubmissions(session, idsOf(phases))
    for (const { jobId } of submissions) await requestCancellation(session, jobId as number)
    await store.deleteChallenge(session, challenge.id)
    const entry = { actor: viewer.user?.name ?? null, action: 'removeChallenge', subject: name }
    await insertAuditEntry(session, entry)
    return { id: challenge.id, submissionCount: submissions.length }
  })
}

/** The audit log of a challenge, oldest first. @throws AccordError UNAUTHENTICATED, FORBIDDEN */
export async function readAudit(
  { database }: Accord,
  viewer: Viewer,
  challenge: Challenge,
): Promise<AuditEntry[]> {
  requireHost(viewer, challenge)
  return findAuditOfChallenges(database, [challenge.id])
}

export const auditById = keyedRows(findAuditEntries, ({ id }) => id)

/** Adds what a viewer did with a challenge to the audit log. */
export function audit(
  session: Session,
  { user }: Viewer,
  action: string,
  { id: challengeId, name: subject }: Pick<Challenge, 'id' | 'name'>,
  detail: Readonly<Record<string, unknown>>,
): Promise<void> {
  return insertAuditEntry(session, { actor: user?.name ?? null, action, subject, challengeId, detail })
}

/** Starts what is missing on the boards of phases. @returns the number of evaluations */
async function computePhases(
  accord: Accord,
  session: Session,
  phases: readonly Phase[],
  client: Client,
): Promise<number> {
  let count = 0
  for (const phase of phases) count += await computePhase(accord, session, phase, client)
  return count
}

/** Adds phases, or changes those of these names. @returns those of which the board shows other figures than before */
async function savePhases(
  accord: Accord,
  session: Session,
  challengeId: number,
  phases: readonly PhaseInput[],
): Promise<Phase[]> {
  const known = await store.findPhasesOfChallenges(session, [challengeId])
  const changed: Phase[] = []
  for (const phase of phases) {
    const before = known.find(({ name }) => name === phase.name)
    const { row, isPrivate } = await resolvePhase(accord, session, before, phase)
    const id = await store.savePhase(session, { ...row, challengeId })
    if (isPrivate) await makePrivate(session, row.datasetId)
    const isSame = before && isDeepStrictEqual(figuresOf(before.settings), figuresOf(row.settings))
    if (!isSame) changed.push({ ...row, id, challengeId })
  }
  return changed
}

/** What the figures on a board depend on. */
const figuresOf = ({ metrics, references, baselines }: PhaseSettings) => ({ metrics, references, baselines })

/** @throws AccordError OUT_OF_RANGE */
function checkLengths(input: Pick<ChallengeInput, 'title' | 'description'>): void {
  for (const source of ['title', 'description'] as const) {
    const text = input[source] ?? ''
    const { length } = text
    if ((source === 'title' ? CONTROLS : CONTROLS_OF_TEXT).test(text)) {
      throw new AccordError('INVALID_VALUE', 'invalid text', {
        source,
        expected: 'text without control characters, and without those that change its direction',
        found: quote(text),
      })
    }
    if (length > MAX_LENGTHS[source]) {
      throw new AccordError('OUT_OF_RANGE', 'the text is too long', {
        source,
        expected: `at most ${MAX_LENGTHS[source]} characters`,
        found: String(length),
      })
    }
  }
}

/** The page that creates a challenge, beside those of challenges. */
const NEW = ['new']

const checkChallengeName = (name: string) => checkSlug('name', name, NEW)

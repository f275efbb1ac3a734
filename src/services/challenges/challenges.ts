import { AccordError, quote, requireInteger } from '../../errors.js'
import { findAuditEntries, findAuditOfChallenges, insertAuditEntry } from '../../store/accounts.js'
import * as store from '../../store/challenges.js'
import { makePrivate } from '../../store/datasets.js'
import type { Session } from '../../store/engine/session.js'
import type {
  AuditEntry,
  Challenge,
  Dataset,
  Phase,
  PhaseSettings,
  Submission,
  SubmissionLimits,
} from '../../store/schema/entities.js'
import { listSubmissions } from '../../store/submissions.js'
import { requireSystem } from '../../store/systems.js'
import type { Accord, Client } from '../accord.js'
import { forbidden, requireScope, requireTeam, requireUser, type Viewer } from '../accounts/viewer.js'
import { requireDataset } from '../datasets/datasets.js'
import { requireDatasetById } from '../datasets/subjects.js'
import { requireCaptions } from '../evaluations/captioning-system.js'
import { resolveMetrics, usualMetrics } from '../evaluations/scores.js'
import { cancelUnlessEnded } from '../jobs/jobs.js'
import { metricsOf, refreshMetrics } from '../shared/computing.js'
import { groupedRows, idsOf, keyedRows, ofDatabase } from '../shared/groups.js'
import { checkName } from '../shared/names.js'
import { checkTimeZone } from './days.js'
import { computePhase } from './phase-figures.js'

/** A phase as hosts describe it. What is absent has its default, or stays as it is; null stands for no limit or no date. */
export interface PhaseInput {
  /** Unique in the challenge. */
  readonly name: string
  /** Name of the dataset. Required for a new phase. */
  readonly dataset?: string
  /** ISO 8601. Default: now. */
  readonly opensAt?: string
  /** ISO 8601, after `opensAt`. Required for a new phase. */
  readonly closesAt?: string
  /** True makes its dataset private, which it then stays: only hosts and administrators see it. Default: as the dataset is. */
  readonly isPrivate?: boolean
  /** Names. Default: those that are computed by default. */
  readonly metrics?: readonly string[]
  /** Default: the first metric. */
  readonly rankedBy?: string
  /** 0 to 10. Default: 3. */
  readonly decimals?: number
  /**
   * k: on the folds of k references, with people, if images have more captions; against all captions where they have k.
   * Default: K − 1.
   */
  readonly references?: number
  readonly boardFrom?: string | null
  /** Default: false. */
  readonly isImageScoreShown?: boolean
  readonly admittedTeams?: readonly string[] | null
  /** Default: no limits. */
  readonly limits?: Partial<SubmissionLimits>
  /** Default: none. */
  readonly baselines?: readonly string[]
}

/** A challenge as hosts describe it. What is absent has its default, or stays as it is. */
export interface ChallengeInput {
  readonly name: string
  /** At most 200 characters. Default: the name. */
  readonly title?: string
  /** Markdown, at most 10,000 characters. Default: empty. */
  readonly description?: string
  /** Default: UTC. */
  readonly timeZone?: string
  readonly phases?: readonly PhaseInput[]
}

const NO_LIMITS: SubmissionLimits = { perDay: null, total: null, concurrent: null, attempts: null }

const MAX_DECIMALS = 10

/** Maximum numbers of characters. */
const MAX_LENGTHS = { title: 200, description: 10_000 } as const

/** Whether the viewer is a host of the challenge, or an administrator. */
export function isHostOf(
  { isAdministrator, teams }: Viewer,
  { hostTeam }: Pick<Challenge, 'hostTeam'>,
): boolean {
  return isAdministrator || teams.some(({ id }) => id === hostTeam)
}

/** Whether the viewer sees a submission beyond its entry on the board: its team does, and hosts. */
export function maySee(viewer: Viewer, challenge: Challenge, { team }: Pick<Submission, 'team'>): boolean {
  return isHostOf(viewer, challenge) || viewer.teams.some(({ id }) => id === team)
}

/** @throws AccordError UNAUTHENTICATED; FORBIDDEN */
export function requireHost(viewer: Viewer, challenge: Pick<Challenge, 'hostTeam'>): void {
  requireScope(viewer, 'host')
  requireUser(viewer)
  if (!isHostOf(viewer, challenge)) throw forbidden('a host of the challenge')
}

/** All challenges by name. */
export const listChallenges = ofDatabase(store.listChallenges)

/** A challenge; null if there is none of this name. */
export const findChallenge = ofDatabase(store.findChallenge)

/** @throws AccordError UNKNOWN_CHALLENGE */
export const requireChallenge = ofDatabase(store.requireChallenge)

export const challengesById = keyedRows(store.findChallenges, ({ id }) => id)

/** The phases of challenges, oldest first. */
export const phasesByChallenge = groupedRows(store.findPhasesOfChallenges, ({ challengeId }) => challengeId)

export const phasesById = keyedRows(store.findPhases, ({ id }) => id)

/** Where a phase stands by the clock of the server. */
export type PhaseStage = 'UPCOMING' | 'OPEN' | 'PAUSED' | 'CLOSED'

export function stageOf({ settings }: Phase, { isPaused }: Challenge, now = Date.now()): PhaseStage {
  if (now >= Date.parse(settings.closesAt)) return 'CLOSED'
  if (isPaused) return 'PAUSED'
  return now < Date.parse(settings.opensAt) ? 'UPCOMING' : 'OPEN'
}

/**
 * Creates a challenge, and starts the computation of the figures of people and baselines on its boards.
 *
 * @param hostTeam id of the team that hosts it. Default: the first one of the viewer
 * @throws AccordError UNAUTHENTICATED, FORBIDDEN; NAME_TAKEN; UNKNOWN_DATASET, UNKNOWN_METRIC, UNKNOWN_SYSTEM; INVALID_VALUE and
 *   OUT_OF_RANGE for a value of the input
 */
export async function createChallenge(
  accord: Accord,
  viewer: Viewer,
  { phases = [], ...input }: ChallengeInput,
  hostTeam?: string | null,
  client: Client = {},
): Promise<Challenge> {
  requireScope(viewer, 'host')
  checkChallengeName(input.name)
  checkLengths(input)
  const { timeZone = 'UTC' } = input
  checkTimeZone(timeZone)
  const team = hostTeam == null ? viewer.teams.at(0) : requireTeam(viewer, hostTeam)
  if (!team) throw forbidden('a member of a team, which hosts the challenge')
  const resolved = await resolvePhases(accord, [], phases)
  const challenge = await accord.database.transaction(async (session) => {
    const { title = input.name, description = '' } = input
    const id = await store.insertChallenge(session, {
      name: input.name,
      title,
      description,
      timeZone,
      hostTeam: team.id,
      isPaused: 0,
    })
    await savePhases(session, id, resolved)
    await audit(session, viewer, 'createChallenge', { id, name: input.name }, { ...input, phases })
    return store.requireChallenge(session, input.name)
  })
  await computePhases(accord, challenge, client)
  return challenge
}

/**
 * Changes a challenge and its phases, which are named; those that are not known are added. Where metrics or references change,
 * all submissions are evaluated again; their former scores stay.
 *
 * @throws AccordError as {@link createChallenge}; UNKNOWN_CHALLENGE; NOT_APPLICABLE for another dataset of a phase
 */
export async function updateChallenge(
  accord: Accord,
  viewer: Viewer,
  { name, phases = [], ...changes }: ChallengeInput & { readonly isPaused?: boolean },
  client: Client = {},
): Promise<Challenge> {
  const { id, ...known } = await store.requireChallenge(accord.database, name)
  requireHost(viewer, known)
  const { isPaused, ...texts } = changes
  checkLengths(texts)
  if (texts.timeZone !== undefined) checkTimeZone(texts.timeZone)
  const resolved = await resolvePhases(
    accord,
    await store.findPhasesOfChallenges(accord.database, [id]),
    phases,
  )
  await accord.database.transaction(async (session) => {
    const row = { ...texts, ...(isPaused !== undefined && { isPaused: isPaused ? 1 : 0 }) }
    if (Object.keys(row).length > 0) await store.updateChallenge(session, id, row)
    await savePhases(session, id, resolved)
    await audit(session, viewer, 'updateChallenge', { id, name }, { ...changes, phases })
  })
  const challenge = await store.requireChallenge(accord.database, name)
  await computePhases(accord, challenge, client)
  return challenge
}

/**
 * Evaluates again, by workers, what this version would compute in another way: after a metric has changed. Former scores stay.
 *
 * @returns the number of evaluations
 * @throws AccordError UNKNOWN_CHALLENGE; UNAUTHENTICATED, FORBIDDEN
 */
export async function rerunChallenge(
  accord: Accord,
  viewer: Viewer,
  name: string,
  client: Client = {},
): Promise<number> {
  const challenge = await store.requireChallenge(accord.database, name)
  requireHost(viewer, challenge)
  const count = await computePhases(accord, challenge, client)
  await audit(accord.database, viewer, 'rerunChallenge', challenge, { evaluations: count })
  return count
}

/**
 * Removes a challenge with all submissions, whose unfinished jobs are cancelled.
 *
 * @returns the number of submissions
 * @throws AccordError UNKNOWN_CHALLENGE; UNAUTHENTICATED, FORBIDDEN
 */
export async function removeChallenge(
  accord: Accord,
  viewer: Viewer,
  name: string,
  client: Client = {},
): Promise<number> {
  const { database } = accord
  const challenge = await store.requireChallenge(database, name)
  requireHost(viewer, challenge)
  // No further ones are accepted.
  await store.updateChallenge(database, challenge.id, { isPaused: 1 })
  const phases = await store.findPhasesOfChallenges(database, [challenge.id])
  const submissions = await listSubmissions(database, idsOf(phases))
  for (const { jobId } of submissions) await cancelUnlessEnded(accord, jobId as number, client)
  await database.transaction(async (session) => {
    await store.deleteChallenge(session, challenge.id)
    const entry = { actor: viewer.user?.name ?? null, action: 'removeChallenge', subject: name }
    await insertAuditEntry(session, entry)
  })
  return submissions.length
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

async function computePhases(accord: Accord, { id }: Challenge, client: Client): Promise<number> {
  let count = 0
  for (const phase of await store.findPhasesOfChallenges(accord.database, [id])) {
    count += await computePhase(accord, phase, client)
  }
  return count
}

interface ResolvedPhase {
  readonly row: Omit<Phase, 'id' | 'challengeId'>
  readonly isPrivate: boolean
}

async function savePhases(
  session: Session,
  challengeId: number,
  phases: readonly ResolvedPhase[],
): Promise<void> {
  for (const { row, isPrivate } of phases) {
    await store.savePhase(session, { ...row, challengeId })
    if (isPrivate) await makePrivate(session, row.datasetId)
  }
}

async function resolvePhases(
  accord: Accord,
  known: readonly Phase[],
  phases: readonly PhaseInput[],
): Promise<ResolvedPhase[]> {
  await refreshMetrics(accord)
  const resolved: ResolvedPhase[] = []
  for (const phase of phases) {
    resolved.push(
      await resolvePhase(
        accord,
        known.find(({ name }) => name === phase.name),
        phase,
      ),
    )
  }
  return resolved
}

/** @throws AccordError OUT_OF_RANGE */
function checkLengths(input: Pick<ChallengeInput, 'title' | 'description'>): void {
  for (const source of ['title', 'description'] as const) {
    const { length } = input[source] ?? ''
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

/** Pages of a challenge, beside the boards of its phases. */
const PAGES = ['host', 'submit']

const checkChallengeName = (name: string) => checkPageName('name', name, NEW)

const checkPhaseName = (name: string) => checkPageName('phases.name', name, PAGES)

/** @throws AccordError INVALID_VALUE for a name whose page would have the address of another one */
function checkPageName(source: string, name: string, pages: readonly string[]): void {
  checkName(source, name)
  if (!pages.includes(name)) return
  throw new AccordError('INVALID_VALUE', 'invalid name', {
    source,
    expected: `another name than ${pages.join(' and ')}, which the dashboard uses for a page`,
    found: quote(name),
  })
}

/** The row of a phase: the known one with the changes of the input. */
async function resolvePhase(
  accord: Accord,
  known: Phase | undefined,
  { name, dataset: datasetName, isPrivate, references, limits, ...given }: PhaseInput,
): Promise<ResolvedPhase> {
  checkPhaseName(name)
  const dataset = known
    ? await requireDatasetById(accord.database, known.datasetId)
    : await requireDataset(accord, required('dataset', datasetName))
  if (known && datasetName !== undefined && datasetName !== dataset.name) {
    throw new AccordError('NOT_APPLICABLE', 'the dataset of a phase cannot change; add another phase', {
      source: 'phases.dataset',
      expected: quote(dataset.name),
      found: quote(datasetName),
    })
  }
  const before: Partial<PhaseSettings> = known?.settings ?? {}
  const metrics = await chooseMetrics(accord, given.metrics ?? before.metrics)
  const settings: PhaseSettings = {
    opensAt: toTime('opensAt', given.opensAt ?? before.opensAt ?? new Date().toISOString()),
    closesAt: toTime('closesAt', required('closesAt', given.closesAt ?? before.closesAt)),
    metrics,
    rankedBy: await chooseRanking(accord, metrics, given.rankedBy ?? before.rankedBy),
    decimals: requireInteger(given.decimals ?? before.decimals ?? 3, 0, MAX_DECIMALS, 'phases.decimals'),
    references:
      known && references === undefined ? known.settings.references : chooseFolds(dataset, references),
    boardFrom:
      given.boardFrom === undefined
        ? (before.boardFrom ?? null)
        : given.boardFrom && toTime('boardFrom', given.boardFrom),
    isImageScoreShown: given.isImageScoreShown ?? before.isImageScoreShown ?? false,
    admittedTeams: given.admittedTeams === undefined ? (before.admittedTeams ?? null) : given.admittedTeams,
    limits: checkLimits({ ...NO_LIMITS, ...before.limits, ...limits }),
    baselines: await checkBaselines(accord, dataset, given.baselines ?? before.baselines ?? []),
  }
  if (settings.closesAt <= settings.opensAt) {
    throw new AccordError('OUT_OF_RANGE', 'the phase ends before it begins', {
      source: 'phases.closesAt',
      expected: `a time after ${settings.opensAt}`,
      found: settings.closesAt,
    })
  }
  if (isPrivate === false && dataset.isPrivate === 1) {
    throw new AccordError('NOT_APPLICABLE', 'the dataset of the phase is private', {
      source: 'phases.isPrivate',
      expected: 'true, or no value',
    })
  }
  return { row: { name, datasetId: dataset.id, settings }, isPrivate: isPrivate === true }
}

function required(source: string, value: string | null | undefined): string {
  if (value != null) return value
  throw new AccordError('INVALID_SHAPE', 'a new phase requires it', {
    source: `phases.${source}`,
    found: 'nothing',
  })
}

function toTime(source: string, text: string): string {
  const time = Date.parse(text)
  if (!Number.isNaN(time)) return new Date(time).toISOString()
  throw new AccordError('INVALID_VALUE', 'invalid time', {
    source: `phases.${source}`,
    expected: 'ISO 8601, such as 2026-01-31T12:00:00Z',
    found: quote(text),
  })
}

const MAX_LIMIT = 1_000_000

function checkLimits(limits: SubmissionLimits): SubmissionLimits {
  for (const [name, limit] of Object.entries(limits)) {
    if (limit !== null) requireInteger(limit, 0, MAX_LIMIT, `phases.limits.${name}`)
  }
  return limits
}

/** Metrics that are computed here. */
async function chooseMetrics(accord: Accord, names: readonly string[] | undefined): Promise<string[]> {
  const metrics = names === undefined ? usualMetrics(accord) : await resolveMetrics(accord, names)
  if (metrics.length === 0) {
    throw new AccordError('OUT_OF_RANGE', 'no metrics', {
      source: 'phases.metrics',
      expected: 'at least one name',
    })
  }
  const external = metrics.find((name) => metricsOf(accord).require(name).needs.text === 'external')
  if (external === undefined) return [...new Set(metrics)]
  throw new AccordError('NOT_APPLICABLE', 'the scores of this metric are imported', {
    source: 'phases.metrics',
    expected: 'metrics that Accord computes',
    found: external,
  })
}

async function chooseRanking(
  accord: Accord,
  metrics: readonly string[],
  name: string | undefined,
): Promise<string> {
  if (name === undefined) return metrics[0]
  const [metric] = await resolveMetrics(accord, [name])
  if (metrics.includes(metric)) return metric
  throw new AccordError('INVALID_VALUE', 'the board does not show the metric that ranks', {
    source: 'phases.rankedBy',
    expected: `one of ${metrics.join(', ')}`,
    found: quote(name),
  })
}

/** k of folds; null where k captions are all that images have. */
function chooseFolds({ name, captionsPerImage }: Dataset, wanted: number | undefined): number | null {
  const references = wanted ?? Math.max(1, captionsPerImage - 1)
  if (references >= 1 && references <= captionsPerImage) {
    return references === captionsPerImage ? null : references
  }
  throw new AccordError('OUT_OF_RANGE', 'too few captions of each image', {
    source: 'phases.references',
    expected: `1 to ${captionsPerImage}, the captions per image of ${quote(name)}`,
    found: String(references),
  })
}

async function checkBaselines(
  { database }: Accord,
  dataset: Dataset,
  names: readonly string[],
): Promise<readonly string[]> {
  for (const name of names) requireCaptions(await requireSystem(database, dataset.id, name))
  return [...new Set(names)]
}

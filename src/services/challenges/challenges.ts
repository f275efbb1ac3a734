import { isDeepStrictEqual } from 'node:util'
import { currentTime, timeNow } from '../../clock.js'
import { AccordError, quote, requireInteger } from '../../errors.js'
import { findAuditEntries, findAuditOfChallenges, insertAuditEntry } from '../../store/accounts.js'
import * as store from '../../store/challenges.js'
import { lockDataset, makePrivate, requireDataset } from '../../store/datasets.js'
import type { Session } from '../../store/engine/session.js'
import { requestCancellation } from '../../store/jobs.js'
import type {
  AuditEntry,
  Challenge,
  Phase,
  PhaseSettings,
  SubmissionLimits,
} from '../../store/schema/challenge-tables.js'
import type { Dataset } from '../../store/schema/dataset-tables.js'
import { listSubmissions } from '../../store/submissions.js'
import { requireSystem } from '../../store/systems.js'
import { requireTeams } from '../accounts/teams.js'
import { requireScope, requireTeam, type Viewer, withoutTeam } from '../accounts/viewer.js'
import { requireCaptions, requireDatasetById } from '../datasets/require-subjects.js'
import { resolveMetrics, usualMetrics } from '../evaluations/scores.js'
import type { Accord, Client } from '../shared/accord.js'
import { metricsOf, refreshMetrics } from '../shared/computing.js'
import { groupedRows, idsOf, keyedRows } from '../shared/groups.js'
import { CONTROLS, CONTROLS_OF_TEXT } from '../shared/names.js'
import { TIME_FORMAT, toUtc } from '../shared/times.js'
import { requireChallenge, requireHost } from './hosts.js'
import { computePhase, runFailedAgain } from './phase-figures.js'
import { checkTimeZone } from './quota.js'

/** A phase as hosts describe it. What is absent has its default, or stays as it is; null stands for no limit or no date. */
export interface PhaseInput {
  /** Unique in the challenge; like that of a challenge. */
  readonly name: string
  /** Name of the dataset. Required for a new phase. */
  readonly dataset?: string
  /** RFC 3339. Default: now. */
  readonly opensAt?: string
  /** RFC 3339, after `opensAt`. Required for a new phase. */
  readonly closesAt?: string
  /** True makes its dataset private, which it then stays: only hosts and administrators see it. Default: as the dataset is. */
  readonly isPrivate?: boolean
  /** Names. Default: those that are computed by default. */
  readonly metrics?: readonly string[]
  /** Default: the first of CIDEr-D, METEOR, ROUGE-L and BLEU-4 that is on the board, else its first metric. */
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
  /** Default: one team of a user, and no other limits. */
  readonly limits?: Partial<SubmissionLimits>
  /** Default: none. */
  readonly baselines?: readonly string[]
}

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

const DEFAULT_LIMITS: SubmissionLimits = {
  perDay: null,
  total: null,
  concurrent: null,
  attempts: null,
  teamsPerUser: 1,
}

const MAX_DECIMALS = 10

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

interface ResolvedPhase {
  readonly row: Omit<Phase, 'id' | 'challengeId'>
  readonly isPrivate: boolean
}

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

/** Pages of a challenge, beside the boards of its phases. */
const PAGES = ['host', 'submit']

/** Names stand in addresses, on the command line and in names of files. */
const SLUG = /^[a-z0-9]+(?:[._-][a-z0-9]+)*$/

const MAX_NAME_LENGTH = 64

const checkChallengeName = (name: string) => checkSlug('name', name, NEW)

const checkPhaseName = (name: string) => checkSlug('phases.name', name, PAGES)

/** @throws AccordError INVALID_VALUE for a name that is no slug, or whose page would have the address of another one */
function checkSlug(source: string, name: string, pages: readonly string[]): void {
  const isSlug = SLUG.test(name) && name.length <= MAX_NAME_LENGTH
  if (isSlug && !pages.includes(name)) return
  throw new AccordError('INVALID_VALUE', 'invalid name', {
    source,
    expected: isSlug
      ? `another name than ${pages.join(' and ')}, which the dashboard uses for a page`
      : `1 to ${MAX_NAME_LENGTH} small letters and digits, with single ., - or _ between them; the title of a challenge is free text`,
    found: quote(name),
  })
}

/** The row of a phase: the known one with the changes of the input. */
async function resolvePhase(
  accord: Accord,
  session: Session,
  known: Phase | undefined,
  { name, dataset: datasetName, isPrivate, references, limits, ...given }: PhaseInput,
): Promise<ResolvedPhase> {
  checkPhaseName(name)
  const dataset = known
    ? await requireDatasetById(session, known.datasetId)
    : await requireDataset(session, required('dataset', datasetName))
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
    opensAt: toTime('opensAt', given.opensAt ?? before.opensAt ?? timeNow()),
    closesAt: toTime('closesAt', required('closesAt', given.closesAt ?? before.closesAt)),
    metrics,
    rankedBy: await chooseRanking(accord, metrics, given.rankedBy ?? before.rankedBy),
    decimals: requireInteger(given.decimals ?? before.decimals ?? 3, 0, MAX_DECIMALS, 'phases.decimals'),
    references:
      known && references === undefined ? known.settings.references : chooseFolds(dataset, references),
    boardFrom:
      given.boardFrom === undefined
        ? (before.boardFrom ?? null)
        : given.boardFrom === null
          ? null
          : toTime('boardFrom', given.boardFrom),
    isImageScoreShown: given.isImageScoreShown ?? before.isImageScoreShown ?? false,
    admittedTeams:
      given.admittedTeams === undefined
        ? (before.admittedTeams ?? null)
        : await checkTeams(session, given.admittedTeams),
    limits: checkLimits({ ...DEFAULT_LIMITS, ...before.limits, ...limits }),
    baselines: await checkBaselines(session, dataset, given.baselines ?? before.baselines ?? []),
  }
  if (settings.closesAt <= settings.opensAt) {
    throw new AccordError('OUT_OF_RANGE', 'the phase ends before it begins', {
      source: 'phases.closesAt',
      expected: `a time after ${settings.opensAt}`,
      found: settings.closesAt,
    })
  }
  if (isPrivate === false && dataset.isPrivate) {
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
  const time = toUtc(text)
  if (time !== null) return time
  throw new AccordError('INVALID_VALUE', 'invalid time', {
    source: `phases.${source}`,
    expected: TIME_FORMAT,
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

/** Metrics that rank where a host does not say: the first one on the board. BLEU-1 agrees least with people. */
const USUAL_RANKING = ['CIDEr-D', 'METEOR', 'ROUGE-L', 'BLEU-4']

async function chooseRanking(
  accord: Accord,
  metrics: readonly string[],
  name: string | undefined,
): Promise<string> {
  if (name === undefined) return USUAL_RANKING.find((one) => metrics.includes(one)) ?? metrics[0]
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

async function checkTeams(
  session: Session,
  teams: readonly string[] | null,
): Promise<readonly string[] | null> {
  if (teams === null) return null
  return [...new Set(await requireTeams(session, teams, 'phases.admittedTeams'))]
}

/** Systems that cannot be removed from then on. */
async function checkBaselines(
  session: Session,
  dataset: Dataset,
  names: readonly string[],
): Promise<readonly string[]> {
  if (names.length > 0) await lockDataset(session, dataset.id)
  for (const name of names) requireCaptions(await requireSystem(session, dataset.id, name))
  return [...new Set(names)]
}

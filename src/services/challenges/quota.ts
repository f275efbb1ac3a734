import { AccordError, quote } from '../../errors.js'
import type { Session } from '../../store/engine/session.js'
import type { SubmissionLimits } from '../../store/schema/challenge-tables.js'
import { readUsage, type Usage } from '../../store/submissions.js'
import type { ChallengePhase } from './phases.js'

/** How many submissions a team has left in a phase. */
export interface Quota {
  readonly phaseId: number
  /** Id. */
  readonly team: string
  readonly limits: SubmissionLimits
  readonly used: Usage
  /** That it may send now. Null: without limit. */
  readonly left: number | null
  /** Of the limit per day; the others do not reset. */
  readonly leftToday: number | null
  readonly leftInTotal: number | null
  readonly leftGrants: number
  /** IANA name of the time zone in which days begin. */
  readonly timeZone: string
  /** When the next day begins: ISO 8601, UTC. */
  readonly resetsAt: string
  /** Why it may not send any now. Null if it may. */
  readonly whyNone: string | null
}

/**
 * The quota of a team. A limit below what is used leaves nothing, and takes nothing back.
 *
 * @param now milliseconds since 1970, by the clock of the server
 */
export async function readQuota(
  session: Session,
  { challenge, phase }: ChallengePhase,
  team: string,
  now: number,
): Promise<Quota> {
  const { timeZone } = challenge
  const { limits } = phase.settings
  const used = await readUsage(session, phase.id, team, dayOf(now, timeZone))
  const leftToday = remaining(limits.perDay, used.day)
  const leftInTotal = remaining(limits.total, used.total)
  const leftGrants = Math.max(0, used.granted - used.usedGrants)
  const usual = least(leftToday, leftInTotal)
  const attempts = remaining(limits.attempts === null ? null : limits.attempts + used.granted, used.attempts)
  const left = least(
    usual === null ? null : usual + leftGrants,
    remaining(limits.concurrent, used.unfinished),
    attempts,
  )
  const resetsAt = new Date(nextDay(now, timeZone)).toISOString()
  return {
    phaseId: phase.id,
    team,
    limits,
    used,
    left,
    leftToday,
    leftInTotal,
    leftGrants,
    timeZone,
    resetsAt,
    whyNone:
      left === 0 ? describeLack({ attempts, leftToday, leftInTotal, leftGrants, resetsAt, timeZone }) : null,
  }
}

/**
 * Requires that a team may send a submission. Call it in the transaction that accepts it.
 *
 * @returns whether it is charged to what hosts have granted
 * @throws AccordError NO_SUBMISSIONS_LEFT
 */
export async function requireQuota(
  session: Session,
  chosen: ChallengePhase,
  team: string,
  now: number,
): Promise<{ readonly isGranted: boolean }> {
  const { leftToday, leftInTotal, whyNone, limits, used } = await readQuota(session, chosen, team, now)
  if (whyNone === null) return { isGranted: least(leftToday, leftInTotal) === 0 }
  const counts = [
    `${used.day} of ${limits.perDay ?? 'any number'} today`,
    `${used.total} of ${limits.total ?? 'any number'} in all`,
    `${used.unfinished} unfinished, of ${limits.concurrent ?? 'any number'}`,
    `${used.attempts} of ${limits.attempts ?? 'any number'} attempts`,
  ]
  throw new AccordError('NO_SUBMISSIONS_LEFT', `no submission is left: ${whyNone}`, {
    source: 'phase',
    place: chosen.phase.name,
    found: counts.join(', '),
  })
}

function remaining(limit: number | null, used: number): number | null {
  return limit === null ? null : Math.max(0, limit - used)
}

function least(...numbers: readonly (number | null)[]): number | null {
  const limits = numbers.filter((number) => number !== null)
  return limits.length === 0 ? null : Math.min(...limits)
}

function describeLack({
  attempts,
  leftToday,
  leftInTotal,
  leftGrants,
  resetsAt,
  timeZone,
}: Pick<Quota, 'leftToday' | 'leftInTotal' | 'leftGrants' | 'resetsAt' | 'timeZone'> & {
  readonly attempts: number | null
}): string {
  if (attempts === 0) return 'the team has used all attempts'
  if (leftInTotal === 0 && leftGrants === 0) return 'the team has used all of the phase'
  if (leftToday === 0 && leftGrants === 0)
    return `the team has used all of the day; the next day begins at ${resetsAt} (${timeZone})`
  return 'too many submissions of the team are queued or running; wait for the end of one'
}

const HOUR_MS = 3_600_000

/** @throws AccordError INVALID_VALUE for a name that is not a time zone */
export function checkTimeZone(timeZone: string): void {
  try {
    format(timeZone)
  } catch {
    throw new AccordError('INVALID_VALUE', 'unknown time zone', {
      source: 'timeZone',
      expected: 'an IANA name such as UTC or Europe/Berlin',
      found: quote(timeZone),
    })
  }
}

/** The date of a time, such as 2026-01-31. @param time in milliseconds since 1970 */
export function dayOf(time: number, timeZone: string): string {
  return format(timeZone).format(time)
}

/**
 * When the date changes next, in milliseconds since 1970: after 23 to 25 hours where clocks change, and sooner where they are
 * turned back at the beginning of a day, to the date before.
 */
export function nextDay(time: number, timeZone: string): number {
  const day = dayOf(time, timeZone)
  let late = time
  while (dayOf(late, timeZone) === day) late += HOUR_MS
  let early = late - HOUR_MS
  while (late - early > 1) {
    const middle = Math.floor((early + late) / 2)
    if (dayOf(middle, timeZone) === day) early = middle
    else late = middle
  }
  return late
}

const formats = new Map<string, Intl.DateTimeFormat>()

function format(timeZone: string): Intl.DateTimeFormat {
  let known = formats.get(timeZone)
  if (!known) {
    // Canada writes dates as ISO 8601 does.
    known = new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' })
    formats.set(timeZone, known)
  }
  return known
}

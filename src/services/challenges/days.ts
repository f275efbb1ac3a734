import { AccordError, quote } from '../../errors.js'

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

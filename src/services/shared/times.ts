/** What is expected of a time in the input. */
export const TIME_FORMAT =
  'RFC 3339 with an offset, such as 2026-01-31T12:00:00Z or 2026-01-31T12:00:00+09:00'

const TIME = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:Z|[+-](\d\d):(\d\d))$/i

/**
 * The time of a text in RFC 3339, in UTC and milliseconds, such as 2026-01-31T12:00:00.000Z. Digits beyond milliseconds are cut.
 *
 * @returns null for other texts: days that no month has, leap seconds, times without an offset, and those outside the years 0 to
 *   9999 in UTC
 */
export function toUtc(text: string): string | null {
  const match = TIME.exec(text)
  if (!match) return null
  const [year, month, day, hour, minute, second, offsetHour = 0, offsetMinute = 0] = match
    .slice(1)
    .map((digits = '0') => Number(digits))
  if (hour > 23 || minute > 59 || second > 59 || offsetHour > 23 || offsetMinute > 59) return null
  if (month < 1 || month > 12 || day < 1 || day > daysOf(year, month)) return null
  const utc = new Date(text.toUpperCase()).toISOString()
  return utc.length === UTC_LENGTH ? utc : null
}

const UTC_LENGTH = '2026-01-31T12:00:00.000Z'.length

function daysOf(year: number, month: number): number {
  if (month !== 2) return [4, 6, 9, 11].includes(month) ? 30 : 31
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28
}

/**
 * Runs a task now and then periodically, one run at a time. What fails now, for example because the database is busy, is
 * repeated by the next run.
 *
 * @returns stops it, and waits for the current run
 */
export function periodically(intervalMs: number, task: () => Promise<void>): () => Promise<void> {
  let last = Promise.resolve()
  const run = () => {
    last = last.then(task).catch(() => {})
  }
  run()
  const timer = setInterval(run, intervalMs).unref()
  return async () => {
    clearInterval(timer)
    await last
  }
}

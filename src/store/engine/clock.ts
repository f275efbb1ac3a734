import { perEngine, type Sql } from './sql.js'

/** The clock of the database, which processes on several machines share. */

/**
 * The time in so many milliseconds, as columns of times have it.
 *
 * @param milliseconds negative for a time that has passed
 */
export function fromNow(milliseconds: number): Sql {
  const seconds = milliseconds / 1000
  return perEngine({
    readsClock: true,
    sqlite: `strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '${seconds} seconds')`,
    postgres: `to_char((clock_timestamp() + interval '${seconds} seconds') AT TIME ZONE 'UTC',
                       'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
  })
}

/** The current time. */
export const NOW = fromNow(0)

/** Before all times of the database. */
export const LONG_AGO = new Date(0).toISOString()

/**
 * The clock. What services, the store and the API ask it is counted: an answer for which nobody has asked is the same at any time,
 * for as long as the database is.
 */

let readings = 0

/** The time by the clock of this machine, in milliseconds since 1970. */
export function currentTime(): number {
  readings++
  return Date.now()
}

/** The same as columns of times have it: ISO 8601, UTC. */
export function timeNow(): string {
  return new Date(currentTime()).toISOString()
}

/** Counts a statement that asks the clock of the database. */
export function countClockReading(): void {
  readings++
}

/** How often this thread has asked a clock. */
export function clockReadings(): number {
  return readings
}

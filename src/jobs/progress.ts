/**
 * Told how far a job is: `fraction` from 0 to 1, and what it is doing. A job calls it often; a caller that
 * wants the job to stop throws from it, and the job leaves nothing behind.
 */
export type Progress = (fraction: number, message: string) => void

/** The part from `start` to `end` of a larger job. */
export function part(progress: Progress, start: number, end: number): Progress {
  return (fraction, message) => progress(start + fraction * (end - start), message)
}

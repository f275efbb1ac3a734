/**
 * Receives the progress of a job: `fraction` from 0 to 1, and what the job is doing. Jobs call it often. Throwing from it
 * cancels the job, which then leaves nothing behind.
 */
export type Progress = (fraction: number, message: string) => void

/** The part from `start` to `end` of the progress of a larger job. */
export function part(progress: Progress, start: number, end: number): Progress {
  return (fraction, message) => progress(start + fraction * (end - start), message)
}

/**
 * Receives the progress of a job: `fraction` from 0 to 1 and the current step. It is called often. If it throws, the
 * job is cancelled and stores nothing.
 */
export type Progress = (fraction: number, message: string) => void

/** Maps progress to the part from `start` to `end` of a larger job. */
export function part(progress: Progress, start: number, end: number): Progress {
  return (fraction, message) => progress(start + fraction * (end - start), message)
}

/** One of `count` steps of a larger job, the first being 0. Its end is where the next one begins, and is not reported. */
export function step(progress: Progress, index: number, count: number): Progress {
  return (fraction, message) => {
    if (fraction < 1) progress((index + fraction) / count, message)
  }
}

import type { Progress } from '../jobs/progress.js'

/** Least time between two lines about the same step, in milliseconds. */
const LINE_INTERVAL_MS = 2000

/**
 * Runs a job and shows on stderr how far it is: as a bar on a terminal; elsewhere as a line for each step, and
 * one every two seconds within a step.
 */
export async function withProgress<Result>(
  job: (progress: Progress) => Result | Promise<Result>,
): Promise<Result> {
  if (!process.stderr.isTTY) return job(asLines((line) => process.stderr.write(line)))
  const { SingleBar } = await import('cli-progress')
  // Jobs keep the process busy, so that a handler of Ctrl-C, as gracefulExit sets one, would wait for their end.
  // Without one the bar must not change the terminal's state: line wrapping stays as it is.
  const bar = new SingleBar({
    format: '{bar} {percentage} % {message}',
    barCompleteChar: '█',
    barIncompleteChar: '░',
    clearOnComplete: true,
    gracefulExit: false,
    linewrap: true,
    stream: process.stderr,
  })
  bar.start(1, 0, { message: '' })
  try {
    return await job((fraction, message) => bar.update(fraction, { message }))
  } finally {
    bar.stop()
  }
}

/** Progress as lines `reading`, `reading, 40 %`. */
export function asLines(
  write: (line: string) => void,
  now: () => number = () => performance.now(),
): Progress {
  let step: string | undefined
  let written = 0
  return (fraction, message) => {
    if (fraction >= 1) return
    const sameStep = message === step
    if (sameStep && now() - written < LINE_INTERVAL_MS) return
    write(sameStep ? `${message}, ${Math.floor(fraction * 100)} %\n` : `${message}\n`)
    step = message
    written = now()
  }
}

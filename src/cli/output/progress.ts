import type { Progress } from '../../progress.js'

/** Minimum time between two lines about the same step, in milliseconds. */
const LINE_INTERVAL_MS = 2000

/**
 * Runs a job and shows its progress on stderr: as a bar on a terminal, otherwise as one line per step and per cent, at
 * most every two seconds.
 */
export async function withProgress<Result>(
  job: (progress: Progress) => Result | Promise<Result>,
): Promise<Result> {
  if (!process.stderr.isTTY) return job(asLines((line) => process.stderr.write(line)))
  const { SingleBar } = await import('cli-progress')
  // gracefulExit would install a handler for Ctrl-C, which could run only when the job yields. Without a handler the
  // bar must not change the state of the terminal, including line wrapping.
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

/** Progress as lines such as `reading` and `reading, 40 %`. */
export function asLines(
  write: (line: string) => void,
  now: () => number = () => performance.now(),
): Progress {
  let step: string | undefined
  let last = ''
  let written = 0
  return (fraction, message) => {
    if (fraction >= 1) return
    const sameStep = message === step
    const line = sameStep ? `${message}, ${Math.floor(fraction * 100)} %\n` : `${message}\n`
    if (line === last || (sameStep && now() - written < LINE_INTERVAL_MS)) return
    write(line)
    step = message
    last = line
    written = now()
  }
}

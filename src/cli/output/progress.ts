import type { Progress } from '../../progress.js'

/** Minimum time between two lines about progress within steps, in milliseconds. */
const LINE_INTERVAL_MS = 2000

/** Maximum number of lines about the progress of a command, which may run several jobs. */
const MAX_LINES = 10

let linesOfCommand = 0

/** Begins to count the lines of a command. */
export function beginLines(): void {
  linesOfCommand = 0
}

/**
 * Runs a job and shows its progress on stderr: as a bar on a terminal, otherwise as lines, for the first steps and for each
 * fifth of the job, at most ten of a command.
 */
export async function withProgress<Result>(
  job: (progress: Progress) => Result | Promise<Result>,
): Promise<Result> {
  if (!process.stderr.isTTY) {
    return job(asLines((line) => linesOfCommand++ < MAX_LINES && process.stderr.write(line)))
  }
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

/** Steps that have a line, and parts of the job that have one. */
const LINES = 5

/** Progress as lines such as `reading` and `counting, 40 %`: one for each of the first steps and for each fifth of the job. */
export function asLines(
  write: (line: string) => unknown,
  now: () => number = () => performance.now(),
): Progress {
  const steps = new Set<string>()
  let nextPart = 1
  let written = now()
  return (fraction, message) => {
    const part = Math.floor(fraction * LINES)
    const isNew = steps.size < LINES && !steps.has(message)
    const isDue = part >= nextPart && now() - written >= LINE_INTERVAL_MS
    if (fraction >= 1 || !(isNew || isDue)) return
    write(isDue ? `${message}, ${(100 * part) / LINES} %\n` : `${message}\n`)
    steps.add(message)
    if (isDue) nextPart = part + 1
    written = now()
  }
}

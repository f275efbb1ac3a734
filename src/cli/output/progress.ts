import type { Progress } from '../../progress.js'

let isQuiet = false

/** Whether the command writes nothing but its result, warnings and errors. */
export function setQuiet(quiet: boolean): void {
  isQuiet = quiet
}

/** Whether somebody reads at a terminal what the command says beside its result. */
export function isAtTerminal(): boolean {
  return !isQuiet && process.stderr.isTTY === true
}

/** Writes a remark to stderr, unless the command is quiet. */
export function remark(text: string): void {
  if (!isQuiet) process.stderr.write(text)
}

/** Milliseconds between two lines of progress. */
const LINE_INTERVAL_MS = 60_000

/** Runs a job and shows its progress on stderr: as a bar at a terminal, elsewhere by a line each minute. */
export async function withProgress<Result>(
  job: (progress: Progress) => Result | Promise<Result>,
): Promise<Result> {
  if (!isAtTerminal()) return job(linesOfProgress())
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

function linesOfProgress(): Progress {
  let last = Date.now()
  return (fraction, message) => {
    if (Date.now() - last < LINE_INTERVAL_MS) return
    last = Date.now()
    remark(`${Math.floor(100 * fraction)} % ${message}\n`)
  }
}

import { spawn } from 'node:child_process'
import { projectFile } from '../src/project.js'

/** One line of the table. */
export interface Figure {
  readonly what: string
  readonly measured: string
  /** What the project asks of itself. */
  readonly asked: string
}

/** What one run of the command took. */
export interface Run {
  /** Wall time of the whole process, in seconds. */
  readonly seconds: number
  /** Largest resident set of the process, in megabytes. */
  readonly megabytes: number
}

// Runs before the command in its process, and tells the largest resident set (kB) at its end.
const REPORT_MEMORY = `data:text/javascript,${encodeURIComponent(
  "import { writeSync } from 'node:fs'; process.on('exit', () => writeSync(3, String(process.resourceUsage().maxRSS)))",
)}`

/** Runs `accord` with these arguments as a process of its own; rejects where it fails. */
export async function runAccord(...args: readonly string[]): Promise<Run> {
  const start = performance.now()
  const command = ['--import', REPORT_MEMORY, projectFile('dist/src/main.js'), ...args]
  const child = spawn(process.execPath, command, { stdio: ['ignore', 'ignore', 'pipe', 'pipe'] })
  let memory = ''
  let messages = ''
  child.stdio[3]?.on('data', (data) => {
    memory += data
  })
  child.stderr?.on('data', (data) => {
    messages += data
  })
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve))
  if (code !== 0) throw new Error(`accord ${args.join(' ')} failed:\n${messages}`)
  return { seconds: (performance.now() - start) / 1000, megabytes: Number(memory) / 1024 }
}

/** The run of median wall time out of several, each prepared anew. */
export async function medianRun(times: number, run: () => Promise<Run>): Promise<Run> {
  const runs: Run[] = []
  for (let i = 0; i < times; i++) runs.push(await run())
  return runs.sort((one, other) => one.seconds - other.seconds)[times >> 1]
}

/** The median of the milliseconds that an action takes, after warm-up runs. */
export async function medianMilliseconds(
  times: number,
  warmUps: number,
  action: () => unknown,
): Promise<number> {
  const durations: number[] = []
  for (let i = 0; i < warmUps + times; i++) {
    const start = performance.now()
    await action()
    if (i >= warmUps) durations.push(performance.now() - start)
  }
  return durations.sort((one, other) => one - other)[times >> 1]
}

import { type ChildProcess, spawn } from 'node:child_process'
import { projectFile } from '../src/project.js'

/** One line of the table. */
export interface Figure {
  readonly what: string
  readonly measured: string
  /** The target. */
  readonly asked: string
}

/** Resources that one run of the command used. */
export interface Run {
  /** Wall time of the whole process, in seconds. */
  readonly seconds: number
  /** Maximum resident set size of the process, in megabytes. */
  readonly megabytes: number
  /** Of all threads of the process, in seconds. */
  readonly cpuSeconds: number
}

/** The command of this build. */
export const ACCORD = projectFile('dist/bin/main.js')

// Runs before the command in its process, and reports the resources at its end.
const REPORT_RESOURCES = `data:text/javascript,${encodeURIComponent(`
  import { writeSync } from 'node:fs'
  import { isMainThread } from 'node:worker_threads'
  if (isMainThread) process.on('exit', () => writeSync(3, JSON.stringify(process.resourceUsage())))
`)}`

/** With `--quick` each group runs once and small, to see that it runs: its figures mean nothing. */
const isQuick = process.argv.includes('--quick')

/** A size or a number of repetitions. @param quick with `--quick` */
export function sized<Value extends number | string | readonly number[]>(full: Value, quick: Value): Value {
  return isQuick ? quick : full
}

const running = new Set<ChildProcess>()
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

/** A process of the command that was started. It ends with this process, if not before. */
export interface Process {
  readonly child: ChildProcess
  /** What it writes first: of a server or a worker, that it is ready. */
  readonly firstOutput: Promise<string>
  /** Resolves when it has ended by itself; rejects if it fails or is killed. */
  readonly ended: Promise<Run>
}

/**
 * Starts a command with these arguments in a process of its own.
 *
 * @param program path of its `main.js`
 * @param imported a module that runs before it
 */
export function startProgram(program: string, args: readonly string[], ...imported: string[]): Process {
  const start = performance.now()
  const imports = [REPORT_RESOURCES, ...imported].flatMap((module) => ['--import', module])
  const command = [...imports, program, ...args]
  const child = spawn(process.execPath, command, { stdio: ['ignore', 'pipe', 'pipe', 'pipe'] })
  running.add(child)
  child.once('close', () => running.delete(child))
  let resources = ''
  let messages = ''
  const firstOutput = new Promise<string>((resolve) => {
    child.stdout?.on('data', (data) => resolve(String(data).trim()))
  })
  child.stdio[3]?.on('data', (data) => {
    resources += data
  })
  child.stderr?.on('data', (data) => {
    messages += data
  })
  const ended = new Promise<Run>((resolve, reject) => {
    child.on('error', reject).on('close', (code) => {
      if (code !== 0) return reject(new Error(`accord ${args.join(' ')} failed:\n${messages}`))
      const seconds = (performance.now() - start) / 1000
      const { maxRSS, userCPUTime, systemCPUTime } = JSON.parse(resources)
      resolve({ seconds, megabytes: maxRSS / 1024, cpuSeconds: (userCPUTime + systemCPUTime) / 1e6 })
    })
  })
  // Whoever kills it does not wait for it.
  ended.catch(() => {})
  return { child, firstOutput, ended }
}

/** Runs `accord` with these arguments in a process of its own. Rejects if it fails. */
export function runAccord(...args: readonly string[]): Promise<Run> {
  return startProgram(ACCORD, args).ended
}

/** The run with the median wall time. */
export async function medianRun(times: number, run: () => Promise<Run>): Promise<Run> {
  const [median] = await medianRuns(times, [run])
  return median
}

/** The run with the median wall time of each action; the actions take turns, so that they meet the same conditions. */
export async function medianRuns(times: number, actions: readonly (() => Promise<Run>)[]): Promise<Run[]> {
  const runs = actions.map((): Run[] => [])
  const rounds = sized(times, 1)
  for (let i = 0; i < rounds; i++) {
    for (const [index, action] of actions.entries()) runs[index].push(await action())
  }
  return runs.map((ofAction) => ofAction.sort((one, other) => one.seconds - other.seconds)[rounds >> 1])
}

/** The median of the milliseconds that an action takes, after warm-up runs. */
export async function medianMilliseconds(
  times: number,
  warmUps: number,
  action: () => unknown,
): Promise<number> {
  const durations: number[] = []
  const runs = sized(warmUps + times, 1)
  for (let i = 0; i < runs; i++) {
    const start = performance.now()
    await action()
    durations.push(performance.now() - start)
  }
  const counted = durations.slice(sized(warmUps, 0))
  return counted.sort((one, other) => one - other)[counted.length >> 1]
}

export function describeRun({ seconds, megabytes }: Pick<Run, 'seconds' | 'megabytes'>): string {
  return `${seconds.toFixed(2)} s, ${megabytes.toFixed(0)} MB`
}

export function describeRatio(measured: number, base: number): string {
  return `${(measured / base).toFixed(2)} ×`
}

/** Tells what is measured now. */
export function note(step: string): void {
  process.stderr.write(`${step}\n`)
}

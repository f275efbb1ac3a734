import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import BetterSqlite3 from 'better-sqlite3'
import { afterAll, vi } from 'vitest'
import { render } from '../../src/cli/output/output.js'
import type { Report } from '../../src/cli/output/report.js'
import { runCommand } from '../../src/cli/program.js'
import { cocoCaptions, cocoResults, scoreLines, vocabulary } from '../kit/coco.js'
import { isSlow } from '../kit/slow.js'

/** The built command; `npm test` builds it. ACCORD_PROGRAM is the path of another build. */
export const PROGRAM =
  process.env.ACCORD_PROGRAM ?? fileURLToPath(new URL('../../dist/bin/main.js', import.meta.url))

export interface Outcome {
  /** Null if a signal ended the process. */
  readonly code: number | null
  readonly signal: string | null
  readonly stdout: string
  readonly stderr: string
}

/** A temporary folder to run `accord` in. */
export function workbench() {
  if (!existsSync(PROGRAM))
    throw new Error(`expected the built command at ${PROGRAM}: run npm run build first`)
  const folder = mkdtempSync(join(tmpdir(), 'accord-commands-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  /** Starts `accord`; a string is split at spaces. */
  function start(args: string | readonly string[], environment: NodeJS.ProcessEnv = {}): ChildProcess {
    return spawn(process.execPath, [PROGRAM, ...split(args)], {
      cwd: folder,
      env: { ...withoutSettings(process.env), ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  }

  return {
    folder,
    path: (name: string) => join(folder, name),
    start,
    /** Runs `accord` to its end: in this process, or in `npm run test:slow` the built program. */
    run: (args: string | readonly string[], environment?: NodeJS.ProcessEnv): Promise<Outcome> =>
      isSlow ? outcomeOf(start(args, environment)) : runHere(args, environment, folder),
    /** Writes a file, compressed if its name ends in `.gz`; objects are written as JSON. */
    write(name: string, content: string | Buffer | object): void {
      const raw = typeof content === 'string' || Buffer.isBuffer(content)
      const bytes = Buffer.from(raw ? content : JSON.stringify(content))
      writeFileSync(join(folder, name), name.endsWith('.gz') ? gzipSync(bytes) : bytes)
    },
    /** All rows of all tables of a database. */
    dump: (database = 'accord.sqlite') => dumpTables(join(folder, database)),
    /** The same without the history of jobs, in which failed commands have a row. */
    content(database = 'accord.sqlite') {
      const { job: _job, sqlite_sequence: _lastIds, ...content } = dumpTables(join(folder, database))
      return content
    },
  }
}

export type Workbench = ReturnType<typeof workbench>

/** A report as tables of at most 80 columns. */
export function textOf(report: Report): Promise<string> {
  return render({ format: 'table', width: 80 }, report)
}

/**
 * Runs `accord` in this process. Commands that are started at the same time run one after the other.
 *
 * @param environment set while it runs; a value of undefined is unset
 * @param folder the working directory. Default: that of the tests
 */
export function runHere(
  args: string | readonly string[],
  environment: NodeJS.ProcessEnv = {},
  folder = process.cwd(),
): Promise<Outcome> {
  const result = lastRun.then(() => runNow(split(args), environment, folder))
  lastRun = result.catch(() => {})
  return result
}

let lastRun: Promise<unknown> = Promise.resolve()

async function runNow(
  words: readonly string[],
  environment: NodeJS.ProcessEnv,
  folder: string,
): Promise<Outcome> {
  const [variables, directory, exitCode] = [{ ...process.env }, process.cwd(), process.exitCode]
  const written = { stdout: '', stderr: '' }
  const spies = (['stdout', 'stderr'] as const).map((stream) =>
    vi.spyOn(process[stream], 'write').mockImplementation((text) => {
      written[stream] += text
      return true
    }),
  )
  setEnvironment({ ...withoutSettings(variables), ...environment })
  process.chdir(folder)
  process.exitCode = undefined
  try {
    const code = await runCommand(words)
    return { code: code || Number(process.exitCode ?? 0), signal: null, ...written }
  } finally {
    setEnvironment(variables)
    process.chdir(directory)
    process.exitCode = exitCode
    for (const spy of spies) spy.mockRestore()
  }
}

/** Words of a command that are separated by spaces. */
function split(args: string | readonly string[]): readonly string[] {
  return typeof args === 'string' ? args.split(' ').filter((word) => word !== '') : args
}

/** The output and exit code of a process. */
export function outcomeOf(child: ChildProcess): Promise<Outcome> {
  const written = { stdout: '', stderr: '' }
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream]?.setEncoding('utf8').on('data', (text) => {
      written[stream] += text
    })
  }
  return new Promise((resolve, reject) => {
    child.on('error', reject).on('close', (code, signal) => resolve({ code, signal, ...written }))
  })
}

/** Variables with which a process shows its progress, as at a terminal, although stderr is a pipe. */
export const AT_TERMINAL = {
  NO_COLOR: '1',
  NODE_OPTIONS: '--import=data:text/javascript,process.stderr.isTTY=true',
}

/** Resolves when a process has written `text` to a stream. */
export function untilWritten(
  child: ChildProcess,
  stream: 'stdout' | 'stderr',
  text: string,
): Promise<string> {
  let written = ''
  return new Promise((resolve, reject) => {
    child[stream]?.on('data', (chunk) => {
      written += chunk
      if (written.includes(text)) resolve(written)
    })
    child.on('close', () =>
      reject(new Error(`expected ${JSON.stringify(text)}, but the process ended: ${written}`)),
    )
  })
}

/** The address that a server prints when it accepts requests. */
export async function urlOf(server: ChildProcess): Promise<string> {
  const [url] = (await untilWritten(server, 'stdout', '/graphql')).match(/http:\S+graphql/) ?? []
  if (url === undefined) throw new Error('expected the address of the server')
  return url
}

/** Sends a query to a server. */
export async function query(url: string, text: string, variables?: object): Promise<Json> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: text, variables }),
  })
  return response.json()
}

type Json = ReturnType<typeof JSON.parse>

/**
 * Three images with three captions and one with two. "dog" is in all captions of image 1, in one of
 * image 2 and in none of image 3: h = (1, 1, 0, 1).
 */
export const PARK = cocoCaptions({
  1: ['A dog runs.', 'The dog plays.', 'A small dog.'],
  2: ['A man walks.', 'A man and a dog.', 'Somebody walks outside.'],
  3: ['A cat sleeps.', 'A cat on a sofa.', 'The cat rests.'],
  4: ['A bird.', 'A bird sings.'],
})

/** The last word is in no caption and requires quoting in CSV. */
export const PARK_VOCABULARY = vocabulary({ dog: 'NN', cat: 'NN', walks: 'VB', 'say "hi", you': 'OTHER' })

export const PARK_RESULTS = cocoResults({ 1: 'A dog.', 2: 'A dog.', 3: 'A cat.', 4: 'A bird.' })

export const PARK_SCORES = scoreLines({
  1: { dog: 0.9, unicorn: 0.8 },
  2: { dog: 0.1, cat: 0.3 },
  3: { dog: 0.5, cat: 0.7 },
  4: { dog: 0.2 },
})

/**
 * Writes the files above; imports dataset `park`, and systems `captioner` and `detector` if requested.
 *
 * @param environment environment variables of the commands
 */
export async function importPark(
  { run, write }: Workbench,
  systems: 'with systems' | 'without systems',
  environment: NodeJS.ProcessEnv = {},
): Promise<void> {
  write('park.json', PARK)
  write('words.csv', PARK_VOCABULARY)
  write('results.json', PARK_RESULTS)
  write('scores.jsonl', PARK_SCORES)
  await succeed('import captions park.json --dataset park --vocabulary words.csv')
  if (systems === 'with systems') {
    await Promise.all([
      succeed('import results results.json --dataset park --system captioner'),
      succeed('import scores scores.jsonl --dataset park --system detector'),
    ])
  }

  async function succeed(command: string) {
    const { code, stderr } = await run(command, environment)
    if (code !== 0) throw new Error(`accord ${command}: ${stderr}`)
  }
}

/** Replaces the variables, not the object, which others hold. */
function setEnvironment(variables: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(process.env)) if (variables[name] === undefined) delete process.env[name]
  for (const [name, value] of Object.entries(variables)) if (value !== undefined) process.env[name] = value
}

function withoutSettings(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !name.startsWith('ACCORD_')))
}

export function dumpTables(file: string): Record<string, unknown[]> {
  const connection = new BetterSqlite3(file, { readonly: true })
  try {
    // The tables of search indices are not comparable: they depend on the order of writes.
    const names = connection
      .prepare(
        "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name <> 'sqlite_schema' ORDER BY name",
      )
      .pluck()
      .all()
    return Object.fromEntries(
      (names as string[]).map((name) => [name, connection.prepare(`SELECT * FROM "${name}"`).raw().all()]),
    )
  } finally {
    connection.close()
  }
}

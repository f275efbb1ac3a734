import { spawn } from 'node:child_process'
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { beforeAll, expect, it } from 'vitest'
import { AT_TERMINAL, importPark, outcomeOf, PROGRAM, untilWritten, workbench } from '../cli/kit.js'
import { manyCaptions } from '../kit/coco.js'

const bench = workbench()
const { run, write, dump, start, folder } = bench

beforeAll(async () => {
  await importPark(bench, 'without systems')
  write('many.json', manyCaptions(2000))
})

// A shell reports termination by SIGINT (Ctrl-C) as exit code 130.
it.each(['SIGKILL', 'SIGINT'] as const)(
  'an import that is ended by %s while it writes adds nothing but its job',
  async (signal) => {
    const before = withoutJobs(dump())
    const child = start('import captions many.json --dataset many', AT_TERMINAL)
    const outcome = outcomeOf(child)
    await untilWritten(child, 'stderr', 'writing')
    child.kill(signal)
    expect(await outcome).toMatchObject({ code: null, signal, stdout: '' })
    expect(withoutJobs(dump())).toEqual(before)
  },
)

it('the same import then succeeds, and a reader of its words can stop early', async () => {
  expect((await run('import captions many.json --dataset many')).code).toBe(0)
  const outcome = await runShell('set -o pipefail; "$0" "$1" words --dataset many --format json | head -n 2')
  expect(outcome).toMatchObject({ code: 0, stdout: '{\n  "dataset": "many",\n', stderr: '' })
})

it.each(['SIGINT', 'SIGTERM'] as const)(
  'a command on files that %s ends leaves none of them',
  async (signal) => {
    mkdirSync(bench.path('temporary'), { recursive: true })
    const child = start('words many.json', { TMPDIR: bench.path('temporary') })
    const outcome = outcomeOf(child)
    const left = () => readdirSync(bench.path('temporary')).filter((name) => !name.startsWith('node-'))
    await expect.poll(left, { interval: 5 }).not.toEqual([])
    child.kill(signal)
    expect(await outcome).toMatchObject({ signal, stdout: '' })
    expect(left()).toEqual([])
  },
)

it.each(['SIGINT', 'SIGKILL'] as const)(
  'a backup that %s ends leaves nothing, or until the next one',
  async (signal) => {
    const backups = () => readdirSync(folder).filter((name) => name.startsWith('backup'))
    const child = start('backup backup.sqlite')
    const outcome = outcomeOf(child)
    await expect.poll(backups, { interval: 1 }).not.toEqual([])
    child.kill(signal)
    await outcome
    if (signal === 'SIGINT') expect(backups().filter((name) => name !== 'backup.sqlite')).toEqual([])
    rmSync(bench.path('backup.sqlite'), { force: true })
    expect((await run('backup backup.sqlite')).code).toBe(0)
    expect(backups()).toEqual(['backup.sqlite'])
    rmSync(bench.path('backup.sqlite'))
  },
)

it('an output that cannot be written is a failure', async () => {
  const { code, stderr } = await runShell('"$0" "$1" words --dataset park > /dev/full')
  expect(code).toBe(1)
  expect(stderr).toMatch(/^accord: the output cannot be written: no space left on device.*\n$/)
})

/** The job stays until its lease ends. */
function withoutJobs({ job, sqlite_sequence, ...tables }: Record<string, unknown[]>) {
  return tables
}

/** Runs a bash script in which `"$0" "$1"` is `accord`. */
function runShell(script: string) {
  const stdio = ['ignore', 'pipe', 'pipe'] as const
  return outcomeOf(
    spawn('bash', ['-c', script, process.execPath, PROGRAM], { cwd: folder, stdio: [...stdio] }),
  )
}

import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { importPark, type Outcome, outcomeOf, runHere, workbench } from '../cli/kit.js'
import { vocabulary } from '../kit/coco.js'
import { isSlow } from '../kit/slow.js'
import { type AbusiveFile, abusiveFiles, PASCAL_VOTES } from './files.js'

/** Files of the corpus; `npm test` reads a slice of them, which the built program reads too. */
const COUNT = 1050
const files = abusiveFiles(COUNT, 13)
const slice = files.filter((_, index) => index % 17 === 0)

/** Megabytes that a command may use, when it runs alone. */
const MAX_MEGABYTES = 512

/** Seconds that it may compute. */
const MAX_SECONDS = 10

/** Writes the peak of the memory of a process, in kB, and its computing time, in µs, to its standard error output when it ends. */
const MEASURE =
  "--import=data:text/javascript,process.on('exit',()=>process.stderr.write('used%20'+process.resourceUsage().maxRSS+'%20'+process.cpuUsage().user+'%5Cn'))"

const bench = workbench()
const { folder, start, write, content, path } = bench
let before: unknown

/** The most that a command used, and for which file. */
const most = { megabytes: 0, seconds: 0, ofMemory: '', ofTime: '' }

beforeAll(async () => {
  await importPark(bench, 'without systems')
  write('ids.json', [1, 2, 3, 4])
  write('votes.mat', PASCAL_VOTES)
  write('columns.csv', vocabulary({ dog: 'NN', cat: 'NN' }))
  before = content()
  return () => {
    if (isSlow) console.info('most memory and computing time of a command:', most)
  }
})

/** Runs the command of a file. It is refused with one line, and the database does not change. */
async function expectRefusal({ name, content: bytes }: AbusiveFile, run: () => Promise<Outcome>) {
  write(name, bytes)
  const { code, stdout, stderr } = await run()
  expect([1, 2], stdout).toContain(code)
  const lines = stderr.split('\n').filter((line) => line.startsWith('accord: '))
  expect(lines, stderr).toHaveLength(1)
  expect(lines[0]).toContain(name)
  expect(lines[0].length).toBeLessThanOrEqual('accord: '.length + 300)
  expect(stderr).not.toMatch(/internal error|^ +at /m)
  expect(content()).toEqual(before)
  rmSync(path(name))
  return stderr
}

function expectLittle(command: string, megabytes: number, seconds: number): void {
  expect(megabytes).toBeLessThan(MAX_MEGABYTES)
  expect(seconds).toBeLessThan(MAX_SECONDS)
  if (megabytes > most.megabytes) Object.assign(most, { megabytes, ofMemory: command })
  if (seconds > most.seconds) Object.assign(most, { seconds, ofTime: command })
}

it('has files for every reader', () => {
  expect(new Set(slice.map(({ command }) => command.split(/abuse\d+/)[0])).size).toBeGreaterThanOrEqual(10)
})

it.each((isSlow ? files : slice).map((file) => [file.command, file] as const))(
  '%s',
  async (command, file) => {
    const [memory, { user }] = [restartPeak(), process.cpuUsage()]
    await expectRefusal(file, () => runHere(command, {}, folder))
    const seconds = (process.cpuUsage().user - user) / 1e6
    expectLittle(command, (kilobytes('VmHWM') - memory) / 1024, seconds)
  },
)

describe.runIf(isSlow)('the built program', () => {
  it.concurrent.each(slice.map((file) => [file.command, file] as const))('%s', async (command, file) => {
    const stderr = await expectRefusal(file, () => outcomeOf(start(command, { NODE_OPTIONS: MEASURE })))
    const [, kilobytes, microseconds] = /^used (\d+) (\d+)$/m.exec(stderr) as RegExpExecArray
    expectLittle(command, Number(kilobytes) / 1024, Number(microseconds) / 1e6)
  })
})

/** A figure of this process as Linux has it; 0 on other systems. */
function kilobytes(name: 'VmHWM' | 'VmRSS'): number {
  if (process.platform !== 'linux') return 0
  return Number(new RegExp(`${name}:\\s+(\\d+)`).exec(readFileSync('/proc/self/status', 'utf8'))?.[1])
}

/** Makes `VmHWM` the peak from now on. @returns the memory in kB that this process has */
function restartPeak(): number {
  if (process.platform === 'linux') writeFileSync('/proc/self/clear_refs', '5')
  return kilobytes('VmRSS')
}

import { rmSync } from 'node:fs'
import { beforeAll, expect, it } from 'vitest'
import { importPark, workbench } from '../cli/kit.js'
import { vocabulary } from '../kit/coco.js'
import { isSlow } from '../kit/slow.js'
import { abusiveFiles } from './files.js'

/** Files of the corpus; `npm test` reads a slice of them. */
const COUNT = 1050
const files = abusiveFiles(COUNT, 13)
const slice = isSlow ? files : files.filter((_, index) => index % 17 === 0)

/** Megabytes that a command may use, when it runs alone. */
const MAX_MEGABYTES = 512

/** Seconds that it may compute. */
const MAX_SECONDS = 10

/** Writes the peak of the memory of a process, in kB, and its computing time, in µs, to its standard error output when it ends. */
const MEASURE =
  "--import=data:text/javascript,process.on('exit',()=>process.stderr.write('used%20'+process.resourceUsage().maxRSS+'%20'+process.cpuUsage().user+'%5Cn'))"

const bench = workbench()
const { run, write, content, path } = bench
let before: unknown

/** The most that a command used, and for which file. */
const most = { megabytes: 0, seconds: 0, ofMemory: '', ofTime: '' }

beforeAll(async () => {
  await importPark(bench, 'without systems')
  write('ids.json', [1, 2, 3, 4])
  write('columns.csv', vocabulary({ dog: 'NN', cat: 'NN' }))
  before = content()
  return () => {
    if (isSlow) console.info('most memory and computing time of a command:', most)
  }
})

it('has files for every reader', () => {
  expect(new Set(slice.map(({ command }) => command.split(/abuse\d+/)[0])).size).toBeGreaterThanOrEqual(10)
})

it.concurrent.each(slice.map(({ name, command }) => [command, name] as const))(
  '%s',
  async (command, name) => {
    write(name, files.find((file) => file.name === name)!.content)
    const { code, stdout, stderr } = await run(command, isSlow ? { NODE_OPTIONS: MEASURE } : {})
    expect([1, 2], stdout).toContain(code)
    const lines = stderr.split('\n').filter((line) => line.startsWith('accord: '))
    expect(lines, stderr).toHaveLength(1)
    expect(lines[0]).toContain(name)
    expect(lines[0].length).toBeLessThanOrEqual('accord: '.length + 300)
    expect(stderr).not.toMatch(/internal error|^ +at /m)
    if (isSlow) {
      const [, kilobytes, microseconds] = /^used (\d+) (\d+)$/m.exec(stderr) as RegExpExecArray
      const [megabytes, seconds] = [Number(kilobytes) / 1024, Number(microseconds) / 1e6]
      expect(megabytes).toBeLessThan(MAX_MEGABYTES)
      expect(seconds).toBeLessThan(MAX_SECONDS)
      if (megabytes > most.megabytes) Object.assign(most, { megabytes, ofMemory: command })
      if (seconds > most.seconds) Object.assign(most, { seconds, ofTime: command })
    }
    expect(content()).toEqual(before)
    rmSync(path(name))
  },
)

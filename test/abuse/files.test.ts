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

/** Writes the peak of the memory of a process to its standard error output when it ends. */
const MEASURE =
  "--import=data:text/javascript,process.on('exit',()=>process.stderr.write('peak%20'+process.resourceUsage().maxRSS+'%5Cn'))"

const bench = workbench()
const { run, write, content, path } = bench
let before: unknown

beforeAll(async () => {
  await importPark(bench, 'without systems')
  write('ids.json', [1, 2, 3, 4])
  write('columns.csv', vocabulary({ dog: 'NN', cat: 'NN' }))
  before = content()
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
    if (isSlow) expect(Number(/^peak (\d+)$/m.exec(stderr)?.[1])).toBeLessThan(MAX_MEGABYTES * 1024)
    expect(content()).toEqual(before)
    rmSync(path(name))
  },
)

import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { projectFile } from '../src/project.js'
import { ACCORD, type Figure, note, startProgram } from './measure.js'

/** Results of a system on COCO val2017. */
const RESULTS = 'captions_val2017_wu-2016_results.json'

/**
 * What a newcomer waits for: the first answer of a server with the bundled dataset, the second start, and scores of 5,000
 * images by the packed package.
 *
 * @param data folder with COCO val2017
 * @param folder for files of the measurement
 */
export async function benchStart(data: string, folder: string): Promise<Figure[]> {
  const database = join(folder, 'start.sqlite')
  note('the first start of a server')
  const first = await secondsToAnswer(database)
  note('the second start')
  const second = await secondsToAnswer(database)
  note('packing')
  const { program, megabytes } = pack(folder)
  note('accord score of the package')
  const score = secondsToScore(program, data)
  return [
    { what: 'first answer with the bundled dataset', measured: `${first.toFixed(1)} s`, asked: '15 s' },
    { what: 'first answer of the second start', measured: `${second.toFixed(1)} s`, asked: '3 s' },
    { what: 'package, compressed', measured: `${megabytes.toFixed(1)} MB`, asked: '' },
    { what: 'accord score of 5,000 images, packed', measured: `${score.toFixed(2)} s`, asked: '' },
  ]
}

/** Time from the start of `accord serve` to the answer of the leaderboard. */
async function secondsToAnswer(database: string): Promise<number> {
  const start = performance.now()
  const server = startProgram(ACCORD, ['serve', '--port', '0', '--database', database])
  try {
    const url = (await server.firstOutput).split(' ').at(-1) as string
    const query =
      '{ dataset(name: "scenes") { leaderboards(metrics: ["CIDEr-D"]) { rows { nodes { value } } } } }'
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ query }) })
    const { errors } = (await response.json()) as { errors?: readonly { message: string }[] }
    if (errors) throw new Error(errors[0].message)
    return (performance.now() - start) / 1000
  } finally {
    server.child.kill()
    await server.ended
  }
}

/** Unpacks what would be published; its dependencies are those of this checkout. */
function pack(folder: string): { readonly program: string; readonly megabytes: number } {
  const args = ['pack', '--json', '--ignore-scripts', '--loglevel', 'silent', '--pack-destination', folder]
  const [{ filename, size }] = JSON.parse(
    execFileSync('npm', args, { cwd: projectFile('.'), encoding: 'utf8' }),
  )
  execFileSync('tar', ['xzf', join(folder, filename), '-C', folder])
  mkdirSync(join(folder, 'package'), { recursive: true })
  symlinkSync(projectFile('node_modules'), join(folder, 'package', 'node_modules'))
  return { program: join(folder, 'package', 'dist', 'bin', 'main.js'), megabytes: size / 1e6 }
}

function secondsToScore(program: string, data: string): number {
  const files = [join(data, 'captions_val2017.json'), join(data, RESULTS)]
  const start = performance.now()
  const { status, stderr } = spawnSync(process.execPath, [program, 'score', ...files], { encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
  return (performance.now() - start) / 1000
}

import { execFile, spawnSync } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { blocksOf, prepareFolder, readDocument } from '../kit/documents.js'
import { initWorld } from '../kit/seed.js'

const PYTHONS = ['python3', '/usr/bin/python3']
const python = PYTHONS.find((path) => spawnSync(path, ['-c', 'import pandas, requests']).status === 0)
const world = await initWorld()

it.skipIf(python === undefined)('docs/python.md answers its questions', async () => {
  const folder = await prepareFolder(world)
  const api = await world.serve({ workers: 1 })
  const program = blocksOf(readDocument('docs/python.md')).flatMap(({ language, text }) =>
    language === 'python' ? [text] : [],
  )
  const options = { cwd: folder, env: { ...process.env, ACCORD: new URL(api.url).origin } }
  // Twice: whoever tries it again gets the same.
  for (let times = 0; times < 2; times++) {
    const { stdout } = await promisify(execFile)(python as string, ['-c', program.join('\n')], options)
    for (const part of ['good', 'by METEOR: ', 'tauC', "'status': 'DONE'"]) expect(stdout).toContain(part)
  }
})

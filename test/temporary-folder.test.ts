import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createTemporaryFolder } from '../src/temporary-folder.js'
import { temporaryFolder } from './formats/kit.js'

const { folder, path } = temporaryFolder()
/** Not the module that other test files of this process may have folders of. */
const OWN = '../src/temporary-folder.js?own'
const COMPILED = new URL('../dist/src/temporary-folder.js', import.meta.url).href

it('is for its owner alone, and removed with its files', async () => {
  const { createTemporaryFolder } = await import(OWN)
  const listeners = () => ['SIGINT', 'SIGTERM'].map((signal) => process.listenerCount(signal))
  const before = listeners()
  const created = createTemporaryFolder(path('work'))
  writeFileSync(join(created.path, 'file'), 'text')
  expect(statSync(created.path).mode & 0o777).toBe(0o700)
  expect(listeners()).toEqual(before.map((count) => count + 1))
  created.remove()
  expect(readdirSync(folder)).toEqual([])
  expect(listeners()).toEqual(before)
})

it.each(['SIGINT', 'SIGTERM'] as const)('is removed when %s ends the process', async (signal) => {
  const script = `import { createTemporaryFolder } from '${COMPILED}'
    createTemporaryFolder('${path('work')}')
    setInterval(() => {}, 1000)
    console.log('created')`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script])
  await new Promise((resolve) => child.stdout.once('data', resolve))
  expect(readdirSync(folder)).toHaveLength(1)
  child.kill(signal)
  expect(await new Promise((resolve) => child.once('close', (_, by) => resolve(by)))).toBe(signal)
  expect(readdirSync(folder)).toEqual([])
})

it('removes what killed processes of this machine left, and nothing else', () => {
  const { pid: ended } = spawnSync(process.execPath, ['--version'])
  const names = [
    `work-${hostname()}-${ended}-abcdef`,
    `work-other-${ended}-abcdef`,
    `work-${hostname()}-${process.pid}-abcdef`,
  ]
  for (const name of names) mkdirSync(path(name))
  createTemporaryFolder(path('work')).remove()
  expect(names.map((name) => existsSync(path(name)))).toEqual([false, true, true])
})

import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { backupDatabase, restoreDatabase } from '../../../src/services/datasets/backup.js'
import { listDatasets } from '../../../src/services/datasets/datasets.js'
import { rejectionOf } from '../../kit/boxes.js'
import { ENGINES } from '../../kit/databases.js'
import { initWorld } from '../../kit/seed.js'

const ignore = () => {}

describe.each(ENGINES)('backups on %s', async (engine) => {
  const world = await initWorld({ engine })
  const { folder, location, accord, remote } = world
  const file = join(folder, 'backup.sqlite')
  const names = async (of = accord) => (await listDatasets(of)).map(({ name }) => name)

  beforeAll(async () => {
    await world.dataset('before', { images: { 1: ['a dog', 'the dog'] } })
  })

  it('writes and restores a database that is in use', async () => {
    const api = await world.serve()
    await backupDatabase(location, file, ignore)
    expect(readdirSync(folder).filter((name) => name.startsWith('backup'))).toEqual(['backup.sqlite'])
    // It has hashes of passwords.
    expect(statSync(file).mode & 0o777).toBe(0o600)
    await world.dataset('after', { images: { 1: ['a cat', 'the cat'] } })
    const QUERY = '{ datasets { nodes { name images { nodes { captions { text } } } } } }'
    expect((await api.ask(QUERY)).datasets.nodes).toHaveLength(2)
    await restoreDatabase(file, location, ignore)
    // Both connections of this process and the server go on.
    expect(await names()).toEqual(['before'])
    expect(await names(remote)).toEqual(['before'])
    expect((await api.ask(QUERY)).datasets.nodes).toEqual([
      { name: 'before', images: { nodes: [{ captions: [{ text: 'a dog' }, { text: 'the dog' }] }] } },
    ])
    await world.dataset('later', { images: { 1: ['a bird', 'the bird'] } })
    expect(await names()).toEqual(['before', 'later'])
  })

  it('refuses what is not a backup, and changes nothing', async () => {
    writeFileSync(join(folder, 'text'), 'no database')
    const known = await names()
    expect(await rejectionOf(restoreDatabase(join(folder, 'text'), location, ignore))).toMatch(
      /^INVALID_SHAPE/,
    )
    expect(await rejectionOf(restoreDatabase(join(folder, 'none'), location, ignore))).toMatch(
      /^FILE_NOT_FOUND .*none: no backup found: expected a file of `accord backup`, found no file$/,
    )
    expect(await rejectionOf(backupDatabase(location, join(folder, 'no', 'file'), ignore))).toMatch(
      /^FILE_NOT_FOUND/,
    )
    expect(existsSync(join(folder, 'no'))).toBe(false)
    expect(await names()).toEqual(known)
  })
})

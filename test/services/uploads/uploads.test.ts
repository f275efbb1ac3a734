import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, statfsSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, vi } from 'vitest'
import { AccordError } from '../../../src/errors.js'
import { readWhole } from '../../../src/formats/io/files.js'
import { enqueueJob } from '../../../src/queue/queue.js'
import { backupDatabase, copyDatabase, restoreDatabase } from '../../../src/services/datasets/backup.js'
import { openAccord } from '../../../src/services/open-accord.js'
import type { Accord } from '../../../src/services/shared/accord.js'
import { ownerOfUser, withSource } from '../../../src/services/uploads/import-job.js'
import {
  alone,
  type NewUpload,
  removeExpiredUploads,
  removeUpload,
  removeUploadsOf,
  storeUpload,
} from '../../../src/services/uploads/uploads.js'
import { KINDS } from '../../../src/services/workers/kinds.js'
import { openDatabase } from '../../../src/store/database.js'
import { sql } from '../../../src/store/engine/sql.js'
import { requestCancellation } from '../../../src/store/jobs.js'
import {
  assignUploads,
  expireUpload,
  findUploads,
  listUploads,
  readPiece,
} from '../../../src/store/uploads.js'
import { atEnd } from '../../kit/cleanup.js'
import { createTestDatabase, ENGINES } from '../../kit/databases.js'

const MEGABYTE = 1 << 20

describe.each(ENGINES)('uploads on %s', (engine) => {
  async function open(): Promise<Accord> {
    const { location, remove } = await createTestDatabase(engine)
    const accord = await openAccord({ location, threadCount: 1 })
    atEnd(async () => {
      await accord.close()
      await remove()
    })
    return accord
  }

  const settings: NewUpload = {
    owner: 'anna',
    name: 'captions.json',
    announcedBytes: 0,
    limits: alone(10 * MEGABYTE),
    signal: new AbortController().signal,
  }

  async function* chunks(...parts: readonly (Buffer | Error)[]): AsyncGenerator<Buffer> {
    for (const part of parts) {
      if (part instanceof Error) throw part
      yield part
    }
  }

  const store = (accord: Accord, content: AsyncIterable<Buffer>, changes: Partial<NewUpload> = {}) =>
    storeUpload(accord, { ...settings, ...changes }, content)

  /** The pieces of content that are stored: in the table, or in files beside the database, which no log has. */
  async function rowsOf({ database }: Accord) {
    const [{ uploads, pieces }] = await database.all<{ uploads: number; pieces: number }>(
      sql`SELECT (SELECT COUNT(*) FROM upload) AS uploads, (SELECT COUNT(*) FROM upload_piece) AS pieces`,
    )
    if (database.files === null) return [{ uploads, pieces }]
    expect(pieces).toBe(0)
    const names = existsSync(database.files) ? readdirSync(database.files) : []
    const sizes = names.map((name) => statSync(join(database.files as string, name)).size)
    return [{ uploads, pieces: sizes.reduce((sum, size) => sum + Math.ceil(size / MEGABYTE), 0) }]
  }

  async function contentOf({ database }: Accord, id: string): Promise<Buffer> {
    if (database.files !== null) {
      expect(statSync(join(database.files, id)).mode & 0o777).toBe(0o600)
      return readFileSync(join(database.files, id))
    }
    const pieces: Buffer[] = []
    for (let piece = await readPiece(database, id, 0); piece; )
      piece = await readPiece(database, id, pieces.push(piece))
    return Buffer.concat(pieces)
  }

  const expire = ({ database }: Accord) =>
    database.transaction((session) =>
      session.run(sql`UPDATE upload SET expires_at = '1970-01-01T00:00:00.000Z'`),
    )

  /** Removes what has expired, once. */
  const clean = (accord: Accord) => removeExpiredUploads(accord)()

  const codeOf = async (failing: Promise<unknown>) => {
    const error = await failing.then(
      () => undefined,
      (thrown) => thrown,
    )
    return error instanceof AccordError ? error.code : error
  }

  it('hold no chunks, however short they are', async () => {
    const accord = await open()
    const chunk = Buffer.alloc(1)
    async function* content() {
      for (const byte of 'content') {
        chunk.write(byte)
        yield chunk
      }
    }
    const { id } = await store(accord, content())
    expect((await contentOf(accord, id)).toString()).toBe('content')
  })

  it('are stored in pieces of 1 MiB, whatever the chunks are', async () => {
    const accord = await open()
    const content = Buffer.alloc(2.5 * MEGABYTE, 'abcdefg')
    const parts = [0, 1, 70_000, 1_000_000, 2 * MEGABYTE, content.length]
    const upload = await store(
      accord,
      chunks(...parts.slice(1).map((end, index) => content.subarray(parts[index], end))),
    )
    expect(upload).toEqual({
      id: expect.stringMatching(/^[\w-]{32}$/),
      bytes: content.length,
      sha256: createHash('sha256').update(content).digest('hex'),
    })
    expect((await contentOf(accord, upload.id)).equals(content)).toBe(true)
    expect(await rowsOf(accord)).toEqual([{ uploads: 1, pieces: 3 }])
    expect(await findUploads(accord.database, [upload.id, 'unknown'])).toMatchObject([
      { name: 'captions.json', owner: 'anna', bytes: content.length, isImported: false },
    ])
    const empty = await store(accord, chunks())
    expect({ bytes: empty.bytes, isOther: empty.id !== upload.id }).toEqual({ bytes: 0, isOther: true })
  })

  it('leave nothing if they do not arrive completely', async () => {
    const accord = await open()
    const broken = new Error('connection reset')
    expect(
      await codeOf(store(accord, chunks(Buffer.alloc(40 * MEGABYTE), broken), { limits: alone(1e9) })),
    ).toBe(broken)
    const stop = new AbortController()
    async function* aborted(): AsyncGenerator<Buffer> {
      yield Buffer.alloc(MEGABYTE)
      stop.abort(new AccordError('CANCELLED', 'the server is stopping'))
      yield Buffer.alloc(MEGABYTE)
    }
    expect(await codeOf(store(accord, aborted(), { signal: stop.signal }))).toBe('CANCELLED')
    expect(await rowsOf(accord)).toEqual([{ uploads: 0, pieces: 0 }])
  })

  it('that are removed while they arrive are not complete afterwards', async () => {
    const accord = await open()
    // As `removeUpload` leaves it until the rows of what has expired are removed.
    async function* removed(...rest: readonly Buffer[]): AsyncGenerator<Buffer> {
      yield Buffer.alloc(MEGABYTE, 'a')
      const [{ id }] = await listUploads(accord.database)
      await expireUpload(accord.database, id)
      yield* rest
    }
    expect(await codeOf(store(accord, removed(Buffer.alloc(MEGABYTE, 'b'))))).toBe('UNKNOWN_UPLOAD')
    expect(await codeOf(store(accord, removed()))).toBe('UNKNOWN_UPLOAD')
    expect(await rowsOf(accord)).toEqual([{ uploads: 0, pieces: 0 }])
  })

  it('of one client have a maximum size together', async () => {
    const accord = await open()
    const limits = { limits: alone(3 * MEGABYTE) }
    await store(accord, chunks(Buffer.alloc(2 * MEGABYTE)), limits)
    const large = () => chunks(Buffer.alloc(2 * MEGABYTE))
    expect(await codeOf(store(accord, large(), limits))).toBe('TOO_MANY_UPLOADS')
    // Before any content is read.
    const announced = { ...limits, announcedBytes: 2 * MEGABYTE }
    expect(await codeOf(store(accord, chunks(new Error('read')), announced))).toBe('TOO_MANY_UPLOADS')
    expect(await rowsOf(accord)).toEqual([{ uploads: 1, pieces: 2 }])
    await store(accord, large(), { ...limits, owner: 'ben' })
    await store(accord, chunks(Buffer.alloc(MEGABYTE)), limits)
  })

  it('of one client have a maximum number', async () => {
    const accord = await open()
    for (let count = 0; count < 100; count++) await store(accord, chunks())
    expect(await codeOf(store(accord, chunks()))).toBe('TOO_MANY_UPLOADS')
    await store(accord, chunks(), { owner: 'ben' })
  })

  it.runIf(engine === 'sqlite')(
    'leave the reserve of the disk free, and nothing when they are refused',
    async () => {
      const accord = await open()
      const { bavail, bsize } = statfsSync('/tmp')
      const announcedBytes = bavail * bsize
      const limits = { limits: alone(2 * announcedBytes), announcedBytes }
      // Before any content is read.
      expect(await codeOf(store(accord, chunks(new Error('read')), limits))).toBe('RESOURCE_MISSING')
      expect(await rowsOf(accord)).toEqual([{ uploads: 0, pieces: 0 }])
    },
  )

  it.runIf(engine === 'sqlite')('are in a backup and in a copy, which can be imported', async () => {
    const accord = await open()
    const content = Buffer.alloc(1.5 * MEGABYTE, 'abcdefg')
    const { id } = await store(accord, chunks(content))
    const { location } = accord.database
    await backupDatabase(location, `${location}.backup`, () => {})
    await copyDatabase(location, `${location}.copy`, () => {})
    for (const copied of [`${location}.backup`, `${location}.copy`]) {
      const database = await openDatabase(copied)
      const read = await withSource(database, { upload: id }, async (file) => readWhole(file))
      expect(read.equals(content)).toBe(true)
      await database.close()
    }
    // What was restored has its content in the table, beside the file.
    await restoreDatabase(`${location}.backup`, location, () => {})
    await backupDatabase(location, `${location}.again`, () => {})
    const again = await openDatabase(`${location}.again`)
    const read = await withSource(again, { upload: id }, async (file) => readWhole(file))
    expect(read.equals(content)).toBe(true)
    await again.close()
  })

  it('of one client are limited while they arrive', async () => {
    const accord = await open()
    const { promise: released, resolve: release } = createGate()
    async function* waiting(): AsyncGenerator<Buffer> {
      await released
      yield Buffer.from('content')
    }
    const sent = Array.from({ length: 4 }, () => store(accord, waiting()))
    await expect.poll(async () => (await rowsOf(accord))[0].uploads).toBe(4)
    expect(await codeOf(store(accord, chunks()))).toBe('TOO_MANY_UPLOADS')
    await store(accord, chunks(), { owner: 'ben' })
    release()
    await Promise.all(sent)
    await store(accord, chunks())
  })

  it('expire, unless a job imports them', async () => {
    const accord = await open()
    const { database } = accord
    const [imported, unused] = [
      await store(accord, chunks(Buffer.alloc(MEGABYTE))),
      await store(accord, chunks(Buffer.alloc(30 * MEGABYTE)), { limits: alone(1e9) }),
    ]
    const job = await enqueueJob(database, KINDS, 'removeDataset', { dataset: 'pets' })
    await database.transaction((session) => assignUploads(session, [imported.id], job.id, 1000))
    await clean(accord)
    expect(await rowsOf(accord)).toEqual([{ uploads: 2, pieces: 31 }])
    await expire(accord)
    const find = async () =>
      (await findUploads(database, [imported.id, unused.id])).map(({ id, isImported }) => [id, isImported])
    expect(await find()).toEqual([[imported.id, true]])
    expect(await listUploads(database)).toMatchObject([{ id: imported.id, isImported: true }])
    await clean(accord)
    expect(await rowsOf(accord)).toEqual([{ uploads: 1, pieces: 1 }])
    // The job has ended: it can be imported again, and expires.
    await database.transaction((session) => requestCancellation(session, job.id))
    expect(await find()).toEqual([])
    await clean(accord)
    expect(await rowsOf(accord)).toEqual([{ uploads: 0, pieces: 0 }])
  })

  it('are removed by their owner and with their user, unless a job imports them', async () => {
    const accord = await open()
    const { database } = accord
    const owner = ownerOfUser('anna')
    const [imported, unused, other] = [
      await store(accord, chunks(Buffer.alloc(MEGABYTE)), { owner }),
      await store(accord, chunks(Buffer.alloc(MEGABYTE)), { owner }),
      await store(accord, chunks(Buffer.alloc(MEGABYTE)), { owner }),
    ]
    const job = await enqueueJob(database, KINDS, 'removeDataset', { dataset: 'pets' })
    await database.transaction((session) => assignUploads(session, [imported.id], job.id, 1000))
    const remove = (id: string, asker = owner) =>
      removeUpload(accord, { owner: asker, isAdministrator: false }, id)
    expect(await codeOf(remove(imported.id))).toBe('NOT_APPLICABLE')
    expect(await codeOf(remove(unused.id, 'ben'))).toBe('UNKNOWN_UPLOAD')
    expect(await rowsOf(accord)).toEqual([{ uploads: 3, pieces: 3 }])
    await remove(unused.id)
    const idsOf = async () => (await listUploads(database)).map(({ id }) => id).sort()
    expect(await idsOf()).toEqual([imported.id, other.id].sort())
    await removeUploadsOf(database, 'anna')
    expect(await idsOf()).toEqual([imported.id])
    expect(await rowsOf(accord)).toEqual([{ uploads: 1, pieces: 1 }])
  })

  it('stay where a job takes them while they are removed', async () => {
    const accord = await open()
    const { database } = accord
    const { id } = await store(accord, chunks(Buffer.alloc(MEGABYTE)))
    const job = await enqueueJob(database, KINDS, 'removeDataset', { dataset: 'pets' })
    const removal = await database.transaction(async (session) => {
      await session.run(sql`UPDATE upload SET name = name WHERE id = ${id}`)
      const code = codeOf(removeUpload(accord, { owner: settings.owner, isAdministrator: false }, id))
      await sleep(200)
      await assignUploads(session, [id], job.id, 1000)
      return { code }
    })
    expect(await removal.code).toBe('NOT_APPLICABLE')
    expect(await rowsOf(accord)).toEqual([{ uploads: 1, pieces: 1 }])
  })

  it('that expire while they arrive are refused', async () => {
    const accord = await open()
    async function* slow(): AsyncGenerator<Buffer> {
      yield Buffer.alloc(MEGABYTE)
      await expire(accord)
      await clean(accord)
      yield Buffer.alloc(MEGABYTE)
    }
    expect(await codeOf(store(accord, slow()))).toBe('UNKNOWN_UPLOAD')
    expect(await rowsOf(accord)).toEqual([{ uploads: 0, pieces: 0 }])
  })
})

it('wait while another process writes to a SQLite file', async () => {
  const { location, remove } = await createTestDatabase('sqlite')
  const [accord, other] = await Promise.all([
    openAccord({ location, threadCount: 1, busyTimeout: 10 }),
    openAccord({ location, threadCount: 1 }),
  ])
  const { promise: released, resolve: release } = createGate()
  const writing = other.database.transaction(() => released)
  async function* content(): AsyncGenerator<Buffer> {
    yield Buffer.from('content')
  }
  const { signal } = new AbortController()
  const attempts = vi.spyOn(signal, 'throwIfAborted')
  const sent = storeUpload(
    accord,
    { owner: 'anna', name: 'a', announcedBytes: 0, limits: alone(100), signal },
    content(),
  )
  // The first attempt ended with the busy timeout.
  await Promise.race([sent, expect.poll(() => attempts.mock.calls.length).toBeGreaterThan(1)])
  release()
  expect(await sent).toMatchObject({ bytes: 7 })
  await writing
  await accord.close()
  await other.close()
  await remove()
})

function createGate(): { readonly promise: Promise<void>; resolve(): void } {
  let resolve = () => {}
  const promise = new Promise<void>((open) => {
    resolve = open
  })
  return { promise, resolve }
}

it.skipIf(process.platform === 'win32')('are found by processes that open the file by a link', async () => {
  const { location, remove } = await createTestDatabase('sqlite')
  const link = `${location}-link`
  symlinkSync(location, link)
  const databases = [await openDatabase(location), await openDatabase(link)]
  try {
    const [direct, linked] = databases.map(({ files }) => files)
    expect(direct).toMatch(/-uploads$/)
    expect(linked).toBe(direct)
  } finally {
    for (const database of databases) await database.close()
    rmSync(link)
    await remove()
  }
})

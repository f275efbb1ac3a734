import { createHash } from 'node:crypto'
import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import BetterSqlite3 from 'better-sqlite3'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { TwoDatabases1795305600000 } from '../../migrations/20261122-two-databases.js'
import { canonicalJson, type ProvenanceRecord } from '../../src/core/metrics/provenance.js'
import { toInt32Array } from '../../src/store/engine/blobs.js'
import { type Database, openDatabase } from '../../src/store/engine/database.js'
import { find, insert } from '../../src/store/engine/rows.js'
import { EMPTY, raw, sql } from '../../src/store/engine/sql.js'
import { pageOfCaptions } from '../../src/store/images.js'
import {
  CaptionEntity,
  DatasetEntity,
  ENTITIES,
  ImageEntity,
  JobEntity,
  ProvenanceEntity,
  WordEntity,
} from '../../src/store/schema/entities.js'
import { SCHEMA_VERSION } from '../../src/store/schema/schema-version.js'
import { readScores, saveScores } from '../../src/store/scores.js'
import { insertSystem } from '../../src/store/systems.js'
import { temporaryFolder } from '../formats/kit.js'
import { captionedDataset } from '../kit/boxes.js'
import { createTestDatabase, ENGINES } from '../kit/databases.js'

/** Written by version 0.1.0, see make-database-0.1.0.js. */
const FIXTURE = fileURLToPath(new URL('../fixtures/database-0.1.0.sqlite', import.meta.url))

type Dump = Record<string, Record<string, unknown>[]>

const { folder, path } = temporaryFolder()
const opened: Database[] = []
let files = 0

afterEach(async () => {
  vi.restoreAllMocks()
  for (const database of opened.splice(0)) await database.close()
})

/** A copy of the fixture. */
function oldDatabase(): string {
  const file = path(`${++files}.sqlite`)
  copyFileSync(FIXTURE, file)
  return file
}

async function open(file: string): Promise<Database> {
  const database = await openDatabase(file)
  opened.push(database)
  return database
}

async function migrate(file: string): Promise<void> {
  const database = await openDatabase(file)
  await database.close()
}

/** All rows of all tables, in the order of the database. */
function dump(file: string): Dump {
  return read(file, (connection) => {
    const names = connection
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
      .pluck()
      .all() as string[]
    return Object.fromEntries(
      names.map((name) => [
        name,
        connection.prepare(`SELECT * FROM "${name}"`).all() as Record<string, unknown>[],
      ]),
    )
  })
}

function read<Result>(file: string, act: (connection: BetterSqlite3.Database) => Result): Result {
  const connection = new BetterSqlite3(file)
  try {
    return act(connection)
  } finally {
    connection.close()
  }
}

const backUpOf = (file: string) => `${file}.before-version-${SCHEMA_VERSION}`

/** Rows with only the given columns, sorted. */
function comparable(rows: readonly Record<string, unknown>[], columns: readonly string[]): string[] {
  return rows.map((row) => JSON.stringify(columns.map((column) => row[column]))).sort()
}

describe('a database of version 0.1.0', () => {
  it('has the content of the fixture', () => {
    const old = dump(FIXTURE)
    // Comparing empty tables would test nothing.
    for (const [name, rows] of Object.entries(old)) expect([name, rows.length > 0]).toEqual([name, true])
  })

  it('is backed up before, and the backup is a database of that version', async () => {
    const file = oldDatabase()
    const before = dump(file)
    await migrate(file)
    expect(dump(backUpOf(file))).toEqual(before)
    expect(read(backUpOf(file), (connection) => connection.pragma('user_version', { simple: true }))).toBe(0)
    expect(read(backUpOf(file), (connection) => connection.pragma('integrity_check', { simple: true }))).toBe(
      'ok',
    )
    // The backup can be migrated again.
    await migrate(backUpOf(file))
    expect(comparable(dump(backUpOf(file)).image, ['id', 'external_id'])).toEqual(
      comparable(before.image, ['id', 'external_id']),
    )
  })

  it('retains the rows of every table', async () => {
    const file = oldDatabase()
    const before = dump(file)
    await migrate(file)
    const after = dump(file)
    const { image_word, evaluation, migrations, sqlite_sequence, ...unchanged } = before
    // Percentile intervals are removed.
    for (const row of [...unchanged.metric_score, ...unchanged.agreement_score]) {
      Object.assign(row, { lower: null, upper: null })
    }
    for (const [table, rows] of Object.entries(unchanged)) {
      const columns = Object.keys(rows[0]).filter((column) => table !== 'word_scores' || column !== 'id')
      expect(comparable(after[table], columns)).toEqual(comparable(rows, columns))
    }
    expect(migrations.length).toBeLessThan(after.migrations.length)
    const expected = ENTITIES.map(({ name }) => name)
    const tables = Object.keys(after).filter((name) => !name.includes('_search'))
    expect(tables.sort()).toEqual([...expected, 'migrations', 'sqlite_sequence'].sort())
    const violations = read(file, (connection) => connection.pragma('foreign_key_check'))
    expect(violations).toEqual([])
  })

  it('retains the images and caption counts of every word', async () => {
    const file = oldDatabase()
    const { image_word: before } = dump(file)
    await migrate(file)
    const uses = dump(file).posting.flatMap(({ word_id, block, image_ids, caption_counts }) => {
      const bytes = image_ids as Buffer
      return Array.from(caption_counts as Buffer, (caption_count, index) => {
        const image_id = bytes.readInt32LE(index * 4)
        expect(image_id >> 16).toBe(block)
        return { word_id, image_id, caption_count }
      })
    })
    const columns = ['word_id', 'image_id', 'caption_count']
    expect(comparable(uses, columns)).toEqual(comparable(before, columns))
  })

  it('finds captions by their words, as if they were imported now', async () => {
    const file = oldDatabase()
    await migrate(file)
    const database = await open(file)
    const [dataset] = await find(database, DatasetEntity, sql`ORDER BY id`)
    const [word] = await find(database, WordEntity, sql`WHERE dataset_id = ${dataset.id} ORDER BY id`)
    const all = { limit: 1000, fromEnd: false }
    const found = await pageOfCaptions(database, dataset.id, { all: [word.text] }, all)
    const captions = await find(database, CaptionEntity, sql`ORDER BY id`, ['tokens'])
    const expected = captions.filter(({ tokens }) => [...toInt32Array(tokens)].includes(word.tokenId))
    expect(found.rows.map(({ row }) => row.id)).toEqual(expected.map(({ id }) => id))
    expect(found.rows.length).toBeGreaterThan(0)
  })

  it('splits the images of a word into blocks, ascending', async () => {
    const file = oldDatabase()
    const wordId = read(file, (connection) => {
      const add = connection.prepare(
        'INSERT INTO image_word (word_id, caption_count, image_id) VALUES (?, ?, ?)',
      )
      const word = connection.prepare('SELECT MAX(id) FROM word').pluck().get() as number
      connection.prepare('DELETE FROM image_word WHERE word_id = ?').run(word)
      for (const [count, image] of [
        [1, 65_537],
        [2, 65_535],
        [3, 65_536],
        [5, 131_072],
        [4, 3],
      ])
        add.run(word, count, image)
      return word
    })
    await migrate(file)
    const postings = dump(file).posting.filter((posting) => posting.word_id === wordId)
    const decoded = postings.map(({ block, image_ids, caption_counts }) => [
      block,
      [...new Int32Array(Uint8Array.from(image_ids as Buffer).buffer)],
      [...(caption_counts as Buffer)],
    ])
    expect(decoded.sort()).toEqual([
      [0, [3, 65_535], [4, 2]],
      [1, [65_536, 65_537], [3, 1]],
      [2, [131_072], [5]],
    ])
  })

  it('has evaluations as jobs', async () => {
    const database = await open(oldDatabase())
    const jobs = await find(database, JobEntity, sql`ORDER BY id`, ['input'])
    const common = {
      kind: 'evaluate',
      owner: 'anonymous',
      uniqueKey: null,
      priority: 0,
      input: null,
      result: null,
      message: null,
      worker: null,
      leaseUntil: null,
      cancelRequested: 0,
      parentId: null,
      datasetId: 1,
      progress: 0,
      failure: null,
    }
    const failure = (code: string, message: string) => ({ code, message, summary: message, detail: {} })
    const stopped = failure('WORKER_LOST', 'the server stopped before the evaluation ended; start it again')
    const minute = (time: string) => `2026-01-05T10:${time}.000Z`
    const now = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    expect(jobs).toEqual([
      {
        ...common,
        id: 1,
        systemId: 1,
        state: 'DONE',
        progress: 1,
        attempts: 1,
        createdAt: minute('00:00'),
        startedAt: minute('00:01'),
        finishedAt: minute('00:03'),
      },
      {
        ...common,
        id: 2,
        systemId: 2,
        state: 'FAILED',
        failure: failure('INTERNAL', 'the system was removed'),
        attempts: 1,
        createdAt: minute('01:00'),
        startedAt: minute('01:01'),
        finishedAt: minute('01:02'),
      },
      {
        ...common,
        id: 3,
        systemId: 2,
        state: 'CANCELLED',
        cancelRequested: 1,
        attempts: 0,
        createdAt: minute('02:00'),
        startedAt: null,
        finishedAt: minute('02:05'),
      },
      {
        ...common,
        id: 4,
        systemId: 2,
        state: 'FAILED',
        failure: stopped,
        attempts: 1,
        createdAt: minute('03:00'),
        startedAt: minute('03:01'),
        finishedAt: minute('09:00'),
      },
      {
        ...common,
        id: 5,
        systemId: 1,
        state: 'FAILED',
        failure: stopped,
        attempts: 1,
        createdAt: minute('10:00'),
        startedAt: minute('10:01'),
        finishedAt: now,
      },
      {
        ...common,
        id: 6,
        systemId: 2,
        state: 'FAILED',
        failure: stopped,
        attempts: 0,
        createdAt: minute('11:00'),
        startedAt: null,
        finishedAt: now,
      },
    ])
  })

  it('does not reuse the ids of removed rows', async () => {
    const file = oldDatabase()
    read(file, (connection) => {
      connection.pragma('foreign_keys = ON')
      connection.exec(`INSERT INTO dataset (id, name, captions_per_image, image_count, caption_count,
                                            excluded_image_count, created_at) VALUES (77, 'gone', 0, 0, 0, 0, '');
                       INSERT INTO image (id, dataset_id, external_id, caption_count) VALUES (1234, 77, 'x', 0);
                       INSERT INTO evaluation (id, system_id, status, created_at) VALUES (50, 1, 'DONE', '');
                       DELETE FROM evaluation WHERE id = 50;
                       DELETE FROM dataset WHERE id = 77`)
    })
    const database = await open(file)
    const dataset = await insert(database, DatasetEntity, {
      name: 'new',
      captionsPerImage: 0,
      imageCount: 0,
      captionCount: 0,
      excludedImageCount: 0,
      createdAt: '',
    })
    const image = { datasetId: dataset, externalId: '1', captionCount: 0 }
    expect([dataset, await insert(database, ImageEntity, image)]).toEqual([78, 1235])
    expect(await database.reserveIds(JobEntity, 1)).toBe(51)
  })

  it('is migrated once: opening it again changes nothing', async () => {
    const file = oldDatabase()
    await migrate(file)
    const after = dump(file)
    const bytes = readFileSync(file)
    rmSync(backUpOf(file))
    await migrate(file)
    expect(dump(file)).toEqual(after)
    expect(readFileSync(file).equals(bytes)).toBe(true)
    expect(existsSync(backUpOf(file))).toBe(false)
  })

  it('is migrated once by concurrent processes', async () => {
    const file = oldDatabase()
    const before = dump(file)
    await Promise.all([migrate(file), migrate(file), migrate(file), migrate(file)])
    expect(dump(file).migrations).toHaveLength(SCHEMA_VERSION)
    expect(dump(backUpOf(file))).toEqual(before)
    const files = readdirSync(folder).filter((name) => name.startsWith(`${file.split('/').at(-1)}`))
    expect(files.sort()).toEqual([file, backUpOf(file)].map((name) => name.split('/').at(-1)).sort())
  })

  it('is migrated once while a thread holds its lock', async () => {
    const file = oldDatabase()
    const holder = new Worker(
      `const { workerData, parentPort } = require('node:worker_threads')
       const connection = new (require('better-sqlite3'))(workerData)
       connection.exec("BEGIN IMMEDIATE; INSERT INTO token (id, text) VALUES (5000, 'late')")
       parentPort.once('message', () => { connection.exec('COMMIT'); connection.close() })
       parentPort.postMessage('locked')`,
      { eval: true, workerData: file },
    )
    await new Promise((resolve) => holder.once('message', resolve))
    const migrating = Promise.all([migrate(file), migrate(file)])
    holder.postMessage('commit')
    await migrating
    // Rows written just before the migration are in both.
    const late = { id: 5000, text: 'late' }
    expect(dump(file).token).toContainEqual(late)
    expect(dump(backUpOf(file)).token).toContainEqual(late)
    await holder.terminate()
  })

  it('does not change if the migration fails', async () => {
    const file = oldDatabase()
    const before = dump(file)
    const up = TwoDatabases1795305600000.prototype.up
    vi.spyOn(TwoDatabases1795305600000.prototype, 'up').mockImplementationOnce(async function (
      this: TwoDatabases1795305600000,
      runner,
    ) {
      await up.call(this, runner)
      throw new Error('the power failed')
    })
    await expect(migrate(file)).rejects.toThrow('the power failed')
    expect(dump(file)).toEqual(before)
    expect(read(file, (connection) => connection.pragma('user_version', { simple: true }))).toBe(0)
    await migrate(file)
    expect(comparable(dump(file).token, ['id', 'text'])).toEqual(comparable(before.token, ['id', 'text']))
  })

  it('does not change if a row refers to a missing one', async () => {
    const file = oldDatabase()
    read(file, (connection) => {
      connection.pragma('foreign_keys = OFF')
      connection.exec('UPDATE caption SET image_id = 999 WHERE id = 1')
    })
    const before = dump(file)
    await expect(migrate(file)).rejects.toThrow(/1 row that refers to a missing one: of caption to image/)
    expect(dump(file)).toEqual(before)
  })
})

describe.each(ENGINES)('percentile intervals on %s', (engine) => {
  it('are removed with their resamples, from scores, signatures and records', async () => {
    const { location, remove } = await createTestDatabase(engine)
    try {
      const old = await openDatabase(location)
      const record = { metric: 'M', seed: 1, resamples: 1000, layoutRevision: 2 }
      const systemId = await insertOldScore(old, record)
      await old.close()
      const database = await openDatabase(location)
      opened.push(database)
      const [score] = await readScores(database, [systemId])
      expect(score).toMatchObject({
        value: 0.5,
        lower: null,
        upper: null,
        signature: 'M|layout:2|version:0.1.0',
      })
      const converted = { metric: 'M', seed: null, layoutRevision: 2, interval: null }
      const [{ id, ...row }] = await find(database, ProvenanceEntity, EMPTY)
      expect(id).toBe(score.provenanceId)
      const hash = createHash('sha256').update(canonicalJson(converted)).digest('hex')
      expect(row).toEqual({ record: converted, hash })
    } finally {
      for (const database of opened.splice(0)) await database.close()
      await remove()
    }
  })

  /** A score with an interval, in a database that is taken back to the version before. */
  async function insertOldScore(database: Database, record: Record<string, unknown>): Promise<number> {
    const datasetId = await captionedDataset(database, 'old', { '1': [] })
    const system = { datasetId, name: 'ours', imageCount: 1, missingImageCount: 0 }
    const systemId = await insertSystem(database, system, 'CAPTIONS')
    const statistics = Float64Array.of(1)
    const score = {
      metric: 'M',
      signature: 'M|layout:2|bs:1000|seed:1|version:0.1.0',
      referenceCount: 5,
      folds: null,
      value: 0.5,
      lower: 0.4,
      upper: 0.6,
      warnings: [],
      record: record as unknown as ProvenanceRecord,
      imageScores: statistics,
    }
    const measurement = { family: 'F', layoutRevision: 2, statistics, scores: [score] }
    await saveScores(database, systemId, Int32Array.of(1), [measurement])
    await database.run(sql`DELETE FROM migrations WHERE name LIKE 'Intervals%'`)
    if (engine === 'postgres')
      await database.run(sql`UPDATE accord SET schema_version = ${SCHEMA_VERSION - 1}`)
    else await database.run(raw(`PRAGMA user_version = ${SCHEMA_VERSION - 1}`))
    return systemId
  }
})

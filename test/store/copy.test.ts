import { createHash } from 'node:crypto'
import BetterSqlite3 from 'better-sqlite3'
import { afterEach, describe, expect, it } from 'vitest'
import type { ArtefactHeader } from '../../src/core/composite/artefact.js'
import type { ProvenanceRecord } from '../../src/core/metrics/provenance.js'
import { AccordError } from '../../src/errors.js'
import { DEFAULT_BOUND_SETTINGS } from '../../src/shared/choices.js'
import {
  insertAccessToken,
  insertAuditEntry,
  insertInvitation,
  insertMember,
  insertSession,
  insertTeam,
  insertUser,
  replaceReset,
  savePasswordHash,
} from '../../src/store/accounts.js'
import { saveAtoms, saveVotes } from '../../src/store/atoms.js'
import { saveBoard } from '../../src/store/boards.js'
import * as bounds from '../../src/store/bounds.js'
import { insertChallenge, savePhase } from '../../src/store/challenges.js'
import { insertCollection, takeTask } from '../../src/store/collections.js'
import { copyRows } from '../../src/store/copy.js'
import { openDatabase } from '../../src/store/database.js'
import { createDataset } from '../../src/store/datasets.js'
import type { NewRow } from '../../src/store/engine/columns.js'
import { find, insert, quoteColumn } from '../../src/store/engine/rows.js'
import type { Database, Session } from '../../src/store/engine/session.js'
import { type EngineName, raw, sql } from '../../src/store/engine/sql.js'
import { insertJudgements, saveJudgedScores } from '../../src/store/judgements.js'
import { insertExternalMetric, saveCurve, saveFrequencies } from '../../src/store/metrics.js'
import { saveImageObjects } from '../../src/store/objects.js'
import type { PhaseSettings } from '../../src/store/schema/challenge-tables.js'
import { PostingEntity, TokenEntity } from '../../src/store/schema/dataset-tables.js'
import { ENTITIES } from '../../src/store/schema/entities.js'
import { JobEntity, ShardEntity, UploadPieceEntity } from '../../src/store/schema/job-tables.js'
import { ArtefactEntity } from '../../src/store/schema/metric-tables.js'
import { AgreementStatisticsEntity, ProvenanceEntity } from '../../src/store/schema/score-tables.js'
import { ImageSetEntity } from '../../src/store/schema/system-tables.js'
import { insertGrant, insertSubmission, setSubmissionJob } from '../../src/store/submissions.js'
import { insertUpload } from '../../src/store/uploads.js'
import { temporaryFolder } from '../formats/kit.js'
import { createTestDatabase } from '../kit/databases.js'
import { postgresMissing } from '../kit/postgres.js'
import { isSlow } from '../kit/slow.js'
import { writeVillages } from '../kit/villages.js'
import { addSystem } from './kit.js'

const { path } = temporaryFolder()
const cleanUps: (() => Promise<void>)[] = []
let files = 0

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

async function open(engine: EngineName): Promise<Database> {
  const { location, remove } = await createTestDatabase(engine)
  cleanUps.push(async () => remove())
  return openHere(location)
}

async function openHere(location: string): Promise<Database> {
  const database = await openDatabase(location)
  cleanUps.push(() => database.close())
  return database
}

async function openExample(): Promise<Database> {
  const file = path(`${++files}.sqlite`)
  await writeVillages(file)
  return openHere(file)
}

const copy = (source: Database, target: Database) => copyRows(source, target, () => {})

/** All columns of all rows of each table, in the order of its primary key; blobs as their hashes. */
async function contentOf(session: Session): Promise<Record<string, object[]>> {
  const content: Record<string, object[]> = {}
  for (const entity of ENTITIES) {
    const keys = Object.keys(entity.columns).filter((property) => entity.columns[property].primary)
    const order = keys.map((property) => quoteColumn(entity, property)).join(', ')
    const rows = await session.all(raw(`SELECT * FROM ${entity.name} ORDER BY ${order}`))
    content[entity.name] = rows.map((row) =>
      Object.fromEntries(Object.entries(row).map(([name, value]) => [name, hashOf(value)])),
    )
  }
  return content
}

/** SQLite has numbers for booleans. */
function hashOf(value: unknown): unknown {
  if (typeof value === 'boolean') return Number(value)
  return Buffer.isBuffer(value) ? createHash('sha256').update(value).digest('hex') : value
}

const job = (changes: Partial<NewRow<typeof JobEntity>>): Partial<NewRow<typeof JobEntity>> => ({
  kind: 'evaluate',
  owner: 'somebody',
  priority: 0,
  status: 'QUEUED',
  input: { datasetId: 1, systemId: 1 },
  progress: 0,
  attempts: 0,
  cancelRequested: false,
  createdAt: '2026-01-01T00:00:00.000Z',
  ...changes,
})

/** A row of each table of upper bounds. */
async function fillBounds(session: Session, datasetId: number): Promise<void> {
  await saveAtoms(session, datasetId, [{ kind: 'entity', rank: 1, text: 'dog', count: 2, imageCount: 1 }])
  const vote = { kind: 'entity', text: 'dog', voter: 'anna', isVisual: true, people: 1 } as const
  await saveVotes(session, [{ datasetId, ...vote }])
  const ids = Int32Array.of(1)
  const splitId = await bounds.insertSplit(session, datasetId, 'key', {
    training: ids,
    validation: ids,
    test: ids,
  })
  const boundId = await bounds.insertBound(session, {
    datasetId,
    splitId,
    key: 'key',
    settings: DEFAULT_BOUND_SETTINGS,
  })
  const header = { version: 1, dataset: 'hash', step: 1, bestLoss: 1, bestStep: 1, partCount: 1 }
  const loss = { boundId, step: 1, training: 2, validation: 1 }
  await bounds.saveLoss(session, loss, { header, parts: [Buffer.of(1, 2)] })
  const score = { value: 1, lower: null, upper: null, imageScores: Float64Array.of(1) }
  await bounds.insertRetrieval(session, splitId, 'CIDEr 1', score)
}

const allWays: [EngineName, EngineName][] = [
  ['sqlite', 'postgres'],
  ['postgres', 'sqlite'],
  ['sqlite', 'sqlite'],
  ['postgres', 'postgres'],
]
const testedWays = postgresMissing
  ? allWays.filter((ways) => !ways.includes('postgres'))
  : allWays.slice(0, isSlow ? undefined : 2)

describe.skipIf(postgresMissing)('a copy to PostgreSQL and back', () => {
  it('has all rows of every table, unchanged', async () => {
    const source = await openExample()
    await insert(source, ProvenanceEntity, {
      hash: 'abc',
      record: { z: 1.5, a: [null, 'é'], text: '\t\\N\n' } as unknown as ProvenanceRecord,
    })
    const [{ id: datasetId }] = await source.all<{ id: number }>(sql`SELECT id FROM dataset LIMIT 1`)
    const [{ id: imageId }] = await source.all<{ id: number }>(sql`SELECT id FROM image LIMIT 1`)
    const judged = {
      imageId,
      text: 'a cat',
      tokens: Int32Array.of(1),
      system: null,
      ratings: [{ rater: 'é', value: 1.5 }],
    }
    const setId = await insertJudgements(
      source,
      {
        datasetId,
        kind: 'PREFERENCES',
        captionCount: 2,
        judgementCount: 1,
        ownCaptionCount: 0,
        equalPairCount: 0,
        content: 'abc',
      },
      [judged, judged],
      [{ externalId: '1', first: 0, second: 1, preferred: 0, category: 'HC' }],
    )
    const scored = {
      record: { metric: 'CIDEr' } as ProvenanceRecord,
      scores: Float64Array.of(0.5, Number.NaN),
    }
    await saveJudgedScores(source, setId, [scored])
    await insert(source, ArtefactEntity, {
      name: 'EvalMS',
      hash: 'abc',
      header: { seed: 1 } as ArtefactHeader,
      weights: Buffer.alloc(16, 0x7f),
      createdAt: '2026-01-01T00:00:00.000Z',
    })
    await insertExternalMetric(source, {
      name: 'Été',
      version: '1',
      lowest: -0.5,
      highest: 1e300,
      higherIsBetter: false,
    })
    await saveFrequencies(source, 'abc', Buffer.of(1, 255))
    await insert(source, AgreementStatisticsEntity, {
      datasetId,
      family: 'BLEU',
      layoutRevision: 1,
      imageIds: Buffer.of(1, 0, 0, 0),
      statistics: Buffer.alloc(8, 0xff),
    })
    await fillBounds(source, datasetId)
    await fillAccounts(source)
    await insertUpload(source, { id: 'id', owner: 'anna', name: 'é.json' }, 1000)
    await source.insertMany(
      UploadPieceEntity,
      ['uploadId', 'position', 'content'],
      [['id', 0, Buffer.of(1, 2)]],
    )
    const asked = { externalId: '1', fileName: null, url: null, width: 1, height: null }
    const collection = { name: 'é', captionsPerImage: 2, isExtension: false }
    const collectionId = await insertCollection(source, collection, [asked])
    await takeTask(source, { collectionId, annotator: 'anna', leaseMs: 1000 })
    const jobId = await insert(
      source,
      JobEntity,
      job({ status: 'DONE', endedAt: '2026-01-01T00:00:01.000Z' }),
    )
    await fillChallenges(source, datasetId, jobId)
    const network = { inputs: 2, hidden: [], activation: 'tanh', dropout: 0 } as const
    await saveCurve(source, {
      jobId,
      position: 0,
      seed: 1,
      network,
      epochs: [{ loss: 0.5, agreement: null }],
    })
    const [{ id: image }] = await source.all<{ id: number }>(sql`SELECT id FROM image LIMIT 1`)
    await saveImageObjects(source, datasetId, new Map([[image, ['dog', 'person']]]))
    const before = await contentOf(source)
    const filled = Object.keys(before).filter((table) => before[table].length > 0)
    expect(ENTITIES.map(({ name }) => name).filter((name) => !filled.includes(name))).toEqual(['shard'])
    const middle = await open('postgres')
    const target = await open('sqlite')
    const counts = await copy(source, middle)
    expect(Object.fromEntries(counts)).toEqual(
      Object.fromEntries(Object.entries(before).map(([table, rows]) => [table, rows.length])),
    )
    expect(await contentOf(middle)).toEqual(before)
    await copy(middle, target)
    expect(await contentOf(target)).toEqual(before)
    expect(await contentOf(source)).toEqual(before)
  })
})

describe.each(testedWays)('a copy from %s to %s', (from, to) => {
  it('has rows of any size and text', async () => {
    const source = await open(from)
    const texts = ['', "it's", '\\', '\\N', '\\.', 'a\tb\r\nc', '\u{1f415}', '"', 'é', 'e\u0301']
    await source.insertMany(
      TokenEntity,
      ['text'],
      [...texts.map((text) => [text]), ...Array.from({ length: 4500 }, (_, index) => [`token ${index}`])],
    )
    const ranges: string[] = []
    await source.transaction(async (session) => {
      await addSystem(session, await createDataset(session, 'd'), 's', 'CAPTIONS')
      const sizes = [0, 1, 5_000_000, 3_000_000, 2_000_000, 10]
      await session.insertMany(
        ImageSetEntity,
        ['id', 'systemId', 'imageIds'],
        sizes.map((size, index) => [index + 10, 1, Buffer.alloc(size, index)]),
      )
    })
    const target = await open(to)
    await copyRows(source, target, (copied, all, table) => ranges.push(`${table} ${copied} of ${all}`))
    expect(await contentOf(target)).toEqual(await contentOf(source))
    // At most 2,000 rows, and at most 4 MB or a single larger row.
    expect(ranges.filter((line) => /^token|^image_set/.test(line))).toEqual([
      'token 0 of 4518',
      'token 2000 of 4518',
      'token 4000 of 4518',
      'image_set 4512 of 4518',
      'image_set 4514 of 4518',
      'image_set 4515 of 4518',
      'image_set 4516 of 4518',
    ])
  })

  it('continues the ids of the source', async () => {
    const source = await open(from)
    const target = await open(to)
    for (const text of ['a', 'b', 'c']) await insert(source, TokenEntity, { text })
    await source.run(sql`DELETE FROM token WHERE text = 'c'`)
    await copy(source, target)
    expect(await insert(target, TokenEntity, { text: 'new' })).toBe(4)
    expect(await insert(target, ProvenanceEntity, { hash: '', record: {} as ProvenanceRecord })).toBe(1)
  })

  it('queues unfinished jobs, without the output of their shards', async () => {
    const source = await open(from)
    const target = await open(to)
    const running = {
      status: 'RUNNING',
      worker: 'w',
      leaseUntil: '2026-01-01T00:00:00.250Z',
      attempts: 2,
      progress: 0.5,
    } as const
    const ended = job({
      status: 'FAILED',
      input: { datasetId: 3 },
      failure: { code: 'BUSY', message: 'm', summary: 's', detail: { source: 'x' } },
      endedAt: '2026-01-01T00:00:02.000Z',
      startedAt: '2026-01-01T00:00:01.000Z',
      attempts: 1,
    })
    await insert(source, JobEntity, ended)
    await insert(
      source,
      JobEntity,
      job({ ...running, startedAt: 'x', message: 'computing', uniqueKey: 'k1' }),
    )
    const waiting = await insert(
      source,
      JobEntity,
      job({ status: 'RUNNING', progress: 0.1, startedAt: 'x', priority: 7 }),
    )
    await insert(source, JobEntity, job({ ...running, parentId: waiting }))
    await insert(source, JobEntity, job({ cancelRequested: true }))
    await source.insertMany(
      ShardEntity,
      ['jobId', 'step', 'position', 'content'],
      [[waiting, 'a', 0, Buffer.of(1)]],
    )
    await copy(source, target)
    const jobs = await find(target, JobEntity, sql`ORDER BY id`, ['input'])
    const empty = {
      datasetId: null,
      systemId: null,
      parentId: null,
      uniqueKey: null,
      waiterCount: null,
      cacheKey: null,
      result: null,
      failure: null,
      message: null,
      worker: null,
      leaseUntil: null,
      startedAt: null,
      endedAt: null,
    }
    expect(jobs).toEqual([
      { ...empty, ...ended, id: 1 },
      { ...empty, ...job({ uniqueKey: 'k1' }), id: 2 },
      { ...empty, ...job({ priority: 7 }), id: 3 },
      { ...empty, ...job({ cancelRequested: true }), id: 5 },
    ])
    expect(await target.all(raw('SELECT * FROM shard'))).toEqual([])
    expect(await insert(target, JobEntity, job({}))).toBe(6)
  })

  it('is a snapshot of the time at which it started', async () => {
    const source = await open(from)
    const target = await open(to)
    await insert(source, TokenEntity, { text: 'before' })
    let written: Promise<unknown> | undefined
    await copyRows(source, target, () => {
      written ??= insert(source, ProvenanceEntity, { hash: 'after', record: {} as ProvenanceRecord })
    })
    await written
    expect(await target.all(raw('SELECT text FROM token'))).toEqual([{ text: 'before' }])
    expect(await target.all(raw('SELECT * FROM provenance'))).toEqual([])
    expect(await source.all(raw('SELECT hash FROM provenance'))).toEqual([{ hash: 'after' }])
  })

  it('is refused if the target has rows, and changes nothing', async () => {
    const source = await open(from)
    const target = await open(to)
    await insert(source, TokenEntity, { text: 'dog' })
    await insert(target, ProvenanceEntity, { hash: 'x', record: {} as ProvenanceRecord })
    const before = await contentOf(target)
    const failure = await copy(source, target).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(AccordError)
    expect((failure as AccordError).message).toBe(
      `${target.location}: the target database is not empty: expected a new or empty database, found rows of provenance`,
    )
    expect(await contentOf(target)).toEqual(before)
    await expect(copy(source, source)).rejects.toThrow('found rows of token')
  })

  it('leaves nothing if it is interrupted, and can be repeated', async () => {
    const source = await open(from)
    const target = await open(to)
    await insert(source, TokenEntity, { text: 'dog' })
    await insert(source, ProvenanceEntity, { hash: 'x', record: {} as ProvenanceRecord })
    const interrupted = copyRows(source, target, (_copied, _all, table) => {
      if (table === 'provenance') throw new Error('interrupted')
    })
    await expect(interrupted).rejects.toThrow('interrupted')
    expect(await target.all(raw('SELECT * FROM token'))).toEqual([])
    await copy(source, target)
    expect(await contentOf(target)).toEqual(await contentOf(source))
  })
})

it.skipIf(postgresMissing)('a copy of text that PostgreSQL cannot store fails with one error', async () => {
  const source = await open('sqlite')
  const target = await open('postgres')
  const connection = new BetterSqlite3(source.location)
  connection.prepare('INSERT INTO token (text) VALUES (?)').run('a\0b')
  connection.close()
  await expect(copy(source, target)).rejects.toThrow(/invalid text: expected text without/)
})

it('postings, with a key of two columns, are copied in ranges', async () => {
  const source = await openExample()
  const [{ id }] = await source.all<{ id: number }>(raw('SELECT MAX(id) AS id FROM word'))
  await source.insertMany(
    PostingEntity,
    ['wordId', 'block', 'imageIds', 'captionCounts'],
    Array.from({ length: 5000 }, (_, block) => [
      id - (block % 3),
      block + 10,
      Buffer.of(block % 256),
      Buffer.of(1),
    ]),
  )
  const target = await open('sqlite')
  await copy(source, target)
  expect(await contentOf(target)).toEqual(await contentOf(source))
})

/** A user with everything that belongs to accounts. */
/** A row of each table of challenges. */
async function fillChallenges(session: Session, datasetId: number, jobId: number): Promise<void> {
  const challenge = {
    name: 'été',
    title: '',
    description: '# é',
    timeZone: 'UTC',
    hostTeam: 'local',
    isPaused: false,
    isDraft: false,
  }
  const challengeId = await insertChallenge(session, challenge)
  const settings = { metrics: ['BLEU-1'] } as unknown as PhaseSettings
  const phaseId = await savePhase(session, { challengeId, name: 'main', datasetId, settings })
  const submissionId = await insertSubmission(session, {
    phaseId,
    team: 'local',
    teamName: 'local',
    submitter: null,
    uploadId: null,
    entry: 'a.json',
    fileName: 'a.zip',
    day: '2026-01-01',
    acceptedAt: '2026-01-01T00:00:00.000Z',
    idempotencyKey: 'e7d9',
    isGranted: true,
    method: 'é',
    links: ['https://example.org'],
    isAnonymous: false,
  })
  await setSubmissionJob(session, submissionId, jobId)
  await saveBoard(session, phaseId, EMPTY_BOARD, { ids: [], newest: 1 })
  await insertGrant(session, { phaseId, team: 'local', count: 2 })
}

const EMPTY_BOARD = {
  revision: 2,
  metrics: [],
  rankedBy: 'BLEU-1',
  decimals: 3,
  signatures: [],
  rows: [],
  tests: {},
}

async function fillAccounts(session: Session): Promise<void> {
  const [time, userId, teamId, nameKey] = ['2026-01-01T00:00:00.000Z', 'u', 't', 'hash of anna']
  await insertUser(session, {
    id: userId,
    name: 'Änna',
    nameKey,
    role: 'user',
    isBanned: false,
    createdAt: time,
  })
  await savePasswordHash(session, userId, '$scrypt$ln=14,r=16,p=1$salt$key')
  await insertSession(session, { hash: 'h', userId, expiresAt: time })
  await replaceReset(session, { hash: 'h', userId, expiresAt: time })
  await insertTeam(session, { id: teamId, name: 'Owls', nameKey: 'owls', createdAt: time })
  await insertMember(session, { teamId, userId, role: 'owner', createdAt: time })
  await insertInvitation(session, { hash: 'h', teamId, nameKey, inviterId: userId, expiresAt: time })
  const token = { id: 'k', userId, name: 'ci', hash: 'h', start: 'accord_', scope: 'read' } as const
  await insertAccessToken(session, { ...token, expiresAt: time, usedAt: null, createdAt: time })
  await insertAuditEntry(session, { actor: 'Änna', action: 'removeDataset', subject: 'pets' })
}

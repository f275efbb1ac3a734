import { AccordError } from '../errors.js'
import { indexAllCaptions } from './caption-search.js'
import { type Entity, keysOf } from './engine/columns.js'
import { count, quoteColumn } from './engine/rows.js'
import { ConstraintViolation, type Database, type Session } from './engine/session.js'
import { join, type Parameter, perEngine, raw, type Sql, sql, where } from './engine/sql.js'
import { ENTITIES } from './schema/entities.js'
import { JobEntity, ShardEntity } from './schema/job-tables.js'
import { copyUploadFiles } from './uploads.js'

/** The number of rows of each table, by its name. */
export type RowCounts = ReadonlyMap<string, number>

export interface CopyOptions {
  /** Whether the rows of the target, on PostgreSQL, are removed in the same transaction. Default: it must be empty. */
  readonly isReplaced?: boolean
}

/**
 * Copies all rows of a database to an empty one, with their ids, in one transaction on the target. The copy is a
 * snapshot of the source. The target continues the ids of the source, including those of removed rows.
 *
 * Unfinished jobs are queued in the copy and start from the beginning; their shards are not copied.
 *
 * @param onProgress receives the number of copied rows, the number of all rows, and the name of the next table
 * @returns the number of copied rows of each table
 * @throws AccordError NOT_APPLICABLE if the target is not empty; errors of the engines
 */
export function copyRows(
  source: Database,
  target: Database,
  onProgress: (copied: number, all: number, table: string) => void,
  { isReplaced = false }: CopyOptions = {},
): Promise<RowCounts> {
  return source.snapshot((reader) =>
    target.transaction(async (writer) => {
      if (isReplaced) await removeAll(writer)
      else await requireEmpty(writer, target.location)
      const counts = await countRows(reader)
      const all = [...counts.values()].reduce((sum, count) => sum + count, 0)
      let copied = 0
      for (const entity of ENTITIES) {
        for await (const rows of readRanges(reader, entity, copiedOf(entity))) {
          onProgress(copied, all, entity.name)
          await insertRows(writer, entity, rows).catch((error: unknown) => {
            throw error instanceof ConstraintViolation ? damagedSource(source.location, entity) : error
          })
          copied += rows.length
        }
        await continueIds(reader, writer, entity)
      }
      await requireCounts(writer, counts, target.location)
      await copyUploadFiles(reader, writer)
      await indexAllCaptions(writer)
      return counts
    }),
  )
}

/** The error for rows that a database without damage does not have. */
function damagedSource(location: string, { name }: Entity): AccordError {
  return new AccordError('INVALID_SHAPE', 'the database is damaged; nothing was written', {
    source: location,
    place: `table ${name}`,
    expected: 'rows whose keys are unique and refer to rows (run accord check)',
  })
}

/** Removes all rows of all tables of PostgreSQL. Other sessions wait until the end of the transaction. */
async function removeAll(session: Session): Promise<void> {
  const names = ENTITIES.map(({ name }) => name).join(', ')
  await session.run(raw(`TRUNCATE ${names} CASCADE`))
}

async function requireEmpty(session: Session, location: string): Promise<void> {
  if (session.engine === 'postgres') {
    const names = ENTITIES.map(({ name }) => name).join(', ')
    await session.run(raw(`LOCK TABLE ${names} IN SHARE ROW EXCLUSIVE MODE`))
  }
  for (const entity of ENTITIES) {
    const rows = await session.all(raw(`SELECT 1 AS found FROM ${entity.name} LIMIT 1`))
    if (rows.length === 0) continue
    throw new AccordError('NOT_APPLICABLE', 'the target database is not empty', {
      source: location,
      expected: 'a new or empty database',
      found: `rows of ${entity.name}`,
    })
  }
}

async function countRows(session: Session): Promise<RowCounts> {
  const counts = new Map<string, number>()
  for (const entity of ENTITIES) {
    counts.set(entity.name, await count(session, sql`FROM ${raw(entity.name)} ${where(copiedOf(entity))}`))
  }
  return counts
}

async function requireCounts(session: Session, expected: RowCounts, location: string): Promise<void> {
  const found = await countRows(session)
  for (const [table, count] of expected) {
    if (found.get(table) === count) continue
    throw new AccordError('INVALID_SHAPE', 'incomplete copy; nothing was written', {
      source: location,
      place: `table ${table}`,
      expected: `${count} rows`,
      found: `${found.get(table)}`,
    })
  }
}

/** Conditions on the rows that are copied: shards and their output are not. */
function copiedOf(entity: Entity): readonly Sql[] {
  if (entity.name === ShardEntity.name) return [raw('1 = 0')]
  if (entity.name === JobEntity.name) return [raw('parent_id IS NULL')]
  return []
}

async function insertRows(session: Session, entity: Entity, rows: readonly RawRow[]): Promise<void> {
  const properties = Object.keys(entity.columns)
  const copies = entity.name === JobEntity.name ? rows.map(requeue) : rows
  await session.insertMany(
    withoutJson(entity),
    properties,
    copies.map((row) => properties.map((property) => row[property])),
  )
}

/** The entity with JSON columns as text columns. */
function withoutJson(entity: Entity): Entity {
  const columns = Object.entries(entity.columns).map(([property, column]) => [
    property,
    column.type === 'simple-json' ? { ...column, type: 'text' } : column,
  ])
  return { ...entity, columns: Object.fromEntries(columns) }
}

/** The row of a job in the copy, which no worker has claimed. */
function requeue(row: RawRow): RawRow {
  if (row.endedAt !== null) return row
  return {
    ...row,
    status: 'QUEUED',
    progress: 0,
    message: null,
    attempts: 0,
    worker: null,
    leaseUntil: null,
    startedAt: null,
  }
}

/** Continues the ids of the source in the target, including those of removed rows. */
async function continueIds(source: Session, target: Session, entity: Entity): Promise<void> {
  if (!entity.columns.id?.generated) return
  const lastId = Math.max(await readLastId(source, entity), await readLastId(target, entity))
  if (lastId === 0) return
  const { name } = entity
  if (target.engine === 'postgres') {
    await target.all(sql`SELECT setval(pg_get_serial_sequence(${name}, 'id'), ${lastId}) AS last`)
  } else {
    await target.run(sql`DELETE FROM sqlite_sequence WHERE name = ${name}`)
    await target.run(sql`INSERT INTO sqlite_sequence (name, seq) VALUES (${name}, ${lastId})`)
  }
}

/** The last assigned id; 0 if there is none. */
async function readLastId(session: Session, { name }: Entity): Promise<number> {
  const [{ lastId }] = await session.all<{ lastId: number }>(
    sql`SELECT COALESCE(${perEngine({
      sqlite: `(SELECT seq FROM sqlite_sequence WHERE name = '${name}')`,
      postgres: `pg_sequence_last_value(pg_get_serial_sequence('${name}', 'id')::regclass)`,
    })}, 0) AS "lastId"`,
  )
  return lastId
}

/** Number of rows whose sizes are read together. */
const MAX_ROWS = 2000

/** Maximum number of bytes of texts and blobs that are read together, unless a single row is larger. */
const MAX_BYTES = 4 * 1024 * 1024

/** A row with all of its columns, JSON as text. */
type RawRow = Record<string, Parameter & (string | number | boolean | Buffer | null)>

/** All rows of a table by primary key, in ranges of bounded size. */
async function* readRanges(
  session: Session,
  entity: Entity,
  conditions: readonly Sql[] = [],
): AsyncGenerator<RawRow[]> {
  const keys = keysOf(entity)
  const columns = columnsOf(entity, Object.keys(entity.columns))
  const order = raw(keys.map((property) => quoteColumn(entity, property)).join(', '))
  let after: readonly Parameter[] | undefined
  for (;;) {
    const further = [...conditions, ...(after ? [sql`(${order}) > (${listOf(after)})`] : [])]
    const sizes = await session.all<RawRow & { size: number }>(
      sql`SELECT ${columnsOf(entity, keys)}, ${sizeOf(entity)} AS size FROM ${raw(entity.name)}
          ${where(further)} ORDER BY ${order} LIMIT ${MAX_ROWS}`,
    )
    const last = sizes[lastWithin(sizes, MAX_BYTES)]
    if (!last) return
    const end = keys.map((property) => last[property])
    yield await session.all<RawRow>(
      sql`SELECT ${columns} FROM ${raw(entity.name)}
          ${where([...further, sql`(${order}) <= (${listOf(end)})`])} ORDER BY ${order}`,
    )
    after = end
  }
}

/** The index of the last row such that the rows up to it have at most `maximum` bytes together; at least 0. */
function lastWithin(rows: readonly { readonly size: number }[], maximum: number): number {
  let sum = 0
  const tooMuch = rows.findIndex(({ size }) => {
    sum += size
    return sum > maximum
  })
  return tooMuch === -1 ? rows.length - 1 : Math.max(0, tooMuch - 1)
}

/** Columns named by the properties of rows; JSON is read as text. */
function columnsOf(entity: Entity, properties: readonly string[]): Sql {
  return raw(properties.map((property) => `${quoteColumn(entity, property)} AS "${property}"`).join(', '))
}

/** The number of bytes of a row's texts and blobs. */
function sizeOf(entity: Entity): Sql {
  const lengths = Object.keys(entity.columns)
    .filter((property) => ['text', 'simple-json', 'blob'].includes(String(entity.columns[property].type)))
    .map((property) => `COALESCE(octet_length(${quoteColumn(entity, property)}), 0)`)
  return raw(lengths.length === 0 ? '0' : lengths.join(' + '))
}

function listOf(values: readonly Parameter[]): Sql {
  return join(
    values.map((value) => sql`${value}`),
    ', ',
  )
}

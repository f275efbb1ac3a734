import {
  CHECKSUM,
  checksumOf,
  damaged,
  hasChecksums,
  ownerOf,
  seal,
  unseal,
  withChecksums,
} from './checksums.js'
import { describeKey, type Entity, type NewRow, type Row } from './columns.js'
import { encode, mapRows, propertiesOfType } from './encoding.js'
import type { Rows, Session } from './session.js'
import { among, EMPTY, join, raw, type Sql, sql } from './sql.js'

type Property<E extends Entity> = keyof E['columns'] & string

/**
 * Rows of an entity, without columns of bytes unless they are named. Their checksums are compared.
 *
 * @param tail SQL after `FROM table`, without an alias: `WHERE image.dataset_id = … ORDER BY image.id`
 */
export async function find<E extends Entity, Bytes extends Property<E> = never>(
  session: Session,
  entity: E,
  tail: Sql,
  bytes: readonly Bytes[] = [],
): Promise<Row<E>[]> {
  const rows = await session.all<Row<E>>(
    sql`SELECT ${columnsOf(entity, bytes)} FROM ${raw(entity.name)} ${tail}`,
  )
  return decode(entity, rows)
}

/** A function that reads the rows in which a column has one of some values. Default: in no particular order. */
export function rowsBy<E extends Entity>(entity: E, property: Property<E>, ...orderBy: Property<E>[]) {
  const columns = orderBy.map((name) => quoteColumn(entity, name)).join(', ')
  const order = columns === '' ? EMPTY : raw(`ORDER BY ${columns}`)
  const column = raw(quoteColumn(entity, property))
  return (session: Session, keys: readonly number[]): Promise<Row<E>[]> =>
    find(session, entity, sql`WHERE ${column} ${among(keys)} ${order}`)
}

/** The first of these rows, or null. */
export async function findOne<E extends Entity>(
  session: Session,
  entity: E,
  tail: Sql,
): Promise<Row<E> | null> {
  const [row] = await find(session, entity, sql`${tail} LIMIT 1`)
  return row ?? null
}

/**
 * The columns of an entity, named by the properties of its rows, for queries beyond `find`. With the checksum, which
 * {@link decode} compares and removes.
 *
 * @param only the properties to read, without the checksum. Default: all but bytes
 */
export function columnsOf<E extends Entity>(
  entity: E,
  bytes: readonly Property<E>[] = [],
  only?: readonly Property<E>[],
): Sql {
  const columns = Object.entries(entity.columns).filter(([name, { select }]) => {
    const property = name as Property<E>
    if (only) return only.includes(property)
    return select !== false || bytes.includes(property) || name === CHECKSUM
  })
  return raw(columns.map(([property, { name }]) => `${entity.name}."${name}" AS "${property}"`).join(', '))
}

/**
 * Compares rows returned by a driver with their checksums, and parses their JSON columns.
 *
 * @throws AccordError RESOURCE_MISSING for a row that differs from its checksum
 */
export function decode<E extends Entity, Result extends object>(entity: E, rows: Result[]): Result[] {
  if (hasChecksums(entity)) compare(entity, rows as Record<string, unknown>[])
  const jsonProperties = propertiesOfType(entity, 'simple-json')
  if (jsonProperties.length === 0) return rows
  for (const row of rows as Record<string, unknown>[]) {
    for (const property of jsonProperties) {
      const value = row[property]
      if (typeof value === 'string') row[property] = JSON.parse(value)
    }
  }
  return rows
}

/** Compares rows, and the bytes that they have, with their checksums and removes these. */
function compare(entity: Entity, rows: Record<string, unknown>[]): void {
  const checksum = checksumOf(entity)
  const blobs = propertiesOfType(entity, 'blob')
  for (const row of rows) {
    if (CHECKSUM in row) {
      if (checksum(row) !== row[CHECKSUM]) throw damaged(entity.name, describeKey(entity, row))
      delete row[CHECKSUM]
    }
    for (const property of blobs) {
      if (property in row && row[property] !== null)
        row[property] = unseal(entity, row[property] as Buffer, ownerOf(entity, property, row))
    }
  }
}

/** The number of rows. @param from SQL after `SELECT count(*)`: `FROM table WHERE …` */
export async function count(session: Session, from: Sql): Promise<number> {
  const [{ rows }] = await session.all<{ rows: number }>(sql`SELECT count(*) AS rows ${from}`)
  return rows
}

/** Inserts one row. @returns its id */
export async function insert<E extends Entity>(
  session: Session,
  entity: E,
  row: Partial<NewRow<E>>,
): Promise<number> {
  const given = Object.entries(row).filter(([, value]) => value !== undefined)
  const { properties, rows } = withChecksums(
    entity,
    given.map(([property]) => property),
    [given.map(([, value]) => value)],
  )
  const [values] = rows as Iterable<readonly unknown[]>
  const names = raw(properties.map((property) => quoteColumn(entity, property)).join(', '))
  const encoded = values.map((value, index) => sql`${encode(entity, properties[index], value)}`)
  const [{ id }] = await session.all<{ id: number }>(
    sql`INSERT INTO ${raw(entity.name)} (${names}) VALUES (${join(encoded, ', ')}) RETURNING id`,
  )
  return id
}

/** Inserts whole rows, with their ids; checksums are added. */
export function insertRows<E extends Entity>(session: Session, entity: E, rows: Rows<Row<E>>): Promise<void> {
  const properties = Object.keys(entity.columns).filter((property) => property !== CHECKSUM)
  return session.insertMany(
    entity,
    properties,
    mapRows(rows, (row) => properties.map((property) => row[property])),
  )
}

/** Updates columns of rows, and their checksums. @returns the number of rows */
export function update<E extends Entity>(
  session: Session,
  entity: E,
  changes: Partial<NewRow<E>>,
  condition: Sql,
): Promise<number> {
  const isSealed = hasChecksums(entity)
  const assignments = Object.entries(changes)
    .filter(([, value]) => value !== undefined)
    .map(([property, value]) => {
      const stored = isSealed && Buffer.isBuffer(value) ? seal(value) : encode(entity, property, value)
      return sql`${raw(quoteColumn(entity, property))} = ${stored}`
    })
  const statement = sql`UPDATE ${raw(entity.name)} SET ${join(assignments, ', ')} WHERE ${condition}`
  if (!isSealed) return session.run(statement)
  return session.transaction(async (writer) => {
    const rows = await writer.all<{ id: number }>(sql`${statement} RETURNING ${columnsOf(entity)}`)
    const checksum = checksumOf(entity)
    for (const row of rows)
      await writer.run(
        sql`UPDATE ${raw(entity.name)} SET ${raw(CHECKSUM)} = ${checksum({ ...row })} WHERE id = ${row.id}`,
      )
    return rows.length
  })
}

/** The quoted name of a property's column. */
export function quoteColumn(entity: Entity, property: string): string {
  return `"${entity.columns[property].name}"`
}

import type { AccordError } from '../../errors.js'
import { damaged } from './blobs.js'
import { describeKey, type Entity, type NewRow, type Row } from './columns.js'
import { ConstraintViolation, type Rows, type Session } from './session.js'
import { among, EMPTY, join, type Parameter, perEngine, raw, type Sql, sql } from './sql.js'

type Property<E extends Entity> = keyof E['columns'] & string

/**
 * Rows of an entity, without columns of bytes unless they are named.
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
 * The columns of an entity, named by the properties of its rows, for queries beyond `find`.
 *
 * @param only the properties to read. Default: all but bytes
 */
export function columnsOf<E extends Entity>(
  entity: E,
  bytes: readonly Property<E>[] = [],
  only?: readonly Property<E>[],
): Sql {
  const columns = Object.entries(entity.columns).filter(([name, { select }]) => {
    const property = name as Property<E>
    if (only) return only.includes(property)
    return select !== false || bytes.includes(property)
  })
  return raw(columns.map(([property, { name }]) => `${entity.name}."${name}" AS "${property}"`).join(', '))
}

/**
 * Parses the JSON columns of rows returned by a driver, and makes booleans of the numbers that SQLite has for them.
 *
 * @throws AccordError RESOURCE_MISSING for a text that is not JSON
 */
export function decode<E extends Entity, Result extends object>(entity: E, rows: Result[]): Result[] {
  const jsonProperties = propertiesOfType(entity, 'simple-json')
  const flags = propertiesOfType(entity, 'boolean')
  if (jsonProperties.length + flags.length === 0) return rows
  for (const row of rows as Record<string, unknown>[]) {
    for (const property of jsonProperties) {
      const value = row[property]
      if (typeof value === 'string') row[property] = parseJson(entity, row, value)
    }
    for (const property of flags) {
      const value = row[property]
      if (typeof value === 'number') row[property] = value !== 0
    }
  }
  return rows
}

/** @throws AccordError as {@link decode} */
export function parseJson(entity: Entity, row: Readonly<Record<string, unknown>>, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw damaged(entity.name, describeKey(entity, row), 'JSON')
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
  const names = raw(given.map(([property]) => quoteColumn(entity, property)).join(', '))
  const encoded = given.map(([property, value]) => sql`${encode(entity, property, value)}`)
  const [{ id }] = await session.all<{ id: number }>(
    sql`INSERT INTO ${raw(entity.name)} (${names}) VALUES (${join(encoded, ', ')}) RETURNING id`,
  )
  return id
}

/** Inserts whole rows, with their ids. */
export function insertRows<E extends Entity>(session: Session, entity: E, rows: Rows<Row<E>>): Promise<void> {
  const properties = Object.keys(entity.columns)
  return session.insertMany(
    entity,
    properties,
    mapRows(rows, (row) => properties.map((property) => row[property])),
  )
}

/** Updates columns of rows. @returns the number of rows */
export function update<E extends Entity>(
  session: Session,
  entity: E,
  changes: Partial<NewRow<E>>,
  condition: Sql,
): Promise<number> {
  const assignments = Object.entries(changes)
    .filter(([, value]) => value !== undefined)
    .map(
      ([property, value]) => sql`${raw(quoteColumn(entity, property))} = ${encode(entity, property, value)}`,
    )
  return session.run(sql`UPDATE ${raw(entity.name)} SET ${join(assignments, ', ')} WHERE ${condition}`)
}

export function quoteColumn(entity: Entity, property: string): string {
  return `"${entity.columns[property].name}"`
}

/**
 * Locks a row until the end of the transaction, so that other writers of data that belongs to it wait. On SQLite,
 * transactions always run one at a time.
 *
 * @returns false if the row does not exist
 */
export async function lockRow(session: Session, entity: Entity, id: number): Promise<boolean> {
  const lock = perEngine({ sqlite: '', postgres: 'FOR NO KEY UPDATE' })
  const rows = await session.all(sql`SELECT id FROM ${raw(entity.name)} WHERE id = ${id} ${lock}`)
  return rows.length > 0
}

/** The result of a statement. Violated constraints are thrown as the given errors. */
export async function translateViolations<Result>(
  execute: () => Promise<Result>,
  errors: { readonly [Kind in ConstraintViolation['kind']]?: () => AccordError },
): Promise<Result> {
  try {
    return await execute()
  } catch (error) {
    if (error instanceof ConstraintViolation) throw errors[error.kind]?.() ?? error
    throw error
  }
}

/** Maps items to rows lazily. */
export function mapRows<Item, Result>(items: Rows<Item>, map: (item: Item) => Result): Rows<Result> {
  return Symbol.iterator in items ? mapIterable(items, map) : mapAsyncIterable(items, map)
}

function* mapIterable<Item, Result>(items: Iterable<Item>, map: (item: Item) => Result): Generator<Result> {
  for (const item of items) yield map(item)
}

async function* mapAsyncIterable<Item, Result>(
  items: AsyncIterable<Item>,
  map: (item: Item) => Result,
): AsyncGenerator<Result> {
  for await (const item of items) yield map(item)
}

/** Properties of an entity whose columns are of a type. */
export function propertiesOfType(entity: Entity, type: string): string[] {
  return Object.keys(entity.columns).filter((property) => entity.columns[property].type === type)
}

export function encode(entity: Entity, property: string, value: unknown): Parameter {
  const isJson = entity.columns[property].type === 'simple-json'
  return isJson && value !== null ? JSON.stringify(value) : (value as Parameter)
}

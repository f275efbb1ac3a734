import { type Entity, keysOf } from './engine/columns.js'
import { quoteColumn } from './engine/rows.js'
import type { Session } from './engine/session.js'
import { join, type Parameter, raw, type Sql, sql, where } from './engine/sql.js'

/** Number of rows whose sizes are read together. */
const MAX_ROWS = 2000

/** Maximum number of bytes of texts and blobs that are read together, unless a single row is larger. */
const MAX_BYTES = 4 * 1024 * 1024

/** A row with all of its columns, JSON as text. */
export type RawRow = Record<string, Parameter & (string | number | Buffer | null)>

/** All rows of a table by primary key, in ranges of bounded size. */
export async function* readRanges(
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

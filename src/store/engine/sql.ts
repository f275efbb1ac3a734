import { countClockReading } from '../../clock.js'
import { AccordError } from '../../errors.js'
/**
 * SQL with parameters, for both engines. Queries are written as
 *
 *     sql`SELECT id FROM image WHERE dataset_id = ${datasetId} AND external_id ${among(externalIds)}`
 *
 * and can be nested. Values become parameters; only fragments created by this module become text.
 */

/** A value of a column, or a list of values as one parameter. */
export type Parameter = string | number | boolean | Buffer | null | ListParameter

/** A list of any length as one parameter. */
export interface ListParameter {
  readonly list: readonly number[] | readonly string[]
}

/** A piece of SQL. `texts` has one entry more than `parameters`, which are placed between its entries. */
export interface Sql {
  readonly texts: readonly string[]
  readonly parameters: readonly Part[]
}

/** A parameter, or text that differs between engines. */
type Part = Parameter | EngineText

interface EngineText {
  readonly sqlite: string
  readonly postgres: string
  /** Whether it asks the clock of the database. */
  readonly readsClock?: boolean
  readonly parameter?: ListParameter
}

export type EngineName = 'sqlite' | 'postgres'

export function sql(texts: TemplateStringsArray, ...values: readonly (Parameter | Sql)[]): Sql {
  const joined = [texts[0]]
  const parameters: Part[] = []
  for (const [index, value] of values.entries()) {
    if (isSql(value)) {
      joined[joined.length - 1] += value.texts[0]
      joined.push(...value.texts.slice(1))
      parameters.push(...value.parameters)
      joined[joined.length - 1] += texts[index + 1]
    } else {
      parameters.push(value)
      joined.push(texts[index + 1])
    }
  }
  return { texts: joined, parameters }
}

/** Text of the source code, such as names of tables and columns; never input. */
export function raw(text: string): Sql {
  return { texts: [text], parameters: [] }
}

/** Text that differs between engines. */
export function perEngine(texts: Omit<EngineText, 'parameter'>): Sql {
  return { texts: ['', ''], parameters: [texts] }
}

export const EMPTY = raw('')

export function join(parts: readonly Sql[], separator: string): Sql {
  return parts.reduce((all, part, index) => (index === 0 ? part : sql`${all}${raw(separator)}${part}`), EMPTY)
}

/** `WHERE` with all conditions; empty if there are none. */
export function where(conditions: readonly Sql[]): Sql {
  return conditions.length === 0 ? EMPTY : sql`WHERE ${join(conditions, ' AND ')}`
}

/**
 * A condition that holds for all rows, by which SQLite lets a long query be interrupted. PostgreSQL needs none.
 *
 * @param id an expression of integers, which decides about the rows that check it
 */
export function continues(id: string): Sql {
  return perEngine({ sqlite: `(${id} % ${CHECK_INTERVAL} != 0 OR continues())`, postgres: 'TRUE' })
}

/** Rows between two checks of {@link continues}, on average. */
const CHECK_INTERVAL = 1000

/** A condition on the preceding expression: `image.id ${among(ids)}`. The number of values is not limited. */
export function among(list: readonly number[] | readonly string[]): Sql {
  return listText(list, {
    sqlite: 'IN (SELECT value FROM json_each(?))',
    // PostgreSQL infers the type from the column, because an empty list has none.
    postgres: '= ANY(?)',
  })
}

/**
 * A list as a table with the column `value`: `FROM ${values(ids, 'wanted')} JOIN image ON image.id = wanted.value`. An
 * empty list has the type integer.
 */
export function values(list: readonly number[] | readonly string[], alias: string): Sql {
  return listText(list, {
    sqlite: `json_each(?) AS ${alias}`,
    postgres: `unnest(?::${typeof list[0] === 'string' ? 'text' : 'int'}[]) AS ${alias}(value)`,
  })
}

/** The text and parameters of a query for an engine. */
export function render(query: Sql, engine: EngineName): { text: string; values: unknown[] } {
  const parameters: unknown[] = []
  const place = (parameter: Parameter): string => {
    parameters.push(encode(parameter, engine))
    return engine === 'postgres' ? `$${parameters.length}` : '?'
  }
  let text = query.texts[0]
  for (const [index, part] of query.parameters.entries()) {
    text += isEngineText(part) ? renderText(part, engine, place) : place(part)
    text += query.texts[index + 1]
  }
  return { text, values: parameters }
}

function renderText(part: EngineText, engine: EngineName, place: (parameter: Parameter) => string): string {
  if (part.readsClock) countClockReading()
  const text = part[engine]
  return part.parameter === undefined ? text : text.replace('?', () => place(part.parameter as ListParameter))
}

function encode(parameter: Parameter, engine: EngineName): unknown {
  if (typeof parameter === 'string') return storable(parameter)
  if (typeof parameter === 'boolean') return engine === 'sqlite' ? Number(parameter) : parameter
  if (parameter === null || typeof parameter !== 'object' || Buffer.isBuffer(parameter)) return parameter
  const { list } = parameter
  for (const item of list) if (typeof item === 'string') storable(item)
  if (engine === 'sqlite') return JSON.stringify(list)
  return typeof list[0] === 'string' ? list : `{${list.join(',')}}`
}

/**
 * Returns the text. PostgreSQL cannot store U+0000, so both engines refuse it.
 *
 * @throws AccordError INVALID_VALUE
 */
export function storable(text: string): string {
  if (!text.includes('\0')) return text
  throw new AccordError('INVALID_VALUE', 'invalid text', { expected: 'text without the character U+0000' })
}

function listText(list: ListParameter['list'], texts: Readonly<Record<EngineName, string>>): Sql {
  return { texts: ['', ''], parameters: [{ ...texts, parameter: { list } }] }
}

function isSql(value: Parameter | Sql): value is Sql {
  return value !== null && typeof value === 'object' && 'texts' in value
}

function isEngineText(part: Part): part is EngineText {
  return part !== null && typeof part === 'object' && 'postgres' in part
}

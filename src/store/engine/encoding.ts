import type { Entity } from './columns.js'
import type { Rows } from './session.js'
import type { Parameter } from './sql.js'

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

/** Encodes a value for its column. */
export function encode(entity: Entity, property: string, value: unknown): Parameter {
  const isJson = entity.columns[property].type === 'simple-json'
  return isJson && value !== null ? JSON.stringify(value) : (value as Parameter)
}

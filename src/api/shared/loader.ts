import DataLoader from 'dataloader'
import type { Accord } from '../../services/shared/accord.js'
import type { Context } from './context.js'

/** How a loader reads the values of many keys at once. */
interface LoaderDefinition<Key, Part, Value> {
  /** What distinguishes a key from the others of its group. */
  readonly part: (key: Key) => Part
  /** Keys with equal values, compared as JSON, are read by one call of `read`. Default: all keys. */
  readonly group?: (key: Key) => unknown
  /** Reads the values of the keys of one group, by `part`. */
  readonly read: (
    accord: Accord,
    parts: readonly Part[],
    keys: readonly [Key, ...Key[]],
    context: Context,
  ) => Promise<ReadonlyMap<Part, Value>>
  /** The value of keys for which `read` returned no value. */
  readonly absent: Value
}

/** Returns the value of a key. Keys requested at the same time are read together; values are cached per request. */
type Load<Key, Value> = (context: Context, key: Key) => Promise<Value>

/**
 * Defines a loader. Each request has its own, created when it is first used.
 *
 *     const loadScores = defineLoader({
 *       part: ({ systemId }: { systemId: number; references: number }) => systemId,
 *       group: ({ references }) => references,
 *       read: (accord, systemIds, [{ references }]) => scoresBySystem(accord, systemIds, references),
 *       absent: [],
 *     })
 *     const scores = await loadScores(context, { systemId, references: 4 })
 */
export function defineLoader<Key, Part extends string | number, Value>(
  definition: LoaderDefinition<Key, Part, Value>,
): Load<Key, Value> {
  return (context, key) => {
    let loader = context.loaders.get(definition) as DataLoader<Key, Value, string> | undefined
    if (!loader) {
      loader = createLoader(context, definition)
      context.loaders.set(definition, loader)
    }
    return loader.load(key)
  }
}

/** A loader of rows by their number; null for a row that does not exist. */
export function defineRowLoader<Row>(
  read: (accord: Accord, ids: readonly number[]) => Promise<ReadonlyMap<number, Row>>,
): Load<number, Row | null> {
  return defineLoader<number, number, Row | null>({
    part: (id) => id,
    // Functions of the services have other options.
    read: (accord, ids) => read(accord, ids),
    absent: null,
  })
}

/** Loads lists, those of many rows at once before they are asked for. */
interface LoadList<Row> {
  /** The list, without a promise if it was read ahead: graphql completes values much faster than promises. */
  (context: Context, id: number): readonly Row[] | Promise<readonly Row[]>
  /** Reads lists that will be asked for. Those that cannot be read fail where they are. */
  ahead(context: Context, ids: readonly number[]): Promise<void>
}

/** A loader of lists by the number of the row that they belong to. */
export function defineListLoader<Row>(
  read: (accord: Accord, ids: readonly number[]) => Promise<ReadonlyMap<number, readonly Row[]>>,
): LoadList<Row> {
  const load = defineLoader<number, number, readonly Row[]>({
    part: (id) => id,
    read: (accord, ids) => read(accord, ids),
    absent: [],
  })
  function loadList(context: Context, id: number): readonly Row[] | Promise<readonly Row[]> {
    const known = context.loaders.get(loadList) as Map<number, readonly Row[]> | undefined
    return known?.get(id) ?? load(context, id)
  }
  loadList.ahead = async (context: Context, ids: readonly number[]): Promise<void> => {
    const found = await context.inTurn(() => read(context.accord, ids)).catch(() => new Map<number, Row[]>())
    const known = (context.loaders.get(loadList) ?? new Map()) as Map<number, readonly Row[]>
    for (const [id, rows] of found) known.set(id, rows)
    context.loaders.set(loadList, known)
  }
  return loadList
}

/** Names groups. Keys that are requested together mostly have the same value, which is named once. */
function createNames<Key>(group: (key: Key) => unknown = () => undefined): (key: Key) => string | undefined {
  let [value, name]: [unknown, string | undefined] = [undefined, undefined]
  return (key) => {
    const own = group(key)
    if (own !== value) [value, name] = [own, JSON.stringify(own)]
    return name
  }
}

function createLoader<Key, Part extends string | number, Value>(
  context: Context,
  { group, part, read, absent }: LoaderDefinition<Key, Part, Value>,
): DataLoader<Key, Value, string> {
  const nameOf = createNames(group)
  async function readGroup(keys: readonly [Key, ...Key[]]): Promise<ReadonlyMap<Part, Value> | Error> {
    try {
      const values = await context.inTurn(() => read(context.accord, keys.map(part), keys, context))
      return await context.inTurn(() => values)
    } catch (error) {
      // The keys of other groups are not affected.
      return error as Error
    }
  }
  return new DataLoader<Key, Value, string>(
    async (keys) => {
      const names = keys.map(nameOf)
      const groups = new Map<string | undefined, [Key, ...Key[]]>()
      for (const [index, key] of keys.entries()) {
        const members = groups.get(names[index])
        if (members) members.push(key)
        else groups.set(names[index], [key])
      }
      const results = new Map(
        await Promise.all(
          [...groups].map(async ([name, members]) => [name, await readGroup(members)] as const),
        ),
      )
      return keys.map((key, index) => {
        const values = results.get(names[index])
        return values instanceof Error ? values : (values?.get(part(key)) ?? absent)
      })
    },
    {
      cacheKeyFn: (key) => `${nameOf(key)}/${part(key)}`,
      // Objects whose fields are computed in turn arrive one after the other; their rows are read at once.
      batchScheduleFn: (dispatch) => void context.turnsTaken().then(() => process.nextTick(dispatch)),
    },
  )
}

/** A row that a foreign key refers to. @throws Error if it was removed while the request was executed */
export function present<Row>(row: Row | null | undefined): Row {
  if (row == null) throw new Error('A row was removed while the request was executed.')
  return row
}

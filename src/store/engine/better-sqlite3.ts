import { createRequire } from 'node:module'
import type Sqlite from 'better-sqlite3'
import { AccordError } from '../../errors.js'

/** Node-API of version 13 of better-sqlite3: Node 22.14 and newer. */
const NODE_API = 10

let loaded: typeof Sqlite | undefined

/**
 * SQLite, loaded when a database is opened. Version 12 of better-sqlite3 runs on Node 20, but aborts Node 24.19 and newer when
 * statements are collected as garbage. Version 13, an optional dependency, has binaries for most systems; it requires a
 * Node-API that Node 20 lacks.
 */
export function betterSqlite3(): typeof Sqlite {
  loaded ??= load()
  return loaded
}

export function connect(file: string, options: Sqlite.Options): Sqlite.Database {
  return new (betterSqlite3())(file, options)
}

function load(): typeof Sqlite {
  const require = createRequire(import.meta.url)
  if (Number(process.versions.napi) >= NODE_API) {
    try {
      return loadable(() => require('better-sqlite3-napi'))
    } catch {
      // Not installed, or without a binary for this system.
    }
  }
  return loadable(() => require('better-sqlite3'))
}

/**
 * The package with its binary, which it would load only when a database is opened.
 *
 * @throws AccordError RESOURCE_MISSING if there is no binary for this version of Node
 */
export function loadable(load: () => typeof Sqlite): typeof Sqlite {
  const Database = load()
  try {
    new Database(':memory:').close()
    return Database
  } catch {
    throw new AccordError('RESOURCE_MISSING', 'SQLite was installed for another version of Node', {
      source: 'better-sqlite3',
      expected: 'its binary for this version; in the folder of accord run: npm rebuild better-sqlite3',
      found: `Node ${process.version}`,
    })
  }
}

import { createRequire } from 'node:module'
import type Sqlite from 'better-sqlite3'

/** Node-API of version 13 of better-sqlite3: Node 22.14 and newer. */
const NODE_API = 10

/**
 * SQLite. Version 12 of better-sqlite3 runs on Node 20, but aborts Node 24.19 and newer when statements are collected as
 * garbage. Version 13, an optional dependency, has binaries for most systems; it requires a Node-API that Node 20 lacks.
 */
export const BetterSqlite3 = load()

function load(): typeof Sqlite {
  const require = createRequire(import.meta.url)
  if (Number(process.versions.napi) >= NODE_API) {
    try {
      return require('better-sqlite3-napi')
    } catch {
      // Not installed, or without a binary for this system.
    }
  }
  return require('better-sqlite3')
}

import { expect, it } from 'vitest'
import { betterSqlite3, loadable } from '../../../src/store/engine/better-sqlite3.js'

it('a binary of another version of Node is one line with the remedy', () => {
  class Unbuilt {
    constructor() {
      throw new Error('Could not locate the bindings file. Tried: …')
    }
  }
  expect(() => loadable(() => Unbuilt as never)).toThrow(
    `better-sqlite3: SQLite was installed for another version of Node: expected its binary for this version; in the folder of accord run: npm rebuild better-sqlite3, found Node ${process.version}`,
  )
  expect(loadable(betterSqlite3)).toBe(betterSqlite3())
})

import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { MigrationInterface, QueryRunner } from 'typeorm'
import { openDatabase } from '../../src/store/database.js'
import { join, type Parameter, raw, sql } from '../../src/store/engine/sql.js'
import { MIGRATIONS, type Migration } from '../../src/store/schema/version.js'

const FOLDER = new URL('../fixtures/versions/', import.meta.url)

/** A row of a database of an older version, by the names of its columns. Bytes are hexadecimal digits. */
export interface OldRow {
  readonly table: string
  readonly row: Readonly<Record<string, string | number | boolean | null | { readonly hex: string }>>
}

/** The versions of which there are rows: the numbers of executed migrations. */
export function versionsWithRows(): number[] {
  return readdirSync(FOLDER)
    .map((name) => Number.parseInt(name, 10))
    .sort((one, other) => one - other)
}

export function rowsOfVersion(version: number): OldRow[] {
  return readRows(fileURLToPath(new URL(`${version}.jsonl`, FOLDER)))
}

/** The rows of a file, which has one in each line. */
export function readRows(file: string): OldRow[] {
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n')
  return lines.map((line) => JSON.parse(line) as OldRow)
}

/**
 * Makes a database what a former version of Accord has left.
 *
 * @param location of an empty one
 * @param rows Default: one or more of every table
 */
export async function writeOldDatabase(
  location: string,
  version: number,
  rows = rowsOfVersion(version),
): Promise<OldRow[]> {
  await withMigrations(MIGRATIONS.slice(0, version), async () => {
    const database = await openDatabase(location)
    await database.transaction(async (session) => {
      for (const { table, row } of rows) {
        const columns = raw(
          Object.keys(row)
            .map((name) => `"${name}"`)
            .join(', '),
        )
        const values = Object.values(row).map((value) => sql`${toParameter(value)}`)
        await session.run(sql`INSERT INTO ${raw(table)} (${columns}) VALUES (${join(values, ', ')})`)
      }
    })
    await database.close()
  })
  return rows
}

function toParameter(value: OldRow['row'][string]): Parameter {
  return value !== null && typeof value === 'object' ? Buffer.from(value.hex, 'hex') : value
}

/** Runs `work` as a version of Accord with these migrations would. */
export async function withMigrations(
  migrations: readonly Migration[],
  work: () => Promise<void>,
): Promise<void> {
  const list = MIGRATIONS as Migration[]
  const present = list.splice(0, list.length, ...migrations)
  try {
    await work()
  } finally {
    list.splice(0, list.length, ...present)
  }
}

/** A migration after all others, for tests. */
export function laterMigration(up: (runner: QueryRunner) => Promise<void>): Migration {
  class Later4102444800000 implements MigrationInterface {
    readonly name = 'Later4102444800000'

    up = up

    async down(): Promise<void> {}
  }
  return { name: 'Later4102444800000', load: async () => Later4102444800000 }
}

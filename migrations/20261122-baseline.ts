import { createRequire } from 'node:module'
import type * as TypeOrm from 'typeorm'

const { Table, TableForeignKey } = createRequire(import.meta.url)('typeorm') as typeof TypeOrm

/**
 * The tables of the entities, and the search in captions. Until the first release it follows the entities: whoever
 * changes them increases `SCHEMA_VERSION`. The release replaces it by the statements that it executes; later changes
 * are migrations of their own.
 */
export class Baseline1795334400000 implements TypeOrm.MigrationInterface {
  readonly name = 'Baseline1795334400000'

  async up(runner: TypeOrm.QueryRunner): Promise<void> {
    const { entityMetadatas, driver, options } = runner.connection
    for (const metadata of entityMetadatas) {
      const table = Table.create(metadata, driver)
      table.foreignKeys = metadata.foreignKeys.map((key) => TableForeignKey.create(key, driver))
      await runner.createTable(table)
    }
    if (options.type === 'postgres') {
      for (const [table, column] of UNCOMPRESSED)
        await runner.query(`ALTER TABLE "${table}" ALTER COLUMN "${column}" SET STORAGE EXTERNAL`)
    }
    for (const table of ['caption', 'system_caption']) {
      const statements = options.type === 'postgres' ? postgresSearch(table) : sqliteSearch(table)
      for (const statement of statements) await runner.query(statement)
    }
  }

  async down(): Promise<void> {
    throw new Error('Databases are not migrated back.')
  }
}

/** Large columns of numbers, of which PostgreSQL compresses 25 MB per second when they are written. */
const UNCOMPRESSED = [
  ['shard', 'content'],
  ['metric_statistics', 'statistics'],
  ['metric_score', 'image_scores'],
  ['agreement_statistics', 'statistics'],
  ['agreement_score', 'image_scores'],
] as const

/** Token ids as digits separated by spaces; captions that are removed are removed from the index. */
function sqliteSearch(table: string): readonly string[] {
  return [
    `CREATE VIRTUAL TABLE "${table}_search" USING fts5(tokens, content='', contentless_delete=1, detail='none')`,
    `CREATE TRIGGER "${table}_search_removal" AFTER DELETE ON "${table}"
     BEGIN DELETE FROM "${table}_search" WHERE rowid = old.id; END`,
  ]
}

function postgresSearch(table: string): readonly string[] {
  return [
    `CREATE TABLE "${table}_search" (
      "rowid" integer PRIMARY KEY REFERENCES "${table}" ("id") ON DELETE CASCADE,
      "tokens" tsvector NOT NULL
    )`,
    `CREATE INDEX "${table}_search_tokens" ON "${table}_search" USING gin ("tokens")`,
  ]
}

import type { MigrationInterface, QueryRunner } from 'typeorm'
import { POSTGRES } from './20261127-baseline/postgres.js'
import { SQLITE } from './20261127-baseline/sqlite.js'

/** The tables of the first release. */
export class Baseline1795737600000 implements MigrationInterface {
  readonly name = 'Baseline1795737600000'

  async up(runner: QueryRunner): Promise<void> {
    const statements = runner.connection.options.type === 'postgres' ? POSTGRES : SQLITE
    for (const statement of statements) await runner.query(statement)
  }

  async down(): Promise<void> {
    throw new Error('Databases are not migrated back.')
  }
}

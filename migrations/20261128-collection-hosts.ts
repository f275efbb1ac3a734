import type { MigrationInterface, QueryRunner } from 'typeorm'

/** Collections have a host, who alone may remove them; those that exist have none. */
export class CollectionHosts1795867200000 implements MigrationInterface {
  readonly name = 'CollectionHosts1795867200000'

  async up(runner: QueryRunner): Promise<void> {
    const isPostgres = runner.connection.options.type === 'postgres'
    await runner.query(`ALTER TABLE "collection" ADD COLUMN "host" text${isPostgres ? ' COLLATE "C"' : ''}`)
  }

  async down(): Promise<void> {
    throw new Error('Databases are not migrated back.')
  }
}

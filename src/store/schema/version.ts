import type { MigrationInterface } from 'typeorm'
import { AccordError } from '../../errors.js'

/** The version of a database is the migrations that it has executed, which TypeORM notes in a table. */

/** `application_id` of SQLite files: "ACRD". */
export const APPLICATION_ID = 0x41435244

export const MIGRATIONS_TABLE = 'accord_migrations'

/** The names of executed migrations, in their order. */
export const EXECUTED_MIGRATIONS = `SELECT name FROM ${MIGRATIONS_TABLE} ORDER BY id`

export interface Migration {
  /** Of the class. TypeORM wants 13 digits at its end, milliseconds since 1970. */
  readonly name: string
  load(): Promise<new () => MigrationInterface>
}

/** All migrations, oldest first. A database without tables executes all of them. */
export const MIGRATIONS: readonly Migration[] = [
  {
    name: 'Baseline1795737600000',
    load: async () => (await import('../../../migrations/20261127-baseline.js')).Baseline1795737600000,
  },
  {
    name: 'CollectionHosts1795867200000',
    load: async () =>
      (await import('../../../migrations/20261128-collection-hosts.js')).CollectionHosts1795867200000,
  },
  {
    name: 'ImageObjects1795870800000',
    load: async () =>
      (await import('../../../migrations/20261128-image-objects.js')).ImageObjects1795870800000,
  },
]

/**
 * Whether a database has executed all migrations.
 *
 * @throws AccordError INVALID_SHAPE if it has executed others: a newer version of Accord has written it
 */
export function isCurrent(location: string, executed: readonly string[]): boolean {
  if (executed.every((name, index) => name === MIGRATIONS[index]?.name))
    return executed.length === MIGRATIONS.length
  throw new AccordError('INVALID_SHAPE', 'the database was written by a newer version of Accord', {
    source: location,
    expected: `schema version ${MIGRATIONS.length}`,
    found: `version ${executed.length}`,
  })
}

/** The error for a database from the time before there were migrations. */
export function beforeFirstRelease(location: string): AccordError {
  return new AccordError('INVALID_SHAPE', 'the database was written before the first release of Accord', {
    source: location,
    expected: 'a database of a release; import the files into a new one',
  })
}

/** The error for a database that has to be migrated, and cannot be written. */
export function mustBeMigrated(location: string): AccordError {
  return new AccordError('INVALID_SHAPE', 'the database was written by an older version of Accord', {
    source: location,
    expected: 'a writable file, to migrate it once: any command does',
    found: 'a file or folder that is read-only',
  })
}

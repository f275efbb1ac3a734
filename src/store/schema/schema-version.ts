import { AccordError } from '../../errors.js'

/** `application_id` of SQLite files: "ACRD". */
export const APPLICATION_ID = 0x41435244

/** Increases with every migration, and until the first release with every change of the baseline. */
export const SCHEMA_VERSION = 29

/** @throws AccordError INVALID_SHAPE for a database of another version: before the first release none is migrated */
export function checkSchemaVersion(location: string, version: number): void {
  if (version === SCHEMA_VERSION) return
  const age = version > SCHEMA_VERSION ? 'a newer' : 'an older'
  throw new AccordError('INVALID_SHAPE', `the database was written by ${age} version of Accord`, {
    source: location,
    expected: `schema version ${SCHEMA_VERSION}`,
    found: `version ${version}`,
  })
}

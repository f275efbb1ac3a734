import { CHECKSUM, checksumOf } from '../../src/store/engine/checksums.js'
import { describeKey, type Entity } from '../../src/store/engine/columns.js'
import type { Session } from '../../src/store/engine/session.js'
import { raw, type Sql, sql } from '../../src/store/engine/sql.js'
import { readRanges } from '../../src/store/raw-rows.js'

/** Gives rows that a test has changed the checksums that they would have been written with. */
export async function renewChecksums(session: Session, entity: Entity, condition: Sql): Promise<void> {
  const checksum = checksumOf(entity)
  for await (const rows of readRanges(session, entity, [condition])) {
    for (const row of rows) {
      const changed = await session.run(
        sql`UPDATE ${raw(entity.name)} SET ${raw(CHECKSUM)} = ${checksum(row)} WHERE id = ${row.id}`,
      )
      if (changed !== 1) throw new Error(`expected one row ${describeKey(entity, row)}`)
    }
  }
}

import { update } from '../../src/store/engine/rows.js'
import type { Session } from '../../src/store/engine/session.js'
import { raw, type Sql, sql } from '../../src/store/engine/sql.js'
import { readProvenance, saveProvenance } from '../../src/store/provenance-records.js'
import type { AgreementScoreEntity, MetricScoreEntity } from '../../src/store/schema/score-tables.js'

/** Changes stored scores to ones that revision 0 of their metric made. */
export async function setRevision(
  session: Session,
  entity: typeof MetricScoreEntity | typeof AgreementScoreEntity,
  condition: Sql,
): Promise<void> {
  const rows = await session.all<{ id: number; provenanceId: number; signature: string }>(
    sql`SELECT id, provenance_id AS "provenanceId", signature FROM ${raw(entity.name)} WHERE ${condition}`,
  )
  const records = await readProvenance(
    session,
    rows.map(({ provenanceId }) => provenanceId),
  )
  for (const { id, provenanceId, signature } of rows) {
    const record = records.get(provenanceId)
    if (!record) throw new Error('expected the record of the score')
    const [changed] = await saveProvenance(session, [{ record: { ...record, revision: 0 } }])
    const old = signature.replace(/\|rev:\d+/, '|rev:0')
    await update(session, entity, { provenanceId: changed, signature: old }, sql`id = ${id}`)
  }
}

import type { ExternalMetric } from '../core/metrics/external-family.js'
import { nameTaken } from '../errors.js'
import { translateViolations } from './engine/constraints.js'
import { find, insert } from './engine/rows.js'
import type { Session } from './engine/session.js'
import { sql } from './engine/sql.js'
import { ExternalMetricEntity } from './schema/entities.js'

/** All metrics of other programs, by name. */
export async function readExternalMetrics(session: Session): Promise<ExternalMetric[]> {
  const rows = await find(session, ExternalMetricEntity, sql`ORDER BY name`)
  return rows.map(({ name, version, lowest, highest, higherIsBetter }) => ({
    name,
    version,
    lowest,
    highest,
    higherIsBetter: higherIsBetter === 1,
  }))
}

/** @throws AccordError NAME_TAKEN */
export async function insertExternalMetric(session: Session, metric: ExternalMetric): Promise<void> {
  const row = {
    ...metric,
    higherIsBetter: metric.higherIsBetter ? 1 : 0,
    createdAt: new Date().toISOString(),
  }
  await translateViolations(() => insert(session, ExternalMetricEntity, row), {
    UNIQUE: () => nameTaken('a metric of this name exists', 'metric', metric.name),
  })
}

/**
 * What tells the metrics of a database from others: the hashes of trained ones, and the descriptions of those of other programs,
 * since a transaction that was rolled back may have used their ids. One statement.
 */
export async function readMetricsKey(session: Session): Promise<string> {
  const rows = await session.all<{ part: string }>(
    sql`SELECT hash AS part FROM artefact
        UNION ALL SELECT name || '|' || version || '|' || lowest || '|' || highest || '|' || higher_is_better AS part
        FROM external_metric ORDER BY part`,
  )
  return rows.map(({ part }) => part).join(' ')
}

import type { ProvenanceRecord } from '../../core/metrics/provenance.js'
import { withRecords } from '../../store/provenance.js'
import { isOf, readScores } from '../../store/scores.js'
import type { Accord } from '../accord.js'
import { metricsOf } from '../shared/computing.js'
import { isCurrent } from './record-provenance.js'

/** Scores of a system. */
export interface WantedScores {
  readonly systemId: number
  /** Names. */
  readonly metrics: readonly string[]
  /** k; null against all captions. */
  readonly references: number | null
}

/**
 * Ids of stored scores that this version would make in the same way, the newest by metric. Metrics without such a score are
 * left out.
 *
 * @param accepts which of them are wanted. Default: all
 */
export async function findCurrentScores(
  accord: Accord,
  { systemId, metrics, references }: WantedScores,
  accepts: (record: ProvenanceRecord) => boolean = () => true,
): Promise<Map<string, number>> {
  const { database } = accord
  const rows = (await readScores(database, [systemId], metrics)).filter(isOf(references))
  const current = new Map<string, number>()
  for (const { id, metric, record } of await withRecords(database, rows)) {
    if (accepts(record) && isCurrent(metricsOf(accord), record)) current.set(metric, id)
  }
  return current
}

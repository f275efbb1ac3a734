import type { Database } from '../store/database.js'
import { computeSelection, type SelectionInput, type SelectionReport } from './content-selection.js'
import type { Progress } from './progress.js'

/** Most reports that are kept for a database. */
const MOST_KEPT = 16

interface Kept {
  /** State of the database that the reports were computed from. */
  readonly state: string
  readonly reports: Map<string, SelectionReport>
}

const keptOf = new WeakMap<Database, Kept>()

/**
 * As {@link computeSelection}; what was computed before is kept in memory until anything is written to the
 * database, by whatever connection.
 */
export async function selectionReport(
  database: Database,
  input: SelectionInput,
  progress: Progress,
): Promise<SelectionReport> {
  const state = stateOf(database)
  let kept = keptOf.get(database)
  if (kept?.state !== state) {
    kept = { state, reports: new Map() }
    keptOf.set(database, kept)
  }
  const question = JSON.stringify([input.dataset, input.priors, input.priorsShare])
  const known = kept.reports.get(question)
  if (known) return known
  const report = await computeSelection(database, input, progress)
  const [oldest] = kept.reports.keys()
  if (kept.reports.size >= MOST_KEPT) kept.reports.delete(oldest)
  kept.reports.set(question, report)
  return report
}

/** Differs as soon as this connection has changed a row, or another one has committed. */
function stateOf({ connection }: Database): string {
  const commitsOfOthers = connection.pragma('data_version', { simple: true })
  const ownChanges = connection.prepare('SELECT total_changes()').pluck().get()
  return `${commitsOfOthers} ${ownChanges}`
}

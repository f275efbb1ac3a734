import type { Evaluations } from '../jobs/evaluations.js'
import type { Runner } from '../jobs/runner.js'
import type { Database } from '../store/database.js'
import type { MetricRegistry } from './metric/registry.js'

/** What all requests to a server share. */
export interface Services {
  readonly database: Database
  /** The worker thread of what changes the database: imports, evaluations, removals. */
  readonly runner: Runner
  /** The worker thread of what queries wait for: they need not wait for evaluations too. */
  readonly queryRunner: Runner
  readonly evaluations: Evaluations
  readonly metrics: MetricRegistry
  /** A METEOR data folder, where the operator named one. */
  readonly meteorData: string | undefined
}

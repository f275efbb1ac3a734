import type { MigrationInterface, QueryRunner } from 'typeorm'

/** Evaluations as jobs, their scores and per-image statistics, and the leave-one-out agreement tables. */
export class Evaluations1795222800000 implements MigrationInterface {
  readonly name = 'Evaluations1795222800000'

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of TABLES) await runner.query(statement)
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['agreement_score', 'metric_score', 'metric_statistics', 'evaluation']) {
      await runner.query(`DROP TABLE ${table}`)
    }
  }
}

const TABLES = [
  `CREATE TABLE evaluation (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    system_id INTEGER NOT NULL REFERENCES system(id) ON DELETE CASCADE,
    status TEXT NOT NULL,
    message TEXT,
    created_at TEXT NOT NULL,
    started_at TEXT,
    finished_at TEXT
  )`,
  'CREATE INDEX evaluation_by_system ON evaluation (system_id)',
  // Rows of sufficient statistics, one per id of the image set: what intervals and comparisons come from.
  `CREATE TABLE metric_statistics (
    id INTEGER PRIMARY KEY,
    system_id INTEGER NOT NULL REFERENCES system(id) ON DELETE CASCADE,
    image_set_id INTEGER NOT NULL REFERENCES image_set(id) ON DELETE CASCADE,
    statistics BLOB NOT NULL
  )`,
  'CREATE INDEX metric_statistics_by_system ON metric_statistics (system_id)',
  'CREATE INDEX metric_statistics_by_image_set ON metric_statistics (image_set_id)',
  // image_scores holds one little-endian double for each id of the image set of the statistics.
  `CREATE TABLE metric_score (
    id INTEGER PRIMARY KEY,
    system_id INTEGER NOT NULL REFERENCES system(id) ON DELETE CASCADE,
    statistics_id INTEGER NOT NULL REFERENCES metric_statistics(id) ON DELETE CASCADE,
    metric TEXT NOT NULL,
    signature TEXT NOT NULL,
    reference_count INTEGER NOT NULL,
    value REAL NOT NULL,
    lower REAL NOT NULL,
    upper REAL NOT NULL,
    warnings TEXT NOT NULL,
    image_scores BLOB NOT NULL,
    UNIQUE (system_id, signature)
  )`,
  'CREATE INDEX metric_score_by_statistics ON metric_score (statistics_id)',
  // Leave-one-out tables; folds is a list of corpus scores. image_scores holds doubles, fold by fold, in each one
  // for each of image_ids.
  `CREATE TABLE agreement_score (
    id INTEGER PRIMARY KEY,
    dataset_id INTEGER NOT NULL REFERENCES dataset(id) ON DELETE CASCADE,
    reference_count INTEGER NOT NULL,
    metric TEXT NOT NULL,
    signature TEXT NOT NULL,
    image_count INTEGER NOT NULL,
    folds TEXT NOT NULL,
    mean REAL NOT NULL,
    standard_deviation REAL NOT NULL,
    lower REAL NOT NULL,
    upper REAL NOT NULL,
    warnings TEXT NOT NULL,
    image_ids BLOB NOT NULL,
    image_scores BLOB NOT NULL,
    UNIQUE (dataset_id, reference_count, signature)
  )`,
]

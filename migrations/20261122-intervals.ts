import { createHash } from 'node:crypto'
import type { MigrationInterface, QueryRunner } from 'typeorm'

/**
 * Intervals of scores can be null. Those that were stored are percentile intervals of resampled images, which are too
 * short for few images: they are removed, also from the records and signatures of their scores.
 */
export class Intervals1795316400000 implements MigrationInterface {
  readonly name = 'Intervals1795316400000'

  async up(runner: QueryRunner): Promise<void> {
    const isPostgres = runner.connection.options.type === 'postgres'
    for (const statement of isPostgres ? POSTGRES : SQLITE) await runner.query(statement)
    for (const table of ['metric_score', 'agreement_score']) {
      await runner.query(`UPDATE ${table} SET signature = replace(signature, '|bs:1000|seed:1', '')`)
    }
    await convertRecords(runner, isPostgres)
  }

  async down(): Promise<void> {
    throw new Error('Databases are not taken back: restore the copy that was made before.')
  }
}

const POSTGRES = ['metric_score', 'agreement_score'].flatMap((table) => [
  `ALTER TABLE "${table}" ALTER COLUMN "lower" DROP NOT NULL, ALTER COLUMN "upper" DROP NOT NULL`,
  `UPDATE "${table}" SET "lower" = NULL, "upper" = NULL`,
])

const SCORE_COLUMNS = `id, system_id, statistics_id, provenance_id, metric, signature, reference_count, folds, value, warnings,
  image_scores`

const AGREEMENT_COLUMNS = `id, dataset_id, statistics_id, provenance_id, reference_count, metric, signature, image_count, folds,
  mean, standard_deviation, warnings, image_ids, image_scores`

/** SQLite changes no column of a table. Names of constraints are those that TypeORM derives from the entities. */
const SQLITE = [
  'ALTER TABLE "metric_score" RENAME TO "old_metric_score"',
  `CREATE TABLE "metric_score" (
    "id" integer PRIMARY KEY AUTOINCREMENT NOT NULL,
    "system_id" integer NOT NULL,
    "statistics_id" integer NOT NULL,
    "provenance_id" integer,
    "metric" text NOT NULL,
    "signature" text NOT NULL,
    "reference_count" integer NOT NULL,
    "folds" text,
    "value" double precision NOT NULL,
    "lower" double precision,
    "upper" double precision,
    "warnings" text NOT NULL,
    "image_scores" blob NOT NULL,
    CONSTRAINT "UQ_0ce91934593c4a1782c7bbbb637" UNIQUE ("system_id", "signature"),
    CONSTRAINT "FK_c8961b0d16644f99cdcced56853" FOREIGN KEY ("system_id") REFERENCES "system" ("id") ON DELETE CASCADE,
    CONSTRAINT "FK_061144017b633bca96ee7d98d29" FOREIGN KEY ("statistics_id") REFERENCES "metric_statistics" ("id") ON DELETE CASCADE,
    CONSTRAINT "FK_8464ee042ccc303ce31f084a0b0" FOREIGN KEY ("provenance_id") REFERENCES "provenance" ("id")
  )`,
  `INSERT INTO metric_score (${SCORE_COLUMNS}) SELECT ${SCORE_COLUMNS} FROM old_metric_score`,
  'DROP TABLE old_metric_score',
  'CREATE INDEX "metric_score_by_statistics" ON "metric_score" ("statistics_id")',
  'ALTER TABLE "agreement_score" RENAME TO "old_agreement_score"',
  `CREATE TABLE "agreement_score" (
    "id" integer PRIMARY KEY AUTOINCREMENT NOT NULL,
    "dataset_id" integer NOT NULL,
    "statistics_id" integer,
    "provenance_id" integer,
    "reference_count" integer NOT NULL,
    "metric" text NOT NULL,
    "signature" text NOT NULL,
    "image_count" integer NOT NULL,
    "folds" text NOT NULL,
    "mean" double precision NOT NULL,
    "standard_deviation" double precision NOT NULL,
    "lower" double precision,
    "upper" double precision,
    "warnings" text NOT NULL,
    "image_ids" blob NOT NULL,
    "image_scores" blob NOT NULL,
    CONSTRAINT "UQ_e87ef6f6a96e132f5ce9acc351c" UNIQUE ("dataset_id", "reference_count", "signature"),
    CONSTRAINT "FK_82c015b6672702e94ea6d8f07b4" FOREIGN KEY ("dataset_id") REFERENCES "dataset" ("id") ON DELETE CASCADE,
    CONSTRAINT "FK_bd33d2019d5c442a3e03c01f03f" FOREIGN KEY ("statistics_id") REFERENCES "agreement_statistics" ("id") ON DELETE CASCADE,
    CONSTRAINT "FK_a18080c120d961cf4a7b21a25dc" FOREIGN KEY ("provenance_id") REFERENCES "provenance" ("id")
  )`,
  `INSERT INTO agreement_score (${AGREEMENT_COLUMNS}) SELECT ${AGREEMENT_COLUMNS} FROM old_agreement_score`,
  'DROP TABLE old_agreement_score',
  'CREATE INDEX "agreement_score_by_statistics" ON "agreement_score" ("statistics_id")',
]

/** Records without an interval, and the hashes of these records. */
async function convertRecords(runner: QueryRunner, isPostgres: boolean): Promise<void> {
  const update = isPostgres
    ? 'UPDATE provenance SET hash = $1, record = $2 WHERE id = $3'
    : 'UPDATE provenance SET hash = ?, record = ? WHERE id = ?'
  const rows: { id: number; record: string }[] = await runner.query('SELECT id, record FROM provenance')
  for (const { id, record } of rows) {
    const { resamples: _, ...others } = JSON.parse(record) as Record<string, unknown>
    const converted = { ...others, interval: null, seed: null }
    const hash = createHash('sha256').update(canonicalJson(converted)).digest('hex')
    await runner.query(update, [hash, JSON.stringify(converted), id])
  }
}

/** JSON with sorted keys and no blanks. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([one], [other]) => (one < other ? -1 : 1)))
      : part,
  )
}

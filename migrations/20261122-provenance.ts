import type { MigrationInterface, QueryRunner } from 'typeorm'

/** What figures are made of: hashes of systems, scores on folds of references, and the statistics of human tables. */
export class Provenance1795309200000 implements MigrationInterface {
  readonly name = 'Provenance1795309200000'

  async up(runner: QueryRunner): Promise<void> {
    const isPostgres = runner.connection.options.type === 'postgres'
    const statements = isPostgres
      ? [...tables(POSTGRES), ...columns(POSTGRES), ...ALTER_AGREEMENT, ...WORD_REVISIONS]
      : [...tables(SQLITE), ...columns(SQLITE), ...replaceAgreement(SQLITE), ...WORD_REVISIONS]
    for (const statement of [...statements, ...INDICES]) await runner.query(statement)
  }

  async down(): Promise<void> {
    throw new Error('Databases are not taken back: restore the copy that was made before.')
  }
}

interface ColumnTypes {
  readonly id: string
  readonly text: string
  readonly bytes: string
}

const SQLITE: ColumnTypes = { id: 'integer PRIMARY KEY AUTOINCREMENT NOT NULL', text: 'text', bytes: 'blob' }

// Text is ordered by its bytes, as SQLite does it.
const POSTGRES: ColumnTypes = { id: 'SERIAL PRIMARY KEY NOT NULL', text: 'text COLLATE "C"', bytes: 'bytea' }

/** Names of constraints are those that TypeORM derives from the entities. */
const tables = ({ id, text, bytes }: ColumnTypes): readonly string[] => [
  `CREATE TABLE "agreement_statistics" (
    "id" ${id},
    "dataset_id" integer NOT NULL,
    "family" ${text} NOT NULL,
    "layout_revision" integer NOT NULL,
    "image_ids" ${bytes} NOT NULL,
    "statistics" ${bytes} NOT NULL,
    CONSTRAINT "FK_362cd39d80fb759cef479ba807a" FOREIGN KEY ("dataset_id") REFERENCES "dataset" ("id") ON DELETE CASCADE
  )`,
]

const columns = ({ text }: ColumnTypes): readonly string[] => [
  'ALTER TABLE "dataset" ADD COLUMN "word_revision" integer',
  'ALTER TABLE "system" ADD COLUMN "missing_counted_count" integer',
  `ALTER TABLE "system" ADD COLUMN "content" ${text}`,
  'ALTER TABLE "system" ADD COLUMN "word_revision" integer',
  `ALTER TABLE "metric_score" ADD COLUMN "folds" ${text}`,
]

const REFERENCE = `CONSTRAINT "FK_bd33d2019d5c442a3e03c01f03f" FOREIGN KEY ("statistics_id") REFERENCES "agreement_statistics" ("id") ON DELETE CASCADE`

const ALTER_AGREEMENT = [
  'ALTER TABLE "agreement_score" ADD COLUMN "statistics_id" integer',
  `ALTER TABLE "agreement_score" ADD ${REFERENCE}`,
]

const AGREEMENT_COLUMNS = `id, dataset_id, provenance_id, reference_count, metric, signature, image_count, folds, mean,
  standard_deviation, lower, upper, warnings, image_ids, image_scores`

/** SQLite adds no constraint to a table. */
const replaceAgreement = ({ id, text, bytes }: ColumnTypes): readonly string[] => [
  'ALTER TABLE "agreement_score" RENAME TO "old_agreement_score"',
  `CREATE TABLE "agreement_score" (
    "id" ${id},
    "dataset_id" integer NOT NULL,
    "statistics_id" integer,
    "provenance_id" integer,
    "reference_count" integer NOT NULL,
    "metric" ${text} NOT NULL,
    "signature" ${text} NOT NULL,
    "image_count" integer NOT NULL,
    "folds" ${text} NOT NULL,
    "mean" double precision NOT NULL,
    "standard_deviation" double precision NOT NULL,
    "lower" double precision NOT NULL,
    "upper" double precision NOT NULL,
    "warnings" ${text} NOT NULL,
    "image_ids" ${bytes} NOT NULL,
    "image_scores" ${bytes} NOT NULL,
    CONSTRAINT "UQ_e87ef6f6a96e132f5ce9acc351c" UNIQUE ("dataset_id", "reference_count", "signature"),
    CONSTRAINT "FK_82c015b6672702e94ea6d8f07b4" FOREIGN KEY ("dataset_id") REFERENCES "dataset" ("id") ON DELETE CASCADE,
    ${REFERENCE},
    CONSTRAINT "FK_a18080c120d961cf4a7b21a25dc" FOREIGN KEY ("provenance_id") REFERENCES "provenance" ("id")
  )`,
  `INSERT INTO agreement_score (${AGREEMENT_COLUMNS}) SELECT ${AGREEMENT_COLUMNS} FROM old_agreement_score`,
  'DROP TABLE old_agreement_score',
]

/** Words were counted and ranked by revision 1 of their statistics. */
const WORD_REVISIONS = [
  'UPDATE dataset SET word_revision = 1 WHERE captions_per_image > 0',
  'UPDATE system SET word_revision = 1 WHERE id IN (SELECT system_id FROM system_word)',
]

const INDICES = [
  'CREATE INDEX "agreement_statistics_by_dataset" ON "agreement_statistics" ("dataset_id")',
  'CREATE INDEX "agreement_score_by_statistics" ON "agreement_score" ("statistics_id")',
]

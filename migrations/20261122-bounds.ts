import type { MigrationInterface, QueryRunner } from 'typeorm'

/** Atoms of captions, votes on them, and upper bounds: their splits, losses, checkpoints and figures. */
export class Bounds1795327200000 implements MigrationInterface {
  readonly name = 'Bounds1795327200000'

  async up(runner: QueryRunner): Promise<void> {
    const isPostgres = runner.connection.options.type === 'postgres'
    for (const statement of [...tables(isPostgres ? POSTGRES : SQLITE), ...INDICES])
      await runner.query(statement)
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
  `CREATE TABLE "atom" (
    "dataset_id" integer NOT NULL,
    "kind" ${text} NOT NULL,
    "rank" integer NOT NULL,
    "text" ${text} NOT NULL,
    "count" integer NOT NULL,
    "image_count" integer NOT NULL,
    CONSTRAINT "UQ_60b90ac5c6a99c401187318e2f2" UNIQUE ("dataset_id", "kind", "text"),
    CONSTRAINT "FK_1a0eb0964c313231e1bff0c5eeb" FOREIGN KEY ("dataset_id") REFERENCES "dataset" ("id") ON DELETE CASCADE,
    PRIMARY KEY ("dataset_id", "kind", "rank")
  )`,
  `CREATE TABLE "atom_vote" (
    "dataset_id" integer NOT NULL,
    "kind" ${text} NOT NULL,
    "text" ${text} NOT NULL,
    "voter" ${text} NOT NULL,
    "is_visual" integer NOT NULL,
    "people" integer NOT NULL,
    CONSTRAINT "FK_0706a2f3aed8564d0694a720c12" FOREIGN KEY ("dataset_id") REFERENCES "dataset" ("id") ON DELETE CASCADE,
    PRIMARY KEY ("dataset_id", "kind", "text", "voter")
  )`,
  `CREATE TABLE "bound_split" (
    "id" ${id},
    "dataset_id" integer NOT NULL,
    "key" ${text} NOT NULL,
    "training_ids" ${bytes} NOT NULL,
    "validation_ids" ${bytes} NOT NULL,
    "test_ids" ${bytes} NOT NULL,
    CONSTRAINT "UQ_31fd3be6dfd672a43ffbb62cca7" UNIQUE ("dataset_id", "key"),
    CONSTRAINT "FK_fb166a0fbd76ccb72d712caf6ea" FOREIGN KEY ("dataset_id") REFERENCES "dataset" ("id") ON DELETE CASCADE
  )`,
  `CREATE TABLE "bound" (
    "id" ${id},
    "dataset_id" integer NOT NULL,
    "split_id" integer NOT NULL,
    "key" ${text} NOT NULL,
    "settings" ${text} NOT NULL,
    "state" ${text} NOT NULL,
    "progress" ${text},
    "trainer" ${text},
    "lease_until" double precision,
    "failure" ${text},
    "job_id" integer,
    "checkpoint" ${text},
    "system_id" integer,
    "outcome" ${text},
    "model" ${bytes},
    "caption_ids" ${bytes},
    "log_likelihoods" ${bytes},
    "word_counts" ${bytes},
    "created_at" ${text} NOT NULL,
    "finished_at" ${text},
    CONSTRAINT "UQ_dde2f998fe0c490b4e7a5c360ac" UNIQUE ("dataset_id", "key"),
    CONSTRAINT "FK_a481c23952108c2c51307a80a4f" FOREIGN KEY ("dataset_id") REFERENCES "dataset" ("id") ON DELETE CASCADE,
    CONSTRAINT "FK_24fcc69b3bd2b1f57cf37931139" FOREIGN KEY ("split_id") REFERENCES "bound_split" ("id") ON DELETE CASCADE,
    CONSTRAINT "FK_cb2d4ace9faf9b3de817479f3f6" FOREIGN KEY ("system_id") REFERENCES "system" ("id") ON DELETE CASCADE
  )`,
  `CREATE TABLE "bound_loss" (
    "bound_id" integer NOT NULL,
    "step" integer NOT NULL,
    "training" double precision NOT NULL,
    "validation" double precision,
    CONSTRAINT "FK_0bc7d55d0cbbc4c82138595cc47" FOREIGN KEY ("bound_id") REFERENCES "bound" ("id") ON DELETE CASCADE,
    PRIMARY KEY ("bound_id", "step")
  )`,
  `CREATE TABLE "bound_checkpoint" (
    "bound_id" integer NOT NULL,
    "part" integer NOT NULL,
    "content" ${bytes} NOT NULL,
    CONSTRAINT "FK_9b5b792e5f5ecf90edb790dc0ce" FOREIGN KEY ("bound_id") REFERENCES "bound" ("id") ON DELETE CASCADE,
    PRIMARY KEY ("bound_id", "part")
  )`,
  `CREATE TABLE "retrieval_bound" (
    "split_id" integer NOT NULL,
    "metric" ${text} NOT NULL,
    "value" double precision NOT NULL,
    "lower" double precision,
    "upper" double precision,
    "image_scores" ${bytes} NOT NULL,
    CONSTRAINT "FK_a448d7a598bb9e81e4442eae927" FOREIGN KEY ("split_id") REFERENCES "bound_split" ("id") ON DELETE CASCADE,
    PRIMARY KEY ("split_id", "metric")
  )`,
]

const INDICES = [
  'CREATE INDEX "bound_by_split" ON "bound" ("split_id")',
  'CREATE INDEX "bound_by_system" ON "bound" ("system_id")',
]

import type { MigrationInterface, QueryRunner } from 'typeorm'

/** Human judgements on captions, and composite metrics that were trained. */
export class Judgements1795320000000 implements MigrationInterface {
  readonly name = 'Judgements1795320000000'

  async up(runner: QueryRunner): Promise<void> {
    const isPostgres = runner.connection.options.type === 'postgres'
    for (const statement of [...tables(isPostgres ? POSTGRES : SQLITE), ...INDICES]) {
      await runner.query(statement)
    }
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
  `CREATE TABLE "judgement_set" (
    "id" ${id},
    "dataset_id" integer NOT NULL,
    "kind" ${text} NOT NULL,
    "caption_count" integer NOT NULL,
    "judgement_count" integer NOT NULL,
    "own_caption_count" integer NOT NULL,
    "equal_pair_count" integer NOT NULL,
    "content" ${text} NOT NULL,
    "created_at" ${text} NOT NULL,
    CONSTRAINT "UQ_90a9927fe6ceaea43da718e7403" UNIQUE ("dataset_id"),
    CONSTRAINT "FK_90a9927fe6ceaea43da718e7403" FOREIGN KEY ("dataset_id") REFERENCES "dataset" ("id") ON DELETE CASCADE
  )`,
  `CREATE TABLE "judged_caption" (
    "id" ${id},
    "set_id" integer NOT NULL,
    "image_id" integer NOT NULL,
    "text" ${text} NOT NULL,
    "tokens" ${bytes} NOT NULL,
    "ratings" ${text} NOT NULL,
    CONSTRAINT "FK_6e832800352926849498a55b44b" FOREIGN KEY ("set_id") REFERENCES "judgement_set" ("id") ON DELETE CASCADE,
    CONSTRAINT "FK_aa0d985bde2e14e57a4e7a17c8e" FOREIGN KEY ("image_id") REFERENCES "image" ("id") ON DELETE CASCADE
  )`,
  `CREATE TABLE "preference" (
    "id" ${id},
    "set_id" integer NOT NULL,
    "external_id" ${text} NOT NULL,
    "first_id" integer NOT NULL,
    "second_id" integer NOT NULL,
    "preferred" integer NOT NULL,
    "category" ${text} NOT NULL,
    CONSTRAINT "UQ_432f75edf71da803ad239a343e2" UNIQUE ("set_id", "external_id"),
    CONSTRAINT "FK_dbb5df62afb4cee1ee6c921a572" FOREIGN KEY ("set_id") REFERENCES "judgement_set" ("id") ON DELETE CASCADE,
    CONSTRAINT "FK_5725f937ed5cc584059dadd0c5b" FOREIGN KEY ("first_id") REFERENCES "judged_caption" ("id") ON DELETE CASCADE,
    CONSTRAINT "FK_f790775e09da138683eb83adbc3" FOREIGN KEY ("second_id") REFERENCES "judged_caption" ("id") ON DELETE CASCADE
  )`,
  `CREATE TABLE "artefact" (
    "id" ${id},
    "name" ${text} NOT NULL,
    "hash" ${text} NOT NULL,
    "header" ${text} NOT NULL,
    "weights" ${bytes} NOT NULL,
    "created_at" ${text} NOT NULL,
    CONSTRAINT "UQ_be2d73b89a52d6d261fddd82872" UNIQUE ("name")
  )`,
]

const INDICES = [
  'CREATE INDEX "judged_caption_by_set" ON "judged_caption" ("set_id", "id")',
  'CREATE INDEX "judged_caption_by_image" ON "judged_caption" ("image_id")',
  'CREATE INDEX "preference_by_first" ON "preference" ("first_id")',
  'CREATE INDEX "preference_by_second" ON "preference" ("second_id")',
]

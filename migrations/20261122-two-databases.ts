import type { MigrationInterface, QueryRunner } from 'typeorm'

/**
 * The tables of SQLite and PostgreSQL. Evaluations become jobs, the images of a word become blocks of ids, and scores
 * can refer to their provenance.
 */
export class TwoDatabases1795305600000 implements MigrationInterface {
  readonly name = 'TwoDatabases1795305600000'

  async up(runner: QueryRunner): Promise<void> {
    const isPostgres = runner.connection.options.type === 'postgres'
    const execute = async (statements: readonly string[]) => {
      for (const statement of statements) await runner.query(statement)
    }
    if (isPostgres) {
      await execute([...tablesOf(POSTGRES), ...INDICES])
    } else {
      await execute(OLD_TABLES.map((table) => `ALTER TABLE ${table} RENAME TO old_${table}`))
      await execute([...tablesOf(SQLITE), ...COPIES])
      await copyPostings(runner)
      await execute(IDENTITIES.flatMap(continueIds))
      await execute(OLD_TABLES.toReversed().map((table) => `DROP TABLE old_${table}`))
      await execute(INDICES)
    }
  }

  async down(): Promise<void> {
    throw new Error('A database cannot be migrated back to version 0.1.0; restore its backup.')
  }
}

interface ColumnTypes {
  readonly id: string
  readonly text: string
  readonly bytes: string
}

// The id of a removed row is never assigned again: clients store ids and cursors of the API.
const SQLITE: ColumnTypes = { id: 'integer PRIMARY KEY AUTOINCREMENT NOT NULL', text: 'text', bytes: 'blob' }

// Text is ordered by its bytes, as in SQLite.
const POSTGRES: ColumnTypes = { id: 'SERIAL PRIMARY KEY NOT NULL', text: 'text COLLATE "C"', bytes: 'bytea' }

/** The names of constraints are derived from the entities by TypeORM. */
const tablesOf = ({ id, text, bytes }: ColumnTypes): readonly string[] => [
  `CREATE TABLE "token" (
    "id" ${id},
    "text" ${text} NOT NULL,
    CONSTRAINT "UQ_f17d54f94c039bf2bdeaba96072" UNIQUE ("text")
  )`,
  `CREATE TABLE "dataset" (
    "id" ${id},
    "name" ${text} NOT NULL,
    "captions_per_image" integer NOT NULL,
    "image_count" integer NOT NULL,
    "caption_count" integer NOT NULL,
    "excluded_image_count" integer NOT NULL,
    "revision" ${text},
    "created_at" ${text} NOT NULL,
    CONSTRAINT "UQ_109fd11edd246e0465d2e7e76a1" UNIQUE ("name")
  )`,
  `CREATE TABLE "image" (
    "id" ${id},
    "dataset_id" integer NOT NULL,
    "external_id" ${text} NOT NULL,
    "file_name" ${text},
    "url" ${text},
    "width" integer,
    "height" integer,
    "caption_count" integer NOT NULL,
    CONSTRAINT "UQ_12e212dfb072f973274a633b9d8" UNIQUE ("dataset_id", "external_id"),
    CONSTRAINT "FK_24c97d9799c15cb46fb8c7f67e7" FOREIGN KEY ("dataset_id") REFERENCES "dataset" ("id") ON DELETE CASCADE
  )`,
  `CREATE TABLE "caption" (
    "id" ${id},
    "image_id" integer NOT NULL,
    "position" integer NOT NULL,
    "external_id" ${text} NOT NULL,
    "text" ${text} NOT NULL,
    "tokens" ${bytes} NOT NULL,
    CONSTRAINT "UQ_2387d65872fa54c73b892ffe58a" UNIQUE ("image_id", "position"),
    CONSTRAINT "FK_de865c70739981e4783ec038b0d" FOREIGN KEY ("image_id") REFERENCES "image" ("id") ON DELETE CASCADE
  )`,
  `CREATE TABLE "word" (
    "id" ${id},
    "dataset_id" integer NOT NULL,
    "token_id" integer NOT NULL,
    "text" ${text} NOT NULL,
    "part_of_speech" ${text} NOT NULL,
    "vocabulary_rank" integer,
    "image_count" integer NOT NULL,
    "caption_count" integer NOT NULL,
    "histogram" ${text} NOT NULL,
    "human_precision" double precision,
    "human_recall" double precision,
    CONSTRAINT "UQ_94805c192efe7484257c8dbef53" UNIQUE ("dataset_id", "text"),
    CONSTRAINT "FK_0e7feffe3f24cb9561ca1caa2f0" FOREIGN KEY ("dataset_id") REFERENCES "dataset" ("id") ON DELETE CASCADE,
    CONSTRAINT "FK_4dbbe26f35943ac46d3570c9d1d" FOREIGN KEY ("token_id") REFERENCES "token" ("id")
  )`,
  `CREATE TABLE "posting" (
    "word_id" integer NOT NULL,
    "block" integer NOT NULL,
    "image_ids" ${bytes} NOT NULL,
    "caption_counts" ${bytes} NOT NULL,
    CONSTRAINT "FK_b1c752bf5d57f2b307e1887aed5" FOREIGN KEY ("word_id") REFERENCES "word" ("id") ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    PRIMARY KEY ("word_id", "block")
  )`,
  `CREATE TABLE "system" (
    "id" ${id},
    "dataset_id" integer NOT NULL,
    "name" ${text} NOT NULL,
    "kind" ${text} NOT NULL,
    "image_count" integer NOT NULL,
    "missing_image_count" integer NOT NULL,
    "created_at" ${text} NOT NULL,
    CONSTRAINT "UQ_ab779b36657364326d96c054d1d" UNIQUE ("dataset_id", "name"),
    CONSTRAINT "FK_774c7bdf3dfcae69e26e10f78a1" FOREIGN KEY ("dataset_id") REFERENCES "dataset" ("id") ON DELETE CASCADE
  )`,
  `CREATE TABLE "system_caption" (
    "id" ${id},
    "system_id" integer NOT NULL,
    "image_id" integer NOT NULL,
    "text" ${text} NOT NULL,
    "tokens" ${bytes} NOT NULL,
    CONSTRAINT "UQ_6174d78ff82b3f8415a0d8a3b2b" UNIQUE ("system_id", "image_id"),
    CONSTRAINT "FK_e6304f57ea0eaef326ea1283c8f" FOREIGN KEY ("system_id") REFERENCES "system" ("id") ON DELETE CASCADE,
    CONSTRAINT "FK_f48b63d131d960ee59d50c3f024" FOREIGN KEY ("image_id") REFERENCES "image" ("id") ON DELETE CASCADE
  )`,
  `CREATE TABLE "system_word" (
    "system_id" integer NOT NULL,
    "reference_count" integer NOT NULL,
    "word_id" integer NOT NULL,
    "precision_at_human_recall" double precision,
    "average_precision" double precision,
    "precision" double precision,
    "recall" double precision,
    "undefined_reason" ${text},
    CONSTRAINT "FK_e55785674e46c64781f5ae97cbc" FOREIGN KEY ("system_id") REFERENCES "system" ("id") ON DELETE CASCADE,
    PRIMARY KEY ("system_id", "reference_count", "word_id")
  )`,
  `CREATE TABLE "image_set" (
    "id" ${id},
    "system_id" integer NOT NULL,
    "image_ids" ${bytes} NOT NULL,
    CONSTRAINT "FK_13c608cc122e81321a6183abd67" FOREIGN KEY ("system_id") REFERENCES "system" ("id") ON DELETE CASCADE
  )`,
  `CREATE TABLE "word_scores" (
    "system_id" integer NOT NULL,
    "word_id" integer NOT NULL,
    "image_set_id" integer NOT NULL,
    "bytes_per_score" integer NOT NULL,
    "scores" ${bytes} NOT NULL,
    CONSTRAINT "FK_24278da9092548a6c87e8422417" FOREIGN KEY ("system_id") REFERENCES "system" ("id") ON DELETE CASCADE,
    CONSTRAINT "FK_b32c933b157ce417bb697d9a0b2" FOREIGN KEY ("image_set_id") REFERENCES "image_set" ("id") ON DELETE CASCADE,
    PRIMARY KEY ("system_id", "word_id")
  )`,
  `CREATE TABLE "provenance" (
    "id" ${id},
    "hash" ${text} NOT NULL,
    "record" ${text} NOT NULL,
    CONSTRAINT "UQ_49e1af7b93a5b8f25289656c648" UNIQUE ("hash")
  )`,
  `CREATE TABLE "metric_statistics" (
    "id" ${id},
    "system_id" integer NOT NULL,
    "image_set_id" integer NOT NULL,
    "provenance_id" integer,
    "family" ${text} NOT NULL,
    "layout_revision" integer NOT NULL,
    "statistics" ${bytes} NOT NULL,
    CONSTRAINT "FK_0be5ba06d9377b55370e7ccb759" FOREIGN KEY ("system_id") REFERENCES "system" ("id") ON DELETE CASCADE,
    CONSTRAINT "FK_02e676c073ffd2096ea496cccbc" FOREIGN KEY ("image_set_id") REFERENCES "image_set" ("id") ON DELETE CASCADE,
    CONSTRAINT "FK_21f01e95249d38cda7bc4a66abd" FOREIGN KEY ("provenance_id") REFERENCES "provenance" ("id")
  )`,
  `CREATE TABLE "metric_score" (
    "id" ${id},
    "system_id" integer NOT NULL,
    "statistics_id" integer NOT NULL,
    "provenance_id" integer,
    "metric" ${text} NOT NULL,
    "signature" ${text} NOT NULL,
    "reference_count" integer NOT NULL,
    "value" double precision NOT NULL,
    "lower" double precision NOT NULL,
    "upper" double precision NOT NULL,
    "warnings" ${text} NOT NULL,
    "image_scores" ${bytes} NOT NULL,
    CONSTRAINT "UQ_0ce91934593c4a1782c7bbbb637" UNIQUE ("system_id", "signature"),
    CONSTRAINT "FK_c8961b0d16644f99cdcced56853" FOREIGN KEY ("system_id") REFERENCES "system" ("id") ON DELETE CASCADE,
    CONSTRAINT "FK_061144017b633bca96ee7d98d29" FOREIGN KEY ("statistics_id") REFERENCES "metric_statistics" ("id") ON DELETE CASCADE,
    CONSTRAINT "FK_8464ee042ccc303ce31f084a0b0" FOREIGN KEY ("provenance_id") REFERENCES "provenance" ("id")
  )`,
  `CREATE TABLE "agreement_score" (
    "id" ${id},
    "dataset_id" integer NOT NULL,
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
    CONSTRAINT "FK_a18080c120d961cf4a7b21a25dc" FOREIGN KEY ("provenance_id") REFERENCES "provenance" ("id")
  )`,
  `CREATE TABLE "box" (
    "id" ${id},
    "image_id" integer NOT NULL,
    "external_id" ${text} NOT NULL,
    "concept" ${text} NOT NULL,
    "x" double precision NOT NULL,
    "y" double precision NOT NULL,
    "width" double precision NOT NULL,
    "height" double precision NOT NULL,
    CONSTRAINT "UQ_cceac85e4eb833c252f0cbe73d7" UNIQUE ("image_id", "external_id"),
    CONSTRAINT "FK_188f693bc5130226b8e9db9412e" FOREIGN KEY ("image_id") REFERENCES "image" ("id") ON DELETE CASCADE
  )`,
  `CREATE TABLE "description" (
    "id" ${id},
    "image_id" integer NOT NULL,
    "system_id" integer,
    "external_id" ${text},
    "caption_id" integer,
    "system_caption_id" integer,
    "text" ${text},
    CONSTRAINT "UQ_255cde65a88fea024a1551447e8" UNIQUE ("image_id", "external_id"),
    CONSTRAINT "UQ_48f5b893cd81ab408f1d29afbb7" UNIQUE ("system_id", "image_id"),
    CONSTRAINT "UQ_178dc3ae5d43b1a2d8d63efe0cb" UNIQUE ("caption_id"),
    CONSTRAINT "UQ_ef80cb0da9d1d5ae472ae30fc01" UNIQUE ("system_caption_id"),
    CONSTRAINT "FK_19a9f1245888cb79f195ee0a845" FOREIGN KEY ("image_id") REFERENCES "image" ("id") ON DELETE CASCADE,
    CONSTRAINT "FK_09f7628c5c0639482780b701803" FOREIGN KEY ("system_id") REFERENCES "system" ("id") ON DELETE CASCADE,
    CONSTRAINT "FK_178dc3ae5d43b1a2d8d63efe0cb" FOREIGN KEY ("caption_id") REFERENCES "caption" ("id") ON DELETE CASCADE,
    CONSTRAINT "FK_ef80cb0da9d1d5ae472ae30fc01" FOREIGN KEY ("system_caption_id") REFERENCES "system_caption" ("id") ON DELETE CASCADE
  )`,
  `CREATE TABLE "mention" (
    "description_id" integer NOT NULL,
    "position" integer NOT NULL,
    "box_id" integer NOT NULL,
    "span_start" integer,
    "span_end" integer,
    CONSTRAINT "FK_61b694bdafedcc126ca45468a06" FOREIGN KEY ("description_id") REFERENCES "description" ("id") ON DELETE CASCADE,
    CONSTRAINT "FK_fe8d948841ca7063098c32f5e57" FOREIGN KEY ("box_id") REFERENCES "box" ("id") ON DELETE CASCADE,
    PRIMARY KEY ("description_id", "position")
  )`,
  `CREATE TABLE "box_import" (
    "id" ${id},
    "dataset_id" integer NOT NULL,
    "counts" ${text} NOT NULL,
    "created_at" ${text} NOT NULL,
    CONSTRAINT "FK_afb6ffd4c9c280f8e7eb87c3127" FOREIGN KEY ("dataset_id") REFERENCES "dataset" ("id") ON DELETE CASCADE
  )`,
  `CREATE TABLE "job" (
    "id" ${id},
    "kind" ${text} NOT NULL,
    "owner" ${text} NOT NULL,
    "unique_key" ${text},
    "priority" integer NOT NULL,
    "state" ${text} NOT NULL,
    "input" ${text} NOT NULL,
    "result" ${text},
    "failure" ${text},
    "progress" double precision NOT NULL,
    "message" ${text},
    "attempts" integer NOT NULL,
    "worker" ${text},
    "lease_until" double precision,
    "cancel_requested" integer NOT NULL,
    "parent_id" integer,
    "dataset_id" integer,
    "system_id" integer,
    "created_at" ${text} NOT NULL,
    "started_at" ${text},
    "finished_at" ${text},
    CONSTRAINT "FK_ce60c8acd3ad21b9e7c5858e548" FOREIGN KEY ("parent_id") REFERENCES "job" ("id") ON DELETE CASCADE,
    CONSTRAINT "FK_18c4674afefda82e9b1e7353e72" FOREIGN KEY ("dataset_id") REFERENCES "dataset" ("id") ON DELETE CASCADE,
    CONSTRAINT "FK_30a30a881b84428a1fdfc8fdada" FOREIGN KEY ("system_id") REFERENCES "system" ("id") ON DELETE CASCADE
  )`,
  `CREATE TABLE "shard" (
    "job_id" integer NOT NULL,
    "step" ${text} NOT NULL,
    "position" integer NOT NULL,
    "content" ${bytes} NOT NULL,
    CONSTRAINT "FK_8478bb3bd58002197293f5ab599" FOREIGN KEY ("job_id") REFERENCES "job" ("id") ON DELETE CASCADE,
    PRIMARY KEY ("job_id", "step", "position")
  )`,
]

const INDICES = [
  'CREATE INDEX "image_by_dataset" ON "image" ("dataset_id", "id")',
  'CREATE INDEX "word_by_rank" ON "word" ("dataset_id", "vocabulary_rank")',
  'CREATE INDEX "word_by_token" ON "word" ("token_id")',
  'CREATE INDEX "system_caption_by_image" ON "system_caption" ("image_id")',
  'CREATE INDEX "image_set_by_system" ON "image_set" ("system_id")',
  'CREATE INDEX "word_scores_by_image_set" ON "word_scores" ("image_set_id")',
  'CREATE INDEX "metric_statistics_by_system" ON "metric_statistics" ("system_id")',
  'CREATE INDEX "metric_statistics_by_image_set" ON "metric_statistics" ("image_set_id")',
  'CREATE INDEX "metric_score_by_statistics" ON "metric_score" ("statistics_id")',
  'CREATE INDEX "mention_by_box" ON "mention" ("box_id")',
  'CREATE INDEX "box_import_by_dataset" ON "box_import" ("dataset_id")',
  'CREATE INDEX "job_by_state" ON "job" ("state", "owner", "priority", "id")',
  'CREATE INDEX "job_by_owner" ON "job" ("owner", "started_at")',
  'CREATE INDEX "job_by_parent" ON "job" ("parent_id")',
  'CREATE INDEX "job_by_dataset" ON "job" ("dataset_id")',
  'CREATE INDEX "job_by_system" ON "job" ("system_id")',
  `CREATE UNIQUE INDEX "job_by_unique_key" ON "job" ("unique_key") WHERE state IN ('QUEUED', 'RUNNING', 'WAITING')`,
]

/** Tables of version 0.1.0, each after those that it refers to. */
const OLD_TABLES = [
  'token',
  'dataset',
  'image',
  'caption',
  'word',
  'image_word',
  'system',
  'system_caption',
  'system_word',
  'image_set',
  'word_scores',
  'evaluation',
  'metric_statistics',
  'metric_score',
  'agreement_score',
  'box_import',
  'box',
  'description',
  'mention',
]

/** Tables whose columns do not change. */
const UNCHANGED: Readonly<Record<string, string>> = {
  token: 'id, text',
  dataset: 'id, name, captions_per_image, image_count, caption_count, excluded_image_count, created_at',
  image: 'id, dataset_id, external_id, file_name, url, width, height, caption_count',
  caption: 'id, image_id, position, external_id, text, tokens',
  word: `id, dataset_id, token_id, text, part_of_speech, vocabulary_rank, image_count, caption_count, histogram,
         human_precision, human_recall`,
  system: 'id, dataset_id, name, kind, image_count, missing_image_count, created_at',
  system_caption: 'id, system_id, image_id, text, tokens',
  system_word: `system_id, reference_count, word_id, precision_at_human_recall, average_precision, "precision", recall,
                undefined_reason`,
  image_set: 'id, system_id, image_ids',
  word_scores: 'system_id, word_id, image_set_id, bytes_per_score, scores',
  metric_score: `id, system_id, statistics_id, metric, signature, reference_count, value, lower, upper, warnings,
                 image_scores`,
  agreement_score: `id, dataset_id, reference_count, metric, signature, image_count, folds, mean, standard_deviation,
                    lower, upper, warnings, image_ids, image_scores`,
  box_import: 'id, dataset_id, counts, created_at',
  box: 'id, image_id, external_id, concept, x, y, width, height',
  description: 'id, image_id, system_id, external_id, caption_id, system_caption_id, text',
  mention: 'description_id, position, box_id, span_start, span_end',
}

/** The failure of a job as JSON. */
const failure = (code: string, message: string) =>
  `json_object('code', ${code}, 'message', ${message}, 'summary', ${message}, 'detail', json_object())`

const COPIES = [
  ...Object.entries(UNCHANGED).map(
    ([table, columns]) => `INSERT INTO ${table} (${columns}) SELECT ${columns} FROM old_${table}`,
  ),
  // The family follows from the metrics that were computed from the rows.
  `INSERT INTO metric_statistics (id, system_id, image_set_id, family, layout_revision, statistics)
   SELECT id, system_id, image_set_id,
     (SELECT CASE
        WHEN metric LIKE 'BLEU-%' THEN 'BLEU'
        WHEN metric IN ('ROUGE-1', 'ROUGE-2', 'ROUGE-3', 'ROUGE-4') THEN 'ROUGE-N'
        WHEN metric LIKE 'CIDEr%' THEN 'CIDEr'
        ELSE metric END
      FROM old_metric_score WHERE statistics_id = old_metric_statistics.id LIMIT 1),
     1, statistics
   FROM old_metric_statistics WHERE id IN (SELECT statistics_id FROM old_metric_score)`,
  // The server that ran an unfinished evaluation has stopped: its database is being migrated.
  `INSERT INTO job (id, kind, owner, priority, state, input, failure, progress, attempts, cancel_requested,
                    dataset_id, system_id, created_at, started_at, finished_at)
   SELECT evaluation.id, 'evaluate', 'anonymous', 0,
     CASE WHEN status IN ('DONE', 'CANCELLED') THEN status ELSE 'FAILED' END,
     'null',
     CASE
       WHEN status IN ('DONE', 'CANCELLED') THEN NULL
       WHEN status = 'FAILED' THEN ${failure("'INTERNAL'", "COALESCE(message, 'the evaluation failed')")}
       ELSE ${failure("'WORKER_LOST'", "'the server stopped before the evaluation ended; start it again'")} END,
     status = 'DONE', started_at IS NOT NULL, status = 'CANCELLED',
     system.dataset_id, system.id, evaluation.created_at, started_at,
     COALESCE(finished_at, strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
   FROM old_evaluation AS evaluation JOIN old_system AS system ON system.id = evaluation.system_id`,
]

/** Tables with ids that clients can store. */
const IDENTITIES = ['dataset', 'image', 'word', 'system', 'job']

/** Prevents the reuse of the ids of rows that were removed before the migration. */
function continueIds(table: string): string[] {
  const old = table === 'job' ? 'old_evaluation' : `old_${table}`
  return [
    `DELETE FROM sqlite_sequence WHERE name = '${table}'`,
    `INSERT INTO sqlite_sequence (name, seq) SELECT '${table}', seq FROM sqlite_sequence WHERE name = '${old}'`,
  ]
}

/** Ids of images in one block of a posting. */
const BLOCK_SIZE = 65_536

interface ImageWord {
  readonly word_id: number
  readonly image_id: number
  readonly caption_count: number
}

/** Converts rows of one image each to blocks of images. */
async function copyPostings(runner: QueryRunner): Promise<void> {
  const words: { id: number }[] = await runner.query('SELECT id FROM word ORDER BY id')
  for (const { id } of words) {
    const uses: ImageWord[] = await runner.query(
      'SELECT word_id, image_id, caption_count FROM old_image_word WHERE word_id = ? ORDER BY image_id',
      [id],
    )
    const blocks = new Map<number, ImageWord[]>()
    for (const use of uses) {
      const block = Math.floor(use.image_id / BLOCK_SIZE)
      const members = blocks.get(block)
      if (members) members.push(use)
      else blocks.set(block, [use])
    }
    for (const [block, rows] of blocks) {
      const imageIds = Int32Array.from(rows, ({ image_id }) => image_id)
      const captionCounts = Buffer.from(rows.map(({ caption_count }) => caption_count))
      await runner.query(
        'INSERT INTO posting (word_id, block, image_ids, caption_counts) VALUES (?, ?, ?, ?)',
        [id, block, Buffer.from(imageIds.buffer), captionCounts],
      )
    }
  }
}

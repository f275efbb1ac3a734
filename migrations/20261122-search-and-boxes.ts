import type { MigrationInterface, QueryRunner } from 'typeorm'

/** Text search in captions by their tokens, attributes and depths of boxes, and vocabularies that can be replaced. */
export class SearchAndBoxes1795323600000 implements MigrationInterface {
  readonly name = 'SearchAndBoxes1795323600000'

  async up(runner: QueryRunner): Promise<void> {
    const isPostgres = runner.connection.options.type === 'postgres'
    for (const statement of [...COLUMNS(isPostgres), ...(isPostgres ? POSTGRES : SQLITE)]) {
      await runner.query(statement)
    }
    for (const table of TABLES) await indexTokens(runner, table, isPostgres)
  }

  async down(): Promise<void> {
    throw new Error('Databases are not taken back: restore the copy that was made before.')
  }
}

const TABLES = ['caption', 'system_caption']

const COLUMNS = (isPostgres: boolean): readonly string[] => [
  `ALTER TABLE "box" ADD COLUMN "attributes" ${isPostgres ? 'text COLLATE "C"' : 'text'}`,
  'ALTER TABLE "box" ADD COLUMN "depth" double precision',
  `ALTER TABLE "dataset" ADD COLUMN "vocabulary" ${isPostgres ? 'text COLLATE "C"' : 'text'}`,
]

/** Token ids as digits separated by spaces; captions that are removed are removed from the index. */
const SQLITE = TABLES.flatMap((table) => [
  `CREATE VIRTUAL TABLE "${table}_search" USING fts5(tokens, content='', contentless_delete=1, detail='none')`,
  `CREATE TRIGGER "${table}_search_removal" AFTER DELETE ON "${table}"
   BEGIN DELETE FROM "${table}_search" WHERE rowid = old.id; END`,
])

const POSTGRES = TABLES.flatMap((table) => [
  `CREATE TABLE "${table}_search" (
    "rowid" integer PRIMARY KEY REFERENCES "${table}" ("id") ON DELETE CASCADE,
    "tokens" tsvector NOT NULL
  )`,
  `CREATE INDEX "${table}_search_tokens" ON "${table}_search" USING gin ("tokens")`,
])

/** Number of captions that are indexed together. */
const BATCH = 5000

async function indexTokens(runner: QueryRunner, table: string, isPostgres: boolean): Promise<void> {
  const place = (index: number) => (isPostgres ? `$${index}` : '?')
  for (let after = 0; ; ) {
    const rows: { id: number; tokens: Buffer }[] = await runner.query(
      `SELECT id, tokens FROM "${table}" WHERE id > ${place(1)} ORDER BY id LIMIT ${BATCH}`,
      [after],
    )
    if (rows.length === 0) return
    after = rows[rows.length - 1].id
    const texts = rows.map(({ tokens }) => textOf(tokens))
    if (isPostgres) {
      const ids = rows.map(({ id }) => id)
      await runner.query(
        `INSERT INTO "${table}_search" SELECT id, tokens::tsvector FROM unnest($1::int[], $2::text[]) AS row(id, tokens)`,
        [ids, texts],
      )
    } else {
      await runner.query(
        `INSERT INTO "${table}_search" (rowid, tokens)
         SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]') FROM json_each(?)`,
        [JSON.stringify(rows.map(({ id }, index) => [id, texts[index]]))],
      )
    }
  }
}

/** 32-bit little-endian numbers as text. */
function textOf(tokens: Buffer): string {
  return Array.from({ length: tokens.length / 4 }, (_, index) => tokens.readInt32LE(4 * index)).join(' ')
}

import type { MigrationInterface, QueryRunner } from 'typeorm'

/** Boxes of images, descriptions by people and systems, and which boxes their words name. */
export class BoxesAndMentions1795226400000 implements MigrationInterface {
  readonly name = 'BoxesAndMentions1795226400000'

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of TABLES) await runner.query(statement)
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['mention', 'description', 'box', 'box_import']) {
      await runner.query(`DROP TABLE ${table}`)
    }
  }
}

const TABLES = [
  // counts is an object of numbers: what was kept and what was left out, and why.
  `CREATE TABLE box_import (
    id INTEGER PRIMARY KEY,
    dataset_id INTEGER NOT NULL REFERENCES dataset(id) ON DELETE CASCADE,
    counts TEXT NOT NULL,
    created_at TEXT NOT NULL
  )`,
  'CREATE INDEX box_import_by_dataset ON box_import (dataset_id)',
  // Boxes of an image stand in the order of their ids. x, y, width and height are pixels.
  `CREATE TABLE box (
    id INTEGER PRIMARY KEY,
    image_id INTEGER NOT NULL REFERENCES image(id) ON DELETE CASCADE,
    external_id TEXT NOT NULL,
    concept TEXT NOT NULL,
    x REAL NOT NULL,
    y REAL NOT NULL,
    width REAL NOT NULL,
    height REAL NOT NULL,
    UNIQUE (image_id, external_id)
  )`,
  // Of a person where system_id is null. The text is that of the caption where there is one.
  `CREATE TABLE description (
    id INTEGER PRIMARY KEY,
    image_id INTEGER NOT NULL REFERENCES image(id) ON DELETE CASCADE,
    system_id INTEGER REFERENCES system(id) ON DELETE CASCADE,
    external_id TEXT,
    caption_id INTEGER UNIQUE REFERENCES caption(id) ON DELETE CASCADE,
    system_caption_id INTEGER UNIQUE REFERENCES system_caption(id) ON DELETE CASCADE,
    text TEXT,
    UNIQUE (image_id, external_id),
    UNIQUE (system_id, image_id)
  )`,
  // span_start and span_end count UTF-16 units of the text; null where the source says only which boxes.
  `CREATE TABLE mention (
    description_id INTEGER NOT NULL REFERENCES description(id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    box_id INTEGER NOT NULL REFERENCES box(id) ON DELETE CASCADE,
    span_start INTEGER,
    span_end INTEGER,
    PRIMARY KEY (description_id, position)
  ) WITHOUT ROWID`,
  'CREATE INDEX mention_by_box ON mention (box_id)',
]

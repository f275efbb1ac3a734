import type { MigrationInterface, QueryRunner } from 'typeorm'

/** Data sets, images, human captions, words with their counts; systems with their captions and word scores. */
export class CaptionsAndWords1795219200000 implements MigrationInterface {
  readonly name = 'CaptionsAndWords1795219200000'

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of TABLES) await runner.query(statement)
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of [
      'word_scores',
      'system_word',
      'system_caption',
      'system',
      'image_set',
      'image_word',
      'word',
      'caption',
      'image',
      'dataset',
      'token',
    ]) {
      await runner.query(`DROP TABLE ${table}`)
    }
  }
}

// AUTOINCREMENT stands where ids leave the database, in ids and cursors of the API: the id of a removed row never
// becomes that of another one.
const TABLES = [
  // One list of tokens for all data sets, so that document frequencies of one can serve another.
  `CREATE TABLE token (
    id INTEGER PRIMARY KEY,
    text TEXT NOT NULL UNIQUE
  )`,
  `CREATE TABLE dataset (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL UNIQUE,
    captions_per_image INTEGER NOT NULL,
    image_count INTEGER NOT NULL,
    caption_count INTEGER NOT NULL,
    excluded_image_count INTEGER NOT NULL,
    created_at TEXT NOT NULL
  )`,
  `CREATE TABLE image (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    dataset_id INTEGER NOT NULL REFERENCES dataset(id) ON DELETE CASCADE,
    external_id TEXT NOT NULL,
    file_name TEXT,
    url TEXT,
    width INTEGER,
    height INTEGER,
    caption_count INTEGER NOT NULL,
    UNIQUE (dataset_id, external_id)
  )`,
  // position counts an image's captions from 0, by annotation id.
  `CREATE TABLE caption (
    id INTEGER PRIMARY KEY,
    image_id INTEGER NOT NULL REFERENCES image(id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    external_id TEXT NOT NULL,
    text TEXT NOT NULL,
    tokens BLOB NOT NULL,
    UNIQUE (image_id, position)
  )`,
  // Statistics exist for every word; vocabulary_rank marks those reported by default.
  `CREATE TABLE word (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    dataset_id INTEGER NOT NULL REFERENCES dataset(id) ON DELETE CASCADE,
    token_id INTEGER NOT NULL REFERENCES token(id),
    text TEXT NOT NULL,
    part_of_speech TEXT NOT NULL,
    vocabulary_rank INTEGER,
    image_count INTEGER NOT NULL,
    caption_count INTEGER NOT NULL,
    histogram TEXT NOT NULL,
    human_precision REAL,
    human_recall REAL,
    UNIQUE (dataset_id, text)
  )`,
  'CREATE INDEX word_by_rank ON word (dataset_id, vocabulary_rank)',
  'CREATE INDEX word_by_token ON word (token_id)',
  // Clustered by word: the images where one of five says "dog" are one range of the index. image_id is no foreign
  // key, which would need a second index of this size: an image goes with its data set alone, as its words do.
  `CREATE TABLE image_word (
    word_id INTEGER NOT NULL REFERENCES word(id) ON DELETE CASCADE,
    caption_count INTEGER NOT NULL,
    image_id INTEGER NOT NULL,
    PRIMARY KEY (word_id, caption_count, image_id)
  ) WITHOUT ROWID`,
  `CREATE TABLE system (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    dataset_id INTEGER NOT NULL REFERENCES dataset(id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    kind TEXT NOT NULL,
    image_count INTEGER NOT NULL,
    missing_image_count INTEGER NOT NULL,
    created_at TEXT NOT NULL,
    UNIQUE (dataset_id, name)
  )`,
  `CREATE TABLE system_caption (
    id INTEGER PRIMARY KEY,
    system_id INTEGER NOT NULL REFERENCES system(id) ON DELETE CASCADE,
    image_id INTEGER NOT NULL REFERENCES image(id) ON DELETE CASCADE,
    text TEXT NOT NULL,
    tokens BLOB NOT NULL,
    UNIQUE (system_id, image_id)
  )`,
  'CREATE INDEX system_caption_by_image ON system_caption (image_id)',
  // One row per word and number of references.
  `CREATE TABLE system_word (
    system_id INTEGER NOT NULL REFERENCES system(id) ON DELETE CASCADE,
    reference_count INTEGER NOT NULL,
    word_id INTEGER NOT NULL REFERENCES word(id) ON DELETE CASCADE,
    precision_at_human_recall REAL,
    average_precision REAL,
    "precision" REAL,
    recall REAL,
    undefined_reason TEXT,
    PRIMARY KEY (system_id, reference_count, word_id)
  ) WITHOUT ROWID`,
  'CREATE INDEX system_word_by_word ON system_word (word_id)',
  // A list of image ids (32-bit integers) that blobs of per-image numbers are aligned to.
  `CREATE TABLE image_set (
    id INTEGER PRIMARY KEY,
    system_id INTEGER NOT NULL REFERENCES system(id) ON DELETE CASCADE,
    image_ids BLOB NOT NULL
  )`,
  'CREATE INDEX image_set_by_system ON image_set (system_id)',
  // scores holds one little-endian float of bytes_per_score (4 or 8) for each id of the image set.
  `CREATE TABLE word_scores (
    id INTEGER PRIMARY KEY,
    system_id INTEGER NOT NULL REFERENCES system(id) ON DELETE CASCADE,
    word_id INTEGER NOT NULL REFERENCES word(id) ON DELETE CASCADE,
    image_set_id INTEGER NOT NULL REFERENCES image_set(id) ON DELETE CASCADE,
    bytes_per_score INTEGER NOT NULL,
    scores BLOB NOT NULL,
    UNIQUE (system_id, word_id)
  )`,
  'CREATE INDEX word_scores_by_word ON word_scores (word_id)',
  'CREATE INDEX word_scores_by_image_set ON word_scores (image_set_id)',
]

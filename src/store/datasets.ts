import { AccordError } from '../errors.js'
import type { PartOfSpeech } from '../text/part-of-speech.js'
import { renumber, sequence, type TokenSequences } from '../text/sequences.js'
import type { WordCounts } from '../text/word-counts.js'
import { toBlob } from './blobs.js'
import { type Database, inTransaction } from './database.js'
import { type Dataset, DatasetEntity } from './entities.js'
import { insertRows } from './insert-rows.js'
import { saveTokens } from './tokens.js'
import { In } from './typeorm.js'

/** A data set before it has ids. Images, captions and words are numbered from 0 as they stand here. */
export interface NewDataset {
  readonly name: string
  readonly captionsPerImage: number
  readonly excludedImageCount: number
  readonly images: readonly NewImage[]
  /** Captions of all images, those of one image side by side, by annotation id. */
  readonly captions: readonly { readonly externalId: string; readonly text: string }[]
  /** Per image the index of its first caption, with one entry more than images. */
  readonly firstCaption: Int32Array
  /** Tokens of each caption as indices into `words`. */
  readonly sequences: TokenSequences
  readonly words: readonly NewWord[]
  readonly counts: WordCounts
}

export interface NewImage {
  readonly externalId: string
  readonly fileName: string | null
  readonly url: string | null
  readonly width: number | null
  readonly height: number | null
}

export interface NewWord {
  readonly text: string
  readonly partOfSpeech: PartOfSpeech
  readonly vocabularyRank: number | null
  readonly histogram: readonly number[]
  readonly humanPrecision: number | null
  readonly humanRecall: number | null
}

/**
 * Writes a data set in one transaction.
 *
 * @returns the id of the data set
 * @throws AccordError NAME_TAKEN
 */
export function insertDataset(database: Database, dataset: NewDataset): number {
  return inTransaction(database, () => {
    assertNameFree(database, dataset.name)
    const datasetId = insertDatasetRow(database, dataset)
    const tokenIds = saveTokens(
      database,
      dataset.words.map((word) => word.text),
    )
    const imageIds = insertImages(database, datasetId, dataset)
    insertCaptions(database, imageIds, dataset, tokenIds)
    const wordIds = insertWords(database, datasetId, dataset.words, tokenIds)
    insertImageWords(database, dataset.counts, wordIds, imageIds)
    return datasetId
  })
}

/** @throws AccordError NAME_TAKEN where a data set of this name exists */
export function assertNameFree(database: Database, name: string): void {
  const taken = database.connection.prepare('SELECT 1 FROM dataset WHERE name = ?').get(name)
  if (taken) {
    throw new AccordError('NAME_TAKEN', 'a data set of this name exists', {
      source: 'dataset',
      expected: 'a new name',
      found: JSON.stringify(name),
    })
  }
}

/** All data sets by name. */
export function listDatasets(database: Database): Promise<Dataset[]> {
  return database.source.getRepository(DatasetEntity).find({ order: { name: 'ASC' } })
}

/** The data set of a name, or null. */
export function findDataset(database: Database, name: string): Promise<Dataset | null> {
  return database.source.getRepository(DatasetEntity).findOneBy({ name })
}

/** Data sets by id, in no particular order. */
export function findDatasets(database: Database, ids: readonly number[]): Promise<Dataset[]> {
  return database.source.getRepository(DatasetEntity).findBy({ id: In(ids) })
}

/** @throws AccordError UNKNOWN_DATASET, naming those that exist */
export async function requireDataset(database: Database, name: string): Promise<Dataset> {
  const dataset = await findDataset(database, name)
  if (dataset) return dataset
  const names = (await listDatasets(database)).map((existing) => existing.name)
  throw new AccordError('UNKNOWN_DATASET', 'there is no such data set', {
    source: 'dataset',
    expected: names.length > 0 ? `one of ${names.join(', ')}` : 'an imported data set; none is imported yet',
    found: JSON.stringify(name),
  })
}

/** Removes a data set with all that belongs to it, its systems included. */
export function deleteDataset(database: Database, datasetId: number): void {
  inTransaction(database, () => {
    database.connection.prepare('DELETE FROM dataset WHERE id = ?').run(datasetId)
  })
}

function insertDatasetRow(database: Database, dataset: NewDataset): number {
  const { lastInsertRowid } = database.connection
    .prepare(
      `INSERT INTO dataset (name, captions_per_image, image_count, caption_count, excluded_image_count, created_at)
       VALUES (?, ?, ?, ?, ?, ?)`,
    )
    .run(
      dataset.name,
      dataset.captionsPerImage,
      dataset.images.length,
      dataset.captions.length,
      dataset.excludedImageCount,
      new Date().toISOString(),
    )
  return Number(lastInsertRowid)
}

function insertImages(
  database: Database,
  datasetId: number,
  { images, firstCaption }: NewDataset,
): Int32Array {
  const insert = database.connection.prepare(
    `INSERT INTO image (dataset_id, external_id, file_name, url, width, height, caption_count)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
  )
  return Int32Array.from(images, (image, index) => {
    const { externalId, fileName, url, width, height } = image
    const captionCount = firstCaption[index + 1] - firstCaption[index]
    return Number(
      insert.run(datasetId, externalId, fileName, url, width, height, captionCount).lastInsertRowid,
    )
  })
}

function insertCaptions(
  database: Database,
  imageIds: Int32Array,
  { captions, firstCaption, sequences }: NewDataset,
  tokenIds: Int32Array,
): void {
  const numbered = renumber(sequences, tokenIds)
  function* rows() {
    for (let image = 0; image < imageIds.length; image++) {
      for (let index = firstCaption[image]; index < firstCaption[image + 1]; index++) {
        const { externalId, text } = captions[index]
        const position = index - firstCaption[image]
        yield [imageIds[image], position, externalId, text, toBlob(sequence(numbered, index))]
      }
    }
  }
  insertRows(database, 'caption', ['image_id', 'position', 'external_id', 'text', 'tokens'], rows())
}

function insertWords(
  database: Database,
  datasetId: number,
  words: readonly NewWord[],
  tokenIds: Int32Array,
): Int32Array {
  const insert = database.connection.prepare(
    `INSERT INTO word (dataset_id, token_id, text, part_of_speech, vocabulary_rank, image_count, caption_count,
                       histogram, human_precision, human_recall)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  return Int32Array.from(words, ({ text, partOfSpeech, vocabularyRank, histogram, ...human }, index) => {
    const captionCount = histogram.reduce((sum, images, count) => sum + count * images, 0)
    const imageCount = histogram.slice(1).reduce((sum, images) => sum + images, 0)
    return Number(
      insert.run(
        datasetId,
        tokenIds[index],
        text,
        partOfSpeech,
        vocabularyRank,
        imageCount,
        captionCount,
        JSON.stringify(histogram),
        human.humanPrecision,
        human.humanRecall,
      ).lastInsertRowid,
    )
  })
}

function insertImageWords(
  database: Database,
  counts: WordCounts,
  wordIds: Int32Array,
  imageIds: Int32Array,
): void {
  function* rows() {
    for (let i = 0; i < counts.words.length; i++) {
      yield [wordIds[counts.words[i]], counts.captionCounts[i], imageIds[counts.images[i]]]
    }
  }
  insertRows(database, 'image_word', ['word_id', 'caption_count', 'image_id'], rows())
}

import { AccordError, nameTaken, unknownName } from '../errors.js'
import { translateViolations } from './engine/constraints.js'
import { find, findOne, insert, rowsBy, update } from './engine/rows.js'
import type { Session } from './engine/session.js'
import { sql } from './engine/sql.js'
import { type Dataset, DatasetEntity } from './schema/entities.js'

/** Columns of a dataset that are known after its content was written. */
export type DatasetCounts = Pick<
  Dataset,
  'captionsPerImage' | 'imageCount' | 'captionCount' | 'excludedImageCount' | 'revision' | 'wordRevision'
>

/**
 * Writes a dataset without content. Call it in the transaction that writes the content and ends with `finishDataset`.
 *
 * @param isPrivate whether only hosts and administrators see it
 * @returns the id of the dataset
 * @throws AccordError NAME_TAKEN
 */
export async function createDataset(session: Session, name: string, isPrivate = false): Promise<number> {
  await assertNameFree(session, name)
  const row = {
    name,
    captionsPerImage: 0,
    imageCount: 0,
    captionCount: 0,
    excludedImageCount: 0,
    revision: '',
    wordRevision: null,
    vocabulary: null,
    isPrivate: Number(isPrivate),
    createdAt: new Date().toISOString(),
  }
  return translateViolations(() => insert(session, DatasetEntity, row), { UNIQUE: () => datasetTaken(name) })
}

/** Stores the counts of a dataset after its content was written. */
export async function finishDataset(session: Session, id: number, counts: DatasetCounts): Promise<void> {
  await update(session, DatasetEntity, counts, sql`id = ${id}`)
}

/** Lets only hosts and administrators see a dataset, on a server with accounts. */
export async function makePrivate(session: Session, id: number): Promise<void> {
  await update(session, DatasetEntity, { isPrivate: 1 }, sql`id = ${id}`)
}

/** @throws AccordError NAME_TAKEN where a dataset of this name exists */
export async function assertNameFree(session: Session, name: string): Promise<void> {
  if (await findDataset(session, name)) throw datasetTaken(name)
}

/** All datasets by name. */
export function listDatasets(session: Session): Promise<Dataset[]> {
  return find(session, DatasetEntity, sql`ORDER BY name`)
}

/** The dataset with this name, or null. */
export function findDataset(session: Session, name: string): Promise<Dataset | null> {
  return findOne(session, DatasetEntity, sql`WHERE name = ${name}`)
}

/** Datasets by id, in no particular order. */
export const findDatasets = rowsBy(DatasetEntity, 'id')

/** @throws AccordError UNKNOWN_DATASET, listing the existing datasets */
export async function requireDataset(session: Session, name: string): Promise<Dataset> {
  const dataset = await findDataset(session, name)
  if (dataset) return dataset
  throw unknownDataset(
    name,
    (await listDatasets(session)).map((existing) => existing.name),
  )
}

/** The error for a name that no dataset has. @param known the existing names */
export function unknownDataset(found: string, known: readonly string[]): AccordError {
  const none = 'an imported dataset; none is imported yet'
  return unknownName('UNKNOWN_DATASET', 'unknown dataset', { source: 'dataset', known, none, found })
}

/**
 * Removes a dataset and everything that belongs to it, including its systems.
 *
 * @throws AccordError NOT_APPLICABLE for the dataset of a phase of a challenge
 */
export async function deleteDataset(session: Session, id: number): Promise<void> {
  await translateViolations(() => session.run(sql`DELETE FROM dataset WHERE id = ${id}`), {
    FOREIGN_KEY: () =>
      new AccordError('NOT_APPLICABLE', 'the dataset is that of a phase of a challenge', {
        source: 'dataset',
        expected: 'a dataset that no challenge uses: accord challenge remove removes one',
      }),
  })
}

function datasetTaken(name: string): AccordError {
  return nameTaken('a dataset of this name exists', 'dataset', name)
}

/** How much the database contains, as bounds for the lengths of lists. */
export interface DatabaseSizes {
  readonly datasets: number
  readonly systems: number
  /** Maximum number of systems of a dataset. */
  readonly systemsPerDataset: number
  /** Maximum K of a dataset. */
  readonly captionsPerImage: number
  readonly imagesPerDataset: number
  /** Maximum number of judgements of a dataset. */
  readonly judgements: number
}

/** @param isPublic count only datasets that are not private */
export async function readSizes(session: Session, isPublic = false): Promise<DatabaseSizes> {
  const counted = isPublic
    ? sql`(SELECT * FROM dataset WHERE is_private = 0) AS counted`
    : sql`dataset AS counted`
  const ofCounted = sql`dataset_id IN (SELECT id FROM ${counted})`
  const [sizes] = await session.all<DatabaseSizes>(
    sql`SELECT (SELECT count(*) FROM ${counted}) AS datasets,
               (SELECT count(*) FROM system WHERE ${ofCounted}) AS systems,
               (SELECT coalesce(max(number), 0) FROM
                 (SELECT count(*) AS number FROM system WHERE ${ofCounted} GROUP BY dataset_id) AS counts)
                 AS "systemsPerDataset",
               (SELECT coalesce(max(captions_per_image), 0) FROM ${counted}) AS "captionsPerImage",
               (SELECT coalesce(max(image_count), 0) FROM ${counted}) AS "imagesPerDataset",
               (SELECT coalesce(max(judgement_count), 0) FROM judgement_set WHERE ${ofCounted}) AS judgements`,
  )
  return sizes
}

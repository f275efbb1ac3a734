import { timeNow } from '../clock.js'
import { ENGLISH, versionOf } from '../core/text/tokenization.js'
import { AccordError, nameTaken, unknownName } from '../errors.js'
import { find, findOne, insert, lockRow, rowsBy, translateViolations, update } from './engine/rows.js'
import type { Session } from './engine/session.js'
import { among, EMPTY, raw, sql } from './engine/sql.js'
import { PhaseEntity } from './schema/challenge-tables.js'
import { type Dataset, DatasetEntity } from './schema/dataset-tables.js'

/** Columns of a dataset that are known after its content was written. */
export type DatasetCounts = Pick<
  Dataset,
  'captionsPerImage' | 'imageCount' | 'captionCount' | 'excludedImageCount' | 'revision' | 'wordRevision'
>

/** Properties of a new dataset. */
export interface NewDataset extends Partial<Pick<Dataset, 'language' | 'tokenizer'>> {
  /** Whether only hosts and administrators see it. Default: everybody does. */
  readonly isPrivate?: boolean
  /** Absolute path of the folder of its pictures. Default: it has none of its own. */
  readonly imagesFolder?: string | null
}

/**
 * Writes a dataset without content. Call it in the transaction that writes the content and ends with `finishDataset`.
 *
 * @returns the id of the dataset
 * @throws AccordError NAME_TAKEN
 */
export async function createDataset(
  session: Session,
  name: string,
  {
    isPrivate = false,
    imagesFolder = null,
    language = ENGLISH.language,
    tokenizer = versionOf(ENGLISH),
  }: NewDataset = {},
): Promise<number> {
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
    objects: null,
    language,
    tokenizer,
    isPrivate,
    imagesFolder,
    createdAt: timeNow(),
  }
  return translateViolations(() => insert(session, DatasetEntity, row), { UNIQUE: () => datasetTaken(name) })
}

/** Stores the counts of a dataset after its content was written. */
export async function finishDataset(session: Session, id: number, counts: DatasetCounts): Promise<void> {
  await update(session, DatasetEntity, counts, sql`id = ${id}`)
}

/** Lets only hosts and administrators see a dataset, on a server with accounts. */
export async function makePrivate(session: Session, id: number): Promise<void> {
  await update(session, DatasetEntity, { isPrivate: true }, sql`id = ${id}`)
}

/** @throws AccordError NAME_TAKEN where a dataset of this name exists */
export async function assertNameFree(session: Session, name: string): Promise<void> {
  if (await findDataset(session, name)) throw datasetTaken(name)
}

/** All datasets by name. */
export function listDatasets(session: Session): Promise<Dataset[]> {
  return find(session, DatasetEntity, sql`ORDER BY name`)
}

export function findDataset(session: Session, name: string): Promise<Dataset | null> {
  return findOne(session, DatasetEntity, sql`WHERE name = ${name}`)
}

export const findDatasets = rowsBy(DatasetEntity, 'id')

/** The dataset that has the most of these external ids of images, if it has half of them; else null. */
export async function findDatasetOfImages(
  session: Session,
  externalIds: readonly string[],
): Promise<Dataset | null> {
  const [best] = await session.all<{ id: number; count: number }>(sql`
    SELECT dataset_id AS id, CAST(COUNT(*) AS integer) AS count FROM image
    WHERE dataset_id IN (SELECT id FROM dataset) AND external_id ${among(externalIds)}
    GROUP BY dataset_id ORDER BY COUNT(*) DESC, dataset_id LIMIT 1`)
  return best && 2 * best.count >= externalIds.length
    ? findOne(session, DatasetEntity, sql`WHERE id = ${best.id}`)
    : null
}

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

/** Lets other transactions that remove systems of a dataset, or make them baselines, wait for the end of this one. */
export async function lockDataset(session: Session, id: number): Promise<void> {
  await lockRow(session, DatasetEntity, id)
}

/**
 * Removes a dataset and everything that belongs to it, including its systems.
 *
 * @throws AccordError NOT_APPLICABLE for the dataset of a phase of a challenge
 */
export async function deleteDataset(session: Session, id: number): Promise<void> {
  await translateViolations(() => session.run(sql`DELETE FROM dataset WHERE id = ${id}`), {
    FOREIGN_KEY: usedByPhase,
  })
}

/** @throws AccordError NOT_APPLICABLE for the dataset of a phase of a challenge */
export async function requireNoPhase(session: Session, id: number): Promise<void> {
  if (await findOne(session, PhaseEntity, sql`WHERE dataset_id = ${id}`)) throw usedByPhase()
}

function usedByPhase(): AccordError {
  return new AccordError('NOT_APPLICABLE', 'the dataset is that of a phase of a challenge', {
    source: 'dataset',
    expected: 'a dataset that no challenge uses: accord challenge remove removes one',
  })
}

function datasetTaken(name: string): AccordError {
  return nameTaken('a dataset of this name exists', 'dataset', name)
}

/** How much the database contains, as bounds for the lengths of lists. */
export interface DatabaseSizes {
  readonly datasets: number
  /** With the captions of submissions. */
  readonly systems: number
  /** Maximum number of systems of a dataset, without submissions. */
  readonly systemsPerDataset: number
  /** Maximum number of metrics by which systems of a dataset have scores. */
  readonly metricsPerDataset: number
  /** Maximum K of a dataset. */
  readonly captionsPerImage: number
  readonly imagesPerDataset: number
  /** Maximum number of judgements of a dataset. */
  readonly judgements: number
  readonly challenges: number
  readonly phasesPerChallenge: number
  readonly submissionsPerPhase: number
  /** Maximum number of rows of a board: its teams, baselines and people. */
  readonly boardRows: number
  readonly boardMetrics: number
  readonly collections: number
}

/** @param isPublic count only datasets that are not private */
export async function readSizes(session: Session, isPublic = false): Promise<DatabaseSizes> {
  const counted = isPublic
    ? sql`(SELECT * FROM dataset WHERE NOT is_private) AS counted`
    : sql`dataset AS counted`
  const ofCounted = sql`dataset_id IN (SELECT id FROM ${counted})`
  const [sizes] = await session.all<Omit<DatabaseSizes, 'boardRows' | 'boardMetrics'>>(
    sql`SELECT (SELECT count(*) FROM ${counted}) AS datasets,
               (SELECT count(*) FROM system WHERE ${ofCounted}) AS systems,
               (SELECT coalesce(max(number), 0) FROM
                 (SELECT count(*) AS number FROM system WHERE ${ofCounted} AND NOT is_submission
                  GROUP BY dataset_id) AS counts)
                 AS "systemsPerDataset",
               (SELECT coalesce(max(number), 0) FROM
                 (SELECT count(DISTINCT metric_score.metric) AS number FROM metric_score
                  JOIN system ON system.id = metric_score.system_id WHERE system.${ofCounted}
                  GROUP BY system.dataset_id) AS scored)
                 AS "metricsPerDataset",
               (SELECT coalesce(max(captions_per_image), 0) FROM ${counted}) AS "captionsPerImage",
               (SELECT coalesce(max(image_count), 0) FROM ${counted}) AS "imagesPerDataset",
               (SELECT coalesce(max(judgement_count), 0) FROM judgement_set WHERE ${ofCounted}) AS judgements,
               (SELECT count(*) FROM challenge) AS challenges,
               (SELECT coalesce(max(number), 0) FROM
                 (SELECT count(*) AS number FROM phase GROUP BY challenge_id) AS counts) AS "phasesPerChallenge",
               (SELECT coalesce(max(number), 0) FROM
                 (SELECT count(*) AS number FROM submission GROUP BY phase_id) AS counts) AS "submissionsPerPhase",
               (SELECT count(*) FROM collection) AS collections`,
  )
  return { ...sizes, ...(await readBoardSizes(session)) }
}

/**
 * Numbers of images of all datasets by their names.
 *
 * @param isPublic only of datasets that are not private
 */
export async function readImageCounts(session: Session, isPublic: boolean): Promise<Map<string, number>> {
  const rows = await session.all<{ name: string; count: number }>(
    sql`SELECT name, image_count AS count FROM dataset ${isPublic ? sql`WHERE NOT is_private` : EMPTY}`,
  )
  return new Map(rows.map(({ name, count }) => [name, count]))
}

async function readBoardSizes(session: Session): Promise<Pick<DatabaseSizes, 'boardRows' | 'boardMetrics'>> {
  const teams = await session.all<{ phaseId: number; count: number }>(
    sql`SELECT phase_id AS "phaseId", count(DISTINCT team) AS count FROM submission GROUP BY phase_id`,
  )
  const teamCounts = new Map(teams.map(({ phaseId, count }) => [phaseId, Number(count)]))
  const phases = await find(session, PhaseEntity, EMPTY)
  const most = (numbers: readonly number[]) => Math.max(0, ...numbers)
  return {
    boardRows: most(
      phases.map(({ id, settings }) => (teamCounts.get(id) ?? 0) + settings.baselines.length + 1),
    ),
    boardMetrics: most(phases.map(({ settings }) => settings.metrics.length)),
  }
}

/** Rows that figures are computed from, as a query of their highest id and their number. Ids are never used again. */
const counted = (tail: string) => raw(`(SELECT MAX(found.id) || ':' || COUNT(*) FROM ${tail})`)

/**
 * The state of datasets: it is another one whenever something that figures are computed from was added, replaced or
 * removed. One statement, of less than a millisecond.
 *
 * @param datasetIds unknown ids are left out
 */
export async function readContentState(session: Session, datasetIds: readonly number[]): Promise<string> {
  const rows = await session.all(sql`
    SELECT id, name, revision, word_revision, vocabulary, objects,
           ${counted('system AS found WHERE found.dataset_id = dataset.id')} AS systems,
           ${counted(
             'metric_score AS found JOIN system ON system.id = found.system_id WHERE system.dataset_id = dataset.id',
           )} AS scores,
           ${counted('agreement_score AS found WHERE found.dataset_id = dataset.id')} AS agreement,
           ${counted('box_import AS found WHERE found.dataset_id = dataset.id')} AS boxes,
           ${counted(
             `system AS found WHERE found.dataset_id = dataset.id
              AND EXISTS (SELECT 1 FROM description WHERE description.system_id = found.id)`,
           )} AS described,
           ${counted('judgement_set AS found WHERE found.dataset_id = dataset.id')} AS judgements,
           ${counted(
             `judged_score AS found JOIN judgement_set ON judgement_set.id = found.set_id
              JOIN external_metric ON external_metric.name = found.metric
              WHERE judgement_set.dataset_id = dataset.id`,
           )} AS external,
           ${counted('bound AS found WHERE found.dataset_id = dataset.id AND found.outcome IS NOT NULL')} AS bounds,
           ${counted('artefact AS found')} AS artefacts,
           ${counted('external_metric AS found')} AS externals
    FROM dataset WHERE id ${among(datasetIds)} ORDER BY id`)
  return JSON.stringify(rows)
}

import { AccordError } from '../../errors.js'
import * as datasets from '../../store/datasets.js'
import type { Dataset } from '../../store/schema/dataset-tables.js'
import type { System } from '../../store/schema/system-tables.js'
import { listSystems } from '../../store/systems.js'
import type { Job } from '../jobs/jobs.js'
import type { Accord, Client } from '../shared/accord.js'
import { groupBy, idsOf, keyBy, keyedRows, ofDatabase } from '../shared/groups.js'

/** All datasets, by name. */
export const listDatasets = ofDatabase(datasets.listDatasets)

export interface DatasetWithSystems {
  readonly dataset: Dataset
  /** By name. */
  readonly systems: readonly System[]
}

/** How much the database contains, as bounds for the lengths of lists. @param isPublic without private datasets */
export const readSizes = ofDatabase(datasets.readSizes)
export const readImageCounts = ofDatabase(datasets.readImageCounts)

/** The state of what figures of datasets are computed from: another one whenever something of it changes. */
export const readContentState = ofDatabase(datasets.readContentState)

/** All datasets, by name, with their systems. */
export async function listDatasetsWithSystems({ database }: Accord): Promise<DatasetWithSystems[]> {
  const all = await datasets.listDatasets(database)
  const ids = idsOf(all)
  const systems = groupBy(await listSystems(database, ids), ({ datasetId }) => datasetId)
  return all.map((dataset) => ({ dataset, systems: systems.get(dataset.id) ?? [] }))
}

export const findDataset = ofDatabase(datasets.findDataset)

/** @throws AccordError UNKNOWN_DATASET */
export const requireDataset = ofDatabase(datasets.requireDataset)

/**
 * The dataset whose images a file of captions is about, by what it calls the first of them: ids, names of files with or without
 * folder and extension, or names that end in the number of an id. Null where no dataset has half of them.
 */
export async function findDatasetOf(
  { database }: Accord,
  images: readonly string[],
): Promise<Dataset | null> {
  const stems = images.map((name) => name.replace(/^.*[/\\]/, '').replace(/\.[a-z]+$/i, ''))
  const numbers = stems.map((stem) => /[1-9]\d*$/.exec(stem)?.[0] ?? stem)
  for (const names of [images, stems, numbers]) {
    const dataset =
      names.length === 0 ? null : await datasets.findDatasetOfImages(database, [...new Set(names)])
    if (dataset) return dataset
  }
  return null
}

/** The dataset of a name; without a name, the only one. @throws AccordError UNKNOWN_DATASET */
export async function chooseDataset({ database }: Accord, name: string | undefined): Promise<Dataset> {
  if (name !== undefined) return datasets.requireDataset(database, name)
  const all = await datasets.listDatasets(database)
  if (all.length === 1) return all[0]
  const names = all.map((dataset) => dataset.name)
  throw new AccordError('UNKNOWN_DATASET', 'no dataset was named', {
    source: 'dataset',
    expected: names.length > 0 ? `one of ${names.join(', ')}` : 'an imported dataset; none is imported yet',
  })
}

export const datasetsById = keyedRows(datasets.findDatasets, ({ id }) => id)

/** All datasets by name. */
export async function datasetsByName({ database }: Accord): Promise<Map<string, Dataset>> {
  return keyBy(await datasets.listDatasets(database), ({ name }) => name)
}

/**
 * Removes a dataset with its unfinished jobs and everything else that belongs to it.
 *
 * @returns the number of systems removed with it
 */
export async function removeDataset(accord: Accord, name: string, client: Client = {}): Promise<number> {
  await requireRemovable(accord, name)
  return (await accord.run('removeDataset', { dataset: name }, client)).systemCount
}

/**
 * Starts the removal of a dataset by workers.
 *
 * @throws AccordError UNKNOWN_DATASET, QUEUE_FULL; NOT_APPLICABLE for the dataset of a phase of a challenge
 */
export async function startDatasetRemoval(accord: Accord, name: string, client: Client = {}): Promise<Job> {
  await requireRemovable(accord, name)
  return accord.start('removeDataset', { dataset: name }, client)
}

async function requireRemovable({ database }: Accord, name: string): Promise<void> {
  await datasets.requireNoPhase(database, (await datasets.requireDataset(database, name)).id)
}

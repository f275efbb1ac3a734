import { AccordError, quote, requireInteger } from '../../errors.js'
import { requireNoBaseline } from '../../store/challenges.js'
import { collectionTaken, findCollection } from '../../store/collections.js'
import * as datasets from '../../store/datasets.js'
import type { Session } from '../../store/engine/session.js'
import type { Dataset } from '../../store/schema/dataset-tables.js'
import type { System } from '../../store/schema/system-tables.js'
import { assertSystemNameFree, deleteSystem, findSystem } from '../../store/systems.js'
import { checkName, checkSystemName } from '../shared/names.js'

/**
 * Checks that do not need the file of an import: before an import is started, and again when it runs. They load little.
 */

/** @throws AccordError INVALID_VALUE for the name; NAME_TAKEN unless a dataset of this name is replaced */
export async function requireNewDataset(session: Session, name: string, isReplaced = false): Promise<void> {
  checkName('dataset', name)
  if (!isReplaced) await datasets.assertNameFree(session, name)
}

/** Removes the dataset of this name, if there is one. @throws AccordError NOT_APPLICABLE for the dataset of a phase of a challenge */
export async function removeReplacedDataset(session: Session, name: string): Promise<void> {
  const existing = await datasets.findDataset(session, name)
  if (existing) await datasets.deleteDataset(session, existing.id)
}

/** What is imported is as private as its dataset. @throws AccordError NOT_APPLICABLE for a dataset that everybody sees */
export function requirePrivate({ name, isPrivate }: Dataset): void {
  if (isPrivate) return
  throw new AccordError('NOT_APPLICABLE', 'the dataset is not private', {
    source: 'isPrivate',
    expected: 'a new dataset, or one that is private',
    found: quote(name),
  })
}

/** @throws AccordError INVALID_VALUE for the name; NAME_TAKEN unless a system of this name is replaced */
export async function requireNewSystem(
  session: Session,
  datasetId: number,
  name: string,
  isReplaced = false,
): Promise<void> {
  checkSystemName(name)
  if (!isReplaced) await assertSystemNameFree(session, datasetId, name)
}

/** Removes the system of this name, if there is one. @throws AccordError NOT_APPLICABLE for a baseline of a phase of a challenge */
export async function removeReplacedSystem(session: Session, datasetId: number, name: string): Promise<void> {
  const existing = await findSystem(session, datasetId, name)
  if (existing) await removeImportedSystem(session, existing)
}

/** Removes a system that an import has made. @throws AccordError NOT_APPLICABLE for a baseline of a phase of a challenge */
export async function removeImportedSystem(session: Session, system: System): Promise<void> {
  await datasets.lockDataset(session, system.datasetId)
  await requireNoBaseline(session, system)
  await deleteSystem(session, system.id)
}

/**
 * What a finished collection becomes: a dataset, and perhaps a system of people.
 *
 * @throws AccordError INVALID_VALUE for a name; NAME_TAKEN
 */
export async function requireFinish(
  session: Session,
  { dataset, people }: { readonly dataset: string; readonly people?: string },
): Promise<void> {
  if (people !== undefined) checkSystemName(people)
  await requireNewDataset(session, dataset)
}

const MAX_CAPTIONS_PER_IMAGE = 100

/** @throws AccordError as `importCollectionJob`, except for what is in its file */
export async function requireNewCollection(
  session: Session,
  collection: { readonly dataset: string; readonly captionsPerImage: number; readonly file?: unknown },
): Promise<void> {
  const { dataset, captionsPerImage, file } = collection
  checkName('dataset', dataset)
  const summary = 'invalid number of captions'
  requireInteger(captionsPerImage, 1, MAX_CAPTIONS_PER_IMAGE, 'captionsPerImage', summary)
  if (await findCollection(session, dataset)) throw collectionTaken(dataset)
  await (file === undefined ? datasets.requireDataset : datasets.assertNameFree)(session, dataset)
}

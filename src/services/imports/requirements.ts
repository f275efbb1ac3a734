import { assertNameFree } from '../../store/datasets.js'
import type { Session } from '../../store/engine/session.js'
import { assertSystemNameFree } from '../../store/systems.js'
import { checkName } from '../shared/names.js'

/**
 * Checks that do not need the file of an import: before an import is started, and again when it runs. They load little.
 */

/** @throws AccordError INVALID_VALUE for the name; NAME_TAKEN */
export async function requireNewDataset(session: Session, name: string): Promise<void> {
  checkName('dataset', name)
  await assertNameFree(session, name)
}

/** @throws AccordError INVALID_VALUE for the name; NAME_TAKEN */
export async function requireNewSystem(session: Session, datasetId: number, name: string): Promise<void> {
  checkName('system', name)
  await assertSystemNameFree(session, datasetId, name)
}

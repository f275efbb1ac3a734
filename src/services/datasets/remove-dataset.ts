import { deleteDataset, requireDataset } from '../../store/datasets.js'
import type { Session } from '../../store/engine/session.js'
import { listSystems } from '../../store/systems.js'

/**
 * Removes a dataset and everything that belongs to it. Call it in a transaction.
 *
 * @returns the number of systems removed with it
 * @throws AccordError UNKNOWN_DATASET
 */
export async function removeDataset(session: Session, name: string): Promise<number> {
  const { id } = await requireDataset(session, name)
  const systems = await listSystems(session, [id])
  await deleteDataset(session, id)
  return systems.length
}

import { wasRemoved } from '../../errors.js'
import { findDatasets } from '../../store/datasets.js'
import type { Session } from '../../store/engine/session.js'
import type { Dataset, System } from '../../store/schema/entities.js'
import { findSystems } from '../../store/systems.js'

/** The dataset of a job. @throws AccordError UNKNOWN_DATASET if it was removed */
export async function requireDatasetById(session: Session, id: number): Promise<Dataset> {
  const [dataset] = await findDatasets(session, [id])
  if (dataset) return dataset
  throw wasRemoved('dataset')
}

/** The system of a job. @throws AccordError UNKNOWN_SYSTEM if it was removed */
export async function requireSystemById(session: Session, id: number): Promise<System> {
  const [system] = await findSystems(session, [id])
  if (system) return system
  throw wasRemoved('system')
}

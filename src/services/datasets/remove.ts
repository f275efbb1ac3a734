import type { Handler } from '../../queue/kind.js'
import { requireNoBaseline } from '../../store/challenges.js'
import { deleteDataset, lockDataset, requireDataset } from '../../store/datasets.js'
import type { Session } from '../../store/engine/session.js'
import { findNewestJobs, requestCancellation } from '../../store/jobs.js'
import type { System } from '../../store/schema/system-tables.js'
import { deleteSystem, listSystems, requireSystem } from '../../store/systems.js'

export interface RemoveSystemInput {
  readonly datasetId: number
  /** Name. */
  readonly system: string
}

/** The row that there was. */
interface Removal {
  readonly removedId: number
}

/**
 * Removes a system and everything that belongs to it; its evaluation is cancelled before. Fails with UNKNOWN_SYSTEM, and with
 * NOT_APPLICABLE for a baseline of a phase of a challenge.
 */
export const removeSystemJob: Handler<RemoveSystemInput, Removal> = async ({
  input: { datasetId, system },
  database,
  finishWith,
}) => {
  await database.transaction(async (session) => {
    const { id } = await requireRemovable(session, datasetId, system)
    for (const job of await findNewestJobs(session, 'evaluate', [id]))
      await requestCancellation(session, job.id)
  })
  return finishWith(async (session) => {
    await lockDataset(session, datasetId)
    const { id } = await requireRemovable(session, datasetId, system)
    await deleteSystem(session, id)
    return { removedId: id }
  })
}

async function requireRemovable(session: Session, datasetId: number, name: string): Promise<System> {
  const system = await requireSystem(session, datasetId, name)
  await requireNoBaseline(session, system)
  return system
}

export interface RemoveDatasetInput {
  /** Name: the job has no subject, with which it would be removed itself. */
  readonly dataset: string
}

/** Removes a dataset, its unfinished jobs and everything else that belongs to it. Fails with UNKNOWN_DATASET. */
export const removeDatasetJob: Handler<RemoveDatasetInput, Removal & { readonly systemCount: number }> = ({
  input,
  finishWith,
}) =>
  finishWith(async (session) => {
    const { id } = await requireDataset(session, input.dataset)
    const systems = await listSystems(session, [id])
    await deleteDataset(session, id)
    return { removedId: id, systemCount: systems.length }
  })

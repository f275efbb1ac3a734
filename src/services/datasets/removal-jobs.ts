import type { Handler } from '../../queue/kind.js'
import { deleteDataset, requireDataset } from '../../store/datasets.js'
import { deleteSystem, listSystems, requireSystem } from '../../store/systems.js'

export interface RemoveSystemInput {
  readonly datasetId: number
  /** Name. */
  readonly system: string
}

/** Removes a system and everything that belongs to it. Fails with UNKNOWN_SYSTEM. */
export const removeSystemJob: Handler<RemoveSystemInput, null> = ({ input, finishWith }) =>
  finishWith(async (session) => {
    const { id } = await requireSystem(session, input.datasetId, input.system)
    await deleteSystem(session, id)
    return null
  })

export interface RemoveDatasetInput {
  /** Name: the job has no subject, with which it would be removed itself. */
  readonly dataset: string
}

/** Removes a dataset, its unfinished jobs and everything else that belongs to it. Fails with UNKNOWN_DATASET. */
export const removeDatasetJob: Handler<RemoveDatasetInput, { readonly systemCount: number }> = ({
  input,
  finishWith,
}) =>
  finishWith(async (session) => {
    const { id } = await requireDataset(session, input.dataset)
    const systems = await listSystems(session, [id])
    await deleteDataset(session, id)
    return { systemCount: systems.length }
  })

import * as jobs from '../jobs/load-seed.js'
import { SEED_DATASET } from '../jobs/load-seed.js'
import type { Progress } from '../jobs/progress.js'
import { enqueueJob, type JobRow } from '../jobs/queue.js'
import { requireDataset } from '../store/datasets.js'
import { listSystems } from '../store/systems.js'
import type { Accord } from './accord.js'

export { SEED_DATASET } from '../jobs/load-seed.js'

/** A job that computes figures of the bundled dataset. */
export type SeedJob = Pick<JobRow, 'id'>

/**
 * Loads the bundled dataset into a database without datasets, with jobs that compute human agreement and the scores of its
 * systems.
 *
 * @returns the jobs; none if it was not loaded
 */
export function loadSeed({ database }: Accord, progress: Progress): Promise<SeedJob[]> {
  return database.transaction(async (session) => {
    if (!(await jobs.loadSeed(session, progress))) return []
    const { id: datasetId, captionsPerImage } = await requireDataset(session, SEED_DATASET)
    const references = captionsPerImage - 1
    const systems = (await listSystems(session, [datasetId])).filter(({ kind }) => kind === 'CAPTIONS')
    const enqueued: SeedJob[] = [await enqueueJob(session, 'agreement', { datasetId, references })]
    for (const { id: systemId } of systems) {
      enqueued.push(await enqueueJob(session, 'evaluate', { datasetId, systemId }))
      enqueued.push(await enqueueJob(session, 'evaluate', { datasetId, systemId, references }))
    }
    return enqueued
  })
}

/** Waits until workers have executed the jobs, whether they succeed or not, or until the signal is aborted. */
export async function untilComputed(
  { queue }: Accord,
  wanted: readonly SeedJob[],
  signal: AbortSignal,
): Promise<void> {
  await Promise.allSettled(wanted.map(({ id }) => queue.waitForEnd(id, signal)))
}

import type { Progress } from '../../progress.js'
import { requireDataset } from '../../store/datasets.js'
import { listSystems } from '../../store/systems.js'
import type { Accord } from '../accord.js'
import { usualMetrics } from '../evaluations/scores.js'
import type { Job } from '../jobs/jobs.js'
import type { JobInput } from '../jobs/kinds.js'
import * as jobs from './load-seed.js'
import { SEED_DATASET } from './load-seed.js'

/** A job that computes figures of the bundled dataset. */
export type SeedJob = Pick<Job, 'id'>

/**
 * Loads the bundled dataset into a database without datasets, with jobs that compute human agreement and the scores of its
 * systems, later also by SPICE, which puts people first. Upper bounds are not trained: its images are too few to read a
 * capacity.
 *
 * @returns the jobs that compute agreement and scores by the usual metrics; none if the dataset was not loaded
 */
export function loadSeed(accord: Accord, progress: Progress): Promise<SeedJob[]> {
  return accord.database.transaction(async (session) => {
    if (!(await jobs.loadSeed(session, progress))) return []
    const dataset = await requireDataset(session, SEED_DATASET)
    const { id: datasetId, captionsPerImage } = dataset
    const references = captionsPerImage - 1
    const systems = (await listSystems(session, [datasetId])).filter(({ kind }) => kind === 'CAPTIONS')
    const start = <Name extends 'agreement' | 'evaluate'>(kind: Name, input: JobInput<Name>) =>
      accord.start(kind, input, {}, session)
    const enqueue = async (metrics: readonly string[]): Promise<SeedJob[]> => {
      const enqueued: SeedJob[] = [await start('agreement', { datasetId, references, metrics })]
      for (const { id: systemId } of systems) {
        enqueued.push(await start('evaluate', { datasetId, systemId, metrics }))
        enqueued.push(await start('evaluate', { datasetId, systemId, references, metrics }))
      }
      return enqueued
    }
    const enqueued = await enqueue(usualMetrics(accord))
    await enqueue(['SPICE'])
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

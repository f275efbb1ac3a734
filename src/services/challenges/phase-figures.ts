import type { Phase, Submission, System } from '../../store/schema/entities.js'
import { listSubmissions } from '../../store/submissions.js'
import { findSystems, requireSystem } from '../../store/systems.js'
import type { Accord, Client } from '../accord.js'
import { storedAgreement } from '../agreement/human-agreement.js'
import { requireDatasetById } from '../datasets/subjects.js'
import { findCurrentScores } from '../evaluations/stored-scores.js'
import { metricsOf } from '../shared/computing.js'
import { evaluationOf } from './phases.js'

/** The systems of the baselines of a phase. */
export async function baselinesOf({ database }: Accord, { datasetId, settings }: Phase): Promise<System[]> {
  const systems: System[] = []
  for (const name of settings.baselines) systems.push(await requireSystem(database, datasetId, name))
  return systems
}

/** The ids of the systems of submissions whose captions are stored. */
export function systemIdsOf(submissions: readonly Pick<Submission, 'systemId'>[]): number[] {
  return submissions.flatMap(({ systemId }) => systemId ?? [])
}

/**
 * Starts the computation of what is missing on the board of a phase: the figures of people, of baselines, and of submissions
 * whose captions are stored.
 *
 * @returns the number of evaluations
 * @throws AccordError QUEUE_FULL
 */
export async function computePhase(accord: Accord, phase: Phase, client: Client): Promise<number> {
  const { database, queue } = accord
  const { metrics, references } = phase.settings
  const dataset = await requireDatasetById(database, phase.datasetId)
  if (references !== null) {
    const { missing } = await storedAgreement(database, metricsOf(accord), dataset, { references, metrics })
    if (missing.length > 0)
      await accord.start('agreement', { datasetId: dataset.id, references, metrics: missing }, client)
  }
  const submitted = (await listSubmissions(database, [phase.id])).filter(({ status }) => status === 'DONE')
  const systems = [
    ...(await baselinesOf(accord, phase)),
    ...(await findSystems(database, systemIdsOf(submitted))),
  ]
  let count = 0
  for (const { id: systemId } of systems) {
    const stored = await findCurrentScores(accord, { systemId, metrics, references })
    const missing = metrics.filter((metric) => !stored.has(metric))
    if (missing.length === 0) continue
    const input = { ...evaluationOf(phase, systemId), metrics: missing }
    await queue.enqueue(database, 'evaluate', input, { owner: client.owner, isFollowUp: true })
    count++
  }
  return count
}

import { AccordError } from '../../errors.js'
import type { Dataset, System } from '../../store/schema/entities.js'
import { type Accord, type Client, clientOfStep } from '../accord.js'
import { humanAgreement } from '../agreement/agreement.js'
import { findCurrentScores } from '../evaluations/stored-scores.js'

/** The sides that are compared, and the metrics. */
interface Wanted {
  readonly systems: readonly System[]
  readonly people: boolean
  /** Names. */
  readonly metrics: readonly string[]
  /** k; null against all captions. */
  readonly references: number | null
}

/**
 * Computes the scores that systems, and people, lack: of each system in one evaluation. A system without an image of K
 * captions stays without a score on folds: the other pairs can be compared.
 *
 * @throws AccordError as an evaluation and human agreement
 */
export async function computeMissing(
  accord: Accord,
  dataset: Dataset,
  { systems, people, metrics, references }: Wanted,
  client: Client,
): Promise<void> {
  const steps = systems.length + 1
  for (const [index, { id: systemId }] of systems.entries()) {
    const stored = await findCurrentScores(accord, { systemId, metrics, references })
    const lacking = metrics.filter((metric) => !stored.has(metric))
    if (lacking.length === 0) continue
    const input = {
      datasetId: dataset.id,
      systemId,
      metrics: lacking,
      ...(references !== null && { references }),
    }
    await accord.run('evaluate', input, clientOfStep(client, index, steps)).catch(ignoreWithoutImages)
  }
  if (!people || references === null) return
  const table = { references, metrics: [...metrics] }
  await humanAgreement(accord, dataset, table, clientOfStep(client, systems.length, steps))
}

function ignoreWithoutImages(error: unknown): void {
  const hasNoImage = error instanceof AccordError && error.detail.source === 'system'
  if (!(hasNoImage && error.code === 'NOT_APPLICABLE')) throw error
}

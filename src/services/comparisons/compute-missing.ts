import { hasDocuments } from '../../core/metrics/provenance.js'
import { AccordError } from '../../errors.js'
import type { Dataset } from '../../store/schema/dataset-tables.js'
import type { System } from '../../store/schema/system-tables.js'
import { humanAgreement } from '../agreement/agreement.js'
import { type DocumentSource, hashOfDocuments } from '../evaluations/document-source.js'
import { findCurrentScores } from '../evaluations/scores.js'
import { type Accord, type Client, clientOfStep } from '../shared/accord.js'

/** The sides that are compared, and the metrics. */
interface Wanted {
  /** Of document frequencies. Default: the measured images. */
  readonly source?: DocumentSource

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
 */
export async function computeMissing(
  accord: Accord,
  dataset: Dataset,
  { systems, people, metrics, references, source = {} }: Wanted,
  client: Client,
): Promise<void> {
  const steps = systems.length + 1
  const hash = await hashOfDocuments(accord.database, source)
  for (const [index, { id: systemId }] of systems.entries()) {
    const stored = await findCurrentScores(accord, { systemId, metrics, references }, (record) =>
      hasDocuments(record, hash),
    )
    const lacking = metrics.filter((metric) => !stored.has(metric))
    if (lacking.length === 0) continue
    const input = {
      datasetId: dataset.id,
      systemId,
      metrics: lacking,
      ...source,
      ...(references !== null && { references }),
    }
    await accord.run('evaluate', input, clientOfStep(client, index, steps)).catch(ignoreWithoutImages)
  }
  if (!people || references === null) return
  const table = { references, metrics: [...metrics], ...source }
  await humanAgreement(accord, dataset, table, clientOfStep(client, systems.length, steps))
}

/** Ends an evaluation on folds of a system none of whose images has K captions. @throws other errors */
export function ignoreWithoutImages(error: unknown): void {
  const hasNoImage = error instanceof AccordError && error.detail.source === 'system'
  if (!(hasNoImage && error.code === 'NOT_APPLICABLE')) throw error
}

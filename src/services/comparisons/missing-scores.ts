import { AccordError } from '../../errors.js'
import type { Dataset, System } from '../../store/schema/entities.js'
import { type Accord, type Client, clientOfStep } from '../accord.js'
import { humanAgreement } from '../agreement/agreement.js'
import { isCurrent } from '../evaluations/record-provenance.js'
import { metricsOf } from '../shared/computing.js'
import { type FigureInput, readCandidates } from './compare.js'

/**
 * Computes the scores on folds of references that systems, and people, lack. A system without an image of K captions stays
 * without a score: the other pairs can be compared.
 *
 * @throws AccordError as an evaluation and human agreement
 */
export async function computeMissing(
  accord: Accord,
  dataset: Dataset,
  { systems, people }: { readonly systems: readonly System[]; readonly people: boolean },
  { metric, references }: FigureInput & { readonly references: number },
  client: Client,
): Promise<void> {
  const { database } = accord
  const ids = systems.map(({ id }) => id)
  const candidates = await readCandidates(database, ids, { metric, references })
  const lacking = ids.filter(
    (id) => !candidates.get(id)?.some(({ record }) => record && isCurrent(metricsOf(accord), record)),
  )
  for (const [index, systemId] of lacking.entries()) {
    const input = { datasetId: dataset.id, systemId, metrics: [metric], references }
    await accord
      .run('evaluate', input, clientOfStep(client, index, lacking.length + 1))
      .catch(ignoreWithoutImages)
  }
  if (!people) return
  const table = { references, metrics: [metric] }
  await humanAgreement(accord, dataset, table, clientOfStep(client, lacking.length, lacking.length + 1))
}

function ignoreWithoutImages(error: unknown): void {
  const hasNoImage = error instanceof AccordError && error.detail.source === 'system'
  if (!(hasNoImage && error.code === 'NOT_APPLICABLE')) throw error
}

import { storedAgreement } from '../../jobs/human-agreement.js'
import type { Dataset } from '../../store/entities.js'
import type { Context } from '../context.js'
import type { HumanAgreementModel } from './models.js'

/** The leave-one-out table of a data set: as stored, or computed by the worker thread now. */
export async function humanAgreementOf(
  dataset: Dataset,
  references: number,
  { database, metrics, queryRunner, meteorData, outside }: Context,
): Promise<HumanAgreementModel> {
  const stored = await storedAgreement(database, dataset, references, metrics.families)
  if (stored) return { references, rows: stored }
  await outside(queryRunner.start('agreement', { dataset: dataset.name, references, meteorData }).result)
  const computed = await storedAgreement(database, dataset, references, metrics.families)
  if (!computed) throw new Error(`The agreement of ${dataset.name} was computed but is not stored.`)
  return { references, rows: computed }
}

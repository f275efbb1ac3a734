import { AccordError } from '../../errors.js'
import type { Dataset } from '../../store/entities.js'
import { requireSystem } from '../../store/systems.js'
import type { Context } from '../context.js'
import type { ResolversTypes } from '../schema-types.js'

const MOST_SYSTEMS = 20

/** Every pair of systems on one metric, computed by the worker thread. */
export async function comparisonsOf(
  dataset: Dataset,
  names: readonly string[],
  metricName: string,
  { database, metrics, queryRunner, meteorData, outside }: Context,
): Promise<Awaited<ResolversTypes['PairwiseComparison']>[]> {
  const metric = metrics.require(metricName)
  const distinct = [...new Set(names)]
  if (distinct.length < 2 || distinct.length > MOST_SYSTEMS) {
    throw new AccordError('OUT_OF_RANGE', 'a comparison is between systems', {
      source: 'systems',
      expected: `2 to ${MOST_SYSTEMS} different names`,
      found: String(distinct.length),
    })
  }
  const systems = await Promise.all(distinct.map((name) => requireSystem(database, dataset.id, name)))
  const input = { dataset: dataset.name, systems: distinct, metric: metricName, meteorData }
  const comparisons = await outside(queryRunner.start('compare', input).result)
  return comparisons.map(({ first, second, lower, upper, ...comparison }) => ({
    ...comparison,
    metric,
    first: systems[first],
    second: systems[second],
    interval: { lower, upper },
  }))
}

import { AccordError } from '../../errors.js'
import { TOKENIZER, VERSION } from '../../jobs/metric-families.js'
import type { MetricDescription, MetricFamily } from '../../metrics/metric.js'
import { signature } from '../../metrics/signature.js'

/** A metric as the API shows it. */
export interface KnownMetric extends MetricDescription {
  readonly signature: string
}

/** The metrics of this server. */
export interface MetricRegistry {
  readonly families: readonly MetricFamily[]
  readonly all: readonly KnownMetric[]
  /** @throws AccordError UNKNOWN_METRIC, naming those that exist */
  require(name: string): KnownMetric
}

export function createRegistry(families: readonly MetricFamily[]): MetricRegistry {
  const all = families
    .flatMap((family) => family.metrics)
    .map((metric) => ({
      ...metric,
      signature: signature(metric, { tokenizer: TOKENIZER, version: VERSION }),
    }))
  const byName = new Map(all.map((metric) => [metric.name, metric]))
  return {
    families,
    all,
    require(name) {
      const metric = byName.get(name)
      if (metric) return metric
      throw new AccordError('UNKNOWN_METRIC', 'there is no such metric', {
        source: 'metric',
        expected: `one of ${[...byName.keys()].join(', ')}`,
        found: JSON.stringify(name),
      })
    },
  }
}

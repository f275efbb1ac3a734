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
  /** The rows of some metrics, of all where no names are given. @throws AccordError UNKNOWN_METRIC */
  pick<Row extends { readonly metric: string }>(
    rows: readonly Row[],
    names: readonly string[] | null | undefined,
  ): Row[]
}

export function createRegistry(families: readonly MetricFamily[]): MetricRegistry {
  const all = families
    .flatMap((family) => family.metrics)
    .map((metric) => ({
      ...metric,
      signature: signature(metric, { tokenizer: TOKENIZER, version: VERSION }),
    }))
  const byName = new Map(all.map((metric) => [metric.name, metric]))
  function require(name: string): KnownMetric {
    const metric = byName.get(name)
    if (metric) return metric
    throw new AccordError('UNKNOWN_METRIC', 'there is no such metric', {
      source: 'metric',
      expected: `one of ${[...byName.keys()].join(', ')}`,
      found: JSON.stringify(name),
    })
  }
  return {
    families,
    all,
    require,
    pick(rows, names) {
      if (names == null) return [...rows]
      const wanted = new Set(names.map((name) => require(name).name))
      return rows.filter(({ metric }) => wanted.has(metric))
    },
  }
}

import { readFileSync } from 'node:fs'
import { AccordError } from '../errors.js'
import { readMeteorData } from '../formats/meteor-data.js'
import { metricFamilies } from '../metrics/list.js'
import { createMeteor } from '../metrics/meteor.js'
import type { MetricDescription, MetricFamily } from '../metrics/metric.js'
import { projectFile } from '../project.js'

/** How captions become tokens, as signatures name it. */
export const TOKENIZER = 'ptb-3.4.1'

/** Version of Accord, as signatures name it. */
export const VERSION: string = JSON.parse(readFileSync(projectFile('package.json'), 'utf8')).version

const loaded = new Map<string | undefined, readonly MetricFamily[]>()

/**
 * Every family of metrics; METEOR's word lists are read once a process.
 *
 * @param meteorData a METEOR data folder; the word lists that come with Accord where absent
 * @throws AccordError for what is wrong with the folder
 */
export function loadFamilies(meteorData?: string): readonly MetricFamily[] {
  let families = loaded.get(meteorData)
  if (!families) {
    families = [...metricFamilies, createMeteor(readMeteorData(meteorData))]
    loaded.set(meteorData, families)
  }
  return families
}

/** A choice of metrics, and the families that compute them. */
export interface MetricChoice {
  readonly families: readonly MetricFamily[]
  readonly includes: (metric: MetricDescription) => boolean
}

/** @param names of metrics; all where absent. @throws AccordError UNKNOWN_METRIC, naming those that exist */
export function chooseMetrics(families: readonly MetricFamily[], names?: readonly string[]): MetricChoice {
  if (!names) return { families, includes: () => true }
  const known = families.flatMap((family) => family.metrics.map((metric) => metric.name))
  const unknown = names.find((name) => !known.includes(name))
  if (unknown !== undefined) {
    throw new AccordError('UNKNOWN_METRIC', 'there is no such metric', {
      source: 'metrics',
      expected: `one of ${known.join(', ')}`,
      found: JSON.stringify(unknown),
    })
  }
  const includes = (metric: MetricDescription) => names.includes(metric.name)
  return { families: families.filter((family) => family.metrics.some(includes)), includes }
}

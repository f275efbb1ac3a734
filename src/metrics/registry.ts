/**
 * The metrics of Accord. A metric is added with one file and one entry in {@link definitions}.
 *
 * Names, ranges and citations are known at once. A resource (word lists) is loaded, and checked, when a metric
 * that needs it is used for the first time.
 */
import { AccordError } from '../errors.js'
import { bleu } from './bleu.js'
import { cider } from './cider.js'
import { meteor } from './meteor.js'
import type { FamilyDescription, Metric, MetricDescription, MetricFamily, MetricNeeds } from './metric.js'
import type { MetricResources, ResourceName, ResourceReaders } from './resources.js'
import { rougeL } from './rouge-l.js'
import { rougeN } from './rouge-n.js'
import { rougeS } from './rouge-s.js'
import { spice, spider } from './spice.js'

/** A family that is created from its resources. */
export interface FamilyDefinition extends FamilyDescription {
  create(resourceOf: <Name extends ResourceName>(name: Name) => MetricResources[Name]): MetricFamily
}

/** In the order in which metrics are shown. */
const definitions: readonly FamilyDefinition[] = [
  withoutResources(bleu),
  withoutResources(rougeL),
  withoutResources(rougeN),
  withoutResources(rougeS),
  withoutResources(cider),
  meteor,
  spice,
  spider,
]

/** A metric of the list, and the family that computes it. */
export interface ListedMetric extends MetricDescription {
  readonly notes: readonly string[]
  readonly family: string
  readonly needs: MetricNeeds
  /** Whether it is computed where no metrics are named. */
  readonly isDefault: boolean
}

/** A choice of metrics, and the families that compute them. */
export interface MetricChoice {
  readonly families: readonly MetricFamily[]
  /** Whether a metric was chosen: a family may compute others as well. */
  includes(metric: Pick<MetricDescription, 'name'>): boolean
}

export interface MetricRegistry {
  /** All metrics in the order in which they are shown. Loads no resource. */
  readonly metrics: readonly ListedMetric[]
  /**
   * A metric by its name, in any case and with or without hyphens: `bleu_4` is BLEU-4. Loads no resource.
   *
   * @param source what the error names as the place of the wrong name, `metric` when absent
   * @throws AccordError UNKNOWN_METRIC, naming those that exist
   */
  require(name: string, source?: string): ListedMetric
  /**
   * A metric with its parameters, and its family.
   *
   * @throws AccordError UNKNOWN_METRIC; what is wrong with a resource
   */
  load(name: string, source?: string): { readonly metric: Metric; readonly family: MetricFamily }
  /**
   * Names of metrics as they are shown, in that order. `BLEU` and `ROUGE` are all metrics whose names start so. Loads no
   * resource.
   *
   * @param source what the error names as the place of the wrong name, `metrics` when absent
   * @throws AccordError UNKNOWN_METRIC
   */
  resolve(names: readonly string[], source?: string): string[]
  /**
   * Some metrics, those that are computed by default when no names are given, and their families; names as for
   * {@link resolve}.
   *
   * @param source what the error names as the place of the wrong name, `metrics` when absent
   * @throws AccordError UNKNOWN_METRIC; what is wrong with a resource
   */
  choose(names?: readonly string[], source?: string): MetricChoice
  /** A family by its name. @throws AccordError UNKNOWN_METRIC; what is wrong with a resource */
  family(name: string): MetricFamily
  /** SHA-256 of a resource's content, in hexadecimal digits. @throws AccordError for what is wrong with it */
  contentHash(resource: ResourceName): string
}

/** A registry of all metrics, which reads each resource at most once. */
export function createMetricRegistry(readers: ResourceReaders): MetricRegistry {
  const metrics = definitions.flatMap(({ name, needs, metrics, isDefault = true }) =>
    metrics.map((metric): ListedMetric => ({ ...describe(metric), family: name, needs, isDefault })),
  )
  const byName = new Map(metrics.map((metric) => [normalize(metric.name), metric]))
  const resources = new Map<ResourceName, MetricResources[ResourceName]>()
  const hashes = new Map<ResourceName, string>()
  const families = new Map<string, MetricFamily>()

  function resourceOf<Name extends ResourceName>(name: Name): MetricResources[Name] {
    const resource = resources.get(name) ?? readers[name].read()
    resources.set(name, resource)
    return resource as MetricResources[Name]
  }

  function require(name: string, source = 'metric'): ListedMetric {
    const metric = byName.get(normalize(name))
    if (metric) return metric
    const known = metrics.map((one) => one.name)
    throw unknownMetric(source, known, name)
  }

  function resolve(names: readonly string[], source = 'metrics'): string[] {
    const wanted = new Set(
      names.flatMap((name) => {
        const group = GROUPS.find((one) => one === name.toUpperCase())
        if (group === undefined) return require(name, source).name
        return metrics.map((metric) => metric.name).filter((known) => known.startsWith(`${group}-`))
      }),
    )
    return metrics.map(({ name }) => name).filter((name) => wanted.has(name))
  }

  function family(name: string): MetricFamily {
    const known = families.get(name)
    if (known) return known
    const definition = definitions.find((candidate) => candidate.name === name)
    if (!definition)
      throw unknownMetric(
        'family',
        definitions.map((one) => one.name),
        name,
      )
    const created = definition.create(resourceOf)
    families.set(name, created)
    return created
  }

  return {
    metrics,
    require,
    resolve,
    family,
    load(name, source) {
      const known = require(name, source)
      const loaded = family(known.family)
      return { metric: loaded.metrics.find((metric) => metric.name === known.name) as Metric, family: loaded }
    },
    choose(names, source) {
      const defaults = metrics.filter(({ isDefault }) => isDefault).map(({ name }) => name)
      const chosen = new Set(names ? resolve(names, source) : defaults)
      const includes = ({ name }: Pick<MetricDescription, 'name'>) => chosen.has(name)
      const wanted = definitions.filter((definition) => definition.metrics.some(includes))
      return { families: wanted.map(({ name }) => family(name)), includes }
    },
    contentHash(resource) {
      const hash = hashes.get(resource) ?? readers[resource].hash()
      hashes.set(resource, hash)
      return hash
    },
  }
}

/** Prefixes that stand for all metrics with the prefix. */
const GROUPS = ['BLEU', 'ROUGE'] as const

function normalize(name: string): string {
  return name.toUpperCase().replaceAll(/[-_]/g, '')
}

function withoutResources<Prepared>(family: MetricFamily<Prepared>): FamilyDefinition {
  return { ...family, create: () => family as MetricFamily }
}

/** The description alone: parameters may depend on resources. */
function describe({
  name,
  description,
  lowest,
  highest,
  higherIsBetter,
  citation,
  revision,
  notes = [],
}: MetricDescription): MetricDescription & Pick<ListedMetric, 'notes'> {
  return { name, description, lowest, highest, higherIsBetter, citation, revision, notes }
}

function unknownMetric(source: string, known: readonly string[], name: string): AccordError {
  return new AccordError('UNKNOWN_METRIC', 'unknown metric', {
    source,
    expected: `one of ${known.join(', ')}`,
    found: JSON.stringify(name),
  })
}

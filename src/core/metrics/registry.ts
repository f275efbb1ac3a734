/**
 * The metrics of Accord. A metric is added with one file and one entry in {@link definitions}.
 *
 * Names, ranges and citations are known at once. A resource (word lists) is loaded, and checked, when a metric
 * that needs it is used for the first time.
 */

import { type AccordError, unknownName } from '../../errors.js'
import type { TrainedComposite } from '../composite/artefact.js'
import { bleu } from './bleu.js'
import { cider } from './cider.js'
import { compositeOf } from './composite-family.js'
import { type ExternalMetric, externalOf } from './external-family.js'
import { meteor } from './meteor.js'
import type {
  FamilyDefinition,
  LoadedMetric,
  Metric,
  MetricDescription,
  MetricFamily,
  MetricNeeds,
} from './metric.js'
import { featureSignature } from './provenance.js'
import type { MetricResources, ResourceName, ResourceReaders } from './resources.js'
import { rougeL } from './rouge-l.js'
import { rougeN } from './rouge-n.js'
import { rougeS } from './rouge-s.js'
import { spice, spider } from './spice.js'
import { wmd } from './wmd.js'

/** In the order in which metrics are shown. */
const definitions: readonly FamilyDefinition[] = [
  withoutResources(bleu),
  withoutResources(rougeL),
  withoutResources(rougeN),
  withoutResources(rougeS),
  withoutResources(cider),
  meteor,
  wmd,
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

/** Metrics of a database. */
export interface StoredMetrics {
  /** Tells them from others. */
  readonly key: string
  /** Metrics of other programs. */
  readonly externals: readonly ExternalMetric[]
  readonly composites: readonly TrainedComposite[]
}

export interface MetricRegistry {
  /** The metrics of the database, see {@link setStored}. */
  readonly stored: StoredMetrics
  /** Replaces the metrics of the database. */
  setStored(stored: StoredMetrics): void
  /** All metrics in the order in which they are shown, external and then composite ones last. Loads no resource. */
  readonly metrics: readonly ListedMetric[]
  /** Whether a name is that of a metric, or of a group of metrics such as `BLEU`, in any case and with or without hyphens. */
  has(name: string): boolean
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
  load(name: string, source?: string): LoadedMetric
  /**
   * Names of metrics as they are shown, in the order given. `BLEU` and `ROUGE` are all metrics whose names start so. Loads
   * no resource.
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
  const resources = new Map<ResourceName, MetricResources[ResourceName]>()
  const hashes = new Map<ResourceName, string>()
  const families = new Map<string, MetricFamily>()
  let stored: StoredMetrics = { key: '', externals: [], composites: [] }
  let known = listDefinitions(definitions)

  function resourceOf<Name extends ResourceName>(name: Name): MetricResources[Name] {
    const resource = resources.get(name) ?? readers[name].read()
    resources.set(name, resource)
    return resource as MetricResources[Name]
  }

  function contentHash(resource: ResourceName): string {
    const hash = hashes.get(resource) ?? readers[resource].hash()
    hashes.set(resource, hash)
    return hash
  }

  function require(name: string, source = 'metric'): ListedMetric {
    const metric = known.byName.get(normalizeMetricName(name))
    if (metric) return metric
    const names = known.metrics.map((one) => one.name)
    throw unknownMetric(source, names, name)
  }

  function resolve(names: readonly string[], source = 'metrics'): string[] {
    const wanted = new Set(
      names.flatMap((name) => {
        if (!isGroup(name)) return require(name, source).name
        const prefix = `${name.toUpperCase()}-`
        return known.metrics.map((metric) => metric.name).filter((other) => other.startsWith(prefix))
      }),
    )
    return [...wanted]
  }

  function load(name: string, source?: string): LoadedMetric {
    const listed = require(name, source)
    const loaded = family(listed.family)
    const metric = loaded.metrics.find((candidate) => candidate.name === listed.name) as Metric
    return { metric, family: loaded, featureSignature: featureSignature(loaded, metric, contentHash) }
  }

  function family(name: string): MetricFamily {
    const existing = families.get(name)
    if (existing) return existing
    const definition = known.definitions.find((candidate) => candidate.name === name)
    if (!definition)
      throw unknownMetric(
        'family',
        known.definitions.map((one) => one.name),
        name,
      )
    const created = definition.create(resourceOf, load)
    families.set(name, created)
    return created
  }

  return {
    get stored() {
      return stored
    },
    setStored(changed) {
      stored = changed
      const externals = changed.externals.map(externalOf)
      // One that was removed may have come back with another version.
      for (const { name } of externals) families.delete(name)
      const untrained = listDefinitions([...definitions, ...externals])
      const needsOf = (metric: string) => untrained.byName.get(normalizeMetricName(metric))?.needs
      const composites = changed.composites.map((composite) => compositeOf(composite, needsOf))
      known = listDefinitions([...untrained.definitions, ...composites])
    },
    get metrics() {
      return known.metrics
    },
    has: (name) => known.byName.has(normalizeMetricName(name)) || isGroup(name),
    require,
    resolve,
    family,
    load,
    choose(names, source) {
      const defaults = known.metrics.filter(({ isDefault }) => isDefault).map(({ name }) => name)
      const chosen = new Set(names ? resolve(names, source) : defaults)
      const includes = ({ name }: Pick<MetricDescription, 'name'>) => chosen.has(name)
      const wanted = known.definitions.filter((definition) => definition.metrics.some(includes))
      return { families: wanted.map(({ name }) => family(name)), includes }
    },
    contentHash,
  }
}

/** Definitions, and their metrics as a list and by name. */
function listDefinitions(all: readonly FamilyDefinition[]) {
  const metrics = all.flatMap(({ name, needs, isDefault = true, metrics }) =>
    metrics.map((metric): ListedMetric => ({ ...describe(metric), family: name, needs, isDefault })),
  )
  return {
    definitions: all,
    metrics,
    byName: new Map(metrics.map((metric) => [normalizeMetricName(metric.name), metric])),
  }
}

/** Prefixes that stand for all metrics with the prefix. */
const GROUPS: readonly string[] = ['BLEU', 'ROUGE']

const isGroup = (name: string) => GROUPS.includes(name.toUpperCase())

/** Names that differ in case, hyphens and underscores alone name the same metric. */
export function normalizeMetricName(name: string): string {
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
  return unknownName('UNKNOWN_METRIC', 'unknown metric', { source, known, found: name })
}

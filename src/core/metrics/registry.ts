/**
 * The metrics of Accord. A metric is added with one file and one entry in {@link definitions}.
 *
 * Names, ranges and citations are known at once. A resource (word lists) is loaded, and checked, when a metric
 * that needs it is used for the first time.
 */

import { AccordError, unknownName } from '../../errors.js'
import type { TrainedComposite } from '../composite/artefact.js'
import { nameLanguage } from '../text/languages.js'
import {
  ENGLISH,
  isEnglish,
  type MeasuredLanguage,
  primaryLanguage,
  suitsEnglishTools,
  type Tokenization,
  UNKNOWN_LANGUAGE,
} from '../text/tokenization.js'
import { bleu } from './bleu.js'
import { chair, openChair } from './chair.js'
import { chrf } from './chrf.js'
import { cider } from './cider.js'
import { compositeOf } from './composite-family.js'
import { coverage } from './coverage.js'
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
  chair,
  openChair,
  withoutResources(coverage),
  withoutResources(chrf),
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
  /** Whether a metric exists for captions. Loads no resource. @throws AccordError UNKNOWN_METRIC */
  applies(name: string, tokenization: Tokenization): boolean
  /**
   * A metric with its parameters, and its family.
   *
   * @param tokenization of the captions, English when absent
   * @throws AccordError UNKNOWN_METRIC; LANGUAGE_NOT_SUPPORTED; what is wrong with a resource
   */
  load(name: string, source?: string, tokenization?: Tokenization): LoadedMetric
  /**
   * Names of metrics as they are shown, each once and in the order of {@link metrics}, in which all outputs have them. `BLEU`, `ROUGE`, `CHAIR` and `open-CHAIR` are all metrics whose names start so,
   * `SPICE-all` SPICE and its parts. Loads
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
   * @param tokenization of the captions, English when absent
   * @throws AccordError UNKNOWN_METRIC; LANGUAGE_NOT_SUPPORTED for a metric that is named and does not exist for the captions;
   *   what is wrong with a resource
   */
  choose(names?: readonly string[], source?: string, tokenization?: MeasuredLanguage): MetricChoice
  /** A family by its name, which ends in the language where that is not English. @throws AccordError UNKNOWN_METRIC; what is wrong with a resource */
  family(name: string): MetricFamily
  /** SHA-256 of a resource's content, in hexadecimal digits. @throws AccordError for what is wrong with it */
  contentHash(resource: ResourceName): string
}

/**
 * A registry of all metrics, which reads each resource at most once.
 *
 * @param own metrics of the user's own, after the built-in ones
 * @throws AccordError NAME_TAKEN for an own metric with the name of another
 */
export function createMetricRegistry(
  readers: ResourceReaders,
  own: readonly FamilyDefinition[] = [],
): MetricRegistry {
  const unstored = [...definitions, ...own]
  requireDistinctNames(unstored)
  const resources = new Map<ResourceName, MetricResources[ResourceName]>()
  const hashes = new Map<ResourceName, string>()
  const families = new Map<string, MetricFamily>()
  let stored: StoredMetrics = { key: '', externals: [], composites: [] }
  let known = listDefinitions(unstored)

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
        return known.metrics.map((metric) => metric.name).filter((metric) => isAmong(metric, name))
      }),
    )
    return known.metrics.map((metric) => metric.name).filter((metric) => wanted.has(metric))
  }

  /** The name of the family of a metric for captions, or null where there is none. */
  function familyNameFor(
    { family: name, needs }: ListedMetric,
    { meteorLanguage, ...tokenization }: MeasuredLanguage,
  ): string | null {
    const definition = known.definitions.find((candidate) => candidate.name === name)
    if (
      definition === meteor &&
      meteorLanguage !== undefined &&
      meteorLanguage !== primaryLanguage(tokenization.language)
    )
      return meteor.inLanguage?.(meteorLanguage, readers).name ?? null
    if (suitsEnglishTools(tokenization)) return name
    const inLanguage = isEnglish(tokenization)
      ? undefined
      : definition?.inLanguage?.(primaryLanguage(tokenization.language), readers)
    const chosen = inLanguage ?? { name, needs }
    return chosen.needs.english ? null : chosen.name
  }

  function load(name: string, source = 'metric', tokenization = ENGLISH): LoadedMetric {
    const listed = require(name, source)
    const familyName = familyNameFor(listed, tokenization)
    if (familyName === null) throw notSupported(source, listed.name, tokenization)
    const loaded = family(familyName)
    const metric = loaded.metrics.find((candidate) => candidate.name === listed.name) as Metric
    return { metric, family: loaded, featureSignature: featureSignature(loaded, metric, contentHash) }
  }

  /** The definition with a name, which may be one of {@link familyNameFor}. */
  function definitionOf(name: string): FamilyDefinition | undefined {
    const find = (wanted: string) => known.definitions.find((candidate) => candidate.name === wanted)
    const space = name.lastIndexOf(' ')
    return find(name) ?? find(name.slice(0, space))?.inLanguage?.(name.slice(space + 1), readers)
  }

  function family(name: string): MetricFamily {
    const existing = families.get(name)
    if (existing) return existing
    const definition = definitionOf(name)
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
      const untrained = listDefinitions([...unstored, ...externals])
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
    applies: (name, tokenization) => familyNameFor(require(name), tokenization) !== null,
    choose(names, source = 'metrics', tokenization = ENGLISH) {
      const named = names && new Set(resolve(names, source))
      const wanted = known.metrics.filter(({ name, isDefault }) => named?.has(name) ?? isDefault)
      const chosen = wanted.map((metric) => ({
        name: metric.name,
        family: familyNameFor(metric, tokenization),
      }))
      const refused = chosen.filter((metric) => metric.family === null).map(({ name }) => name)
      if (refused.length > 0) throw notSupported(source, refused.join(', '), tokenization)
      const included = new Set(chosen.map(({ name }) => name))
      const familyNames = new Set(chosen.map((metric) => metric.family as string))
      return { families: Array.from(familyNames, family), includes: ({ name }) => included.has(name) }
    },
    contentHash,
  }
}

/** @throws AccordError NAME_TAKEN */
function requireDistinctNames(all: readonly FamilyDefinition[]): void {
  const names = new Set<string>()
  for (const { name } of all.flatMap(({ metrics }) => metrics)) {
    const written = normalizeMetricName(name)
    if (names.has(written) || isGroup(name))
      throw new AccordError('NAME_TAKEN', 'the name is that of another metric', {
        source: '--metric-module',
        expected: 'another name',
        found: name,
      })
    names.add(written)
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

/** Groups of metrics by their names without hyphens. SPICE alone is a metric. */
const GROUPS: Readonly<Record<string, RegExp>> = {
  BLEU: /^BLEU-/,
  ROUGE: /^ROUGE-/,
  SPICEALL: /^SPICE(-|$)/,
  CHAIR: /^CHAIR-/,
  OPENCHAIR: /^open-CHAIR-/,
}

const isGroup = (name: string) => Object.hasOwn(GROUPS, normalizeMetricName(name))

/** Whether a metric is the one of a name, as it may be written, or of the group of that name. */
export function isAmong(metric: string, name: string): boolean {
  if (isGroup(name)) return GROUPS[normalizeMetricName(name)].test(metric)
  return normalizeMetricName(metric) === normalizeMetricName(name)
}

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

function notSupported(source: string, metrics: string, { language, tokenizer }: Tokenization): AccordError {
  return new AccordError('LANGUAGE_NOT_SUPPORTED', `${metrics} needs English`, {
    source,
    expected: isEnglish({ language })
      ? 'the tokenizer ptb, whose tokens its parser and word lists know'
      : `${language === UNKNOWN_LANGUAGE ? 'the language en, if they are English; ' : ''}BLEU, ROUGE, CIDEr, METEOR or chrF; WMD with --embeddings of the language`,
    found: isEnglish({ language })
      ? `the tokenizer ${tokenizer}`
      : language === UNKNOWN_LANGUAGE
        ? 'captions that show no language'
        : `captions in ${nameLanguage(language)} (${language})`,
  })
}

function unknownMetric(source: string, known: readonly string[], name: string): AccordError {
  return unknownName('UNKNOWN_METRIC', 'unknown metric', { source, known, found: name })
}

/** Rows in the order in which metrics are shown. */
export function inOrder<Row extends { readonly metric: string }>(
  { metrics }: Pick<MetricRegistry, 'metrics'>,
  rows: readonly Row[],
): readonly Row[] {
  const order = metrics.map(({ name }) => name)
  return rows.toSorted((one, other) => order.indexOf(one.metric) - order.indexOf(other.metric))
}

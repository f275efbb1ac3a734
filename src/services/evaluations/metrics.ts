import { metricSignature } from '../../core/metrics/provenance.js'
import { type ListedMetric, type MetricRegistry, normalizeMetricName } from '../../core/metrics/registry.js'
import { ENGLISH, versionOf } from '../../core/text/tokenization.js'
import { AccordError, hasCode } from '../../errors.js'
import { VERSION } from '../../project.js'
import type { Accord } from '../shared/accord.js'
import { metricsOf, refreshMetrics } from '../shared/computing.js'
import type { DocumentOptions } from './document-source.js'

/** A metric and the part of its signature that does not depend on a dataset. */
export interface MetricWithSignature extends ListedMetric {
  readonly signature: string
}

/** All metrics in the order in which they are shown. @throws AccordError for a METEOR folder that is not valid */
export async function listMetrics(accord: Accord): Promise<MetricWithSignature[]> {
  await refreshMetrics(accord)
  const registry = metricsOf(accord)
  return registry.metrics.map((listed) => withSignature(registry, listed))
}

/** A metric by its name, in any case. Null if there is none. */
export async function findMetric(accord: Accord, name: string): Promise<MetricWithSignature | null> {
  return (
    (await listMetrics(accord)).find(
      (metric) => normalizeMetricName(metric.name) === normalizeMetricName(name),
    ) ?? null
  )
}

/** Names of the metrics that are computed where none are named. */
export function usualMetrics(accord: Accord): string[] {
  return metricsOf(accord).metrics.flatMap(({ name, isDefault }) => (isDefault ? [name] : []))
}

/**
 * Names of metrics as they are shown, in the order of {@link listMetrics}; `BLEU`, `ROUGE` and `SPICE-all` stand for all of their metrics.
 *
 * @throws AccordError UNKNOWN_METRIC
 */
export function resolveMetrics(accord: Accord, names: readonly string[]): Promise<string[]> {
  return lookUp(accord, (registry) => registry.resolve(names))
}

/** The metric that is named first, or the first of its group. @throws AccordError UNKNOWN_METRIC */
export async function firstMetric(accord: Accord, names: readonly string[]): Promise<string> {
  return (await resolveMetrics(accord, names.slice(0, 1)))[0]
}

/** A metric by its name in any case. @throws AccordError UNKNOWN_METRIC */
export function resolveMetric(accord: Accord, name: string): Promise<ListedMetric> {
  return lookUp(accord, (registry) => registry.require(name))
}

/** Whether document frequencies enter the scores by a metric that is known. @throws AccordError UNKNOWN_METRIC */
export function hasFrequencies(accord: Accord, metric: string): boolean {
  return metricsOf(accord).require(metric).needs.documentFrequencies
}

/**
 * Checks that document frequencies that are named are those of a metric that is named.
 *
 * @param metrics null for all that are stored, or computed by default
 * @throws AccordError NOT_APPLICABLE if none of the metrics has any; UNKNOWN_METRIC
 */
export async function requireFrequencies(
  accord: Accord,
  metrics: readonly string[] | null | undefined,
  { documents, documentsFile }: DocumentOptions,
): Promise<void> {
  if ((documents == null && documentsFile === undefined) || metrics == null || metrics.length === 0) return
  const names = await resolveMetrics(accord, metrics)
  if (names.some((name) => hasFrequencies(accord, name))) return
  const having = metricsOf(accord).metrics.filter(({ name }) => hasFrequencies(accord, name))
  throw new AccordError('NOT_APPLICABLE', 'the metrics have no document frequencies', {
    source: 'documents',
    expected: `a metric that has them: ${having.map(({ name }) => name).join(', ')}`,
    found: metrics.join(', '),
  })
}

/** Looks up names. One that is unknown may be that of a composite metric that another process has trained. */
async function lookUp<Result>(accord: Accord, find: (registry: MetricRegistry) => Result): Promise<Result> {
  try {
    return find(metricsOf(accord))
  } catch (error) {
    if (!hasCode(error, 'UNKNOWN_METRIC')) throw error
    await refreshMetrics(accord)
    return find(metricsOf(accord))
  }
}

/** The metric of a score that was read. @throws AccordError UNKNOWN_METRIC */
export function requireMetric(accord: Accord, name: string): MetricWithSignature {
  const registry = metricsOf(accord)
  return withSignature(registry, registry.require(name))
}

/** The metric of a row that another process may have stored: it may be a composite that this one does not know yet. */
export function storedMetric(
  accord: Accord,
  name: string,
): MetricWithSignature | Promise<MetricWithSignature> {
  if (metricsOf(accord).has(name)) return requireMetric(accord, name)
  return lookUp(accord, (registry) => withSignature(registry, registry.require(name)))
}

/** What to know when reading scores by a metric. @throws AccordError UNKNOWN_METRIC */
export function metricNotes(accord: Accord, metric: string): readonly string[] {
  return metricsOf(accord).require(metric).notes
}

function withSignature(registry: MetricRegistry, listed: ListedMetric): MetricWithSignature {
  const { metric, family } = registry.load(listed.name)
  return {
    ...listed,
    signature: metricSignature(family, metric, { tokenizer: versionOf(ENGLISH), version: VERSION }),
  }
}

/** Rows of the named metrics, all rows if there are no names. @throws AccordError UNKNOWN_METRIC */
export async function pickMetrics<Row extends { readonly metric: string }>(
  accord: Accord,
  rows: readonly Row[],
  names: readonly string[] | null | undefined,
): Promise<Row[]> {
  if (names == null) return [...rows]
  const wanted = new Set(await lookUp(accord, (registry) => registry.resolve(names, 'metric')))
  return rows.filter(({ metric }) => wanted.has(metric))
}

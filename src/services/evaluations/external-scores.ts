/** Scores by other programs: how those that are stored reach the trials of a measurement. */

import type { MetricFamily, Trial } from '../../core/metrics/metric.js'
import type { MetricRegistry } from '../../core/metrics/registry.js'
import type { Session } from '../../store/engine/session.js'
import {
  isOf,
  readAgreement,
  readAgreementStatistics,
  readScores,
  readStatistics,
  type StoredStatistics,
} from '../../store/scores.js'
import type { Material } from './plan.js'

/** By metric, for each trial the scores by id of the image. */
export type ExternalScores = ReadonlyMap<string, readonly ReadonlyMap<number, number>[]>

/** Names of the external metrics that families are, or have as features. */
export function externalMetricsOf(registry: MetricRegistry, families: readonly MetricFamily[]): string[] {
  const names = families.flatMap(({ metrics, needs }) => [
    ...metrics.map(({ name }) => name),
    ...needs.metrics,
  ])
  const isExternal = (name: string) => registry.has(name) && registry.require(name).needs.text === 'external'
  return [...new Set(names.filter(isExternal))]
}

/** The stored scores of a system. @param references k; null against all captions */
export async function externalScoresOfSystem(
  session: Session,
  systemId: number,
  metrics: readonly string[],
  references: number | null,
): Promise<ExternalScores> {
  if (metrics.length === 0) return new Map()
  const rows = (await readScores(session, [systemId], metrics)).filter(isOf(references))
  const scores = new Map<string, ReadonlyMap<number, number>[]>()
  for (const { metric, statisticsId } of rows) {
    scores.set(metric, byTrial(await readStatistics(session, statisticsId)))
  }
  return scores
}

/** The stored scores of people's captions on folds of k references. */
export async function externalScoresOfPeople(
  session: Session,
  datasetId: number,
  metrics: readonly string[],
  references: number,
): Promise<ExternalScores> {
  if (metrics.length === 0) return new Map()
  const scores = new Map<string, ReadonlyMap<number, number>[]>()
  for (const { metric, referenceCount, statisticsId } of await readAgreement(session, [datasetId])) {
    if (referenceCount !== references || !metrics.includes(metric)) continue
    scores.set(metric, byTrial(await readAgreementStatistics(session, statisticsId)))
  }
  return scores
}

function byTrial({ imageIds, statistics }: StoredStatistics): ReadonlyMap<number, number>[] {
  const images = imageIds.length
  return Array.from(
    { length: statistics.length / images },
    (_, trial) => new Map(Array.from(imageIds, (id, image) => [id, statistics[trial * images + image]])),
  )
}

/** The material with scores by other programs. */
export function withExternal(material: Material, external: ExternalScores): Material {
  if (external.size === 0) return material
  const { trials, imageIds } = material
  return {
    ...material,
    trials: trials.map((trial, index) => addExternal(trial, imageIds, external, () => index)),
  }
}

/**
 * A trial with scores by other programs.
 *
 * @param trialOf the trial of the scores that is that of an image, by its place
 */
export function addExternal(
  trial: Trial,
  imageIds: Int32Array,
  external: ExternalScores,
  trialOf: (place: number) => number,
): Trial {
  const columns = Array.from(external, ([metric, scores]): [string, Float64Array] => [
    metric,
    Float64Array.from(imageIds, (id, place) => scores[trialOf(place)]?.get(id) ?? Number.NaN),
  ])
  return { ...trial, external: Object.fromEntries(columns) }
}

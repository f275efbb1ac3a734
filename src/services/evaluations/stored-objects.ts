import type { ProvenanceRecord } from '../../core/metrics/provenance.js'
import type { MetricRegistry } from '../../core/metrics/registry.js'
import type { Session } from '../../store/engine/session.js'
import { readImageObjects } from '../../store/objects.js'
import { findSystems } from '../../store/systems.js'
import { type AnnotatedObjects, annotatedObjects } from './annotated-objects.js'

/** Those of a dataset, by id of the image; null where no image has annotations. */
export async function storedObjects(session: Session, datasetId: number): Promise<AnnotatedObjects | null> {
  const images = await readImageObjects(session, datasetId)
  return images.length === 0 ? null : annotatedObjects(images)
}

/** Scores of a system. */
interface ScoresOfSystem {
  readonly systemId: number
  readonly metrics: readonly string[]
  /** k; null against all captions. */
  readonly references: number | null
}

/** Tells of records of scores whether they have the annotated objects that a new score would have. */
export async function createObjectCheck(
  session: Session,
  registry: MetricRegistry,
  { systemId, metrics, references }: ScoresOfSystem,
): Promise<(record: ProvenanceRecord) => boolean> {
  const counting = metrics.filter((metric) => registry.require(metric).needs.objects)
  if (counting.length === 0) return () => true
  const [system] = await findSystems(session, [systemId])
  const objects = system && references === null ? await storedObjects(session, system.datasetId) : null
  return ({ metric, resources }) => !counting.includes(metric) || resources.objects === objects?.hash
}

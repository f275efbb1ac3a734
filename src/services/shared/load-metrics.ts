import type { MetricRegistry } from '../../core/metrics/registry.js'
import { AccordError } from '../../errors.js'
import { finishArtefact } from '../../formats/models/artefact-file.js'
import type { Session } from '../../store/engine/session.js'
import { readComposites, readExternalMetrics, readMetricsKey } from '../../store/metrics.js'

/**
 * Makes the metrics of a database those of a registry. One statement where nothing has changed.
 *
 * @throws AccordError INVALID_SHAPE for a trained metric that differs from its hash
 */
export async function loadMetrics(session: Session, registry: MetricRegistry): Promise<void> {
  const key = await readMetricsKey(session)
  if (key === registry.stored.key) return
  const composites = await readComposites(session)
  const damaged = composites.find(
    ({ header, weights, hash }) => finishArtefact(header, weights).hash !== hash,
  )
  if (damaged) {
    throw new AccordError(
      'INVALID_SHAPE',
      'a trained metric is damaged; remove it, and train or import it again',
      { source: 'artefact', expected: `content with the hash ${damaged.hash}`, found: damaged.header.name },
    )
  }
  registry.setStored({ key, composites, externals: await readExternalMetrics(session) })
}

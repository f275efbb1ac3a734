import type { MetricRegistry } from '../../core/metrics/registry.js'
import { AccordError } from '../../errors.js'
import { finishArtefact } from '../../formats/models/artefact-file.js'
import { readArtefactHashes, readComposites } from '../../store/artefacts.js'
import type { Session } from '../../store/engine/session.js'

/**
 * Makes the composite metrics of a database those of a registry. One statement where nothing has changed.
 *
 * @throws AccordError INVALID_SHAPE for a metric that differs from its hash
 */
export async function loadComposites(session: Session, registry: MetricRegistry): Promise<void> {
  const hashes = await readArtefactHashes(session)
  const known = registry.composites.map(({ hash }) => hash)
  if (hashes.length === known.length && hashes.every((hash, index) => hash === known[index])) return
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
  registry.setComposites(composites)
}

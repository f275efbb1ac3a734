import type { MetricRegistry } from '../../core/metrics/registry.js'
import { readArtefactHashes, readComposites } from '../../store/artefacts.js'
import type { Session } from '../../store/engine/session.js'

/** Makes the composite metrics of a database those of a registry. One statement where nothing has changed. */
export async function loadComposites(session: Session, registry: MetricRegistry): Promise<void> {
  const hashes = await readArtefactHashes(session)
  const known = registry.composites.map(({ hash }) => hash)
  if (hashes.length === known.length && hashes.every((hash, index) => hash === known[index])) return
  registry.setComposites(await readComposites(session))
}

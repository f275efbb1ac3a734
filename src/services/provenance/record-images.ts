import type { ImageRecord } from '../../core/metrics/provenance.js'
import type { Session } from '../../store/engine/session.js'
import { readImageIds } from '../../store/images.js'
import { describeImages } from './record-provenance.js'

/** Images of a dataset, a complete system having `of`. */
export async function recordImages(
  session: Session,
  datasetId: number,
  imageIds: Int32Array,
  of: number,
): Promise<ImageRecord> {
  if (imageIds.length === of) return { count: of, of, hash: null }
  const wanted = new Set(imageIds)
  const all = await readImageIds(session, datasetId)
  return describeImages(
    [...all].filter(([, id]) => wanted.has(id)).map(([externalId]) => externalId),
    of,
  )
}

import type { Threads } from '../../compute/pool.js'
import { type HashedFrequencies, hashFrequencies } from '../../core/metrics/hashed-frequencies.js'
import type { DocumentFrequencySource } from '../../core/metrics/provenance.js'
import type { ReferenceLists } from '../../core/metrics/reference-lists.js'
import { AccordError, quote } from '../../errors.js'
import type { Session } from '../../store/engine/session.js'
import { countCaptionedImages } from '../../store/image-ranges.js'
import { readReferenceCaptions } from '../../store/images.js'
import type { Dataset } from '../../store/schema/entities.js'
import { createTextReader } from '../../store/tokens.js'
import { IN_PROCESS } from './division.js'
import { countAll, type Source } from './plan.js'
import { recordDocuments } from './record-provenance.js'
import { listAllReferences } from './reference-lists.js'

/**
 * All captions of a dataset, in which document frequencies are counted.
 *
 * @throws AccordError NOT_APPLICABLE for a dataset without captions
 */
export async function captionsOf(
  session: Session,
  dataset: Dataset,
  readTexts = createTextReader(session),
): Promise<Source<ReferenceLists>> {
  const images = captioned(dataset)
  const imageCount = await countCaptionedImages(session, images)
  if (imageCount === 0) throw noCaptions(dataset)
  return {
    images,
    imageCount,
    async read(range) {
      const captions = await readReferenceCaptions(session, dataset.id, range)
      const { imageIds, lists } = listAllReferences(captions)
      return { corpus: { ...captions.sequences, texts: await readTexts() }, trials: [lists], imageIds }
    },
  }
}

function noCaptions({ name }: Dataset): AccordError {
  return new AccordError('NOT_APPLICABLE', 'the dataset has no captions', {
    source: 'document frequencies',
    found: quote(name),
  })
}

function captioned({ id }: Dataset) {
  return { datasetId: id, minCaptionCount: 1 }
}

/** How document frequencies of all captions of a dataset are recorded. */
export async function recordDataset(session: Session, dataset: Dataset): Promise<DocumentFrequencySource> {
  const count = await countCaptionedImages(session, captioned(dataset))
  return recordDocuments(dataset.revision, { count, hash: null }, 'dataset')
}

/** The document frequencies of all captions of a dataset. @throws AccordError NOT_APPLICABLE if it has none */
export async function hashDataset(
  session: Session,
  threads: Threads,
  dataset: Dataset,
): Promise<HashedFrequencies> {
  const [table] = await countAll(session, threads, await captionsOf(session, dataset), IN_PROCESS, () => {})
  return hashFrequencies(table, await createTextReader(session)())
}

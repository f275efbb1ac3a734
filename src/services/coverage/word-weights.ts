import { createUnitCounter, type UnitWeights, weigh } from '../../core/coverage/unit-weights.js'
import { countTexts } from '../../core/metrics/hashed-frequencies.js'
import type { DocumentFrequencySource } from '../../core/metrics/provenance.js'
import { type Progress, step } from '../../progress.js'
import type { ImageRange } from '../../store/caption-search.js'
import { requireDataset } from '../../store/datasets.js'
import type { Session } from '../../store/engine/session.js'
import { splitImages } from '../../store/image-ranges.js'
import { readReferenceCaptions } from '../../store/images.js'
import type { Dataset } from '../../store/schema/dataset-tables.js'
import { readTokenTexts } from '../../store/tokens.js'
import * as documentSource from '../evaluations/document-source.js'
import { requireSameTokens } from '../evaluations/fixed-documents.js'
import { recordDocuments } from '../provenance/record-provenance.js'

/** The images with K captions. */
interface FoldedImages {
  readonly ranges: readonly ImageRange[]
  readonly imageCount: number
}

/** How words weigh, and by which document frequencies. */
interface WordWeights {
  readonly weights: UnitWeights
  readonly documents: DocumentFrequencySource
}

/**
 * Weights of words by document frequencies: by default of the first K captions of the images with K captions.
 *
 * @throws AccordError UNKNOWN_DATASET; NOT_APPLICABLE for a dataset without captions; errors of `requireSameTokens`
 */
export async function weighWords(
  session: Session,
  dataset: Dataset,
  source: documentSource.DocumentSource,
  { ranges, imageCount }: FoldedImages,
  progress: Progress,
): Promise<WordWeights> {
  const fixed = await documentSource.readDocuments(session, source)
  if (fixed !== null) {
    requireSameTokens(fixed.counted, dataset)
    const counts = countTexts(await readTokenTexts(session), fixed.table)
    return { weights: weigh(counts, fixed.table.imageCount), documents: fixed.record }
  }
  if (source.documents === undefined) {
    const { id, captionsPerImage, revision } = dataset
    const weights = await countWords(session, id, captionsPerImage, ranges, progress)
    const own = { count: imageCount, hash: `first ${captionsPerImage}` }
    return { weights, documents: recordDocuments(revision, own, 'own') }
  }
  const other = await requireDataset(session, source.documents)
  requireSameTokens(other, dataset)
  const { images } = await documentSource.captionsOf(session, other)
  const all = await splitImages(session, images)
  const weights = await countWords(session, other.id, null, all, progress)
  return { weights, documents: await documentSource.recordDataset(session, other) }
}

/** Counts words. @param captionsPerImage the first ones of images that have as many; null: all captions */
async function countWords(
  session: Session,
  datasetId: number,
  captionsPerImage: number | null,
  ranges: readonly ImageRange[],
  progress: Progress,
): Promise<UnitWeights> {
  const counter = createUnitCounter()
  for (const [index, range] of ranges.entries()) {
    step(progress, index, ranges.length)(0, 'counting words')
    const { firstCaption, sequences } = await readReferenceCaptions(session, datasetId, range)
    for (let image = 0; image + 1 < firstCaption.length; image++) {
      const [first, end] = [firstCaption[image], firstCaption[image + 1]]
      if (captionsPerImage === null) counter.add(sequences, first, end)
      else if (end - first >= captionsPerImage) counter.add(sequences, first, first + captionsPerImage)
    }
  }
  return counter.weights()
}

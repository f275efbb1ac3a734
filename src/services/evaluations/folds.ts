import { leaveOneOutTrials } from '../../core/agreement/leave-one-out.js'
import { requireReferences } from '../../core/agreement/references.js'
import type { Trial } from '../../core/metrics/metric.js'
import { AccordError } from '../../errors.js'
import type { Session } from '../../store/engine/session.js'
import type { CaptionedImages } from '../../store/image-ranges.js'
import { readReferenceCaptions } from '../../store/images.js'
import type { Dataset } from '../../store/schema/entities.js'
import { createTextReader } from '../../store/tokens.js'
import type { Source } from './plan.js'
import { listAllReferences } from './reference-lists.js'

/** @throws AccordError NOT_APPLICABLE where images have one caption; OUT_OF_RANGE for k */
export function checkReferences({ captionsPerImage }: Dataset, references: number): void {
  if (captionsPerImage < 2) {
    throw new AccordError('NOT_APPLICABLE', 'people can be compared only if they describe the same image', {
      source: 'dataset',
      expected: 'at least two captions per image',
      found: String(captionsPerImage),
    })
  }
  requireReferences(captionsPerImage, references)
}

/** The images that folds of people are made of: those with K captions. */
export function foldedImages({ id, captionsPerImage }: Dataset): CaptionedImages {
  return { datasetId: id, minCaptionCount: captionsPerImage }
}

/** The folds of people. @param imageCount number of {@link foldedImages} */
export function foldsOf(
  session: Session,
  dataset: Dataset,
  references: number,
  imageCount: number,
  readTexts = createTextReader(session),
): Source<Trial> {
  return {
    images: foldedImages(dataset),
    imageCount,
    async read(range) {
      const captions = await readReferenceCaptions(session, dataset.id, range)
      const { imageIds, lists } = listAllReferences(captions)
      const { trials, images } = leaveOneOutTrials(lists, dataset.captionsPerImage, references)
      return {
        corpus: { ...captions.sequences, texts: await readTexts() },
        trials,
        imageIds: images.map((image) => imageIds[image]),
      }
    },
  }
}

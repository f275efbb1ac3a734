import { leaveOneOutTrials } from '../../core/agreement/leave-one-out.js'
import { requireReferences } from '../../core/agreement/weights.js'
import type { Trial } from '../../core/metrics/metric.js'
import type { ReferenceLists } from '../../core/metrics/reference-lists.js'
import type { CaptionForm } from '../../core/text/sequences.js'
import { AccordError } from '../../errors.js'
import type { Session } from '../../store/engine/session.js'
import type { CaptionedImages } from '../../store/image-ranges.js'
import { type ReferenceCaptions, readReferenceCaptions } from '../../store/images.js'
import type { Dataset } from '../../store/schema/dataset-tables.js'
import { createTextReader } from '../../store/tokens.js'
import type { Source } from './plan.js'

/** All captions of some images. @param images positions in `imageIds` of the captions */
export function listReferences(
  { firstCaption }: Pick<ReferenceCaptions, 'firstCaption'>,
  images: readonly number[],
): ReferenceLists {
  const referenceOffsets = new Int32Array(images.length + 1)
  for (const [index, image] of images.entries()) {
    referenceOffsets[index + 1] = referenceOffsets[index] + firstCaption[image + 1] - firstCaption[image]
  }
  const references = new Int32Array(referenceOffsets[images.length])
  for (const [index, image] of images.entries()) {
    const start = referenceOffsets[index]
    for (let i = start; i < referenceOffsets[index + 1]; i++) references[i] = firstCaption[image] + i - start
  }
  return { references, referenceOffsets }
}

/** All captions of all images that have one, and the ids of these images. */
export function listAllReferences({ imageIds, firstCaption }: ReferenceCaptions): {
  readonly imageIds: Int32Array
  readonly lists: ReferenceLists
} {
  const images = Array.from(imageIds, (_, image) => image)
  const described = images.filter((image) => firstCaption[image + 1] > firstCaption[image])
  return {
    imageIds: Int32Array.from(described, (image) => imageIds[image]),
    lists: listReferences({ firstCaption }, described),
  }
}

/**
 * A trial with only the numbers of images and references, for signatures and warnings when the captions are not in
 * memory.
 */
export function trialOfCounts(
  captionCounts: Int32Array,
  documentFrequencies?: Trial['documentFrequencies'],
): Trial {
  const referenceOffsets = new Int32Array(captionCounts.length + 1)
  for (const [image, count] of captionCounts.entries())
    referenceOffsets[image + 1] = referenceOffsets[image] + count
  return {
    candidates: new Int32Array(captionCounts.length),
    references: new Int32Array(0),
    referenceOffsets,
    documentFrequencies,
  }
}

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
  form: CaptionForm = 'tokens',
  readTexts = createTextReader(session),
): Source<Trial> {
  return {
    images: foldedImages(dataset),
    imageCount,
    async read(range) {
      const captions = await readReferenceCaptions(session, dataset.id, range, form)
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

import { readFileSync, writeFileSync } from 'node:fs'
import { createRandom } from '../src/stats/random.js'

/** Images of the COCO 2014 validation set. */
export const LARGE_IMAGE_COUNT = 40_504

const CAPTIONS_PER_IMAGE = 5

interface CocoFile {
  readonly annotations: readonly { readonly caption: string }[]
}

/**
 * Writes a data set of {@link LARGE_IMAGE_COUNT} images with five captions each, and one system's captions. Every
 * caption joins the beginning of one real caption and the end of another, so that words recur as they do in real
 * captions and longer n-grams are mostly new.
 */
export function writeLargeDataset(source: string, captionsFile: string, resultsFile: string): void {
  const { annotations } = JSON.parse(readFileSync(source, 'utf8')) as CocoFile
  const random = createRandom(1)
  const words = () => annotations[random.below(annotations.length)].caption.trim().split(/\s+/)
  const caption = () => {
    const [beginning, end] = [words(), words()]
    return [...beginning.slice(0, beginning.length >> 1), ...end.slice(end.length >> 1)].join(' ')
  }
  const imageIds = Array.from({ length: LARGE_IMAGE_COUNT }, (_, index) => index + 1)
  writeFileSync(
    captionsFile,
    JSON.stringify({
      images: imageIds.map((id) => ({ id })),
      annotations: imageIds.flatMap((imageId) =>
        Array.from({ length: CAPTIONS_PER_IMAGE }, (_, index) => ({
          id: imageId * CAPTIONS_PER_IMAGE + index,
          image_id: imageId,
          caption: caption(),
        })),
      ),
    }),
  )
  const results = imageIds.map((imageId) => ({ image_id: imageId, caption: caption() }))
  writeFileSync(resultsFile, JSON.stringify(results))
}

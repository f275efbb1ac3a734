import { AccordError } from '../../errors.js'
import { createRandom, shuffle } from '../stats/random.js'

/** Ids of images, ascending, for the three uses of a dataset. */
export interface Split {
  readonly training: Int32Array
  /** For choosing the best model. */
  readonly validation: Int32Array
  /** For the figures. */
  readonly test: Int32Array
}

/** Identifies a split of a dataset. */
interface SplitSettings {
  readonly validationImages: number
  readonly testImages: number
}

export const splitKey = ({ validationImages, testImages }: SplitSettings) =>
  `${validationImages} for validation, ${testImages} for testing`

/** One for all trainings, so that those with different seeds have the same test images. */
const SPLIT_SEED = 1

/**
 * Divides images at random.
 *
 * @param imageIds of the images with human captions
 * @throws AccordError NOT_APPLICABLE where fewer images are left for training than for testing
 */
export function splitForTraining(imageIds: Int32Array, settings: SplitSettings): Split {
  const { validationImages, testImages } = settings
  const held = validationImages + testImages
  if (imageIds.length - held < testImages) {
    throw new AccordError('NOT_APPLICABLE', 'the dataset is too small to be split', {
      source: 'dataset',
      expected: `at least ${held + testImages} images with human captions, for ${validationImages} for validation, ${testImages} for testing and as many for training`,
      found: String(imageIds.length),
    })
  }
  const order = imageIds.slice()
  shuffle(order, createRandom(SPLIT_SEED))
  return {
    training: order.slice(held).sort(),
    validation: order.slice(0, validationImages).sort(),
    test: order.slice(validationImages, held).sort(),
  }
}

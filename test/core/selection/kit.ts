import type { Box, BoxedImage, Description } from '../../../src/core/selection/scenes.js'

/** An image without a size. Boxes are `id:concept` or `id:concept:width×height`, 10×10 by default. */
export function image(imageId: string, ...boxes: string[]): BoxedImage {
  return { imageId, width: null, height: null, boxes: boxes.map(box) }
}

/** Descriptions of an image, each given as the concatenated ids of the boxes it mentions: `'203'`. */
export function descriptions(imageId: string, ...named: string[]): Description[] {
  return named.map((boxes, index) => ({
    id: `${imageId}#${index}`,
    imageId,
    mentions: [...boxes],
    sentence: null,
  }))
}

/** The image in figure 2 of Wang & Gaizauskas 2015 and the boxes that its seven descriptions mention. */
export const figure2 = {
  images: [image('figure2', '0:dress', '2:woman', '3:car', '5:boot')],
  descriptions: descriptions('figure2', '2053', '23', '253', '23', '23', '253', '2503'),
}

function box(text: string): Box {
  const [id, concept, size = '10×10'] = text.split(':')
  const [width, height] = size.split('×').map(Number)
  return { id, concept, bbox: [0, 0, width, height] }
}

import type { ImageSelection } from '../../services/selection/content-selection.js'
import type { Context } from '../execution/context.js'
import { loadBoxes } from './loaders.js'
import type { MentionModel } from './models.js'

/** The sentence of a baseline with the boxes that it mentions. Null if there is none. */
export async function sentenceOf(
  { imageId, sentence }: ImageSelection,
  context: Context,
): Promise<{ text: string; mentions: MentionModel[] } | null> {
  if (sentence === null) return null
  const boxes = new Map((await loadBoxes(context, imageId)).map((box) => [box.externalId, box]))
  const mentions = sentence.mentions.flatMap(({ boxIds, ...span }) =>
    boxIds.flatMap((id) => {
      const box = boxes.get(id)
      return box ? [{ ...span, box }] : []
    }),
  )
  return { text: sentence.text, mentions }
}

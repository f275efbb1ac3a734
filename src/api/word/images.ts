import { AccordError } from '../../errors.js'
import type { Word } from '../../store/entities.js'
import { type ImageConnectionModel, type PageArguments, toConnection, toPageRequest } from '../connection.js'
import type { Context } from '../context.js'
import { present } from '../present.js'

const ORDER = 'images of a word'

/** Images where exactly `count` of the first K captions use a word; at least one where it is undefined. */
export async function imagesOfWord(
  word: Word,
  count: number | undefined,
  args: PageArguments,
  { loaders }: Context,
): Promise<ImageConnectionModel> {
  requireCount(word, count)
  const { limit, after } = toPageRequest(ORDER, args)
  const imageIds = await loaders.wordImages.load({
    wordId: word.id,
    captionCount: count,
    afterImageId: after?.id ?? 0,
    limit: limit + 1,
  })
  const images = await Promise.all(imageIds.slice(0, limit).map((id) => loaders.image.load(id)))
  const page = {
    rows: images.map(present).map((row) => ({ row, position: { value: row.id, id: row.id } })),
    hasNextPage: imageIds.length > limit,
    hasPreviousPage: after !== undefined,
  }
  return toConnection(ORDER, page, () => (count === undefined ? word.imageCount : word.histogram[count]))
}

function requireCount({ histogram }: Word, count: number | undefined): void {
  if (count === undefined || (count >= 0 && count < histogram.length)) return
  throw new AccordError('OUT_OF_RANGE', 'no image has this many captions', {
    source: 'count',
    expected: `0 to ${histogram.length - 1}`,
    found: String(count),
  })
}

import { toInt32Array } from '../../store/blobs.js'
import type { Image } from '../../store/entities.js'
import type { Loaders } from '../loaders.js'
import { present } from '../present.js'
import type { ResolversTypes } from '../schema-types.js'

/** The words of an image's first K captions with the number of captions that use each, most used first. */
export async function wordsOfImage(image: Image, loaders: Loaders): Promise<ResolversTypes['ImageWord'][]> {
  const [dataset, captions] = await Promise.all([
    loaders.dataset.load(image.datasetId).then(present),
    loaders.captions.load(image.id),
  ])
  const counts = new Map<number, number>()
  for (const { tokens } of captions.slice(0, dataset.captionsPerImage)) {
    for (const tokenId of new Set(toInt32Array(tokens))) counts.set(tokenId, (counts.get(tokenId) ?? 0) + 1)
  }
  const byCount = [...counts].sort(([, one], [, other]) => other - one)
  return Promise.all(
    byCount.map(async ([tokenId, captionCount]) => {
      const word = await loaders.wordOfToken.load({ datasetId: image.datasetId, tokenId })
      return { word: present(word), captionCount }
    }),
  )
}

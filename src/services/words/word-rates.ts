import { type WordRate, type WordUse, wordRates, wordUsage } from '../../core/agreement/word-rates.js'
import { yieldToEventLoop } from '../../event-loop.js'
import { readCountedImageIds } from '../../store/images.js'
import type { Dataset, Word } from '../../store/schema/dataset-tables.js'
import type { System } from '../../store/schema/system-tables.js'
import { readSystemSequences } from '../../store/systems.js'
import { readVocabularyWords } from '../datasets/vocabulary.js'
import type { Accord } from '../shared/accord.js'
import { contentOf, createCache } from '../shared/cache.js'
import { placeWords } from './word-places.js'

/** How often a system uses a word, beside people in the images that it has a caption of. */
export interface SystemWordRate extends WordRate {
  readonly word: Word
}

const ratesIn = createCache<readonly SystemWordRate[]>(64)

/**
 * Words of the vocabulary that a captioning system or people use in 20 or more of its images, in vocabulary order; none of
 * other systems. The intervals hold for all of them together. The rates are kept in this process.
 *
 * @param turn awaited before each word
 */
export async function rateWords(
  { database }: Accord,
  dataset: Dataset,
  system: System,
  turn: () => Promise<unknown> = yieldToEventLoop,
): Promise<readonly SystemWordRate[]> {
  if (system.kind !== 'CAPTIONS') return []
  const cache = ratesIn(database)
  const key = JSON.stringify([contentOf(dataset), system.id, system.content])
  const known = cache.get(key)
  if (known) return known
  const words = await readVocabularyWords(database, dataset)
  const captioned = new Set((await readSystemSequences(database, system.id)).imageIds)
  const imageIds = (await readCountedImageIds(database, dataset.id)).filter((id) => captioned.has(id))
  const usages: { readonly word: Word; readonly usage: ReturnType<typeof wordUsage> }[] = []
  for await (const { word, images, predicted } of placeWords(database, system, words, imageIds)) {
    await turn()
    usages.push({ word, usage: wordUsage(images, predicted ?? [], imageIds.length) })
  }
  await turn()
  const found = wordRates(
    usages.map(({ usage }) => usage),
    dataset.captionsPerImage,
  )
  const rates = usages.flatMap(({ word }, index) => {
    const rate = found[index]
    return rate ? [{ word, ...rate }] : []
  })
  cache.set(key, rates)
  return rates
}

/**
 * The words that are used too often, the highest lower limit first, or too rarely, the lowest upper limit first; those that
 * differ most from people. Without a use all words, as they are.
 */
export function listByUse(
  rates: readonly SystemWordRate[],
  use: WordUse | null | undefined,
): readonly SystemWordRate[] {
  if (use == null) return rates
  const distance = ({ interval: { lower, upper } }: SystemWordRate) =>
    use === 'OVERUSED' ? -lower : (upper ?? Number.POSITIVE_INFINITY)
  return rates.filter((rate) => rate.use === use).toSorted((one, other) => distance(one) - distance(other))
}

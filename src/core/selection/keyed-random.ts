import { createRandom, type Random } from '../stats/random.js'

/**
 * Creates a random number generator that depends only on a seed and a key. With one key per image, the numbers
 * drawn for an image do not depend on the other images or their order.
 *
 * @throws AccordError OUT_OF_RANGE if the seed is not a safe integer
 */
export function keyedRandom(seed: number, key: string): Random {
  let hash = createRandom(seed).below(0x1_0000_0000)
  // FNV-1a over UTF-16 code units, initialized with the seed.
  for (let i = 0; i < key.length; i++) hash = Math.imul(hash ^ key.charCodeAt(i), 0x0100_0193)
  return createRandom(hash)
}

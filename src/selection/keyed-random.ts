import { createRandom, type Random } from '../stats/random.js'

/**
 * Random numbers that depend on a seed and a key alone. With one key per image, what is drawn for an image
 * does not depend on which other images there are, nor on their order.
 *
 * @throws AccordError OUT_OF_RANGE where the seed is no safe integer
 */
export function keyedRandom(seed: number, key: string): Random {
  let hash = createRandom(seed).below(0x1_0000_0000)
  // FNV-1a over UTF-16 units, started from the seed.
  for (let i = 0; i < key.length; i++) hash = Math.imul(hash ^ key.charCodeAt(i), 0x0100_0193)
  return createRandom(hash)
}

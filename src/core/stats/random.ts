import { AccordError } from '../../errors.js'

/** A seeded source of random numbers: the same seed gives the same numbers on every machine. */
export interface Random {
  /** A uniform number in [0, 1), a multiple of 2^-53. */
  next(): number
  /** A uniform integer in 0..n−1, for 1 ≤ n ≤ 2^32; each has a probability within 2^-32 of 1/n. */
  below(n: number): number
}

/**
 * A generator of random numbers: sfc32 ("small fast counting", 32 bits), published by Chris Doty-Humphrey
 * with PractRand 0.94, with its seeding from 64 bits. Its period is at least 2^32, on average about 2^127.
 * Not for secrets.
 *
 * @param seed any safe integer (−2^53 < seed < 2^53)
 * @throws AccordError OUT_OF_RANGE if the seed is not a safe integer
 */
export function createRandom(seed: number): Random {
  if (!Number.isSafeInteger(seed)) {
    throw new AccordError('OUT_OF_RANGE', 'the seed is not usable', {
      source: 'seed',
      expected: 'a safe integer',
      found: String(seed),
    })
  }
  let a = 0
  let b = seed | 0
  let c = Math.floor(seed / 0x1_0000_0000) | 0
  let counter = 1

  /** The next 32 random bits, as a signed integer. */
  function bits(): number {
    const output = (a + b + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (((c << 21) | (c >>> 11)) + output) | 0
    return output
  }

  for (let round = 0; round < 12; round++) bits()

  return {
    next: () => ((bits() >>> 5) * 0x400_0000 + (bits() >>> 6)) / 0x20_0000_0000_0000,
    below: (n) => Math.floor((bits() >>> 0) * (n / 0x1_0000_0000)),
  }
}

/** Shuffles an array uniformly (Fisher and Yates), in place. */
export function shuffle<Value>(
  values: { readonly length: number; [index: number]: Value },
  random: Random,
): void {
  for (let last = values.length - 1; last > 0; last--) {
    const other = random.below(last + 1)
    const value = values[last]
    values[last] = values[other]
    values[other] = value
  }
}

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

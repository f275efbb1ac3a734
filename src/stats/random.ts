import { AccordError } from '../errors.js'

/** A seeded source of random numbers: the same seed gives the same numbers on every machine. */
export interface Random {
  /** A uniform number in [0, 1), a multiple of 2^-53. */
  next(): number
  /** A uniform integer in 0..n−1, for 1 ≤ n ≤ 2^32; each has a probability within 2^-32 of 1/n. */
  below(n: number): number
  /** Draws `below(n)` `draws` times and adds each drawn number's frequency to `counts[start + number]`. */
  tally(n: number, draws: number, counts: Float64Array, start: number): void
  /** Passes over `draws` draws of `below`. */
  skip(draws: number): void
}

/**
 * A generator of random numbers: sfc32 ("small fast counting", 32 bits), published by Chris Doty-Humphrey
 * with PractRand 0.94, with its seeding from 64 bits. Its period is at least 2^32, on average about 2^127.
 * Not for secrets.
 *
 * @param seed any safe integer (−2^53 < seed < 2^53)
 * @throws AccordError OUT_OF_RANGE where the seed is no safe integer
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

  /**
   * `bits` unrolled, its state in registers, for the bootstrap. `| 0` tells the compiler that the state is
   * whole numbers: otherwise it computes with floating-point numbers, which takes three times as long.
   */
  function tally(n: number, draws: number, counts: Float64Array, start: number): void {
    const scale = n / 0x1_0000_0000
    let first = a | 0
    let second = b | 0
    let third = c | 0
    let count = counter | 0
    for (let draw = 0; draw < draws; draw++) {
      const output = (first + second + count) | 0
      count = (count + 1) | 0
      first = second ^ (second >>> 9)
      second = (third + (third << 3)) | 0
      third = (((third << 21) | (third >>> 11)) + output) | 0
      counts[start + Math.floor((output >>> 0) * scale)]++
    }
    ;[a, b, c, counter] = [first, second, third, count]
  }

  /** As `tally`, without the draws. */
  function skip(draws: number): void {
    let first = a | 0
    let second = b | 0
    let third = c | 0
    let count = counter | 0
    for (let draw = 0; draw < draws; draw++) {
      const output = (first + second + count) | 0
      count = (count + 1) | 0
      first = second ^ (second >>> 9)
      second = (third + (third << 3)) | 0
      third = (((third << 21) | (third >>> 11)) + output) | 0
    }
    ;[a, b, c, counter] = [first, second, third, count]
  }

  for (let round = 0; round < 12; round++) bits()

  return {
    next: () => ((bits() >>> 5) * 0x400_0000 + (bits() >>> 6)) / 0x20_0000_0000_0000,
    below: (n) => Math.floor((bits() >>> 0) * (n / 0x1_0000_0000)),
    tally,
    skip,
  }
}

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createRandom, keyedRandom } from '../../../src/core/stats/random.js'
import { AccordError } from '../../../src/errors.js'

function draws(seed: number, count: number): number[] {
  const random = createRandom(seed)
  return Array.from({ length: count }, () => random.next())
}

describe('createRandom', () => {
  it('repeats itself for a seed and differs between seeds', () => {
    expect(draws(7, 20)).toEqual(draws(7, 20))
    const firsts = [0, 1, 2, -1, 2 ** 32, 2 ** 32 + 1, Number.MAX_SAFE_INTEGER].map(
      (seed) => draws(seed, 1)[0],
    )
    expect(new Set(firsts).size).toBe(firsts.length)
  })

  it('gives the 32-bit outputs of sfc32 as seeded in PractRand', () => {
    // A second, independent statement of the generator in 64-bit integers.
    const word = (value: bigint) => value & 0xffffffffn
    let [a, b, c, counter] = [0n, 123n, 0n, 1n]
    const raw = () => {
      const output = word(a + b + counter)
      counter = word(counter + 1n)
      a = b ^ (b >> 9n)
      b = word(c + word(c << 3n))
      c = word((word(c << 21n) | (c >> 11n)) + output)
      return output
    }
    for (let round = 0; round < 12; round++) raw()
    const random = createRandom(123)
    for (let draw = 0; draw < 50; draw++) expect(random.below(2 ** 32)).toBe(Number(raw()))
  })

  it('stays in range', () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), fc.integer({ min: 1, max: 2 ** 32 - 1 }), (seed, n) => {
        const random = createRandom(seed)
        for (let draw = 0; draw < 20; draw++) {
          const integer = random.below(n)
          expect(Number.isInteger(integer) && integer >= 0 && integer < n).toBe(true)
          const number = random.next()
          expect(number >= 0 && number < 1).toBe(true)
        }
      }),
    )
  })

  it('is uniform: chi-square over 10 cells', () => {
    const random = createRandom(1)
    const cells = { next: new Float64Array(10), below: new Float64Array(10) }
    const count = 100_000
    for (let draw = 0; draw < count; draw++) {
      cells.next[Math.floor(random.next() * 10)]++
      cells.below[random.below(10)]++
    }
    for (const observed of [cells.next, cells.below]) {
      const chiSquare = observed.reduce((sum, n) => sum + (n - count / 10) ** 2 / (count / 10), 0)
      expect(chiSquare).toBeLessThan(27.9) // 0.1 % point of 9 degrees of freedom
    }
  })

  it.each([Number.NaN, 0.5, Infinity, 2 ** 53])('refuses the seed %d', (seed) => {
    expect(() => createRandom(seed)).toThrow(AccordError)
  })
})

describe('keyedRandom', () => {
  it.each(['', 'a', 'boxes of 139', 'Straße 犬'])('has the seed that FNV-1a gives %j', (key) => {
    // The hash in 64-bit integers, with the prime as it is published.
    let hash = BigInt(createRandom(7).below(2 ** 32))
    for (const unit of key.split('')) {
      hash = BigInt.asUintN(32, (hash ^ BigInt(unit.charCodeAt(0))) * (2n ** 24n + 0x193n))
    }
    const expected = createRandom(Number(BigInt.asIntN(32, hash)))
    const random = keyedRandom(7, key)
    for (let draw = 0; draw < 5; draw++) expect(random.below(2 ** 32)).toBe(expected.below(2 ** 32))
  })
})

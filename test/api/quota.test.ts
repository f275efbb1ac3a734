import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createQuota, LIMITS } from '../../src/api/schema/limits.js'

describe('a quota', () => {
  /** Takes single places for a client until it gets no more. @returns how many it got */
  function takeAll(quota: ReturnType<typeof createQuota>, owner: string): number {
    let count = 0
    while (quota.open(owner).add(1)) count++
    return count
  }

  it('leaves places to others, however many clients take all they can get', () => {
    const streams = createQuota(LIMITS.streams)
    const taken = Array.from({ length: 10 }, (_, i) => takeAll(streams, `client ${i}`))
    expect(taken[0]).toBe(LIMITS.streams / 10)
    const rest = LIMITS.streams - taken.reduce((sum, count) => sum + count, 0)
    expect(rest).toBeGreaterThan(LIMITS.streams / 3)
    const late = Array.from({ length: 20 }, (_, i) => takeAll(streams, `late client ${i}`))
    for (const count of late) expect(count).toBeGreaterThan(0)
  })

  it('never gives more than there is, and gets back what was held', () => {
    const uses = fc.array(fc.record({ owner: fc.constantFrom('a', 'b', 'c', undefined), amount: fc.nat(60) }))
    fc.assert(
      fc.property(uses, (all) => {
        const quota = createQuota(200)
        const held = all.map(({ owner, amount }) => {
          const allocation = quota.open(owner)
          return { allocation, owner, amount: allocation.add(amount) ? amount : 0 }
        })
        for (const name of ['a', 'b', 'c', undefined]) {
          const ofOwner = held.filter(({ owner }) => owner === name)
          expect(ofOwner.reduce((sum, { amount }) => sum + amount, 0)).toBeLessThanOrEqual(20)
        }
        expect(held.reduce((sum, { amount }) => sum + amount, 0)).toBeLessThanOrEqual(200)
        for (const { allocation } of held) {
          allocation.release()
          allocation.release()
          expect(allocation.add(1)).toBe(false)
        }
        expect(quota.open('d').add(20)).toBe(true)
      }),
    )
  })
})

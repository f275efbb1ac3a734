import { describe, expect, it } from 'vitest'
import { listCaptions } from '../../../src/services/images/images.js'
import { ENGINES } from '../../kit/databases.js'
import { first, initPark } from '../kit.js'

describe.each(ENGINES)('searches for captions on %s', async (engine) => {
  const { accord, park, statementsOf } = await initPark(engine)
  const search = (filter: Parameters<typeof listCaptions>[2], spend?: (microseconds: number) => void) =>
    listCaptions(accord, park.row, filter, { spend })

  it('ask for each token once, however often it is repeated', async () => {
    const once = await search({ all: ['dog'], none: ['a'] }).page(first(10))
    expect(once.rows.length).toBeGreaterThan(0)
    const repeated = { all: ['dog '.repeat(200), ...Array(200).fill('dog')], none: ['a '.repeat(100)] }
    expect(await search(repeated).page(first(10))).toEqual(once)
    expect(await search(repeated).count()).toBe(once.rows.length)
  })

  it('are limited in tokens and characters', () => {
    const words = (count: number) => Array.from({ length: count }, (_, index) => `word${index}`)
    search({ all: words(12), any: words(32), none: words(20) })
    expect(() => search({ all: words(20), any: words(33) })).toThrow(/at most 32 different tokens, found 33/)
    expect(() => search({ any: [words(33).join(' ')] })).toThrow(/at most 32 different tokens, found 33/)
    expect(() => search({ none: ['a '.repeat(1001)] })).toThrow(/at most 2000 characters, found 2002/)
  })

  it('cost more the more captions contain their tokens', async () => {
    const costOf = async (filter: Parameters<typeof listCaptions>[2]) => {
      let cost = 0
      await search(filter, (microseconds) => {
        cost += microseconds
      }).count()
      return cost
    }
    const [rare, frequent] = [await costOf({ all: ['sofa'] }), await costOf({ all: ['a'] })]
    expect(rare).toBeGreaterThan(0)
    expect(frequent).toBeGreaterThan(5 * rare)
    expect(await costOf({ any: ['a', 'sofa'], none: ['a'] })).toBeCloseTo(frequent + rare)
    expect(await costOf({ all: ['zebra'] })).toBe(0)
  })

  it('are not executed if they cost too much', async () => {
    const refuse = () => {
      throw new Error('too much')
    }
    const statements = await statementsOf(() =>
      expect(search({ any: ['a'] }, refuse).page(first(10))).rejects.toThrow('too much'),
    )
    expect(statements.filter((text) => text.includes('ORDER BY'))).toEqual([])
  })
})

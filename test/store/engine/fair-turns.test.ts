import { describe, expect, it } from 'vitest'
import { createFairTurns } from '../../../src/store/engine/fair-turns.js'

describe('turns', () => {
  it('alternate between owners, so that one who waits often does not delay others', async () => {
    const inTurn = createFairTurns(1)
    const order: string[] = []
    const run = (owner: string, name: string) =>
      inTurn({ owner }, async () => {
        await Promise.resolve()
        order.push(name)
      })
    await Promise.all([run('a', 'a1'), run('a', 'a2'), run('a', 'a3'), run('b', 'b1'), run('b', 'b2')])
    expect(order).toEqual(['a1', 'a2', 'b1', 'a3', 'b2'])
  })

  it('are given to as many at once as there are places, also after failures', async () => {
    const inTurn = createFairTurns(2)
    let running = 0
    const observed: number[] = []
    const work = async () => {
      observed.push(++running)
      await new Promise(setImmediate)
      running--
      throw new Error('failed')
    }
    const ends = await Promise.allSettled(Array.from({ length: 6 }, () => inTurn({}, work)))
    expect(ends.map(({ status }) => status)).toEqual(Array(6).fill('rejected'))
    expect(observed).toEqual([1, 2, 2, 2, 2, 2])
  })

  it('are not taken by those who have gone', async () => {
    const inTurn = createFairTurns(1)
    const gone = new AbortController()
    let end = () => {}
    const first = inTurn({}, () => new Promise<void>((resolve) => (end = resolve)))
    const left = inTurn({ signal: gone.signal }, () => Promise.reject(new Error('executed')))
    const last = inTurn({}, async () => 'last')
    gone.abort(new Error('gone'))
    await expect(left).rejects.toThrow('gone')
    end()
    await first
    expect(await last).toBe('last')
    await expect(inTurn({ signal: gone.signal }, async () => 'executed')).rejects.toThrow('gone')
  })
})

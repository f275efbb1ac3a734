import { describe, expect, it } from 'vitest'
import { createPlaces } from '../src/places.js'

describe('places', () => {
  it('alternate between owners, so that one who waits often does not delay others', async () => {
    const places = createPlaces(1)
    const order: string[] = []
    const run = async (owner: string, name: string) => {
      const leave = await places.take({ owner })
      await Promise.resolve()
      order.push(name)
      leave()
    }
    await Promise.all([run('a', 'a1'), run('a', 'a2'), run('a', 'a3'), run('b', 'b1'), run('b', 'b2')])
    expect(order).toEqual(['a1', 'a2', 'b1', 'a3', 'b2'])
  })

  it('are taken by as many at once as there are, also if they are freed more than once', async () => {
    const places = createPlaces(2)
    let running = 0
    const observed: number[] = []
    const work = async () => {
      const leave = await places.take({})
      observed.push(++running)
      await new Promise(setImmediate)
      running--
      leave()
      leave()
    }
    await Promise.all(Array.from({ length: 6 }, work))
    expect(observed).toEqual([1, 2, 2, 2, 2, 2])
  })

  it('are not taken by those who have gone', async () => {
    const places = createPlaces(1)
    const gone = new AbortController()
    const leave = await places.take({})
    const left = places.take({ signal: gone.signal })
    const last = places.take({})
    gone.abort(new Error('gone'))
    await expect(left).rejects.toThrow('gone')
    leave()
    const leaveLast = await last
    leaveLast()
    await expect(places.take({ signal: gone.signal })).rejects.toThrow('gone')
    await places.take({})
  })
})

import { describe, expect, it } from 'vitest'
import { createSemaphore } from '../src/semaphore.js'

describe('semaphore', () => {
  it('alternate between owners, so that one who waits often does not delay others', async () => {
    const semaphore = createSemaphore(1)
    const order: string[] = []
    const run = async (owner: string, name: string) => {
      const release = await semaphore.acquire({ owner })
      await Promise.resolve()
      order.push(name)
      release()
    }
    await Promise.all([run('a', 'a1'), run('a', 'a2'), run('a', 'a3'), run('b', 'b1'), run('b', 'b2')])
    expect(order).toEqual(['a1', 'a2', 'b1', 'a3', 'b2'])
  })

  it('are taken by as many at once as there are, also if they are freed more than once', async () => {
    const semaphore = createSemaphore(2)
    let running = 0
    const observed: number[] = []
    const work = async () => {
      const release = await semaphore.acquire({})
      observed.push(++running)
      await new Promise(setImmediate)
      running--
      release()
      release()
    }
    await Promise.all(Array.from({ length: 6 }, work))
    expect(observed).toEqual([1, 2, 2, 2, 2, 2])
  })

  it('are not taken by those who have gone', async () => {
    const semaphore = createSemaphore(1)
    const gone = new AbortController()
    const release = await semaphore.acquire({})
    const left = semaphore.acquire({ signal: gone.signal })
    const last = semaphore.acquire({})
    gone.abort(new Error('gone'))
    await expect(left).rejects.toThrow('gone')
    release()
    const leaveLast = await last
    leaveLast()
    await expect(semaphore.acquire({ signal: gone.signal })).rejects.toThrow('gone')
    await semaphore.acquire({})
  })
})

import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createOwnTime } from '../../src/api/schema/own-time.js'

/** Milliseconds of the clock and of the process. */
let wall = 5000
let cpu = 700

beforeEach(() => {
  wall += 1000
  vi.spyOn(performance, 'now').mockImplementation(() => wall)
  vi.spyOn(process, 'cpuUsage').mockImplementation((before = { user: 0, system: 0 }) => ({
    user: 600 * cpu - before.user,
    system: 400 * cpu - before.system,
  }))
})
afterEach(() => void vi.restoreAllMocks())

function compute(milliseconds: number, share = 1): void {
  wall += milliseconds
  cpu += share * milliseconds
}

it('is wall time in which the process computes', () => {
  const time = createOwnTime()
  compute(100)
  expect([time.exceeds(99), time.exceeds(100)]).toEqual([true, false])
})

it('is at most the time of the process, whose other threads do not count', () => {
  const time = createOwnTime()
  compute(1000, 0.1)
  expect([time.exceeds(99), time.exceeds(100)]).toEqual([true, false])
  const beside = createOwnTime()
  compute(100, 2)
  expect([beside.exceeds(99), beside.exceeds(100)]).toEqual([true, false])
})

it('has no part of what the request waits for', async () => {
  const time = createOwnTime()
  compute(60)
  const release: (() => void)[] = []
  const waits = [0, 1].map((place) =>
    time.without(new Promise<string>((resolve) => release.push(() => resolve(`answer ${place}`)))),
  )
  compute(1000)
  expect(time.exceeds(0)).toBe(false)
  release[0]()
  expect(await waits[0]).toBe('answer 0')
  compute(1000)
  release[1]()
  expect(await waits[1]).toBe('answer 1')
  compute(40)
  expect([time.exceeds(99), time.exceeds(100)]).toEqual([true, false])
})

it('looks at the time of the process once for requests that begin in the same millisecond', () => {
  createOwnTime()
  compute(0.5)
  const time = createOwnTime()
  expect(process.cpuUsage).toHaveBeenCalledOnce()
  compute(100, 0.5)
  expect([time.exceeds(50), time.exceeds(51)]).toEqual([true, false])
  createOwnTime()
  expect(process.cpuUsage).toHaveBeenCalledTimes(4)
})

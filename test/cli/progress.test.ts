import { afterEach, describe, expect, it, vi } from 'vitest'
import { remark, setQuiet, withProgress } from '../../src/cli/output/progress.js'
import type { Progress } from '../../src/progress.js'

describe('progress and remarks', () => {
  const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  const { isTTY } = process.stderr
  afterEach(() => {
    process.stderr.isTTY = isTTY
    setQuiet(false)
    write.mockClear()
  })

  const work = () =>
    withProgress((progress) => {
      progress(0.5, 'reading')
      return 'done'
    })

  it('are written at a terminal', async () => {
    process.stderr.isTTY = true
    expect(await work()).toBe('done')
    expect(write).toHaveBeenCalled()
  })

  it('leave progress out where stderr is a file', async () => {
    process.stderr.isTTY = false
    expect(await work()).toBe('done')
    expect(write).not.toHaveBeenCalled()
    remark('format\n')
    expect(write).toHaveBeenCalledWith('format\n')
  })

  it('are a line each minute where stderr is a file', async () => {
    process.stderr.isTTY = false
    vi.useFakeTimers()
    const atSecond = (progress: Progress, second: number, fraction: number) => {
      vi.setSystemTime(1000 * second)
      progress(fraction, 'reading')
    }
    try {
      vi.setSystemTime(0)
      const long = () =>
        withProgress((progress) => {
          for (const second of [30, 59, 61, 100, 122]) atSecond(progress, second, second / 200)
        })
      await long()
      expect(write.mock.calls).toEqual([['30 % reading\n'], ['61 % reading\n']])
      vi.setSystemTime(0)
      setQuiet(true)
      await long()
      expect(write).toHaveBeenCalledTimes(2)
    } finally {
      vi.useRealTimers()
    }
  })

  it('are not written by a quiet command', async () => {
    process.stderr.isTTY = true
    setQuiet(true)
    expect(await work()).toBe('done')
    remark('format\n')
    expect(write).not.toHaveBeenCalled()
  })
})

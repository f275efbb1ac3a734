import { afterEach, describe, expect, it, vi } from 'vitest'
import { remark, setQuiet, withProgress } from '../../src/cli/output/progress.js'

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

  it('are not written by a quiet command', async () => {
    process.stderr.isTTY = true
    setQuiet(true)
    expect(await work()).toBe('done')
    remark('format\n')
    expect(write).not.toHaveBeenCalled()
  })
})

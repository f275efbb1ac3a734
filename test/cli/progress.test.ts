import { describe, expect, it, vi } from 'vitest'
import { asLines, beginLines, withProgress } from '../../src/cli/output/progress.js'

describe('progress as lines', () => {
  it('has a line for each step and fifth, at most ten, and none at the end', () => {
    const lines: string[] = []
    let now = 0
    const progress = asLines(
      (line) => lines.push(line),
      () => now,
    )
    const at = (seconds: number, fraction: number, message: string) => {
      now = seconds * 1000
      progress(fraction, message)
    }
    at(0, 0, 'reading')
    at(0.5, 0.1, 'reading')
    at(1.9, 0.2, 'reading')
    at(2.1, 0.256, 'reading')
    at(4.2, 0.259, 'reading')
    at(4.3, 0.31, 'counting')
    at(4.4, 0.6, 'writing')
    at(9, 1, 'done')
    expect(lines).toEqual(['reading\n', 'reading, 20 %\n', 'counting\n', 'writing\n'])
    for (let second = 10; second < 10_000; second++) at(second, second / 10_000, `epoch ${second}`)
    expect(lines).toHaveLength(9)
    expect(lines.at(-1)).toBe('epoch 8000, 80 %\n')
  })

  it('are at most ten of a command, however many jobs it runs', async () => {
    const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    try {
      for (const command of [1, 2]) {
        beginLines()
        for (let job = 0; job < 4; job++) {
          await withProgress((progress) => ['a', 'b', 'c', 'd'].map((step) => progress(0.1, step)))
        }
        expect(write).toHaveBeenCalledTimes(10 * command)
      }
    } finally {
      write.mockRestore()
    }
  })
})

import { describe, expect, it } from 'vitest'
import { asLines } from '../../src/cli/output/progress.js'

describe('progress as lines', () => {
  it('has a line for each step, and one every two seconds and per cent within a step, none at the end', () => {
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
    at(2, 0.256, 'reading')
    at(3.9, 0.4, 'reading')
    at(4, 0.259, 'reading')
    at(4.1, 0.5, 'counting')
    at(4.2, 0.6, 'writing')
    at(4.3, 1, 'done')
    expect(lines).toEqual(['reading\n', 'reading, 25 %\n', 'counting\n', 'writing\n'])
  })
})

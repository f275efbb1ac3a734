import { existsSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const [, section] = readFileSync('CONTRIBUTING.md', 'utf8').split('## What is tested of security')
const rows = section
  .split('\n')
  .filter((line) => line.startsWith('| ') && !/^\| (What|---)/.test(line))
  .map((line) => line.split('|').map((cell) => cell.trim()))

it('what CONTRIBUTING calls tested is not empty', () => {
  expect(rows.length).toBeGreaterThan(5)
})

it.each(rows.map(([, what, tests]) => [what, tests] as const))(
  '%s: the named tests exist',
  (_what, tests) => {
    const files = tests.split(', ').map((name) => name.replaceAll('`', ''))
    for (const file of files) {
      expect(existsSync(file), file).toBe(true)
      expect(readFileSync(file, 'utf8'), file).toMatch(/\bit(?:\.|\()/)
    }
  },
)

import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { projectFile } from '../../src/project.js'
import { outcomeOf } from '../cli/kit.js'
import { atEnd } from '../kit/cleanup.js'

/** Runs tests, which take `it` and `expect` from vitest's globals, with the configuration of the slow tests. */
async function runTests(tests: string) {
  const folder = mkdtempSync(join(tmpdir(), 'accord-test-'))
  atEnd(async () => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, 'some.test.ts'), tests)
  const own = { globals: true, include: ['*.test.ts'], globalSetup: [], setupFiles: [] }
  writeFileSync(
    join(folder, 'vitest.config.ts'),
    `import slow from ${JSON.stringify(projectFile('vitest.slow.config.ts'))}
    export default { ...slow, test: { ...slow.test, ...${JSON.stringify(own)} } }`,
  )
  const program = projectFile('node_modules/vitest/vitest.mjs')
  const options = ['--root', folder, '--config', join(folder, 'vitest.config.ts')]
  return outcomeOf(
    spawn(process.execPath, [program, 'run', ...options], {
      cwd: projectFile('.'),
      env: { ...process.env, NO_COLOR: '1' },
    }),
  )
}

it('prints a test that passed only on retry, with the error of its first attempt', async () => {
  const { code, stdout } = await runTests(`
    let attempts = 0
    it('wavers', () => expect(++attempts, 'attempts').toBe(2))
    it('passes', () => expect(1).toBe(1))
  `)
  const [, printed] = stdout.split('FLAKY')
  expect(printed).toMatch(
    /^, passed only on retry: 1\n {2}some\.test\.ts > wavers\n {4}AssertionError: attempts: expected 1 to be 2/,
  )
  expect(printed).not.toContain('passes')
  expect(code).toBe(0)
})

it('fails with a test that fails twice, and prints nothing of tests that pass at once', async () => {
  const { code, stdout } = await runTests(`
    it('fails', () => expect(1).toBe(2))
    it('passes', () => expect(1).toBe(1))
  `)
  expect(stdout).toContain('1 failed | 1 passed')
  expect(stdout).not.toContain('FLAKY')
  expect(code).toBe(1)
})

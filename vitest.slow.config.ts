import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { FlakyReporter } from './test/kit/flaky-reporter.js'
import fast from './vitest.config.js'

/** Tests of which `npm test` runs a part: on SQLite alone, or without the tests that take long. */
const repeated = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.test.ts') && !name.startsWith('slow'))
  .map((name) => join('test', name))
  .filter((file) => /\b(ENGINES|isSlow)\b/.test(readFileSync(file, 'utf8')))

/** What kills processes, uses client libraries or needs the built program, and the rest of what `npm test` runs in part. */
export default defineConfig({
  ...fast,
  test: {
    ...fast.test,
    include: ['test/slow/**/*.test.ts', ...repeated],
    exclude: [],
    // One more than in `npm test`: most of these tests wait for processes.
    maxWorkers: 4,
    // Tests of hundreds of transactions wait for a disk that other tests fill.
    testTimeout: 600_000,
    // They depend on processes and signals of a busy machine. What passed only on retry is printed at the end of the run.
    retry: 1,
    reporters: ['default', new FlakyReporter()],
    env: { ACCORD_TEST_SLOW: '1' },
  },
})

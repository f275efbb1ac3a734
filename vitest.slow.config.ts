import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import fast from './vitest.config.js'

/** Tests of which `npm test` runs a part: on SQLite, with commands in its own process, or fewer cases. */
const repeated = ['api', 'cli', 'compute', 'core', 'formats', 'queue', 'services', 'store', 'web']
  .flatMap((folder) =>
    readdirSync(join('test', folder), { recursive: true, encoding: 'utf8' }).map((name) =>
      join('test', folder, name),
    ),
  )
  .filter(
    (file) => file.endsWith('.test.ts') && /\b(ENGINES|workbench|isSlow)\b/.test(readFileSync(file, 'utf8')),
  )

/** What kills processes or uses client libraries, and all of the above on PostgreSQL and with the built program. */
export default defineConfig({
  ...fast,
  test: {
    ...fast.test,
    include: ['test/slow/**/*.test.ts', 'test/abuse/**/*.test.ts', ...repeated],
    exclude: [],
    env: { ACCORD_TEST_SLOW: '1' },
  },
})

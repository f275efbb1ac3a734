import { defineConfig } from 'vitest/config'
import { applyEdits } from './scripts/mutants.js'
import fast from './vitest.config.js'

/** What `npm run mutants` changes in memory: edits by file. */
const edits = new Map(JSON.parse(process.env.ACCORD_MUTANTS ?? '[]'))

/** `npm test` on changed sources, for `scripts/mutants.js`. */
export default defineConfig({
  ...fast,
  plugins: [
    {
      name: 'mutants',
      enforce: 'pre',
      transform(code, id) {
        const known = edits.get(id)
        return known && applyEdits(code, known)
      },
    },
  ],
  test: {
    ...fast.test,
    setupFiles: ['test/kit/probe-setup.ts', ...(fast.test?.setupFiles ?? [])],
    // A mutant may wait for what never comes.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
  },
})

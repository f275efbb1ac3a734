import { defineConfig } from 'vitest/config'

export default defineConfig({
  // Node gives all packages the CommonJS build of graphql, which must exist once; Vite would give the sources another.
  resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
  test: {
    include: ['test/**/*.test.{ts,tsx}'],
    exclude: ['test/slow/**'],
    globalSetup: ['test/kit/run-setup.ts'],
    setupFiles: ['test/kit/file-setup.ts'],
    // A file that a test compares with is written when that is asked for, never by a test that finds none.
    update: 'none',
    // One more than the cores of a small machine: many tests wait for a process or a lease.
    maxWorkers: 3,
    // Files share the modules of their worker: loading those anew for each would take a quarter of the time.
    isolate: false,
    // Limits for tests that hang, also on a machine that is busy with other work: no test depends on them.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 120_000 }, requireAssertions: true },
  },
})

import { defineConfig } from 'vitest/config'

export default defineConfig({
  // Node gives all packages the CommonJS build of graphql, which must exist once; Vite would give the sources another.
  resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
  test: {
    include: ['test/**/*.test.ts'],
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
})

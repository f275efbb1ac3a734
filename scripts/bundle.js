// Bundles the program in dist/src into dist/bin, for a faster start: main.js, and the entry files of worker threads.
import { rm } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const path = (name) => fileURLToPath(new URL(`../dist/${name}`, import.meta.url))

await rm(path('bin'), { recursive: true, force: true })
await build({
  // Threads are found by paths relative to the file that starts them: all files are in one folder.
  entryPoints: {
    main: path('src/main.js'),
    'pool-thread': path('src/compute/pool-thread.js'),
    'worker-thread': path('src/services/jobs/worker-thread.js'),
  },
  outdir: path('bin'),
  chunkNames: '[name]-[hash]',
  bundle: true,
  // What commands import when they run stays in files of its own.
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  packages: 'external',
  sourcemap: true,
  logLevel: 'warning',
})

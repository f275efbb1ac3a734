// Bundles the program in dist/src into dist/bin, for a faster start: main.js, and the entry files of worker threads.
import { rm } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

const path = (name) => fileURLToPath(new URL(`../dist/${name}`, import.meta.url))

// Files find each other by paths relative to their own: all are in one folder.
const ENTRIES = {
  main: path('src/main.js'),
  thread: path('src/jobs/compute/thread.js'),
  'worker-thread': path('src/jobs/worker-thread.js'),
}

await rm(path('bin'), { recursive: true, force: true })
const bundle = await rolldown({
  input: ENTRIES,
  platform: 'node',
  // Packages stay in node_modules.
  external: (id) => !id.startsWith('.') && !id.startsWith('/'),
})
await bundle.write({
  dir: path('bin'),
  format: 'esm',
  entryFileNames: '[name].js',
  chunkFileNames: '[name]-[hash].js',
  sourcemap: true,
})
await bundle.close()

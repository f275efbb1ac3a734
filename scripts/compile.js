// Compiles the sources to dist/, and bundles the program into dist/bin for a faster start: main.js, and the entry files of
// worker threads. Types are checked by `npm run check`.
import { readdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const root = fileURLToPath(new URL('..', import.meta.url))
const dist = join(root, 'dist')
/** AssemblyScript, compiled by build-kernels.js. */
const KERNELS = join('src', 'core', 'bounds', 'engine', 'kernels')

const options = {
  absWorkingDir: root,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  sourcemap: true,
  sourcesContent: false,
  logLevel: 'warning',
}

for (const name of ['src', 'bench', 'migrations', 'test', 'bin'])
  rmSync(join(dist, name), { recursive: true, force: true })
await Promise.all([
  build({
    ...options,
    // The benchmark starts PostgreSQL and browsers as the tests do.
    entryPoints: [
      ...['src', 'bench', 'migrations'].flatMap(modulesOf),
      'test/kit/postgres-process.ts',
      'test/kit/launch-browser.ts',
      'test/kit/find-package.ts',
    ],
    outdir: dist,
    outbase: root,
  }),
  bundle(
    {
      main: 'src/main.ts',
      'reader-thread': 'src/store/engine/reader-thread.ts',
      'worker-thread': 'src/services/workers/worker-thread.ts',
    },
    // What commands import when they run stays in files of its own.
    { splitting: true },
  ),
  // A thread that every command starts: one file is loaded in two thirds of the time.
  bundle({ 'pool-thread': 'src/compute/pool-thread.ts' }),
])

/** Threads are found by paths relative to the file that starts them: all files are in one folder. */
function bundle(entryPoints, how) {
  return build({
    ...options,
    ...how,
    entryPoints,
    outdir: join(dist, 'bin'),
    chunkNames: '[name]-[hash]',
    bundle: true,
    // Its packages are installed with it, so that `npm audit` sees them and their releases do not wait for ours.
    packages: 'external',
    legalComments: 'none',
  })
}

function modulesOf(folder) {
  return readdirSync(join(root, folder), { recursive: true })
    .map((name) => join(folder, name))
    .filter((path) => path.endsWith('.ts') && dirname(path) !== KERNELS)
}

// Compiles the sources to dist/, and bundles the program into dist/bin for a faster start: main.js, and the entry files of
// worker threads. Types are checked by `npm run check`.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const root = fileURLToPath(new URL('..', import.meta.url))
const dist = join(root, 'dist')
/** AssemblyScript, compiled by build-kernels.js. */
const KERNELS = join('src', 'core', 'bounds', 'engine', 'kernels')

/** The packages that are installed with Accord; the bundle has the others. */
const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

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
const [, { metafile }] = await Promise.all([
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
  build({
    ...options,
    // Threads are found by paths relative to the file that starts them: all files are in one folder.
    entryPoints: {
      main: 'src/main.ts',
      'aside-thread': 'src/store/engine/aside-thread.ts',
      'pool-thread': 'src/compute/pool-thread.ts',
      'worker-thread': 'src/services/jobs/worker-thread.ts',
    },
    outdir: join(dist, 'bin'),
    chunkNames: '[name]-[hash]',
    bundle: true,
    // What commands import when they run stays in files of its own.
    splitting: true,
    // Apollo Server is in the bundle, so that its reports to a vendor, and a package of theirs with an install script, are not
    // installed.
    external: [
      ...Object.keys(dependencies).flatMap((name) => [name, `${name}/*`]),
      '@apollo/usage-reporting-protobuf',
    ],
    // Apollo Server hashes each document: with the functions of Node, not with a package that computes them.
    alias: { '@apollo/utils.createhash': 'node:crypto' },
    // For packages in the bundle that are CommonJS.
    banner: {
      js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url)",
    },
    legalComments: 'none',
    metafile: true,
  }),
])
writeFileSync(join(dist, 'bin', 'LICENSES'), licensesOf(Object.keys(metafile.inputs)))

/** The licences of the packages of some files. */
function licensesOf(files) {
  const folders = files.flatMap((path) => path.match(/^.*node_modules\/(@[^/]+\/)?[^/]+/)?.[0] ?? [])
  return [...new Set(folders)]
    .sort()
    .map((folder) => {
      const { name, license } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))
      const file = readdirSync(join(root, folder)).find((entry) => /^licen[cs]e/i.test(entry))
      const text = file === undefined ? '' : `\n\n${readFileSync(join(root, folder, file), 'utf8').trim()}`
      return `${name}: ${license}${text}\n`
    })
    .join('\n')
}

function modulesOf(folder) {
  return readdirSync(join(root, folder), { recursive: true })
    .map((name) => join(folder, name))
    .filter((path) => path.endsWith('.ts') && dirname(path) !== KERNELS)
}

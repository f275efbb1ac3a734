// Builds what is missing or whose sources have changed: all, or the results that arguments name. Stamps (hashes of the sources of each
// step) are kept in dist/.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { PARTS } from './schema-parts.js'

/** In this order: scripts that read data use compiled sources. */
const STEPS = [
  { script: 'print-schema.js', sources: ['scripts/schema-parts.js', ...PARTS], result: 'schema.graphql' },
  {
    script: 'generate-types.js',
    sources: ['schema.graphql', 'scripts/schema-parts.js', ...PARTS],
    result: 'src/api/schema/plain-resolvers.ts',
  },
  {
    script: 'compile.js',
    sources: [
      'src',
      'bench',
      'migrations',
      'test/kit/postgres-process.ts',
      'test/kit/launch-browser.ts',
      'test/kit/find-package.ts',
      'tsconfig.json',
    ],
    result: 'dist/bin',
  },
  {
    script: 'build-library.js',
    sources: [
      'src/library.ts',
      'src/library-formats.ts',
      'src/core',
      'src/formats',
      'src/shared',
      'src/errors.ts',
      'scripts/browser',
    ],
    result: 'dist/library',
  },
  {
    script: 'build-kernels.js',
    sources: ['src/core/bounds/engine/kernels'],
    result: 'dist/resources/kernels',
  },
  {
    script: 'build-meteor-data.js',
    sources: ['scripts/wordnet.js', 'src/formats/english', 'src/formats/io/text-index.ts'],
    result: 'dist/resources/meteor',
  },
  {
    script: 'build-english-data.js',
    sources: ['scripts/wordnet.js', 'src/formats/english', 'src/formats/io/text-index.ts', 'resources'],
    result: 'dist/resources/english',
  },
  { script: 'build-pictures.js', sources: ['seed/pictures', 'seed/scenes'], result: 'dist/pictures' },
  { script: 'build-explorer.js', sources: ['explorer'], result: 'dist/explorer' },
  {
    script: 'build-web.js',
    sources: ['web', 'src/shared', 'scripts/generate-web-types.js', 'schema.graphql'],
    result: 'dist/web',
  },
  {
    script: 'build-report.js',
    sources: ['web', 'src/shared', 'scripts/bundle-pages.js', 'schema.graphql'],
    result: 'dist/report',
  },
  {
    script: 'build-docs.js',
    sources: [
      'README.md',
      'CONTRIBUTING.md',
      'docs',
      'bench/SIMULATION.md',
      'schema.graphql',
      'scripts/published-schema.js',
      'scripts/docs.css',
    ],
    result: 'dist/docs',
  },
]

const root = fileURLToPath(new URL('..', import.meta.url))
const stampFile = join(root, 'dist', 'stamps.json')

mkdirSync(join(root, 'dist'), { recursive: true })
const stamps = existsSync(stampFile) ? JSON.parse(readFileSync(stampFile, 'utf8')) : {}
/** Results that nobody asked for by name are left as they are. */
const asked = process.argv.slice(2)
for (const { script, sources, result } of STEPS) {
  if (asked.length > 0 && !asked.includes(result)) continue
  const stamp = hashOf([...sources, `scripts/${script}`, 'package-lock.json'])
  if (stamps[script] === stamp && existsSync(join(root, result))) continue
  console.log(`building ${result}`)
  // A step that fails has no stamp.
  setStamp(script, undefined)
  await import(`./${script}`)
  setStamp(script, stamp)
}

function setStamp(script, stamp) {
  stamps[script] = stamp
  writeFileSync(stampFile, JSON.stringify(stamps))
}

function hashOf(paths) {
  const hash = createHash('sha1')
  for (const path of paths)
    for (const file of filesOf(path)) hash.update(file).update(readFileSync(join(root, file)))
  return hash.digest('hex')
}

function filesOf(path) {
  if (!statSync(join(root, path)).isDirectory()) return [path]
  return readdirSync(join(root, path))
    .filter((name) => name !== 'generated')
    .flatMap((name) => filesOf(join(path, name)))
}

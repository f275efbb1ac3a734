// Bundles the explorer (explorer/, GraphiQL and its editor) to dist/explorer, unless its sources and the installed
// packages have not changed. Names of files contain hashes of their contents: browsers cache them without asking again.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const source = fileURLToPath(new URL('../explorer', import.meta.url))
const target = fileURLToPath(new URL('../dist/explorer', import.meta.url))
const stampFile = join(target, 'stamp')

const WORKERS = {
  editor: 'monaco-editor/esm/vs/editor/editor.worker.js',
  json: 'monaco-editor/esm/vs/language/json/json.worker.js',
  graphql: 'monaco-graphql/esm/graphql.worker.js',
}

const stamp = hashSources()
if (!existsSync(stampFile) || readFileSync(stampFile, 'utf8') !== stamp) {
  rmSync(target, { recursive: true, force: true })
  mkdirSync(target, { recursive: true })
  await buildPage()
  writeFileSync(stampFile, stamp)
}

function hashSources() {
  const hash = createHash('sha256')
  const files = readdirSync(source).map((name) => join(source, name))
  const lock = fileURLToPath(new URL('../package-lock.json', import.meta.url))
  for (const file of [...files, lock, fileURLToPath(import.meta.url)]) hash.update(readFileSync(file))
  return hash.digest('hex')
}

async function buildPage() {
  const workers = {}
  for (const [label, path] of Object.entries(WORKERS)) {
    workers[label] = (await bundle({ [`${label}.worker`]: path }, 'iife')).script
  }
  const define = { WORKERS: JSON.stringify(workers) }
  const { script, style } = await bundle({ explorer: join(source, 'main.js') }, 'esm', define)
  const page = readFileSync(join(source, 'index.html'), 'utf8')
  writeFileSync(join(target, 'index.html'), page.replace('{script}', script).replace('{style}', style))
}

/** Bundles one file. Returns the names of its script and of its style sheet. */
async function bundle(entryPoints, format, define = {}) {
  const { metafile } = await build({
    entryPoints,
    format,
    define: { 'process.env.NODE_ENV': '"production"', ...define },
    bundle: true,
    splitting: format === 'esm',
    minify: true,
    metafile: true,
    outdir: target,
    entryNames: '[name]-[hash]',
    chunkNames: 'chunk-[hash]',
    assetNames: '[name]-[hash]',
    loader: { '.ttf': 'file' },
    target: 'es2022',
    logLevel: 'warning',
    legalComments: 'linked',
  })
  const [name] = Object.keys(entryPoints)
  const [path, { cssBundle = '' }] = Object.entries(metafile.outputs).find(
    ([path, { entryPoint }]) => entryPoint && basename(path).startsWith(name),
  )
  return { script: basename(path), style: basename(cssBundle) }
}

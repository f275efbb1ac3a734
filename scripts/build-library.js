// Writes dist/library: the modules of the package for Node and browsers, figures and readers of files, and their types.
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const path = (name) => fileURLToPath(new URL(`../${name}`, import.meta.url))

/** What the readers import of Node, and what stands for it. */
const IN_BROWSERS = {
  'node:buffer': 'buffer.js',
  'node:fs': 'no-files.js',
  'node:util': 'no-files.js',
  minizlib: 'no-files.js',
}

mkdirSync(path('dist/library'), { recursive: true })
for (const [source, name] of [
  ['library', 'index'],
  ['library-formats', 'formats'],
]) {
  await build({
    entryPoints: [path(`src/${source}.ts`)],
    outfile: path(`dist/library/${name}.js`),
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2023',
    // Nothing of Node can be in it.
    platform: 'browser',
    legalComments: 'eof',
    alias: Object.fromEntries(
      Object.entries(IN_BROWSERS).map(([module, file]) => [module, path(`scripts/browser/${file}`)]),
    ),
    ...(name === 'formats' && { inject: [path('scripts/browser/buffer.js')] }),
  })
  writeDeclarations(source, name)
}

/** The declarations of what a module imports are written too; its own name none of them. */
function writeDeclarations(source, name) {
  const declarations = path('dist/library/declarations')
  execFileSync(process.execPath, [
    path('node_modules/typescript/bin/tsc'),
    path(`src/${source}.ts`),
    ...[
      '--ignoreConfig',
      '--declaration',
      '--emitDeclarationOnly',
      '--strict',
      '--skipLibCheck',
      '--types',
      'node',
    ],
    ...['--target', 'es2023', '--module', 'nodenext', '--outDir', declarations],
  ])
  const text = readFileSync(join(declarations, `${source}.d.ts`), 'utf8')
  if (/^import /m.test(text)) throw new Error(`src/${source}.ts exports types of other files`)
  writeFileSync(path(`dist/library/${name}.d.ts`), text)
  rmSync(declarations, { recursive: true })
}

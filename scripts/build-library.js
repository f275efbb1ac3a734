// Writes dist/library: the library of the package as one module for Node and browsers, and its types.
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const path = (name) => fileURLToPath(new URL(`../${name}`, import.meta.url))

mkdirSync(path('dist/library'), { recursive: true })
await build({
  entryPoints: [path('src/library.ts')],
  outfile: path('dist/library/index.js'),
  bundle: true,
  minify: true,
  format: 'esm',
  target: 'es2023',
  // Nothing of Node can be in it.
  platform: 'browser',
  legalComments: 'none',
})
// The declarations of what it imports are written too; its own name none of them.
const declarations = path('dist/library/declarations')
execFileSync(process.execPath, [
  path('node_modules/typescript/bin/tsc'),
  path('src/library.ts'),
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
const text = readFileSync(join(declarations, 'library.d.ts'), 'utf8')
if (/^import /m.test(text)) throw new Error('src/library.ts exports types of other files')
writeFileSync(path('dist/library/index.d.ts'), text)
rmSync(declarations, { recursive: true })

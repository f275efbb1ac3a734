// Writes dist/report/report.js: the pages of the dashboard as a function that renders them to a document, for `accord report`.
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const web = fileURLToPath(new URL('../web', import.meta.url))

/** Pages get their answers and their links from the modules of the report. */
const PLACES = { '../app/client': 'report/client.ts', '../app/router': 'report/router.tsx' }

const places = {
  name: 'report',
  setup({ onResolve }) {
    onResolve({ filter: /^\.\.\/app\/(client|router)$/ }, ({ path }) => ({ path: join(web, PLACES[path]) }))
    onResolve({ filter: /\?raw$/ }, ({ path, resolveDir }) => ({ path: join(resolveDir, path.slice(0, -4)) }))
  },
}

await build({
  absWorkingDir: web,
  entryPoints: ['report/report.tsx'],
  outfile: fileURLToPath(new URL('../dist/report/report.js', import.meta.url)),
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  loader: { '.css': 'text' },
  minify: true,
  legalComments: 'none',
  logLevel: 'warning',
  plugins: [places],
})

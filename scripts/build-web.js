// Writes the dashboard to dist/web: web/ with the documents of its queries. Names of files contain hashes of their contents.
import { fileURLToPath } from 'node:url'
import { build } from 'vite'
import './generate-web-types.js'

await build({
  root: fileURLToPath(new URL('../web', import.meta.url)),
  configFile: false,
  logLevel: 'warn',
  // Relative to the `base` element of the page, which the server sets: pages are below any prefix.
  base: './',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: fileURLToPath(new URL('../dist/web', import.meta.url)),
    emptyOutDir: true,
    target: 'es2022',
    // The policy of the page allows no script in it.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
  },
})

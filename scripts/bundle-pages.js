// Bundles pages of the dashboard for Node, where they are drawn as text instead of shown in a browser.
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

/** Pages that need a server: they are neither reported nor recorded. */
const LIVE =
  /^\.\.\/pages\/(jobs|import|collect|submit|sign-in|sign-up|reset|account|challenge-(host|new)|collection-host)$/

const web = fileURLToPath(new URL('../web', import.meta.url))

/**
 * @param entry a module below `web/`
 * @param outfile path of the bundle
 * @param places modules below `web/` that take the place of `client` and `router` of `web/app`, from which pages get their
 * answers and their links
 */
export function bundlePages(entry, outfile, places) {
  const replace = {
    name: 'places',
    setup({ onResolve }) {
      onResolve({ filter: /^(\.\.\/app|\.)\/(client|router)$/ }, ({ path }) => ({
        path: join(web, places[basename(path)]),
      }))
      // Nothing is computed from a report or a record.
      onResolve({ filter: /^(\.\.?\/(components\/)?compute|\.\.\/app\/(jobs|may-change))$/ }, () => ({
        path: join(web, 'report/compute.tsx'),
      }))
      onResolve({ filter: /\?raw$/ }, ({ path, resolveDir }) => ({
        path: join(resolveDir, path.slice(0, -4)),
      }))
      onResolve({ filter: LIVE }, () => ({ external: true }))
    },
  }
  return build({
    absWorkingDir: web,
    entryPoints: [entry],
    outfile,
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
    plugins: [replace],
  })
}

// Writes dist/report/report.js: the pages of the dashboard as a function that renders them to a document, for `accord report`.
import { fileURLToPath } from 'node:url'
import { bundlePages } from './bundle-pages.js'

const target = fileURLToPath(new URL('../dist/report/report.js', import.meta.url))

await bundlePages('report/report.tsx', target, { client: 'report/client.ts', router: 'report/router.tsx' })

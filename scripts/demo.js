// Writes the dashboard with the bundled dataset as files that any host serves, below any path: the application, a page for
// each address, and the answers of a server to everything that the pages ask for.
//
//     npm run demo [-- FOLDER]
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { bundlePages } from './bundle-pages.js'

const root = fileURLToPath(new URL('..', import.meta.url))
const target = resolve(process.argv[2] ?? join(root, 'dist', 'demo'))
const work = mkdtempSync(join(tmpdir(), 'accord-demo-'))
process.on('exit', () => rmSync(work, { recursive: true, force: true }))

/** Where the visit begins; everything else is reached from there, and from the header of all pages. */
const START = ['/', '/challenges', '/metrics', '/jobs', '/import']
const SECTIONS = ['words', 'images', 'agreement', 'selection', 'bounds']

const bundle = join(root, 'dist', 'record', 'record.js')
await bundlePages('record/record.tsx', bundle, { client: 'report/client.ts', router: 'record/router.tsx' })
const { recordPage } = await import(pathToFileURL(bundle).href)

const server = spawn(
  process.execPath,
  ['dist/bin/main.js', 'serve', '--port', '0', '--database', join(work, 'demo.sqlite')],
  { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] },
)
process.on('exit', () => server.kill())
const [ready] = await once(server.stdout, 'data')
const endpoint = String(ready).trim().split(' ').at(-1)

// Only a folder that this script has written, or an empty one, is replaced.
rmSync(join(target, 'answers'), { recursive: true, force: true })
cpSync(join(root, 'dist', 'web'), target, { recursive: true })
mkdirSync(join(target, 'answers'), { recursive: true })
const application = readFileSync(join(root, 'dist', 'web', 'index.html'), 'utf8')

const waiting = [...START]
const seen = new Set(waiting)
const files = new Set()
let bytes = 0
for (let address = waiting.shift(); address !== undefined; address = waiting.shift()) {
  const recording = await recordPage(address, ask)
  if (!recording) continue
  writePage(address.replace(/\?.*/, ''))
  for (const [name, answer] of recording.answers) {
    if (files.has(name)) throw new Error(`two questions have the hash ${name}`)
    files.add(name)
    const text = JSON.stringify(answer)
    bytes += text.length
    writeFileSync(join(target, 'answers', name), text)
  }
  const [, dataset] = /^\/d\/([^/?]+)$/.exec(address) ?? []
  const sections = dataset ? SECTIONS.map((section) => `/d/${dataset}/${section}`) : []
  for (const next of [...recording.addresses, ...sections]) {
    if (seen.has(next)) continue
    seen.add(next)
    waiting.push(next)
  }
}
server.kill()
console.log(`${target}: ${seen.size} addresses, ${files.size} answers, ${(bytes / 1e6).toFixed(1)} MB`)

/** The real API. */
async function ask({ document, variables }) {
  const response = await fetch(endpoint, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: document, variables }),
  })
  return response.json()
}

/** The application as the page of a path: hosts of files know no others. */
function writePage(path) {
  const segments = path.split('/').filter(Boolean).map(decodeURIComponent)
  const base = segments.length === 0 ? './' : '../'.repeat(segments.length)
  const page = application
    .replace('<base href="/"', `<base href="${base}"`)
    .replace('</head>', '  <meta name="accord-answers" content="answers" />\n  </head>')
  const file = join(target, ...segments.map(fileNameOf), 'index.html')
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, page)
}

function fileNameOf(segment) {
  if (/[/\\\0]/.test(segment) || segment === '.' || segment === '..')
    throw new Error(`no file can have the name ${JSON.stringify(segment)}`)
  return segment
}

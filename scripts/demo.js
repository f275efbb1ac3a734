// Writes the dashboard with the bundled dataset as files that any host serves, below any path: the application, a page for
// each address, and the answers of a server to everything that the pages ask for, with the pictures that they show.
//
//     npm run demo [-- FOLDER] [--words dog,man]
//
// With `--words` the pages of these words alone are written: there are a thousand, with three systems each.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { bundlePages } from './bundle-pages.js'

const root = fileURLToPath(new URL('..', import.meta.url))
const { positionals, values } = parseArgs({ allowPositionals: true, options: { words: { type: 'string' } } })
const target = resolve(positionals[0] ?? join(root, 'dist', 'demo'))
const words = values.words?.split(',')
const work = mkdtempSync(join(tmpdir(), 'accord-demo-'))
process.on('exit', () => rmSync(work, { recursive: true, force: true }))

/** Where the visit begins; everything else is reached from there, and from the header of all pages. */
const START = ['/', '/challenges', '/metrics', '/jobs', '/import']
const SECTIONS = ['words', 'images', 'agreement', 'selection', 'bounds']

/** A picture in an answer. */
const PICTURE = /"picture":"(pictures\/[^"]+)"/g
/** The files of pictures, by their paths on the server. */
const pictures = new Map()

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
for (const folder of ['answers', 'pictures']) rmSync(join(target, folder), { recursive: true, force: true })
cpSync(join(root, 'dist', 'web'), target, { recursive: true })
mkdirSync(join(target, 'answers'), { recursive: true })
const application = readFileSync(join(root, 'dist', 'web', 'index.html'), 'utf8')

const waiting = [...START]
const seen = new Set(waiting.map(keyOf))
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
    if (seen.has(keyOf(next)) || !isWanted(next)) continue
    seen.add(keyOf(next))
    waiting.push(next)
  }
}
server.kill()
console.log(`${target}: ${seen.size} addresses, ${files.size} answers, ${(bytes / 1e6).toFixed(1)} MB`)

/** Equal for addresses that differ in the order of their settings, which show the same page. */
function keyOf(address) {
  const { pathname, searchParams } = new URL(address, endpoint)
  searchParams.sort()
  return `${pathname}?${searchParams}`
}

function isWanted(address) {
  const [, word] = /^\/d\/[^/]+\/words\/([^/?]+)/.exec(address) ?? []
  return words === undefined || word === undefined || words.includes(decodeURIComponent(word))
}

/** The real API. */
async function ask({ document, variables }) {
  const response = await fetch(endpoint, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: document, variables }),
  })
  return JSON.parse(await withPictures(await response.text()))
}

/** An answer whose pictures are files, with names that tell hosts what they are. */
async function withPictures(text) {
  for (const [, path] of text.matchAll(PICTURE)) {
    if (pictures.has(path)) continue
    const picture = await fetch(new URL(path, endpoint))
    const [, type] = /^image\/(\w+)/.exec(picture.headers.get('content-type'))
    pictures.set(path, `${path}.${type}`)
    const file = join(target, ...`${path}.${type}`.split('/').map(decodeURIComponent).map(fileNameOf))
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, Buffer.from(await picture.arrayBuffer()))
  }
  return text.replaceAll(PICTURE, (_all, path) => `"picture":"${pictures.get(path)}"`)
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

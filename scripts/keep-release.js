// Keeps what tests compare later versions with: the published schema of this version, and a database that it has written with what
// it says of it. Run once for each release, after `npm version` and `npm run build`.
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'

const root = fileURLToPath(new URL('..', import.meta.url))
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const fixtures = join(root, 'test', 'fixtures')
/** Few enough for a small file, and enough for intervals. */
const IMAGE_COUNT = 30

const folder = mkdtempSync(join(tmpdir(), 'accord-release-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))

accord('demo')
const references = readJson('references.json')
const ids = new Set(references.images.slice(0, IMAGE_COUNT).map(({ id }) => id))
references.images = references.images.filter(({ id }) => ids.has(id))
references.annotations = references.annotations.filter(({ image_id }) => ids.has(image_id))
writeJson('references.json', references)
accord('import captions references.json --dataset demo')
for (const system of ['mine', 'baseline']) {
  writeJson(
    `${system}.json`,
    readJson(`${system}.json`).filter(({ image_id }) => ids.has(image_id)),
  )
  accord(`import results ${system}.json --dataset demo --system ${system}`)
}
accord('agreement --dataset demo')
accord('evaluate --dataset demo')
accord('backup release.sqlite')

for (const name of ['schemas', 'releases']) mkdirSync(join(fixtures, name), { recursive: true })
copyFileSync(join(root, 'dist', 'docs', 'schema.graphql'), join(fixtures, 'schemas', `${version}.graphql`))
const kept = join(fixtures, 'releases', version)
writeFileSync(`${kept}.sqlite.gz`, gzipSync(readFileSync(join(folder, 'release.sqlite')), { level: 9 }))
writeFileSync(`${kept}.captions.json`, accord('export captions --dataset demo'))
writeFileSync(`${kept}.scores.jsonl`, accord('export scores --dataset demo --format jsonl'))

function accord(command) {
  const main = join(root, 'dist', 'bin', 'main.js')
  return execFileSync(process.execPath, [main, '--quiet', ...command.split(' ')], { cwd: folder })
}

function readJson(name) {
  return JSON.parse(readFileSync(join(folder, name), 'utf8'))
}

function writeJson(name, value) {
  writeFileSync(join(folder, name), JSON.stringify(value))
}

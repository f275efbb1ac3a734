// Writes the explorer to dist/explorer: GraphiQL with its editor, prebuilt by @graphql-yoga/render-graphiql, and the page
// and the examples in explorer/. Names of files contain hashes of their contents: browsers cache them without asking again.
import { createHash } from 'node:crypto'
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as graphiql from '@graphql-yoga/render-graphiql/graphiql'

const source = fileURLToPath(new URL('../explorer', import.meta.url))
const target = fileURLToPath(new URL('../dist/explorer', import.meta.url))

const read = (name) => readFileSync(join(source, name), 'utf8')

rmSync(target, { recursive: true, force: true })
mkdirSync(target, { recursive: true })
const workers = {
  editorWorkerService: write('editor.worker', 'js', graphiql.editorWorkerService),
  json: write('json.worker', 'js', graphiql.jsonWorker),
  graphql: write('graphql.worker', 'js', graphiql.graphqlWorker),
}
const examples = readdirSync(join(source, 'examples')).map((name) => read(join('examples', name)))
const script = [
  graphiql.js,
  `const WORKERS = ${JSON.stringify(workers)}`,
  `const EXAMPLES = ${JSON.stringify(examples)}`,
  read('main.js'),
].join('\n')
const page = read('index.html')
  .replace('{script}', write('explorer', 'js', script))
  .replace('{style}', write('explorer', 'css', `${graphiql.css}\n${read('explorer.css')}`))
writeFileSync(join(target, 'index.html'), page)
const license = join(
  createRequire(import.meta.url).resolve('@graphql-yoga/render-graphiql/package.json'),
  '../LICENSE',
)
copyFileSync(license, join(target, 'LICENSE'))

/** Writes a file, and returns its name. */
function write(name, extension, content) {
  const hash = createHash('sha256').update(content).digest('hex').slice(0, 8)
  writeFileSync(join(target, `${name}-${hash}.${extension}`), content)
  return `${name}-${hash}.${extension}`
}

// Compiles the program and starts a server; after each change of the sources, compiles what has changed and starts it again. The
// dashboard is built again as well. Options are those of `accord serve`.
import { spawn } from 'node:child_process'
import { watch } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const WATCHED = ['src', 'web', 'migrations']
/** What a server needs of the build. */
const SERVED = ['schema.graphql', 'src/api/schema/plain-resolvers.ts', 'dist/bin', 'dist/web']
/** Editors write a file in several steps. */
const QUIET_MS = 100

let server
let timer
let isBuilding = false
let isOutdated = false

const run = (...args) =>
  new Promise((resolve) => {
    spawn(process.execPath, args, { cwd: root, stdio: 'inherit' }).on('exit', resolve)
  })

/** @param results those that are built: by default all */
async function restart(...results) {
  if (isBuilding) {
    isOutdated = true
    return
  }
  isBuilding = true
  const started = performance.now()
  // A running server loads files of the build when it needs them.
  await stop()
  if ((await run('scripts/build.js', ...results)) === 0) {
    server = spawn(
      process.execPath,
      ['--enable-source-maps', 'dist/bin/main.js', 'serve', ...process.argv.slice(2)],
      { cwd: root, stdio: 'inherit' },
    )
    server.on('exit', () => {
      server = undefined
    })
    console.log(`started after ${((performance.now() - started) / 1000).toFixed(1)} s`)
  }
  isBuilding = false
  if (!isOutdated) return
  isOutdated = false
  await restart(...SERVED)
}

function stop() {
  if (!server) return undefined
  return new Promise((resolve) => {
    server.on('exit', resolve)
    server.kill('SIGTERM')
  })
}

for (const folder of WATCHED) {
  watch(`${root}/${folder}`, { recursive: true }, (_event, name) => {
    // What the build itself writes.
    if (name === null || /generated|(schema-types|plain-resolvers)\.ts$/.test(name)) return
    clearTimeout(timer)
    timer = setTimeout(restart, QUIET_MS, ...SERVED)
  })
}
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, async () => {
    await stop()
    process.exit(0)
  })
}
await restart()

// Compiles the kernels of the language model to WebAssembly, for numbers of single and of double precision, if their
// sources are newer than the result.
import { existsSync, readdirSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const path = (name) => fileURLToPath(new URL(`../${name}`, import.meta.url))
const sources = path('src/core/bounds/engine/kernels')
const changed = Math.max(...readdirSync(sources).map((name) => statSync(`${sources}/${name}`).mtimeMs))

for (const target of ['single', 'double']) {
  const outFile = path(`dist/resources/kernels/${target}.wasm`)
  if (existsSync(outFile) && statSync(outFile).mtimeMs > changed) continue
  const { main } = await import('assemblyscript/asc')
  const { error, stderr } = await main(['--baseDir', sources, '--target', target, '--outFile', outFile])
  if (error) throw new Error(stderr.toString())
}

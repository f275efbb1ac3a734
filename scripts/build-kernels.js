// Compiles the kernels of the language model to WebAssembly, for numbers of single and of double precision.
import { fileURLToPath } from 'node:url'
import { main } from 'assemblyscript/asc'

const path = (name) => fileURLToPath(new URL(`../${name}`, import.meta.url))

for (const target of ['single', 'double']) {
  const outFile = path(`dist/resources/kernels/${target}.wasm`)
  const sources = path('src/core/bounds/engine/kernels')
  const { error, stderr } = await main(['--baseDir', sources, '--target', target, '--outFile', outFile])
  if (error) throw new Error(stderr.toString())
}

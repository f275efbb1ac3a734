import type { Precision } from '../../core/bounds/engine/kernels.js'
import { projectFile } from '../../project.js'
import { readWhole } from '../io/files.js'

/**
 * Reads and compiles the kernels of language models for numbers of a precision, which scripts/build-kernels.js writes.
 *
 * @throws AccordError FILE_NOT_FOUND if the package has not been built
 */
export function readKernels(precision: Precision): WebAssembly.Module {
  return new WebAssembly.Module(readWhole(projectFile(`dist/resources/kernels/${precision}.wasm`)))
}

import { threadId } from 'node:worker_threads'
import type { Precision } from '../core/bounds/engine/kernels.js'
import { createLayout, createMemory, initialize, type Layout } from '../core/bounds/engine/layout.js'
import { type LanguageModel, openLanguageModel } from '../core/bounds/engine/memory.js'
import { captionsPerPart, type ModelSpecification, PARTS } from '../core/bounds/engine/training.js'
import { createRandom } from '../core/stats/random.js'
import { readWhole } from '../formats/io/files.js'
import { projectFile } from '../project.js'

/** A language model in shared memory, as all threads of a process open it. */
export interface SharedModel {
  /** Different for each model of a process: worker threads take part in runs of several threads. */
  readonly id: string
  readonly specification: ModelSpecification
  readonly kernels: WebAssembly.Module
  readonly memory: WebAssembly.Memory
}

export interface OpenedModel {
  readonly shared: SharedModel
  readonly model: LanguageModel
}

let modelCount = 0

/** Reserves memory for a model; all of its numbers are 0. @throws AccordError OUT_OF_RANGE where it is too large */
export function createModel(specification: ModelSpecification): OpenedModel {
  const memory = createMemory(layoutOf(specification))
  return openModel({
    id: `${threadId} ${++modelCount}`,
    specification,
    kernels: readKernels('single'),
    memory,
  })
}

/** The same with random weights. */
export function createRandomModel(specification: ModelSpecification, seed: number): OpenedModel {
  const opened = createModel(specification)
  initialize(opened.model.numbers, opened.model.layout, createRandom(seed))
  return opened
}

/** The last model that this thread opened. */
let last: OpenedModel | undefined

export function openModel(shared: SharedModel): OpenedModel {
  if (last?.shared.id !== shared.id) {
    const { kernels, memory, specification } = shared
    last = { shared, model: openLanguageModel(kernels, memory, layoutOf(specification)) }
  }
  return last
}

function layoutOf({ size, batch, maxLength }: ModelSpecification): Layout {
  const captions = captionsPerPart(batch)
  return createLayout(size, { precision: 'single', captionsPerPart: captions, maxLength, parts: PARTS })
}

/**
 * Reads and compiles the kernels of language models for numbers of a precision, which scripts/build-kernels.js writes.
 *
 * @throws AccordError FILE_NOT_FOUND if the package has not been built
 */
export function readKernels(precision: Precision): WebAssembly.Module {
  return new WebAssembly.Module(readWhole(projectFile(`dist/resources/kernels/${precision}.wasm`)))
}

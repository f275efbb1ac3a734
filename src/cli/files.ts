import { AccordError, hasCode } from '../errors.js'
import { type Progress, step } from '../progress.js'
import type { Accord } from '../services/accord.js'
import type { Dataset } from '../store/schema/entities.js'
import { type DatasetOptions, withAccord } from './accord.js'
import { withProgress } from './output/progress.js'

/** Files of captions that a command reads instead of a dataset. */
export interface CaptionFiles extends Pick<DatasetOptions, 'meteorData' | 'embeddings'> {
  /** Path of a file in COCO captions format. */
  readonly references: string
  /** Paths of files in COCO results format. */
  readonly results: readonly string[]
  readonly allowMissing: boolean
}

/** Adds a question to an error about a file of captions that has the other shape. */
export async function noticeSwapped<Result>(read: () => Promise<Result>): Promise<Result> {
  try {
    return await read()
  } catch (error) {
    const isOther = hasCode(error, 'INVALID_SHAPE') && error.detail.place === undefined
    if (!isOther) throw error
    throw new AccordError(error.code, `${error.summary} (are the files swapped?)`, error.detail)
  }
}

/** Calls `use` with a database of these files alone, in a temporary folder, with the names of the systems. */
export async function withFiles<Result>(
  { references, results, allowMissing, meteorData: meteorFolder, embeddings: embeddingsFile }: CaptionFiles,
  use: (accord: Accord, dataset: Dataset, systems: readonly string[]) => Promise<Result>,
): Promise<Result> {
  const { mkdtempSync, rmSync } = await import('node:fs')
  const { tmpdir } = await import('node:os')
  const { join } = await import('node:path')
  const { nameSystems } = await import('../services/evaluations/caption-files.js')
  const folder = mkdtempSync(join(tmpdir(), 'accord-files-'))
  try {
    return await withAccord(
      {
        location: join(folder, 'files.sqlite'),
        meteorFolder,
        embeddingsFile,
        reads: [references, ...results],
      },
      async (accord) => {
        const [name] = nameSystems([references])
        const systems = nameSystems(results)
        const { chooseDataset } = await import('../services/datasets/datasets.js')
        const readAll = async (progress: Progress) => {
          const stepOf = (index: number) => ({ progress: step(progress, index, results.length + 1) })
          await accord.run('importCaptions', { dataset: name, file: { path: references } }, stepOf(0))
          const imported = await chooseDataset(accord, name)
          for (const [index, system] of systems.entries()) {
            const input = {
              datasetId: imported.id,
              system,
              file: { path: results[index] },
              isMissingAllowed: allowMissing,
            }
            await accord.run('importResults', input, stepOf(index + 1))
          }
          return imported
        }
        const dataset = await noticeSwapped(() => withProgress(readAll))
        return use(accord, dataset, systems)
      },
    )
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

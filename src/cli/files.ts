import { AccordError, hasCode } from '../errors.js'
import type { CaptionColumns } from '../formats/captions/columns.js'
import type { Matching } from '../formats/coco/known-images.js'
import { type Progress, step } from '../progress.js'
import type { FileFormat } from '../services/scoring/caption-files.js'
import type { Accord } from '../services/shared/accord.js'
import type { Match } from '../shared/choices.js'
import { counted } from '../shared/numbers.js'
import type { Dataset } from '../store/schema/dataset-tables.js'
import { type DatasetOptions, withAccord } from './accord.js'
import { printable } from './output/formats.js'
import { remark, withProgress } from './output/progress.js'

/** Files of captions that a command reads instead of a dataset. */
export interface CaptionFiles extends Resources, CaptionFileOptions {
  /** Path of a file of human captions. */
  readonly references: string
  /** Paths of files of systems' captions. */
  readonly results: readonly string[]
  readonly allowMissing: boolean
  readonly allowExtra: boolean
}

/** Options of commands that read files of captions. */
export interface CaptionFileOptions {
  /** Path of the image ids of captions in lines. */
  readonly imageIds?: string
  /** Split of references in Karpathy's JSON. */
  readonly split?: string
  /** Paths of further files of references in lines. */
  readonly moreReferences?: readonly string[]
  /** Of the captions, BCP 47. */
  readonly language?: string
  readonly tokenizer?: string
  /** The rule by which files of systems name images. */
  readonly match?: Match
  /** Whether markup of models is removed from captions of systems. */
  readonly stripMarkup?: true
  /** What files with other names than the usual ones call images and captions. */
  readonly columns?: CaptionColumns
}

/** How the images of a system's file were matched with those of the human captions. */
export interface FileMatching extends Matching {
  readonly file: string
}

/** Prints how a file was recognized that is not in COCO's format. */
export function printFormat({ file, format, imageCount, captionCount }: FileFormat): void {
  const captions = counted(captionCount, 'caption')
  const size = imageCount === captionCount ? captions : `${counted(imageCount, 'image')}, ${captions}`
  remark(`${printable(file)}: ${format}; ${size}\n`)
}

/**
 * Adds a question to an error about a file of captions that has the other shape, or has several captions of an image in
 * rows or lines where a system has one.
 */
export async function noticeSwapped<Result>(read: () => Promise<Result>): Promise<Result> {
  try {
    return await read()
  } catch (error) {
    const isOther =
      hasCode(error, 'INVALID_SHAPE') &&
      error.detail.place === undefined &&
      error.detail.columns === undefined
    const isSeveral =
      hasCode(error, 'DUPLICATE_ID') && /^(line |annotations\[)/.test(error.detail.place ?? '')
    if (!isOther && !isSeveral) throw error
    throw new AccordError(error.code, `${error.summary} (are the files swapped?)`, error.detail)
  }
}

/** Calls `use` with a database of these files alone, in a temporary folder, with the names of the systems. */
export async function withFiles<Result>(
  {
    references,
    results,
    allowMissing,
    allowExtra,
    split,
    imageIds,
    moreReferences = [],
    language,
    tokenizer,
    match,
    stripMarkup,
    columns,
    ...resources
  }: CaptionFiles,
  use: (
    accord: Accord,
    dataset: Dataset,
    systems: readonly string[],
    matching: readonly FileMatching[],
  ) => Promise<Result>,
): Promise<Result> {
  const { nameFile, nameSystems, requireNeededIds, requireUsedColumns } = await import(
    '../services/scoring/caption-files.js'
  )
  const systems = nameSystems(results)
  const reads = [references, ...moreReferences, ...results, ...(imageIds === undefined ? [] : [imageIds])]
  return withTemporary({ ...resources, reads }, async (accord) => {
    const name = nameFile(references)
    const { chooseDataset } = await import('../services/datasets/datasets.js')
    const formats: FileFormat[] = []
    const notes: string[] = []
    const matchings: FileMatching[] = []
    const readAll = async (progress: Progress) => {
      const stepOf = (index: number) => ({ progress: step(progress, index, results.length + 1) })
      const ids = toFile(imageIds)
      const more = moreReferences.map((path) => ({ path }))
      const captions = {
        dataset: name,
        file: { path: references },
        more,
        imageIds: ids,
        areIdsShared: true,
        columns,
        areColumnsShared: true,
        split,
        language,
        tokenizer,
      }
      const { format, ...counts } = await accord.run('importCaptions', captions, stepOf(0))
      notes.push(...counts.languageNotes.map((note) => `${note}\n`))
      if (format !== null) formats.push({ ...counts, file: references, format })
      const imported = await chooseDataset(accord, name)
      for (const [index, system] of systems.entries()) {
        const input = {
          datasetId: imported.id,
          system,
          file: { path: results[index] },
          imageIds: ids,
          areIdsShared: true,
          columns,
          areColumnsShared: true,
          isMissingAllowed: allowMissing,
          isExtraAllowed: allowExtra,
          isMarkupStripped: stripMarkup,
          match,
        }
        const {
          format,
          columns: used,
          imageCount,
          matching,
          notes: known,
        } = await accord.run('importResults', input, stepOf(index + 1))
        matchings.push({ file: results[index], ...matching })
        notes.push(...known.map((note) => `${printable(results[index])}: ${note}\n`))
        if (format !== null) {
          formats.push({ file: results[index], format, columns: used, imageCount, captionCount: imageCount })
        }
      }
      return imported
    }
    const dataset = await noticeSwapped(() => withProgress(readAll))
    requireNeededIds(imageIds, formats)
    requireUsedColumns(columns, formats)
    for (const format of formats) printFormat(format)
    for (const note of notes) process.stderr.write(note)
    return use(accord, dataset, systems, matchings)
  })
}

/** The same for a file of human judgements with reference captions. */
export async function withJudgements<Result>(
  { path, ...resources }: { readonly path: string } & Resources,
  use: (accord: Accord, dataset: Dataset) => Promise<Result>,
): Promise<Result> {
  return withTemporary({ ...resources, reads: [path] }, async (accord) => {
    const { nameFile } = await import('../services/scoring/caption-files.js')
    const { chooseDataset } = await import('../services/datasets/datasets.js')
    const dataset = nameFile(path)
    try {
      const { kind, missingRatingCount: missing } = await withProgress((progress) =>
        accord.run('importJudgements', { dataset, file: { path } }, { progress }),
      )
      const without = kind === 'RATINGS' ? 'without a number' : 'without an answer'
      const noun = kind === 'RATINGS' ? 'rating' : 'preference'
      if (missing > 0) remark(`${printable(path)}: ${counted(missing, noun)} ${without} left out\n`)
    } catch (error) {
      if (!hasCode(error, 'UNKNOWN_DATASET')) throw error
      throw new AccordError('INVALID_SHAPE', 'the judgements have no reference captions', {
        source: path,
        expected:
          'references in the file, or accord import captions and then import judgements into the same dataset',
      })
    }
    return use(accord, await chooseDataset(accord, dataset))
  })
}

interface Resources extends Pick<DatasetOptions, 'meteorData' | 'embeddings' | 'images'> {
  readonly metricModule?: readonly string[]
}

/** Calls `use` with a new database in a temporary folder. */
async function withTemporary<Result>(
  {
    meteorData,
    embeddings,
    images: imagesFolder,
    metricModule,
    reads,
  }: Resources & { readonly reads: readonly string[] },
  use: (accord: Accord) => Promise<Result>,
): Promise<Result> {
  const { tmpdir } = await import('node:os')
  const { join } = await import('node:path')
  const { createTemporaryFolder } = await import('../temporary-folder.js')
  const folder = createTemporaryFolder(join(tmpdir(), 'accord-files'))
  try {
    const location = join(folder.path, 'files.sqlite')
    const resources = {
      meteorFolder: meteorData,
      embeddingsFile: embeddings,
      metricModules: metricModule,
      imagesFolder,
    }
    return await withAccord({ location, ...resources, reads }, use)
  } finally {
    folder.remove()
  }
}

/** The source of a file that may be absent. */
export function toFile(path: string | undefined): { readonly path: string } | undefined {
  return path === undefined ? undefined : { path }
}

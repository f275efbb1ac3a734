import { closeSync } from 'node:fs'
import { basename } from 'node:path'
import { hasCode } from '../../errors.js'
import { readResults } from '../../formats/captions/results.js'
import { checkResults } from '../../formats/coco/coco-results.js'
import { beginsWith, type InputFile, nameOf } from '../../formats/io/files.js'
import { openTemporary, writeTemporary } from '../../formats/io/spool.js'
import { wrongValue } from '../../formats/io/values.js'
import { readZip, ZIP_MAGIC } from '../../formats/io/zip.js'
import type { QueryHandler } from '../../queue/kind.js'
import { findDatasets } from '../../store/datasets.js'
import type { Session } from '../../store/engine/session.js'
import { readImageIds } from '../../store/images.js'
import { withSource } from '../imports/import-job.js'

/** A phase that a file is for. */
export interface WantedPhase {
  readonly id: number
  readonly name: string
  readonly datasetId: number
}

export interface CheckInput {
  readonly upload: string
  /** Each needs a file. */
  readonly phases: readonly WantedPhase[]
}

/** A valid results file for a phase. */
export interface CheckedFile {
  readonly phaseId: number
  /** Its name in a zip file; null for a file that is not in one. */
  readonly entry: string | null
  readonly fileName: string
}

/** Maximum number of files in a zip file. */
const MAX_ENTRIES = 100

/**
 * Checks a results file of a phase, or a zip file with one for each phase. A file of a zip file is for the phases whose name
 * is in its own; without one, for those on whose dataset its first image is.
 *
 * @throws AccordError UNKNOWN_UPLOAD; errors of the readers and of `checkResults`; INVALID_VALUE for a file name in a zip file
 *   that leads out of it, and for a zip file in a zip file; INVALID_SHAPE for a phase without a file; DUPLICATE_ID for a phase
 *   with two
 */
export const checkSubmissionQuery: QueryHandler<CheckInput, readonly CheckedFile[]> = ({
  input: { upload, phases },
  database,
  progress,
}) =>
  withSource(database, { upload }, async (file) => {
    const imagesOf = await readImages(database, phases)
    if (!beginsWith(file, ZIP_MAGIC)) {
      if (phases.length > 1) throw oneFile(file, phases)
      progress(0, 'checking')
      check(file, imagesOf, phases[0])
      return [{ phaseId: phases[0].id, entry: null, fileName: nameOf(file) }]
    }
    const entries = readEntries(file)
    const checked: CheckedFile[] = []
    for (const [entry, content] of entries) {
      progress(checked.length / entries.size, 'checking')
      withTemporary(entry, content, (inner) => {
        for (const phase of phasesOf(entry, inner, phases, imagesOf)) {
          if (checked.some(({ phaseId }) => phaseId === phase.id)) throw secondFile(file, entry, phase)
          check(inner, imagesOf, phase)
          checked.push({ phaseId: phase.id, entry, fileName: basename(entry) })
        }
      })
    }
    const lacking = phases.find(({ id }) => !checked.some(({ phaseId }) => phaseId === id))
    if (lacking) throw withoutFile(file, lacking, [...entries.keys()])
    return checked
  })

/** Calls `use` with the results file of a submission. @param entry its name in a zip file; null if it is not in one */
export async function withResults<Result>(
  session: Session,
  upload: string,
  entry: string | null,
  use: (file: InputFile) => Promise<Result>,
): Promise<Result> {
  return withSource(session, { upload }, (file) => {
    if (entry === null) return use(file)
    const [[name, content]] = readZip(file, (found) => found === entry)
    return withTemporary(name, content, use)
  })
}

/** The images of a dataset by external id. */
interface Images {
  readonly ids: ReadonlyMap<string, number>
  /** Whether errors must not tell which they are. */
  readonly arePrivate: boolean
}

type ImagesOf = ReadonlyMap<number, Images>

async function readImages(session: Session, phases: readonly WantedPhase[]): Promise<ImagesOf> {
  const datasets = await findDatasets(session, [...new Set(phases.map(({ datasetId }) => datasetId))])
  const images = new Map<number, Images>()
  for (const { id, isPrivate } of datasets)
    images.set(id, { ids: await readImageIds(session, id), arePrivate: isPrivate === 1 })
  return images
}

function check(file: InputFile, images: ImagesOf, { datasetId }: WantedPhase): void {
  const { ids, arePrivate } = images.get(datasetId) as Images
  try {
    checkResults(readResults(file), ids, { source: file, isMissingAllowed: false }, () => {})
  } catch (error) {
    if (!arePrivate || !hasCode(error, 'MISSING_IMAGES')) throw error
    const expected = 'a caption of each image of the phase'
    throw wrongValue('MISSING_IMAGES', 'images are missing', { source: file }, expected, 'fewer')
  }
}

/** The results files of a zip file: all files but those that archivers add. */
function readEntries(file: InputFile): Map<string, Buffer> {
  let count = 0
  const files = readZip(file, (name) => {
    if (name.endsWith('/') || name.startsWith('__MACOSX/') || basename(name).startsWith('.')) return false
    if (/(^|[/\\])\.\.([/\\]|$)|^[/\\]|^[a-z]:/i.test(name)) {
      throw wrongValue(
        'INVALID_VALUE',
        'a file name leads out of the zip file',
        { source: file },
        'names without ..',
        name,
      )
    }
    if (++count > MAX_ENTRIES) {
      throw wrongValue(
        'OUT_OF_RANGE',
        'too many files in the zip file',
        { source: file },
        `at most ${MAX_ENTRIES}`,
        'more',
      )
    }
    return true
  })
  for (const [name, content] of files) {
    if (!content.subarray(0, ZIP_MAGIC.length).equals(ZIP_MAGIC)) continue
    throw wrongValue(
      'INVALID_VALUE',
      'a zip file in a zip file',
      { source: file, place: name },
      'a results file',
      'a zip file',
    )
  }
  return files
}

function withTemporary<Result>(name: string, content: Buffer, use: (file: InputFile) => Result): Result {
  const descriptor = openTemporary()
  const close = () => closeSync(descriptor)
  let result: Result
  try {
    writeTemporary(descriptor, content, 0)
    result = use({ name, descriptor })
  } catch (error) {
    close()
    throw error
  }
  if (result instanceof Promise) return result.finally(close) as Result
  close()
  return result
}

/** The phases that a file of a zip file is for. */
function phasesOf(
  entry: string,
  file: InputFile,
  phases: readonly WantedPhase[],
  images: ImagesOf,
): readonly WantedPhase[] {
  const name = basename(entry).toLowerCase()
  const named = phases.filter((phase) => name.includes(phase.name.toLowerCase()))
  const longest = Math.max(...named.map((phase) => phase.name.length))
  if (named.length > 0) return named.filter((phase) => phase.name.length === longest)
  const [first] = readResults(file)
  const found = phases.filter(({ datasetId }) => first && images.get(datasetId)?.ids.has(first.imageId))
  if (found.length > 0) return found
  throw wrongValue(
    'UNKNOWN_IMAGE',
    'the file is for no phase',
    { source: entry },
    `the name of a phase in the name of the file, or captions of the images of one: ${listNames(phases)}`,
    first ? `the image ${JSON.stringify(first.imageId)}` : 'no caption',
  )
}

const listNames = (phases: readonly WantedPhase[]) => phases.map(({ name }) => name).join(', ')

function oneFile(file: InputFile, phases: readonly WantedPhase[]) {
  const expected = 'the name of one phase, or a zip file with a file for each'
  return wrongValue(
    'INVALID_SHAPE',
    'one file for several phases',
    { source: file },
    expected,
    listNames(phases),
  )
}

function secondFile(file: InputFile, entry: string, { name }: WantedPhase) {
  const at = { source: file, place: entry }
  return wrongValue(
    'DUPLICATE_ID',
    'two files for a phase',
    at,
    'one file for each phase',
    `another one for ${name}`,
  )
}

function withoutFile(file: InputFile, { name }: WantedPhase, entries: readonly string[]) {
  return wrongValue(
    'INVALID_SHAPE',
    'a phase has no file',
    { source: file },
    `a file for ${name}`,
    entries.length > 0 ? entries.join(', ') : 'no results file',
  )
}

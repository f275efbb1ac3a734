import { closeSync } from 'node:fs'
import { basename } from 'node:path'
import { hasCode, quote } from '../../errors.js'
import { readResults } from '../../formats/captions/caption-files.js'
import { checkResults, type SubmittedCaption } from '../../formats/coco/coco-results.js'
import { ZIP_MAGIC } from '../../formats/io/encodings.js'
import { type InputFile, isZip, nameOf } from '../../formats/io/files.js'
import { openTemporary, writeTemporary } from '../../formats/io/spool.js'
import { invalidValue, wrongValue } from '../../formats/io/values.js'
import { readZip, type ZipEntry } from '../../formats/io/zip.js'
import type { QueryHandler } from '../../queue/kind.js'
import { findDatasets } from '../../store/datasets.js'
import type { Session } from '../../store/engine/session.js'
import { readImageIds } from '../../store/images.js'
import { CONTROLS } from '../shared/names.js'
import { withSource } from '../uploads/import-job.js'

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
  /** The datasets of all phases of the challenge. */
  readonly datasetIds: readonly number[]
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

/** What to do with a zip file that is too large. */
const INSTEAD = 'submit the file of each phase by itself'

/**
 * Checks a results file of a phase, or a zip file with one for each phase. A file of a zip file is for the phases whose name
 * is in its own; without one, for those of which it has all images, or else any. Captions of images of other phases are left
 * out: COCO's files are for c5, and for c40 on some of the images.
 *
 * @throws AccordError UNKNOWN_UPLOAD; errors of the readers and of `checkResults`; INVALID_VALUE for a file name in a zip file
 *   that leads out of it, and for a zip file in a zip file; INVALID_SHAPE for a phase without a file; DUPLICATE_ID for a phase
 *   with two
 */
export const checkSubmissionQuery: QueryHandler<CheckInput, readonly CheckedFile[]> = ({
  input: { upload, phases, datasetIds },
  database,
  progress,
}) =>
  withSource(database, { upload }, async (file) => {
    const imagesOf = await readImages(database, datasetIds)
    if (!isZip(file)) {
      if (phases.length > 1) throw oneFile(file, phases)
      progress(0, 'checking')
      check(file, imagesOf, phases[0])
      return [{ phaseId: phases[0].id, entry: null, fileName: shownName(nameOf(file)) }]
    }
    const entries = readEntries(file)
    const checked: CheckedFile[] = []
    for (const entry of entries) {
      const { name } = entry
      progress(checked.length / entries.length, 'checking')
      withTemporary(entry, (inner) => {
        for (const phase of phasesOf(name, inner, phases, imagesOf)) {
          if (checked.some(({ phaseId }) => phaseId === phase.id)) throw secondFile(file, name, phase)
          check(inner, imagesOf, phase)
          checked.push({ phaseId: phase.id, entry: name, fileName: shownName(basename(name)) })
        }
      })
    }
    const lacking = phases.find(({ id }) => !checked.some(({ phaseId }) => phaseId === id))
    if (lacking) throw withoutFile(file, lacking, entries)
    return checked
  })

/** The name of a file for tables and pages. */
const shownName = (name: string) => name.replaceAll(new RegExp(CONTROLS, 'gu'), '\u{fffd}')

/** Where the results of a submission are. */
export interface ResultsPlace {
  readonly upload: string
  /** The name of the file in a zip file; null if it is not in one. */
  readonly entry: string | null
  /** The dataset of the phase, and those of all phases of the challenge. */
  readonly datasetId: number
  readonly datasetIds: readonly number[]
}

/** Calls `use` with the results file of a submission, and its captions of images of the phase. */
export function withResults<Result>(
  session: Session,
  { upload, entry, datasetId, datasetIds }: ResultsPlace,
  use: (file: InputFile, captions: Iterable<SubmittedCaption>) => Promise<Result>,
): Promise<Result> {
  return withSource(session, { upload }, async (file) => {
    const imagesOf = await readImages(session, datasetIds)
    const read = (results: InputFile) => use(results, captionsOf(results, imagesOf, datasetId))
    if (entry === null) return read(file)
    const [found] = readZip(file, (name) => name === entry, INSTEAD)
    return withTemporary(found, read)
  })
}

/** The images of a dataset by external id. */
interface Images {
  readonly ids: ReadonlyMap<string, number>
  /** Whether errors must not tell which they are. */
  readonly arePrivate: boolean
}

type ImagesOf = ReadonlyMap<number, Images>

async function readImages(session: Session, datasetIds: readonly number[]): Promise<ImagesOf> {
  const datasets = await findDatasets(session, datasetIds)
  const images = new Map<number, Images>()
  for (const { id, isPrivate } of datasets)
    images.set(id, { ids: await readImageIds(session, id), arePrivate: isPrivate })
  return images
}

/** The captions of a file without those of images that only other phases have. */
function* captionsOf(file: InputFile, images: ImagesOf, datasetId: number): Generator<SubmittedCaption> {
  const { ids } = images.get(datasetId) as Images
  for (const caption of readResults(file)) {
    const isOfOther = !ids.has(caption.imageId) && [...images.values()].some(hasImage(caption.imageId))
    if (!isOfOther) yield caption
  }
}

const hasImage =
  (imageId: string) =>
  ({ ids }: Images) =>
    ids.has(imageId)

function check(file: InputFile, images: ImagesOf, { datasetId }: WantedPhase): void {
  const { ids, arePrivate } = images.get(datasetId) as Images
  const captions = captionsOf(file, images, datasetId)
  try {
    const described = { ids, fileNames: new Map<string, string>(), uncaptioned: new Set<string>() }
    checkResults(captions, described, { source: file, isMissingAllowed: false }, () => {})
  } catch (error) {
    if (!arePrivate || !hasCode(error, 'MISSING_IMAGES')) throw error
    const expected = 'a caption of each image of the phase'
    throw wrongValue('MISSING_IMAGES', 'images are missing', { source: file }, expected, 'fewer')
  }
}

/** The results files of a zip file: all files but those that archivers add. */
function readEntries(file: InputFile): ZipEntry[] {
  let count = 0
  const files = readZip(
    file,
    (name) => {
      if (name.endsWith('/') || name.startsWith('__MACOSX/') || basename(name).startsWith('.')) return false
      if (/(^|[/\\])\.\.([/\\]|$)|^[/\\]|^[a-z]:/i.test(name)) {
        throw invalidValue(
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
    },
    INSTEAD,
  )
  return files
}

/** Calls `use` with an unpacked file. */
function withTemporary<Result>(entry: ZipEntry, use: (file: InputFile) => Result): Result {
  const content = entry.read()
  const { name } = entry
  if (content.subarray(0, ZIP_MAGIC.length).equals(ZIP_MAGIC)) {
    const at = { place: name }
    throw invalidValue('a zip file in a zip file', at, 'a results file', 'a zip file')
  }
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
  const found = new Set<string>()
  for (const { imageId } of readResults(file)) found.add(imageId)
  const idsOf = ({ datasetId }: WantedPhase) => [...(images.get(datasetId) as Images).ids.keys()]
  const complete = phases.filter((phase) => idsOf(phase).every((id) => found.has(id)))
  if (complete.length > 0) return complete
  const begun = phases.filter((phase) => idsOf(phase).some((id) => found.has(id)))
  if (begun.length > 0) return begun
  const [first] = found
  throw wrongValue(
    'UNKNOWN_IMAGE',
    'the file is for no phase',
    { source: entry },
    `the name of a phase in the name of the file, or captions of the images of one: ${listNames(phases)}`,
    first === undefined ? 'no caption' : `the image ${quote(first)}`,
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

function withoutFile(file: InputFile, { name }: WantedPhase, entries: readonly ZipEntry[]) {
  return wrongValue(
    'INVALID_SHAPE',
    'a phase has no file',
    { source: file },
    `a file for ${name}`,
    entries.map((entry) => entry.name).join(', ') || 'no results file',
  )
}

import { AccordError, quote } from '../../errors.js'
import type { CaptionColumns } from '../../formats/captions/columns.js'
import type { ContentKind } from '../../formats/captions/file-content.js'
import type { Match } from '../../shared/choices.js'
import { findDataset, requireDataset } from '../../store/datasets.js'
import type { Session } from '../../store/engine/session.js'
import { isOfKind, type Job, type JobOf, jobsById } from '../jobs/jobs.js'
import type { Accord, Client } from '../shared/accord.js'
import { metricsOf, refreshMetrics } from '../shared/computing.js'
import type { JobResult } from '../shared/job-kinds.js'
import { checkName, checkSystemName } from '../shared/names.js'
import type { FileSource } from '../uploads/import-job.js'
import { startImport } from '../uploads/imports.js'
import { requireNewDataset, requireNewSystem } from '../uploads/requirements.js'

/** A file of several that belong together. */
export interface DroppedFile<File = FileSource> {
  readonly content: ContentKind
  readonly file: File
  /** Name of the system whose captions, word scores or descriptions it has. */
  readonly system?: string
  /** Of captions: what the file calls images and captions. Default: the first of the usual names that it has. */
  readonly columns?: CaptionColumns
  /** The rule by which the file names images. Default: the first one that finds the most of them. */
  readonly match?: Match
  /** Of a system: accept images without a caption, and leave out captions of other images. Default: false. */
  readonly isPartial?: boolean
}

export interface ImportFilesInput {
  /** Name of the dataset that they make, or that they are added to. */
  readonly dataset: string
  readonly files: readonly DroppedFile[]
  /** Remove the dataset of this name that captions of people would make, or systems that have the names of the new ones. */
  readonly isReplaced?: boolean
  /** Of a new dataset: whether only hosts and administrators see it. */
  readonly isPrivate?: boolean
  /** Names of the metrics that are computed; none to compute nothing. Default: those that are computed by default. */
  readonly metrics?: readonly string[]
}

export interface ImportedFiles extends JobOf<'importFiles'> {
  readonly result: JobResult<'importFiles'>
}

/** What files hold, each of use to those after it. */
const ORDER: readonly ContentKind[] = [
  'CAPTIONS',
  'BOXES',
  'OBJECTS',
  'JUDGEMENTS',
  'VOCABULARY',
  'RESULTS',
  'WORD_SCORES',
  'DESCRIPTIONS',
]

/** What files of a system hold. */
const OF_SYSTEMS: readonly ContentKind[] = ['RESULTS', 'WORD_SCORES', 'DESCRIPTIONS']

/** What makes a dataset where there is none of the name. */
const OF_DATASETS: readonly ContentKind[] = ['CAPTIONS', 'BOXES', 'JUDGEMENTS']

/** Files in the order in which they are imported. */
export function inOrder(files: readonly DroppedFile[]): DroppedFile[] {
  return [...files].sort((one, other) => ORDER.indexOf(one.content) - ORDER.indexOf(other.content))
}

/** Whether files make a dataset, which must not exist. */
export function makesDataset(files: readonly DroppedFile[]): boolean {
  return files.some(({ content }) => content === 'CAPTIONS')
}

/**
 * Starts the import of files by workers, or returns the unfinished one with the same input.
 *
 * @throws AccordError OUT_OF_RANGE for no files, or captions of people in several; INVALID_VALUE for a name; NAME_TAKEN; UNKNOWN_DATASET;
 *   UNKNOWN_METRIC; errors of `startImport`
 */
export async function startFilesImport(
  accord: Accord,
  input: ImportFilesInput,
  client: Client = {},
): Promise<Job> {
  await requireImportable(accord.database, input)
  if (input.metrics) {
    await refreshMetrics(accord)
    metricsOf(accord).resolve(input.metrics)
  }
  return startImport(accord, 'importFiles', input, client)
}

async function requireImportable(
  session: Session,
  { dataset: name, files, isReplaced }: ImportFilesInput,
): Promise<void> {
  requireFiles(files)
  checkName('dataset', name)
  const dataset = await findDataset(session, name)
  if (makesDataset(files)) {
    if (!isReplaced) await requireNewDataset(session, name)
  } else if (!dataset && !files.some(({ content }) => OF_DATASETS.includes(content))) {
    await requireDataset(session, name)
  }
  const names = new Set<string>()
  for (const { content, system = '' } of files) {
    if (!OF_SYSTEMS.includes(content)) continue
    checkSystemName(system)
    if (dataset && content === 'RESULTS' && !isReplaced && !makesDataset(files))
      await requireNewSystem(session, dataset.id, system)
    if (content !== 'DESCRIPTIONS' && names.size === names.add(system).size) throw sameSystem(system)
  }
}

function requireFiles(files: readonly DroppedFile[]): void {
  const ofPeople = files.filter(({ content }) => content === 'CAPTIONS').length
  if (files.length > 0 && ofPeople <= 1) return
  throw new AccordError('OUT_OF_RANGE', 'a dataset cannot be made of the files', {
    source: 'files',
    expected: 'one file or more, at most one of them with captions of people',
    found: files.length === 0 ? 'none' : `${ofPeople} with captions of people`,
  })
}

function sameSystem(name: string): AccordError {
  return new AccordError('NAME_TAKEN', 'two files are of a system of this name', {
    source: 'system',
    expected: 'a name for each system',
    found: quote(name),
  })
}

/**
 * Starts the removal of what an import of files has made: the dataset, or the systems that were added to one.
 *
 * @throws AccordError NOT_APPLICABLE for another job, one that has not ended or has imported nothing, and one that replaces what has the
 *   names, which would not come back; QUEUE_FULL
 */
export async function startUndo(accord: Accord, id: number, client: Client = {}): Promise<Job> {
  const job = (await jobsById(accord, [id])).get(id)
  const isImport = job && isOfKind(job, 'importFiles')
  const isReplacement = isImport && job.input.isReplaced
  if (isImport && job.endedAt && job.result && !isReplacement)
    return accord.start('undoImport', { dataset: job.input.dataset, importId: id }, client)
  throw new AccordError('NOT_APPLICABLE', 'the job cannot be undone', {
    source: 'id',
    expected: isReplacement
      ? 'an import that replaces nothing: what was replaced would not come back. The dataset or the systems can be removed'
      : 'an import of files that has ended and has imported them; one that runs can be cancelled',
    found: job ? `${job.kind}, ${job.status}` : 'no job',
  })
}

/**
 * The page of the dashboard, relative to its address, that answers what files were imported for.
 *
 * @param systems names of the new captioning systems that exist
 */
export function pageOf(
  { files }: Pick<ImportFilesInput, 'files'>,
  dataset: string,
  systems: readonly string[],
): string {
  const address = (...segments: string[]) => ['d', dataset, ...segments].map(encodeURIComponent).join('/')
  if (systems.length === 2) return address('compare', systems[0], systems[1])
  if (systems.length === 1) return address('systems', systems[0])
  if (systems.length === 0 && makesDataset(files)) return address('agreement')
  return files.every(({ content }) => content === 'JUDGEMENTS') ? 'metrics' : address()
}

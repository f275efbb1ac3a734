import { AccordError } from '../../errors.js'
import type { ContentKind } from '../../formats/captions/file-content.js'
import { type InputFile, nameOf } from '../../formats/io/files.js'
import { type Progress, part, step } from '../../progress.js'
import type { Handler, JobContext } from '../../queue/kind.js'
import { deleteDataset, findDataset, requireDataset } from '../../store/datasets.js'
import type { Session } from '../../store/engine/session.js'
import { findJobs } from '../../store/jobs.js'
import { findSystems } from '../../store/systems.js'
import { deleteUploads, removeUploadFiles } from '../../store/uploads.js'
import { planAgreement, storedAgreement } from '../agreement/human-agreement.js'
import { ignoreWithoutImages } from '../comparisons/compute-missing.js'
import { importCaptions } from '../datasets/import-captions.js'
import { requireDatasetById } from '../datasets/require-subjects.js'
import { evaluateNow } from '../evaluations/evaluate-job.js'
import { computePlan } from '../evaluations/plan.js'
import { importJudgements } from '../judgements/import-judgements.js'
import { importBoxes, importDescriptions } from '../selection/import-boxes.js'
import { importObjects } from '../selection/import-objects.js'
import { importResultsFile } from '../systems/import-results.js'
import { importWordScoresFile } from '../systems/import-word-scores.js'
import { addSource, type ImportContext, uploadsOf, withOpened } from '../uploads/import-job.js'
import { removeImportedSystem } from '../uploads/requirements.js'
import { importVocabulary } from '../words/import-vocabulary.js'
import { type DroppedFile, type ImportFilesInput, inOrder, makesDataset } from './dropped-files.js'

/** What the files of a job have made. */
export interface ImportFilesReport {
  readonly datasetId: number
  /** Whether the dataset is new. */
  readonly isNewDataset: boolean
  /** The new systems, in the order of their files. */
  readonly systemIds: readonly number[]
}

type Context = JobContext<ImportFilesInput, ImportFilesReport>

/**
 * Imports files that belong together, and scores people and the new systems as people are scored. The files are imported in one
 * transaction, which also stores the result and removes the uploads: a job whose process is killed begins again, or goes on with what it
 * computes, and imports nothing twice. Where it fails or is cancelled, nothing has changed before that transaction, and what was
 * imported stays after it.
 *
 * Fails with the errors of the imports, of evaluations and of human agreement.
 */
export const importFilesJob: Handler<ImportFilesInput, ImportFilesReport> = async (context) => {
  const { database, progress } = context
  const stored = context.result as ImportFilesReport | null
  const report = stored ?? (await importAll(context, part(progress, 0, 0.5)))
  await removeUploadFiles(database)
  await measure(context, report, part(progress, 0.5, 1))
  return report
}

/** Reads what it can before the transaction, for whose end others wait that write. */
function importAll(context: Context, progress: Progress): Promise<ImportFilesReport> {
  const { input, database } = context
  const files = inOrder(input.files)
  // All are read before the first one is written, but what is shown does not go back.
  let furthest = 0
  const forward: Progress = (share, message) => {
    furthest = Math.max(furthest, share)
    progress(furthest, message)
  }
  return withOpened(context, { list: files.map(({ file }) => file) }, async ({ list }) => {
    const begin = (index: number, target: Omit<FileContext, 'progress'>) => {
      const name = nameOf(list[index])
      const importing = step(forward, index, files.length)
      const onProgress = (share: number) => importing(share, `importing ${name}`)
      onProgress(0)
      const file = { ...files[index], file: list[index] }
      return addSource(list[index], () => importFile({ ...target, progress: onProgress }, input, file))
    }
    const read: (ReadImport | undefined)[] = []
    try {
      const known = await findDataset(database, input.dataset)
      for (const index of files.keys()) {
        if (isReadBefore(files, index, known !== null))
          read[index] = await readAhead((finishWith) => begin(index, { database, finishWith }))
      }
      return await database.transaction(async (session) => {
        const existing = makesDataset(files) ? null : await findDataset(session, input.dataset)
        const systemIds: number[] = []
        for (const index of files.keys()) {
          const report = await (read[index]?.write(session) ??
            begin(index, { database: session, finishWith: (write) => write(session) }))
          if (report.isNew !== false && report.systemId !== undefined) systemIds.push(report.systemId)
        }
        await deleteUploads(session, uploadsOf(input))
        const { id: datasetId } = await requireDataset(session, input.dataset)
        const report = { datasetId, isNewDataset: !existing, systemIds }
        await context.storeResult(session, report)
        return report
      })
    } finally {
      for (const one of read) one?.abandon()
    }
  })
}

/** What reads what files of other content have written, if they are imported with it. */
const READS: Readonly<Partial<Record<ContentKind, readonly ContentKind[]>>> = {
  WORD_SCORES: ['VOCABULARY'],
  DESCRIPTIONS: ['BOXES', 'RESULTS'],
}

/** Whether what a file is about exists before other files are written. */
function isReadBefore(files: readonly DroppedFile[], index: number, isKnown: boolean): boolean {
  if (index === 0) return true
  if (!isKnown || makesDataset(files)) return false
  const read = READS[files[index].content] ?? []
  return !files.some(({ content }) => read.includes(content))
}

interface ReadImport {
  /** Writes what it has read. */
  write(session: Session): Promise<FileReport>
  /** Forgets what it has read, unless it is written. */
  abandon(): void
}

/** Runs an import until it wants to write. */
function readAhead(run: (finishWith: FileContext['finishWith']) => Promise<FileReport>): Promise<ReadImport> {
  return new Promise((resolve, reject) => {
    const report = run(
      (write) =>
        new Promise((written, failed) =>
          resolve({
            write(session) {
              write(session).then(written, failed)
              return report
            },
            abandon: () => failed(new Error('what was read is not written')),
          }),
        ),
    )
    report.catch(reject)
  })
}

/** What imports of systems report. */
interface FileReport {
  readonly systemId?: number
  /** Whether the system is new. Default: it is. */
  readonly isNew?: boolean
}

/** An import, whatever it reports. */
type FileContext = ImportContext<object, FileReport>

async function importFile(
  context: FileContext,
  { dataset, isPrivate, isReplaced }: ImportFilesInput,
  { content, file, system = '', columns, match, isPartial = false }: DroppedFile<InputFile>,
): Promise<FileReport> {
  const idOf = async () => (await requireDataset(context.database, dataset)).id
  const ofSystem = async () => ({
    datasetId: await idOf(),
    file,
    system,
    isMissingAllowed: isPartial,
    isReplaced,
  })
  switch (content) {
    case 'CAPTIONS':
      return importCaptions(context, { dataset, file, columns, isPrivate, isReplaced })
    case 'BOXES':
      return importBoxes(context, { dataset, file, isPrivate })
    case 'JUDGEMENTS':
      return importJudgements(context, { dataset, file, isPrivate, match })
    case 'OBJECTS':
      return importObjects(context, { datasetId: await idOf(), file })
    case 'VOCABULARY':
      return importVocabulary(context, { datasetId: await idOf(), file })
    case 'WORD_SCORES':
      return importWordScoresFile(context, await ofSystem())
    case 'DESCRIPTIONS':
      return importDescriptions(context, await ofSystem())
    case 'RESULTS':
      return importResultsFile(context, { ...(await ofSystem()), isExtraAllowed: isPartial, columns, match })
  }
}

/** Scores people against K − 1 others, and the new systems as people; what is scored already is left as it is. */
async function measure(
  { input: { metrics }, database, ...context }: Context,
  { datasetId, systemIds }: ImportFilesReport,
  progress: Progress,
): Promise<void> {
  const dataset = await requireDatasetById(database, datasetId)
  if (dataset.captionsPerImage === 0 || metrics?.length === 0) return
  const threads = await context.threads()
  const systems = (await findSystems(database, systemIds)).filter(({ kind }) => kind === 'CAPTIONS')
  const references = dataset.captionsPerImage - 1
  const steps = systems.length + 1
  if (references > 0) {
    const table = { references, metrics }
    const { missing } = await storedAgreement(database, threads.registry, dataset, table)
    if (missing.length > 0) {
      const plan = await planAgreement(database, threads, dataset, table)
      await computePlan(database, threads, plan, named(step(progress, 0, steps), 'scoring people'))
    }
  }
  for (const [index, system] of systems.entries()) {
    const scoring = named(step(progress, index + 1, steps), `scoring ${system.name}`)
    const evaluation = { metrics, references: references > 0 ? references : null }
    await evaluateNow(database, threads, system, evaluation, scoring).catch(ignoreWithoutImages)
  }
}

/** Progress of steps that are shown as one. */
function named(progress: Progress, message: string): Progress {
  return (share) => progress(share, message)
}

export interface UndoImportInput {
  /** Name of its dataset. */
  readonly dataset: string
  /** Its job. */
  readonly importId: number
}

/**
 * Removes the dataset that an import of files has made, or the systems that it has added to one. Fails with NOT_APPLICABLE for what
 * a challenge uses, and where nothing of it is left.
 */
export const undoImportJob: Handler<UndoImportInput, { readonly systemCount: number | null }> = ({
  input: { importId },
  finishWith,
}) =>
  finishWith(async (session) => {
    const [job] = await findJobs(session, [importId])
    const report = job?.result as ImportFilesReport | null | undefined
    if (!report) throw nothingLeft()
    if (report.isNewDataset) {
      await deleteDataset(session, report.datasetId)
      return { systemCount: null }
    }
    const systems = await findSystems(session, report.systemIds)
    if (systems.length === 0) throw nothingLeft()
    for (const system of systems) await removeImportedSystem(session, system)
    return { systemCount: systems.length }
  })

function nothingLeft(): AccordError {
  return new AccordError('NOT_APPLICABLE', 'nothing of the import is left', {
    source: 'id',
    expected: 'an import whose dataset or systems exist',
  })
}

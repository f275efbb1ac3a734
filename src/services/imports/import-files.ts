import { AccordError } from '../../errors.js'
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
import { addSource, uploadsOf, withOpened, withoutJob } from '../uploads/import-job.js'
import { removeImportedSystem, removeReplacedSystem } from '../uploads/requirements.js'
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

function importAll(context: Context, progress: Progress): Promise<ImportFilesReport> {
  const { input, database } = context
  const files = inOrder(input.files)
  return withOpened(context, { list: files.map(({ file }) => file) }, ({ list }) =>
    database.transaction(async (session) => {
      if (input.isReplaced) await removeReplaced(session, input)
      const existing = await findDataset(session, input.dataset)
      const systemIds: number[] = []
      for (const [index, file] of files.entries()) {
        const name = nameOf(list[index])
        const importing = step(progress, index, files.length)
        importing(0, `importing ${name}`)
        const report = await addSource(list[index], () =>
          importFile(session, input, { ...file, file: list[index] }, (share) =>
            importing(share, `importing ${name}`),
          ),
        )
        if (report.isNew !== false && report.systemId !== undefined) systemIds.push(report.systemId)
      }
      await deleteUploads(session, uploadsOf(input))
      const { id: datasetId } = await requireDataset(session, input.dataset)
      const report = { datasetId, isNewDataset: !existing, systemIds }
      await context.storeResult(session, report)
      return report
    }),
  )
}

/** Removes what has the names of what is imported. @throws AccordError NOT_APPLICABLE for what a challenge uses */
async function removeReplaced(session: Session, { dataset: name, files }: ImportFilesInput): Promise<void> {
  const dataset = await findDataset(session, name)
  if (!dataset) return
  if (makesDataset(files)) return deleteDataset(session, dataset.id)
  for (const { system } of files) {
    if (system !== undefined) await removeReplacedSystem(session, dataset.id, system)
  }
}

/** What imports of systems report. */
interface FileReport {
  readonly systemId?: number
  /** Whether the system is new. Default: it is. */
  readonly isNew?: boolean
}

/** Imports a file within a transaction. */
async function importFile(
  session: Session,
  { dataset, isPrivate }: ImportFilesInput,
  { content, file, system = '', columns, match, isPartial = false }: DroppedFile<InputFile>,
  progress: Progress,
): Promise<FileReport> {
  const begin = <Report>() => withoutJob<Report>(session, progress)
  const idOf = async () => (await requireDataset(session, dataset)).id
  const ofSystem = async () => ({ datasetId: await idOf(), file, system, isMissingAllowed: isPartial })
  switch (content) {
    case 'CAPTIONS':
      await importCaptions(begin(), { dataset, file, columns, isPrivate })
      return {}
    case 'BOXES':
      await importBoxes(begin(), { dataset, file, isPrivate })
      return {}
    case 'JUDGEMENTS':
      await importJudgements(begin(), { dataset, file, isPrivate, match })
      return {}
    case 'OBJECTS':
      await importObjects(begin(), { datasetId: await idOf(), file })
      return {}
    case 'VOCABULARY':
      await importVocabulary(begin(), { datasetId: await idOf(), file })
      return {}
    case 'WORD_SCORES':
      return importWordScoresFile(begin(), await ofSystem())
    case 'DESCRIPTIONS':
      return importDescriptions(begin(), await ofSystem())
    case 'RESULTS':
      return importResultsFile(begin(), { ...(await ofSystem()), isExtraAllowed: isPartial, columns, match })
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

/** An import that is undone. */
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

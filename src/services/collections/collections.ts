import { createHash } from 'node:crypto'
import * as checks from '../../core/collection/caption-checks.js'
import type { Lexicon } from '../../core/text/lemmatizer.js'
import { AccordError, quote } from '../../errors.js'
import { readLexicon } from '../../formats/english/english.js'
import { countAuditEntries, insertAuditEntry } from '../../store/accounts.js'
import * as store from '../../store/collections.js'
import { findDataset } from '../../store/datasets.js'
import type { PagedRows } from '../../store/engine/keyset.js'
import type { Session } from '../../store/engine/session.js'
import { readCaptions } from '../../store/images.js'
import type { Collection, CollectionImage, CollectionTask } from '../../store/schema/collection-tables.js'
import type { Dataset } from '../../store/schema/dataset-tables.js'
import { takesPart } from '../../store/submissions.js'
import { forbidden, OPEN_VIEWER, requireScope, requireUser, type Viewer } from '../accounts/viewer.js'
import type { Job } from '../jobs/jobs.js'
import type { Accord, Client } from '../shared/accord.js'
import { idsOf, keyedRows, ofDatabase } from '../shared/groups.js'
import type { JobInput } from '../shared/job-kinds.js'
import { startImport } from '../uploads/imports.js'
import { requireFinish } from '../uploads/requirements.js'
import type { CollectionReport } from './collection-report.js'

/**
 * Collections of captions: annotators take tasks, one at a time, and describe, skip or report their images. The instructions are
 * those of COCO Captions (Chen et al. 2015), section 2.
 */

/** What annotators are told. */
export const TASK_INSTRUCTIONS = { instructions: checks.INSTRUCTIONS, examples: checks.EXAMPLES }

/** Time after which an image that an annotator has taken may be given to another one. */
const LEASE_MS = 10 * 60_000

/** Maximum number of characters of the reason of a report, and of the id of an annotator. */
const MAX_TEXT_LENGTH = 200

/** All collections, by name. */
export const listCollections = ofDatabase(store.listCollections)

export const findCollection = ofDatabase(store.findCollection)

export const collectionsById = keyedRows(store.findCollections, ({ id }) => id)
export const collectionImagesById = keyedRows(store.findCollectionImages, ({ id }) => id)

/** How far collections are, by id. */
export const collectionCounts = keyedRows(store.readCollectionCounts, ({ id }) => id)

/**
 * Removes a collection with its captions. One that a host created can be removed by that host and by administrators.
 *
 * @returns its former id
 * @throws AccordError UNKNOWN_COLLECTION; FORBIDDEN for others, and for viewers who are not hosts
 */
export async function removeCollection({ database }: Accord, viewer: Viewer, name: string): Promise<number> {
  requireScope(viewer, 'host')
  return database.transaction(async (session) => {
    const { id, host } = await store.requireCollection(session, name)
    if (host !== null && !viewer.isAdministrator && viewer.user?.id !== host)
      throw forbidden('the host who created the collection, or an administrator')
    await store.deleteCollection(session, id)
    return id
  })
}

/** Agreement so far and what each annotator did, for hosts. @throws AccordError for other viewers */
export async function reportCollection(
  accord: Accord,
  viewer: Viewer,
  { id }: Collection,
  client: Client = {},
): Promise<CollectionReport> {
  requireScope(viewer, 'host')
  const taskCount = await store.countEndedTasks(accord.database, id)
  return accord.run('collectionReport', { collectionId: id, taskCount }, client)
}

/** A collection as its host sees it. */
export interface CollectionDescription {
  readonly collection: Collection
  readonly state: store.CollectionCounts & { readonly id: number }
  readonly report: CollectionReport
  /** Of images that annotators have reported, by image. */
  readonly reports: readonly {
    readonly image: string
    readonly annotator: string
    readonly remark: string | null
  }[]
}

/** A collection for its host. @throws AccordError UNKNOWN_COLLECTION; for viewers who are not hosts */
export async function describeCollection(
  accord: Accord,
  viewer: Viewer,
  name: string,
  client: Client = {},
): Promise<CollectionDescription> {
  const { database } = accord
  const collection = await store.requireCollection(database, name)
  const [state] = await store.readCollectionCounts(database, [collection.id])
  return {
    collection,
    state,
    report: await reportCollection(accord, viewer, collection, client),
    reports: await store.readReports(database, collection.id),
  }
}

/**
 * Starts the creation of a collection.
 *
 * @throws AccordError as `requireNewCollection` and `startImport`; for viewers who are not hosts
 */
export async function startCollection(
  accord: Accord,
  viewer: Viewer,
  input: Omit<JobInput<'importCollection'>, 'host'>,
  client: Client = {},
): Promise<Job> {
  requireScope(viewer, 'host')
  const host = viewer === OPEN_VIEWER ? undefined : requireUser(viewer).id
  return startImport(accord, 'importCollection', { ...input, host }, client)
}

/**
 * Starts the creation of a dataset of the captions of a collection.
 *
 * @throws AccordError UNKNOWN_COLLECTION; INVALID_VALUE and NAME_TAKEN for the dataset; QUEUE_FULL; for viewers who are not
 *   hosts
 */
export async function startFinish(
  accord: Accord,
  viewer: Viewer,
  input: JobInput<'finishCollection'>,
  client: Client = {},
): Promise<Job> {
  requireScope(viewer, 'host')
  await store.requireCollection(accord.database, input.collection)
  await requireFinish(accord.database, input)
  return accord.start('finishCollection', input, client)
}

/** The tasks of a collection with their captions, for hosts, in the order in which they were taken. @throws AccordError for others */
export function listTasks(
  { database }: Accord,
  viewer: Viewer,
  { id }: Collection,
  filter: store.TaskFilter,
): PagedRows<CollectionTask> {
  requireScope(viewer, 'host')
  return store.pagedTasks(database, id, filter)
}

/** Tasks, whoever may see them. */
export const tasksById = keyedRows(store.findCollectionTasks, ({ id }) => id)

/** A task with its caption, for hosts; null if there is none. @throws AccordError for other viewers */
export async function findTask(
  { database }: Accord,
  viewer: Viewer,
  id: number,
): Promise<CollectionTask | null> {
  requireScope(viewer, 'host')
  const [task] = await store.findCollectionTasks(database, [id])
  return task ?? null
}

/** The images of a collection, in order. */
export function listCollectionImages({ database }: Accord, { id }: Collection): PagedRows<CollectionImage> {
  return store.pagedCollectionImages(database, id)
}

/** The images of datasets that are described again, by the id of the image of the collection. */
export const describedImages = keyedRows(
  store.findDescribedImages,
  ({ collectionImageId }) => collectionImageId,
)

/**
 * Who annotates: the user who has signed in. On an open server it is who has the random id that a browser keeps; it is stored as
 * a hash, since whoever knows the id can continue in the name of the annotator.
 *
 * @throws AccordError UNAUTHENTICATED; FORBIDDEN for a token that only reads; INVALID_VALUE for the id on an open server
 */
export function annotatorOf(viewer: Viewer, id: string | null | undefined): string {
  requireScope(viewer, 'submit')
  if (viewer !== OPEN_VIEWER) return requireUser(viewer).id
  if (id != null && id.trim() !== '' && id.length <= MAX_TEXT_LENGTH) {
    return createHash('sha256').update(id).digest('hex').slice(0, ANONYMOUS_DIGITS)
  }
  throw new AccordError('INVALID_VALUE', 'invalid annotator', {
    source: 'annotator',
    expected: `text of at most ${MAX_TEXT_LENGTH} characters`,
    found: id == null ? 'none' : quote(id),
  })
}

/** 48 bits: two of ten thousand annotators are the same with a probability of 2 · 10^−7. */
const ANONYMOUS_DIGITS = 12

/** Who takes a task of a collection. */
export interface Annotating {
  /** Name of the collection. */
  readonly collection: string
  readonly annotator: string
}

export interface TakenTask {
  readonly collection: Collection
  /** Null if there is no image left for the annotator. */
  readonly task: CollectionTask | null
  /** Captions of the annotator in the collection. */
  readonly ownCaptionCount: number
}

/**
 * The task that an annotator works on, or the next one, which is then taken for ten minutes.
 *
 * @throws AccordError UNKNOWN_COLLECTION; FORBIDDEN and NOT_APPLICABLE as {@link submitCaption}
 */
export async function takeTask(
  { database }: Accord,
  { collection: name, annotator }: Annotating,
): Promise<TakenTask> {
  return database.transaction(async (session) => {
    const collection = await store.requireCollection(session, name)
    const { id: collectionId } = collection
    await requireImpartial(session, collection, annotator)
    return {
      collection,
      task: await store.takeTask(session, { collectionId, annotator, leaseMs: LEASE_MS }),
      ownCaptionCount: await store.countOwnCaptions(session, { collectionId, annotator }),
    }
  })
}

export interface OwnTask {
  readonly taskId: number
  readonly annotator: string
}

/** A problem of a caption, with the message for its annotator. */
export interface ExplainedProblem {
  readonly code: checks.CaptionProblem
  readonly message: string
}

/** The problems that a caption would have, but those that would tell private captions. @throws AccordError UNKNOWN_TASK */
export async function captionProblems(
  { database }: Accord,
  { taskId, annotator }: OwnTask,
  caption: string,
): Promise<readonly ExplainedProblem[]> {
  const task = await store.requireTaken(database, taskId, annotator)
  const { dataset } = await privateSubjectOf(database, task)
  return dataset ? explained(publicProblems(caption)) : problemsOf(database, task, caption)
}

/**
 * Stores the caption of a task, if nothing is wrong with it. That a caption equals one of a private dataset, or an earlier one of
 * such an image, is not said: the answer is `NOT_ACCEPTED`, which is noted in the audit log.
 *
 * @returns what is wrong; none if it was stored
 * @throws AccordError UNKNOWN_TASK if it has ended, or another annotator has taken the image after ten minutes; of images of a private
 *   dataset FORBIDDEN for those who take part in a challenge on it, and NOT_APPLICABLE after {@link MAX_NOT_ACCEPTED} such answers
 */
export async function submitCaption(
  { database }: Accord,
  own: OwnTask,
  caption: string,
): Promise<readonly ExplainedProblem[]> {
  const refused = await store.endTask<ExplainedProblem[]>(database, own, async (session, task) => {
    const { collection, dataset } = await privateSubjectOf(session, task)
    if (collection) await requireImpartial(session, collection, own.annotator)
    const refusal =
      collection && dataset
        ? await hiddenProblemsOf(session, collection, task, caption)
        : await problemsOf(session, task, caption)
    if (refusal.length > 0) return { refusal }
    const text = checks.cleanText(caption)
    return { status: 'DESCRIBED', caption: text, tokens: checks.comparedTokens(text) }
  })
  return refused ?? []
}

/** Gives a task back: the annotator never gets the image again, and another one may. @throws AccordError UNKNOWN_TASK */
export async function skipTask({ database }: Accord, own: OwnTask): Promise<void> {
  await store.endTask(database, own, async () => ({ status: 'SKIPPED' }))
}

/**
 * Gives a task back and tells the host why. An image that two annotators have reported is given to nobody.
 *
 * @throws AccordError UNKNOWN_TASK; INVALID_VALUE for the reason
 */
export async function reportTask(
  { database }: Accord,
  own: OwnTask,
  reason: string | null | undefined,
): Promise<void> {
  if (reason != null && reason.length > MAX_TEXT_LENGTH) {
    const expected = `text of at most ${MAX_TEXT_LENGTH} characters`
    throw new AccordError('INVALID_VALUE', 'invalid reason', {
      source: 'reason',
      expected,
      found: quote(reason),
    })
  }
  await store.endTask(database, own, async () => ({
    status: 'REPORTED',
    reason: checks.cleanText(reason ?? '') || null,
  }))
}

let lexicon: Lexicon | undefined

/** The problems of a caption, with the captions that it equals. */
async function problemsOf(
  session: Session,
  task: CollectionTask,
  caption: string,
): Promise<ExplainedProblem[]> {
  const isLong = caption.length > checks.MAX_CAPTION_LENGTH
  const tokens = isLong ? '' : checks.comparedTokens(caption)
  const equal = await store.findEqualCaptions(session, task, tokens)
  const isOfImage = equal.isOfImage || (!isLong && (await isOfDataset(session, task, tokens)))
  return explained(publicProblems(caption, { ...equal, isOfImage }))
}

/** The problems that a caption has by itself. @param equal what it equals. Default: nothing */
function publicProblems(
  caption: string,
  equal: checks.EarlierCaptions = { isOfImage: false, isOfAnnotator: false },
): checks.CaptionProblem[] {
  lexicon ??= readLexicon()
  return checks.checkCaption(caption, equal, lexicon)
}

const explained = (problems: readonly checks.CaptionProblem[]): ExplainedProblem[] =>
  problems.map((code) => ({ code, message: checks.CAPTION_PROBLEMS[code] }))

/** Captions of an annotator in a collection that are not accepted before the annotator is refused. */
const MAX_NOT_ACCEPTED = 5

const NOT_ACCEPTED = 'captionNotAccepted'

/** The problems of a caption of an image of a private dataset: which other captions it equals is not said. */
async function hiddenProblemsOf(
  session: Session,
  { name: subject }: Collection,
  task: CollectionTask,
  caption: string,
): Promise<ExplainedProblem[]> {
  const visible = explained(publicProblems(caption))
  if (visible.length > 0 || (await problemsOf(session, task, caption)).length === 0) return visible
  const detail = { image: task.imageId, caption }
  await insertAuditEntry(session, { actor: task.annotator, action: NOT_ACCEPTED, subject, detail })
  return explained(['NOT_ACCEPTED'])
}

/** The collection of a task, and the private dataset that it describes again; null if there is none. */
async function privateSubjectOf(session: Session, { collectionId }: CollectionTask) {
  const [collection] = await store.findCollections(session, [collectionId])
  return { collection, dataset: collection ? await privateDatasetOf(session, collection) : null }
}

async function privateDatasetOf(
  session: Session,
  { name, isExtension }: Collection,
): Promise<Dataset | null> {
  const dataset = isExtension ? await findDataset(session, name) : null
  return dataset?.isPrivate ? dataset : null
}

/**
 * Requires that an annotator does not learn captions of a private dataset.
 *
 * @throws AccordError FORBIDDEN; NOT_APPLICABLE after too many captions that were not accepted
 */
async function requireImpartial(session: Session, collection: Collection, annotator: string): Promise<void> {
  const dataset = await privateDatasetOf(session, collection)
  if (!dataset) return
  if (await takesPart(session, dataset.id, annotator)) {
    throw new AccordError('FORBIDDEN', 'who takes part in a challenge does not describe its images', {
      source: 'collection',
      found: quote(collection.name),
    })
  }
  const entry = { actor: annotator, action: NOT_ACCEPTED, subject: collection.name }
  if ((await countAuditEntries(session, entry)) < MAX_NOT_ACCEPTED) return
  throw new AccordError('NOT_APPLICABLE', 'too many captions could not be accepted; ask the hosts', {
    source: 'collection',
    expected: `fewer than ${MAX_NOT_ACCEPTED}`,
  })
}

/** Whether the dataset has a caption of the image with these tokens. */
async function isOfDataset(session: Session, { imageId }: CollectionTask, tokens: string): Promise<boolean> {
  const images = await store.findDescribedImages(session, [imageId])
  const captions = await readCaptions(session, idsOf(images))
  return captions.some(({ text }) => checks.comparedTokens(text) === tokens)
}

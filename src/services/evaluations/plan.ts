import { constants, deflateRawSync, inflateRawSync } from 'node:zlib'
import { computeDocumentFrequencies, measureTrials } from '../../compute/measuring.js'
import type { Threads } from '../../compute/pool.js'
import {
  createTableMerger,
  decodeTables,
  encodeTables,
  type FrequencyTables,
} from '../../core/metrics/frequency-tables.js'
import type { HashedFrequencies } from '../../core/metrics/hashed-frequencies.js'
import type { MetricFamily, Trial } from '../../core/metrics/metric.js'
import type { ReferenceLists } from '../../core/metrics/reference-lists.js'
import type { Corpus } from '../../core/text/sequences.js'
import { type Progress, part, step } from '../../progress.js'
import type { JobContext, RECORDED } from '../../queue/kind.js'
import type { ImageRange } from '../../store/caption-search.js'
import { toBlob, toFloat64Array, toInt32Array } from '../../store/engine/blobs.js'
import type { Database, Session } from '../../store/engine/session.js'
import { type CaptionedImages, splitImages } from '../../store/image-ranges.js'
import { findShardKinds } from '../../store/jobs.js'
import { deleteShards, findShardPositions, readShard, saveShard } from '../../store/shards.js'

/**
 * How an evaluation or a human agreement table is computed, in parts on ranges of images:
 *
 * 1. {@link countPart} of every range of `documents`, if there are any; the tables are merged.
 * 2. {@link measurePart} of every range of `measured`; the parts are joined.
 * 3. `finish`.
 *
 * {@link computePlan} does all this in one process. Results are identical to the last bit for any division into ranges,
 * and wherever the parts are computed.
 */
export interface Plan<Result> {
  readonly families: readonly MetricFamily[]
  readonly measured: Source<Trial>
  /** Where document frequencies are counted, one table for each trial; null if no family needs them. */
  readonly documents: Source<ReferenceLists> | null
  /** Document frequencies that are not counted, for all trials. */
  readonly fixed?: HashedFrequencies
  /**
   * Computes and stores scores and intervals.
   *
   * @param documentFrequencies those of the first trial. Default: those of its references
   */
  finish(
    measured: Measured,
    documentFrequencies: Trial['documentFrequencies'],
    progress: Progress,
  ): Promise<Result>
}

/** Images whose captions are read in ranges. */
export interface Source<List extends ReferenceLists> {
  readonly images: CaptionedImages
  /** At least 1. */
  readonly imageCount: number
  read(range: ImageRange): Promise<Material<List>>
}

/** The captions of a range of images, and which are compared with which. */
export interface Material<List extends ReferenceLists = Trial> {
  readonly corpus: Corpus
  readonly trials: readonly List[]
  /** Images of the trials, ascending. */
  readonly imageIds: Int32Array
}

/** Statistics of images. */
interface Measured {
  /** Ascending. */
  readonly imageIds: Int32Array
  /** Per image, its number of references. */
  readonly referenceCounts: Int32Array
  /** For each family and trial, the rows of all images. */
  readonly statistics: readonly (readonly Float64Array[])[]
}

/** Ranges of nearly equal size. */
export function divide(
  session: Session,
  { images, imageCount }: Source<ReferenceLists>,
  { parts, imagesPerPart }: Division,
): Promise<ImageRange[]> {
  const count = Math.max(parts, Math.ceil(imageCount / imagesPerPart))
  return splitImages(session, images, Math.ceil(imageCount / count))
}

/** Document frequencies of a range of images, which contain all n-grams; one table per trial. */
async function countPart(
  threads: Threads,
  documents: Source<ReferenceLists>,
  range: ImageRange,
): Promise<FrequencyTables> {
  const { corpus, trials } = await documents.read(range)
  return computeDocumentFrequencies(threads, corpus, trials, { partial: true })
}

/**
 * Measures a range of images.
 *
 * @param tables document frequencies of all images, one table per trial; none if no family needs them, or if there is
 *   one range, in whose references they are counted
 */
export async function measurePart(
  threads: Threads,
  { families, measured, fixed }: Plan<unknown>,
  range: ImageRange,
  tables: FrequencyTables,
  progress: Progress,
): Promise<Measured> {
  progress(0, 'reading captions')
  const { corpus, trials, imageIds } = await measured.read(range)
  const complete = trials.map((trial, index) => ({
    ...trial,
    documentFrequencies: fixed ?? tables.at(index),
  }))
  const { statistics } = await measureTrials(threads, corpus, complete, families, part(progress, 0.1, 1))
  const [{ referenceOffsets }] = trials
  return {
    imageIds,
    referenceCounts: referenceOffsets.subarray(1).map((end, image) => end - referenceOffsets[image]),
    statistics,
  }
}

/** Concatenates parts, whose images are in ascending order. */
function joinMeasured(parts: readonly Measured[]): Measured {
  const [{ statistics }] = parts
  return {
    imageIds: joinArrays(parts.map(({ imageIds }) => imageIds)),
    referenceCounts: joinArrays(parts.map(({ referenceCounts }) => referenceCounts)),
    statistics: statistics.map((trials, family) =>
      trials.map((_, trial) => joinArrays(parts.map(({ statistics }) => statistics[family][trial]))),
    ),
  }
}

export function joinArrays<Numbers extends Int32Array | Float64Array>(arrays: readonly Numbers[]): Numbers {
  if (arrays.length === 1) return arrays[0]
  const length = arrays.reduce((sum, array) => sum + array.length, 0)
  const joined = new (arrays[0].constructor as new (length: number) => Numbers)(length)
  let start = 0
  for (const array of arrays) {
    joined.set(array, start)
    start += array.length
  }
  return joined
}

/** Computes a plan in this process. @throws AccordError as the plan; errors of `progress` */
export async function computePlan<Result>(
  session: Session,
  threads: Threads,
  plan: Plan<Result>,
  progress: Progress,
  division: Division = IN_PROCESS,
): Promise<Result> {
  progress(0, 'reading captions')
  threads.start()
  const ranges = await divide(session, plan.measured, division)
  const countsItself = ranges.length === 1 && plan.documents === plan.measured
  const { documents } = plan
  const tables =
    countsItself || documents === null
      ? []
      : await countAll(session, threads, documents, division, part(progress, 0.02, 0.2))
  const parts: Measured[] = []
  for (const [index, range] of ranges.entries()) {
    const measuring = step(part(progress, 0.2, 0.9), index, ranges.length)
    parts.push(await measurePart(threads, plan, range, tables, measuring))
  }
  return plan.finish(joinMeasured(parts), plan.fixed ?? tables.at(0), part(progress, 0.9, 1))
}

/** Document frequencies of all images, one table per trial. */
export async function countAll(
  session: Session,
  threads: Threads,
  documents: Source<ReferenceLists>,
  division: Division,
  progress: Progress,
): Promise<FrequencyTables> {
  const merger = createTableMerger()
  const ranges = await divide(session, documents, division)
  for (const [index, range] of ranges.entries()) {
    progress(index / ranges.length, 'counting n-grams')
    merger.add(await countPart(threads, documents, range))
  }
  return merger.merged()
}

/** How a plan is divided into parts. */
interface Division {
  /** Minimum number of parts, if there are as many images. */
  readonly parts: number
  /** Maximum number of images of a part: bounds the memory of its computation. */
  readonly imagesPerPart: number
}

/** In one process, parts only bound the memory. */
export const IN_PROCESS: Division = { parts: 1, imagesPerPart: 32_768 }

/** When and how a plan is divided into parts for several workers. */
export interface Sharding extends Division {
  /** Plans with more images are divided. */
  readonly maxUndividedImages: number
}

/**
 * Enough parts for several workers, so that all end at nearly the same time and little is lost with one of them; but each
 * takes some hundred milliseconds or more.
 */
const SHARDING: Sharding = { maxUndividedImages: 50_000, parts: 12, imagesPerPart: 32_768 }

/**
 * A plan whose parts are shards, jobs of their own, which any worker of the database executes. The job itself runs three
 * times, between which it waits without a worker:
 *
 * 1. it adds a shard `countDocuments` for each range of images whose captions document frequencies are counted in;
 * 2. it merges their tables, and adds a shard `measureImages` for each range of images that are measured;
 * 3. it joins what they measured and finishes the plan.
 *
 * Without document frequencies the first step is left out. The output of a shard is stored under the job, the kind of the
 * shard and its position; a shard that is executed twice replaces its own.
 */

/** A part of the plan of the job `jobId`. */
export interface ShardInput {
  readonly jobId: number
  readonly position: number
  readonly range: ImageRange
}

/** Where the merged document frequencies are stored. */
const TABLES = 'tables'

/** Progress of the job when each step begins. */
const COUNTING = 0.02
const MEASURING = 0.2
const FINISHING = 0.9

/**
 * Computes the plan of a job in this process, or continues with its shards at the step that the job has reached.
 *
 * @returns its result after the last step
 */
export async function executePlan<Result>(
  context: JobContext<unknown, unknown>,
  plan: Plan<Result>,
  { maxUndividedImages, ...division }: Sharding = SHARDING,
): Promise<Result | typeof RECORDED> {
  const { id, database, progress } = context
  if (context.isLocal || plan.measured.imageCount <= maxUndividedImages)
    return computePlan(database, await context.threads(), plan, progress)
  const shardsOf = async (source: Plan<Result>['measured' | 'documents'] & object) => {
    const ranges = await divide(database, source, division)
    return ranges.map((range, position): ShardInput => ({ jobId: id, position, range }))
  }
  const kinds = await findShardKinds(database, id)
  if (kinds.includes('measureImages')) return finish(context, plan)
  if (plan.documents !== null && !kinds.includes('countDocuments')) {
    progress(COUNTING, 'counting n-grams')
    return context.waitForShards('countDocuments', await shardsOf(plan.documents))
  }
  const tables = plan.documents === null ? null : await mergeTables(context)
  progress(MEASURING, 'measuring')
  return context.waitForShards('measureImages', await shardsOf(plan.measured), async (session) => {
    if (tables === null) return
    await saveShard(session, { jobId: id, step: TABLES, position: 0, content: toBlob(encodeTables(tables)) })
    await deleteShards(session, id, 'countDocuments')
  })
}

type ShardContext = JobContext<ShardInput, null>

/** Executes a shard that counts document frequencies. */
export async function countShard(
  { input, threads, progress, finishShard }: ShardContext,
  { documents }: Plan<unknown>,
): Promise<typeof RECORDED> {
  if (documents === null) throw new Error(`Job ${input.jobId} counts no documents.`)
  progress(0, 'counting n-grams')
  const tables = await countPart(await threads(), documents, input.range)
  progress(0.9, 'writing')
  return finishShard(toBlob(encodeTables(tables)), between(COUNTING, MEASURING))
}

/** Executes a shard that measures images. @param tables document frequencies, see {@link readTables} */
export async function measureShard(
  { input, threads, progress, finishShard }: ShardContext,
  plan: Plan<unknown>,
  tables: FrequencyTables,
): Promise<typeof RECORDED> {
  const measured = await measurePart(await threads(), plan, input.range, tables, part(progress, 0, 0.9))
  progress(0.9, 'writing')
  return finishShard(encodeMeasured(measured), between(MEASURING, FINISHING))
}

function between(start: number, end: number): (share: number) => number {
  return (share) => start + share * (end - start)
}

/** The merged document frequencies of a job, one table per trial; none if no family needs them. */
export async function readTables(database: Database, jobId: number): Promise<FrequencyTables> {
  const [position] = await findShardPositions(database, jobId, TABLES)
  return position === undefined ? [] : decodeTables(await readShard(database, jobId, TABLES, position))
}

type StepContext = Pick<JobContext<unknown, unknown>, 'id' | 'database' | 'progress'>

async function mergeTables({ id, database, progress }: StepContext): Promise<FrequencyTables> {
  const merger = createTableMerger()
  for (const position of await findShardPositions(database, id, 'countDocuments')) {
    progress(MEASURING, 'merging n-grams')
    merger.add(decodeTables(await readShard(database, id, 'countDocuments', position)))
  }
  return merger.merged()
}

async function finish<Result>({ id, database, progress }: StepContext, plan: Plan<Result>): Promise<Result> {
  const parts: Measured[] = []
  for (const position of await findShardPositions(database, id, 'measureImages')) {
    progress(FINISHING, 'reading statistics')
    const bytes = await readShard(database, id, 'measureImages', position)
    parts.push(decodeMeasured(bytes, plan))
  }
  const tables = await readTables(database, id)
  return plan.finish(joinMeasured(parts), plan.fixed ?? tables.at(0), part(progress, FINISHING, 1))
}

/** Number of images, their ids and numbers of references as int32, and the rows of each family and trial; compressed. */
function encodeMeasured({ imageIds, referenceCounts, statistics }: Measured): Buffer {
  const header = Int32Array.of(imageIds.length, statistics[0].length)
  const content = Buffer.concat([header, imageIds, referenceCounts, ...statistics.flat()].map(toBlob))
  return deflateRawSync(content, { level: constants.Z_BEST_SPEED })
}

function decodeMeasured(bytes: Buffer, { families }: Plan<unknown>): Measured {
  const content = inflateRawSync(bytes)
  let end = 0
  const next = (length: number) => {
    end += length
    return content.subarray(end - length, end)
  }
  const [imageCount, trialCount] = toInt32Array(next(8))
  return {
    imageIds: toInt32Array(next(4 * imageCount)),
    referenceCounts: toInt32Array(next(4 * imageCount)),
    statistics: families.map(({ width }) =>
      Array.from({ length: trialCount }, () => toFloat64Array(next(8 * width * imageCount))),
    ),
  }
}

import { constants, deflateRawSync, inflateRawSync } from 'node:zlib'
import {
  createTableMerger,
  decodeTables,
  encodeTables,
  type FrequencyTables,
} from '../../core/metrics/frequency-tables.js'
import { part } from '../../progress.js'
import type { JobContext, RECORDED } from '../../queue/kind.js'
import type { ImageRange } from '../../store/caption-search.js'
import { toBlob, toFloat64Array, toInt32Array } from '../../store/engine/blobs.js'
import type { Database } from '../../store/engine/session.js'
import { findShardKinds } from '../../store/jobs.js'
import { deleteShards, findShardPositions, readShard, saveShard } from '../../store/shards.js'
import type { Sharding } from './division.js'
import {
  computePlan,
  countPart,
  divide,
  joinMeasured,
  type Measured,
  measurePart,
  type Plan,
} from './plan.js'

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
  { maxUndividedImages, ...division }: Sharding,
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

/**
 * Executes a shard that measures images.
 *
 * @param tables document frequencies, see {@link readTables}
 */
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

import {
  createTableMerger,
  type DocumentFrequencies,
  decodeDocumentFrequencies,
  encodeDocumentFrequencies,
} from '../../core/metrics/document-frequencies.js'
import { part } from '../../progress.js'
import type { JobContext, RECORDED } from '../../queue/kind.js'
import type { ImageRange } from '../../store/caption-search.js'
import { toBlob, toFloat64Array } from '../../store/engine/blobs.js'
import type { Database, Session } from '../../store/engine/session.js'
import { findShardKinds } from '../../store/jobs.js'
import { deleteShards, findShardPositions, readShard, saveShard } from '../../store/shards.js'
import { joinArrays, type SplitComputation } from './split-computation.js'

/**
 * Computations that are divided into shards, jobs of their own, which any worker of the database executes. The job
 * itself runs three times, between which it waits without a worker:
 *
 * 1. it adds a shard `countDocuments` for each range of images whose captions document frequencies are counted in;
 * 2. it merges their tables, and adds a shard `measureImages` for each range of images that are measured;
 * 3. it joins their rows of statistics and finishes the computation.
 *
 * Without document frequencies the first step is left out. A shard that is executed twice replaces its own output.
 */

/** Where what shards compute is stored: under the job and a step, for each part. */
const STEPS = {
  /** Partial document frequencies of a trial, by range. */
  documents: (trial: number) => `documents ${trial}`,
  /** Document frequencies of a trial, merged, in pieces. */
  tables: (trial: number) => `tables ${trial}`,
  /** Rows of statistics of a family and a trial, by range. */
  rows: (family: number, trial: number) => `rows ${family} ${trial}`,
}

/** Progress of the job when each step begins. */
const COUNTING = 0.02
const MEASURING = 0.25
const FINISHING = 0.8

/** Databases limit the size of a value, and programs that of a message. */
const MAX_PIECE_BYTES = 32 << 20

/** A part of the computation of the job `jobId`. */
export interface ShardInput {
  readonly jobId: number
  readonly position: number
  readonly range: ImageRange
}

type SharedContext = Pick<JobContext<never, never>, 'id' | 'database' | 'progress'>

/** Continues a divided computation at the step that its job has reached. @returns its result after the last step */
export async function continueSharded<Result>(
  context: Pick<JobContext<never, never>, 'id' | 'database' | 'progress' | 'waitForShards'>,
  computation: SplitComputation<Result>,
  imagesPerShard: number,
): Promise<Result | typeof RECORDED> {
  const kinds = await findShardKinds(context.database, context.id)
  if (kinds.includes('measureImages')) {
    return finish(context, computation)
  }
  if (!kinds.includes('countDocuments')) {
    context.progress(COUNTING, 'counting n-grams')
    const ranges = await computation.documentRanges(imagesPerShard)
    if (ranges.length > 0) return context.waitForShards('countDocuments', toShards(context, ranges))
  }
  const ranges = await computation.imageRanges(imagesPerShard)
  const tables = await mergeTables(context)
  context.progress(MEASURING, 'measuring')
  return context.waitForShards('measureImages', toShards(context, ranges), async (session) => {
    for (const [trial, table] of tables.entries()) {
      await saveTable(session, context.id, trial, table)
      await deleteShards(session, context.id, STEPS.documents(trial))
    }
  })
}

function toShards({ id }: SharedContext, ranges: readonly ImageRange[]): ShardInput[] {
  return ranges.map((range, position) => ({ jobId: id, position, range }))
}

/** Executes a shard that counts document frequencies. */
export async function countShard(
  context: JobContext<ShardInput, null>,
  computation: SplitComputation<unknown>,
): Promise<typeof RECORDED> {
  context.progress(0, 'counting n-grams')
  const tables = await computation.countDocuments(context.input.range)
  context.progress(0.9, 'writing')
  return context.finishShard(
    tables.map((table, trial) => ({
      step: STEPS.documents(trial),
      content: toBlob(encodeDocumentFrequencies(table)),
    })),
    between(COUNTING, MEASURING),
  )
}

/** Executes a shard that measures images. */
export async function measureShardImages(
  context: JobContext<ShardInput, null>,
  computation: SplitComputation<unknown>,
): Promise<typeof RECORDED> {
  context.progress(0, 'reading document frequencies')
  const tables = await readTablesOnce(context.database, context.input.jobId)
  const families = await computation.measure(context.input.range, tables, part(context.progress, 0.1, 0.9))
  return context.finishShard(
    families.flatMap((trials, family) =>
      trials.map((rows, trial) => ({ step: STEPS.rows(family, trial), content: toBlob(rows) })),
    ),
    between(MEASURING, FINISHING),
  )
}

function between(start: number, end: number): (share: number) => number {
  return (share) => start + share * (end - start)
}

async function finish<Result>(
  { id, database, progress }: SharedContext,
  computation: SplitComputation<Result>,
): Promise<Result> {
  progress(FINISHING, 'reading statistics')
  const tables = await readTablesOnce(database, id)
  const families: Float64Array[][] = []
  for (const family of computation.families.keys()) {
    families.push(
      await collectTrials(
        database,
        id,
        (trial) => STEPS.rows(family, trial),
        async (positions, step) => {
          const parts: Float64Array[] = []
          for (const position of positions)
            parts.push(toFloat64Array(await readShard(database, id, step, position)))
          return joinArrays(parts)
        },
      ),
    )
  }
  return computation.finish(families, tables, part(progress, FINISHING, 1))
}

/** The merged tables of all trials; of the partial ones, one is in memory at a time. */
function mergeTables({ id, database, progress }: SharedContext): Promise<DocumentFrequencies[]> {
  return collectTrials(database, id, STEPS.documents, async (positions, step) => {
    const merger = createTableMerger()
    for (const position of positions) {
      progress(MEASURING, 'merging n-grams')
      merger.add(decodeDocumentFrequencies(await readShard(database, id, step, position)))
    }
    return merger.merged()
  })
}

async function saveTable(
  session: Session,
  jobId: number,
  trial: number,
  table: DocumentFrequencies,
): Promise<void> {
  const bytes = toBlob(encodeDocumentFrequencies(table))
  for (let start = 0; start < bytes.length; start += MAX_PIECE_BYTES) {
    await saveShard(session, {
      jobId,
      step: STEPS.tables(trial),
      position: start / MAX_PIECE_BYTES,
      content: bytes.subarray(start, start + MAX_PIECE_BYTES),
    })
  }
}

interface CachedTables {
  readonly jobId: number
  readonly tables: DocumentFrequencies[]
}

const cachedTables = new WeakMap<Database, CachedTables>()

/** The tables of all trials. Those of the last job are cached: a worker mostly executes shards of one job in a row. */
async function readTablesOnce(database: Database, jobId: number): Promise<DocumentFrequencies[]> {
  const cached = cachedTables.get(database)
  if (cached?.jobId === jobId) return cached.tables
  const tables = await collectTrials(database, jobId, STEPS.tables, async (positions, step) => {
    const pieces: Buffer[] = []
    for (const position of positions) pieces.push(await readShard(database, jobId, step, position))
    return decodeDocumentFrequencies(Buffer.concat(pieces))
  })
  cachedTables.set(database, { jobId, tables })
  return tables
}

/** What is read of each trial, as long as something is stored of it. */
async function collectTrials<Value>(
  database: Database,
  jobId: number,
  stepOf: (trial: number) => string,
  read: (positions: readonly number[], step: string) => Promise<Value>,
): Promise<Value[]> {
  const values: Value[] = []
  for (;;) {
    const step = stepOf(values.length)
    const positions = await findShardPositions(database, jobId, step)
    if (positions.length === 0) return values
    values.push(await read(positions, step))
  }
}

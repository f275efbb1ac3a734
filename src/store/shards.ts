import type { Row } from './engine/columns.js'
import { find } from './engine/rows.js'
import type { Session } from './engine/session.js'
import { sql } from './engine/sql.js'
import { ShardEntity } from './schema/job-tables.js'

/** Stores the output of a shard, replacing that of an earlier attempt. */
export async function saveShard(
  session: Session,
  { jobId, step, position, content }: Row<typeof ShardEntity>,
): Promise<void> {
  await session.run(sql`
    INSERT INTO shard (job_id, step, position, content) VALUES (${jobId}, ${step}, ${position}, ${content})
    ON CONFLICT (job_id, step, position) DO UPDATE SET content = excluded.content`)
}

/** The stored positions of a step, ascending. */
export async function findShardPositions(session: Session, jobId: number, step: string): Promise<number[]> {
  const rows = await session.all<{ position: number }>(
    sql`SELECT position FROM shard WHERE job_id = ${jobId} AND step = ${step} ORDER BY position`,
  )
  return rows.map(({ position }) => position)
}

/** @throws Error if it is not stored */
export async function readShard(
  session: Session,
  jobId: number,
  step: string,
  position: number,
): Promise<Buffer> {
  const [shard] = await find(
    session,
    ShardEntity,
    sql`WHERE job_id = ${jobId} AND step = ${step} AND position = ${position}`,
    ['content'],
  )
  if (shard === undefined) throw new Error(`Job ${jobId} has no shard ${position} of ${step}.`)
  return shard.content
}

export async function deleteShards(session: Session, jobId: number, step: string): Promise<void> {
  await session.run(sql`DELETE FROM shard WHERE job_id = ${jobId} AND step = ${step}`)
}

/** Steps of what a job has made: rows of these tables are removed with a job that does not end well. */
const MADE = 'made'
const MADE_DATASET = 'made dataset'
const MADE_SYSTEM = 'made system'

/** Ids of what a job has made. */
interface Made {
  readonly datasetIds?: readonly number[]
  readonly systemIds?: readonly number[]
}

/** Stores what a job has made so far, with a report of it, in the transaction that makes it. */
export async function recordMade(
  session: Session,
  jobId: number,
  report: object,
  { datasetIds = [], systemIds = [] }: Made,
): Promise<void> {
  const content = Buffer.from(JSON.stringify(report))
  await saveShard(session, { jobId, step: MADE, position: 0, content })
  const empty = Buffer.alloc(0)
  for (const position of datasetIds)
    await saveShard(session, { jobId, step: MADE_DATASET, position, content: empty })
  for (const position of systemIds)
    await saveShard(session, { jobId, step: MADE_SYSTEM, position, content: empty })
}

/** The report of what a job has made; null for nothing. */
export async function readMade<Report>(session: Session, jobId: number): Promise<Report | null> {
  const [position] = await findShardPositions(session, jobId, MADE)
  if (position === undefined) return null
  return JSON.parse((await readShard(session, jobId, MADE, position)).toString()) as Report
}

/** Removes what a job has made, except a dataset that a challenge uses. */
export async function removeMade(session: Session, jobId: number): Promise<void> {
  const made = (step: string) => sql`SELECT position FROM shard WHERE job_id = ${jobId} AND step = ${step}`
  await session.run(sql`DELETE FROM system WHERE id IN (${made(MADE_SYSTEM)})`)
  await session.run(sql`
    DELETE FROM dataset WHERE id IN (${made(MADE_DATASET)})
                          AND id NOT IN (SELECT dataset_id FROM phase)`)
}

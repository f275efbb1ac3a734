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

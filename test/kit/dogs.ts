import { setTimeout as sleep } from 'node:timers/promises'
import type { Viewer } from '../../src/services/accounts/viewer.js'
import type { PhaseInput } from '../../src/services/challenges/resolve-phase.js'
import { startWorkers } from '../../src/services/workers/workers.js'
import type { Database } from '../../src/store/engine/session.js'
import { sql } from '../../src/store/engine/sql.js'
import { cocoResults } from './coco.js'

/** A challenge on pictures of dogs: its images, results files, phase and teams. */

/** Three captions of each image, from 1. */
export const dogImages = (count: number): Record<string, string[]> =>
  Object.fromEntries(
    Array.from({ length: count }, (_, image) => [
      `${image + 1}`,
      [`a dog runs in park ${image}`, `the dog is in the park ${image}`, `one brown dog near tree ${image}`],
    ]),
  )

/** A results file. @param text of an image, from 0 */
export const dogResults = (count: number, text: (image: number) => string) =>
  cocoResults(Object.fromEntries(Array.from({ length: count }, (_, image) => [`${image + 1}`, text(image)])))

export const DOG_PHASE: PhaseInput = {
  name: 'main',
  dataset: 'dogs',
  opensAt: '2020-01-01T00:00:00Z',
  closesAt: '2120-01-01T00:00:00Z',
  metrics: ['BLEU-1', 'ROUGE-L'],
  rankedBy: 'BLEU-1',
  decimals: 2,
}

/** A member of one team, whose name is its id in capitals. */
export const memberOf = (team: string, user = { id: team, name: team }): Viewer => ({
  user,
  isAdministrator: false,
  scopes: new Set(['read', 'submit']),
  teams: [{ id: team, name: team.toUpperCase() }],
})

/** Executes all jobs of a database. */
export async function endJobs(database: Database, location: string): Promise<void> {
  const workers = await startWorkers({ location, count: 1 })
  try {
    const open = sql`SELECT 1 AS found FROM job WHERE status IN ('QUEUED', 'RUNNING') LIMIT 1`
    while ((await database.all(open)).length > 0) await sleep(20)
  } finally {
    await workers.close()
  }
}

import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { readResults } from '../src/formats/captions/caption-files.js'
import { OPEN_VIEWER, type Viewer } from '../src/services/accounts/viewer.js'
import { createChallenge } from '../src/services/challenges/challenges.js'
import { submit } from '../src/services/challenges/submit.js'
import { requireDataset } from '../src/services/datasets/datasets.js'
import { openAccord } from '../src/services/open-accord.js'
import { evaluateSystem } from '../src/services/scoring/evaluate.js'
import type { Accord } from '../src/services/shared/accord.js'
import { importResults } from '../src/services/systems/import-results.js'
import { withoutJob } from '../src/services/uploads/import-job.js'
import { alone, storeUpload } from '../src/services/uploads/uploads.js'
import { startWorkers } from '../src/services/workers/workers.js'
import { sql } from '../src/store/engine/sql.js'
import { type Figure, note, runAccord, sized } from './measure.js'

const TEAMS = sized(50, 2)
const METRICS = ['CIDEr-D', 'ROUGE-L', 'BLEU-4']

/** Evaluations one after the other whose time is compared. */
const ALONE = sized(10, 1)

/**
 * Submissions of 50 teams, each of 5,000 captions, beside imports and evaluations of the same captions one after the other in
 * one process with all cores. The submissions are checked, stored and evaluated by workers of the same cores.
 *
 * @param data folder with COCO val2017
 * @param submissionCount of all teams together
 */
export async function benchChallenge(
  data: string,
  folder: string,
  submissionCount: number,
): Promise<Figure[]> {
  note(`${submissionCount} submissions of 5,000 captions`)
  const location = join(folder, 'challenge.sqlite')
  await runAccord(
    'import',
    'captions',
    join(data, 'captions_val2017.json'),
    '--dataset',
    'bench',
    '--database',
    location,
  )
  const results = join(data, 'captions_val2017_wu-2016_results.json')
  const accord = await openAccord({ location, mustExist: true })
  try {
    const alone = await evaluateAlone(accord, results)
    const limits = { perDay: Math.ceil(submissionCount / TEAMS) }
    const phase = {
      name: 'main',
      dataset: 'bench',
      closesAt: '2120-01-01T00:00:00Z',
      metrics: METRICS,
      references: 5,
      limits,
    }
    await createChallenge(accord, OPEN_VIEWER, { name: 'bench', phases: [phase] })
    const together = await submitTogether(accord, location, results, submissionCount)
    return [
      { what: 'evaluations one after the other', measured: `${(1 / alone).toFixed(2)} a second`, asked: '' },
      {
        what: `${submissionCount} submissions of ${TEAMS} teams`,
        measured: `${(1 / together).toFixed(2)} a second`,
        asked: `${(0.9 / alone).toFixed(2)} a second`,
      },
      {
        what: 'throughput of submissions by that of evaluations',
        measured: (alone / together).toFixed(2),
        asked: '0.90',
      },
    ]
  } finally {
    await accord.close()
  }
}

/** Seconds per system that is imported and evaluated. */
async function evaluateAlone(accord: Accord, results: string): Promise<number> {
  const dataset = await requireDataset(accord, 'bench')
  const evaluate = async (system: string) => {
    const captions = { source: results, captions: readResults(results), system, isMissingAllowed: false }
    await importResults(
      withoutJob(accord.database, () => {}),
      dataset,
      captions,
    )
    await evaluateSystem(accord, { dataset: 'bench', system, metrics: METRICS })
  }
  await evaluate('warm')
  const start = performance.now()
  for (let index = 0; index < ALONE; index++) await evaluate(`alone ${index}`)
  return (performance.now() - start) / 1000 / ALONE
}

/** Seconds per submission, from the first one to the end of the last one. */
async function submitTogether(
  accord: Accord,
  location: string,
  results: string,
  submissionCount: number,
): Promise<number> {
  const content = readFileSync(results)
  const workers = await startWorkers({ location, count: availableParallelism() })
  const server = await openAccord({ location, mustExist: true, hasWorkers: true })
  try {
    const start = performance.now()
    const teams = Array.from({ length: TEAMS }, (_, team) => team)
    await Promise.all(
      teams.map(async (team) => {
        for (let index = team; index < submissionCount; index += TEAMS)
          await send(server, `team ${team}`, content)
      }),
    )
    const open = sql`SELECT 1 AS found FROM job WHERE status IN ('QUEUED', 'RUNNING') LIMIT 1`
    while ((await accord.database.all(open)).length > 0) await sleep(100)
    const seconds = (performance.now() - start) / 1000
    const [{ done }] = await accord.database.all<{ done: number }>(
      sql`SELECT COUNT(*) AS done FROM job WHERE kind = 'submission' AND status = 'DONE'`,
    )
    if (done !== submissionCount) throw new Error(`expected ${submissionCount} submissions, found ${done}`)
    return seconds / submissionCount
  } finally {
    await server.close()
    await workers.close()
  }
}

async function send(accord: Accord, team: string, content: Buffer): Promise<void> {
  // Each team is that of another user: one user takes part with one team.
  const viewer: Viewer = { ...OPEN_VIEWER, user: { id: team, name: team }, teams: [{ id: team, name: team }] }
  const { signal } = new AbortController()
  const file = {
    owner: team,
    name: 'results.json',
    announcedBytes: content.length,
    limits: alone(1e9),
    signal,
  }
  const { id: upload } = await storeUpload(accord, file, Readable.from([content]))
  await submit(accord, viewer, { challenge: 'bench', upload }, { owner: team })
}

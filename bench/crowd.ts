import { OPEN_VIEWER } from '../src/services/accounts/viewer.js'
import { createChallenge } from '../src/services/challenges/challenges.js'
import { requireDataset } from '../src/services/datasets/datasets.js'
import type { Accord } from '../src/services/shared/accord.js'
import { findPhasesOfChallenges } from '../src/store/challenges.js'
import { find } from '../src/store/engine/rows.js'
import { sql } from '../src/store/engine/sql.js'
import { insertAnswer } from '../src/store/jobs.js'
import { withRecords } from '../src/store/provenance-records.js'
import { SystemCaptionEntity, SystemWordEntity } from '../src/store/schema/system-tables.js'
import {
  type NewMeasurement,
  readImageScores,
  readScores,
  readStatistics,
  saveScores,
} from '../src/store/scores.js'
import { finishImport, insertSubmission, setSubmissionJob } from '../src/store/submissions.js'
import {
  findSystem,
  finishSystem,
  insertSystem,
  insertSystemCaptions,
  insertSystemWords,
} from '../src/store/systems.js'
import { readTokens } from '../src/store/tokens.js'

/** What many systems and submissions need to be stored, without computing anything for each of them. */

/** Adds systems with the captions, the results on words and the scores of an evaluated one. */
export async function addSystems(
  accord: Accord,
  datasetName: string,
  model: string,
  count: number,
): Promise<void> {
  const { database } = accord
  const { id: datasetId } = await requireDataset(accord, datasetName)
  const system = await findSystem(database, datasetId, model)
  if (!system) throw new Error(`no system ${model}`)
  const { imageIds, measurements } = await readMeasurements(accord, system.id)
  const ofSystem = sql`WHERE system_id = ${system.id} ORDER BY id`
  const texts = await find(database, SystemCaptionEntity, ofSystem)
  const captions = (await readTokens(database, SystemCaptionEntity, ofSystem)).map((caption, index) => ({
    ...caption,
    text: texts[index].text,
  }))
  const ofWords = await find(database, SystemWordEntity, sql`WHERE system_id = ${system.id}`)
  const words = ofWords.map(({ systemId: _, ...word }) => word)
  await database.transaction(async (session) => {
    for (let index = 0; index < count; index++) {
      const { imageCount, missingImageCount, content, wordRevision, missingCountedCount } = system
      const row = { datasetId, name: `${model} ${index}`, imageCount, missingImageCount }
      const id = await insertSystem(session, row, 'CAPTIONS')
      await insertSystemCaptions(session, id, captions)
      await insertSystemWords(session, id, words)
      await finishSystem(session, id, { content, wordRevision, missingCountedCount })
      await saveScores(session, id, imageIds, measurements)
    }
  })
}

async function readMeasurements({ database }: Accord, systemId: number) {
  const scores = await withRecords(database, await readScores(database, [systemId]))
  const imageScores = await readImageScores(
    database,
    scores.map(({ id }) => id),
  )
  const measurements: NewMeasurement[] = []
  let imageIds = new Int32Array()
  for (const statisticsId of new Set(scores.map((score) => score.statisticsId))) {
    const { imageIds: of, ...statistics } = await readStatistics(database, statisticsId)
    imageIds = Int32Array.from(of)
    const own = scores.filter((score) => score.statisticsId === statisticsId)
    measurements.push({
      ...statistics,
      scores: own.map(
        ({ id, systemId: _system, statisticsId: _statistics, provenanceId: _provenance, ...score }) => ({
          ...score,
          imageScores: imageScores.get(id)?.scores ?? new Float64Array(),
        }),
      ),
    })
  }
  return { imageIds, measurements }
}

/** Numbers of submissions and of teams, and what each submission says of its method. */
interface Crowd {
  readonly submissions: number
  readonly teams: number
  readonly method: string
}

/** Adds a challenge `crowd` with a phase `main`, and submissions of many teams, whose jobs have ended. */
export async function addSubmissions(
  accord: Accord,
  dataset: string,
  { submissions, teams, method }: Crowd,
): Promise<void> {
  const { database } = accord
  const phase = { name: 'main', dataset, closesAt: '2126-01-01T00:00:00Z', metrics: ['BLEU-4'] }
  const { challenge } = await createChallenge(accord, OPEN_VIEWER, { name: 'crowd', phases: [phase] })
  const [{ id: phaseId, datasetId }] = await findPhasesOfChallenges(database, [challenge.id])
  await database.transaction(async (session) => {
    for (let index = 0; index < submissions; index++) {
      const team = `team ${index % teams}`
      const submission = await insertSubmission(session, {
        phaseId,
        team,
        teamName: team,
        submitter: null,
        uploadId: null,
        entry: null,
        fileName: 'results.json',
        day: '2026-01-01',
        acceptedAt: '2026-01-01T00:00:00.000Z',
        isGranted: false,
        idempotencyKey: null,
        links: [],
        isAnonymous: false,
        method,
      })
      const input = JSON.stringify({ submissionId: submission, datasetId })
      const cacheKey = `submission ${submission}`
      await insertAnswer(session, {
        kind: 'submission',
        owner: team,
        input,
        cacheKey,
        result: { scoreIds: [] },
        datasetId,
      })
      const [{ job }] = await session.all<{ job: number }>(sql`SELECT MAX(id) AS job FROM job`)
      await setSubmissionJob(session, submission, job)
      const system = { datasetId, name: `submission ${submission}`, imageCount: 0, missingImageCount: 0 }
      const systemId = await insertSystem(session, system, 'CAPTIONS')
      await finishImport(session, { id: submission, uploadId: null }, systemId)
    }
  })
}

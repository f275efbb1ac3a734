import { readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { nullFor } from '../../errors.js'
import { finishSource, startTally } from '../../formats/boxes/boxes.js'
import { readScenes, type Scene } from '../../formats/boxes/scenes.js'
import { readWordScores } from '../../formats/words/word-scores.js'
import { type Progress, part, step } from '../../progress.js'
import { projectFile } from '../../project.js'
import { insertChallenge, savePhase } from '../../store/challenges.js'
import { listDatasets, requireDataset } from '../../store/datasets.js'
import type { Session } from '../../store/engine/session.js'
import { insertBoxes, insertSystemDescriptions } from '../../store/insert-boxes.js'
import type { Dataset } from '../../store/schema/dataset-tables.js'
import { listSystems } from '../../store/systems.js'
import { OPEN_VIEWER } from '../accounts/viewer.js'
import { type CaptionedImage, importDataset } from '../datasets/import-captions.js'
import { usualMetrics } from '../evaluations/metrics.js'
import type { Job } from '../jobs/jobs.js'
import { importJudgements } from '../judgements/import-judgements.js'
import type { Accord } from '../shared/accord.js'
import type { JobInput } from '../shared/job-kinds.js'
import { importResults } from '../systems/import-results.js'
import { importWordScores } from '../systems/import-word-scores.js'
import { withoutJob } from '../uploads/import-job.js'

/** A job that computes figures of the bundled dataset. */
type SeedJob = Pick<Job, 'id'>

/**
 * Loads the bundled dataset into a database without datasets, with jobs that compute human agreement and the scores of its
 * systems, later also by SPICE, which puts people first. They wait for whatever a user starts meanwhile. Upper bounds are not trained: its images are too few to read a
 * capacity.
 *
 * @returns the jobs that compute agreement and scores by the usual metrics; none if the dataset was not loaded
 */
export function loadSeed(accord: Accord, progress: Progress): Promise<SeedJob[]> {
  return accord.database.transaction(async (session) => {
    if (!(await writeSeed(session, progress))) return []
    const dataset = await requireDataset(session, SEED_DATASET)
    const { id: datasetId, captionsPerImage } = dataset
    const references = captionsPerImage - 1
    const systems = (await listSystems(session, [datasetId])).filter(({ kind }) => kind === 'CAPTIONS')
    const start = <Name extends 'agreement' | 'evaluate'>(kind: Name, input: JobInput<Name>) =>
      accord.start(kind, input, { isBackground: true }, session)
    const enqueue = async (metrics: readonly string[]): Promise<SeedJob[]> => {
      const enqueued: SeedJob[] = [await start('agreement', { datasetId, references, metrics })]
      for (const { id: systemId } of systems) {
        enqueued.push(await start('evaluate', { datasetId, systemId, metrics }))
        enqueued.push(await start('evaluate', { datasetId, systemId, references, metrics }))
      }
      return enqueued
    }
    const enqueued = await enqueue(usualMetrics(accord))
    await enqueue(['SPICE'])
    return enqueued
  })
}

/** Waits until workers have executed the jobs, whether they succeed or not, or until the signal is aborted. */
export async function untilComputed(
  { queue }: Accord,
  wanted: readonly SeedJob[],
  signal: AbortSignal,
): Promise<void> {
  await Promise.allSettled(wanted.map(({ id }) => queue.waitForEnd(id, signal)))
}

/** Name of the bundled dataset. */
export const SEED_DATASET = 'scenes'

/** Its pictures, in the installed package. */
const PICTURES = 'dist/pictures'

/**
 * Loads the bundled dataset, with boxes, captioning systems, word-score systems and ratings, into a database without
 * datasets, in one transaction.
 *
 * @returns whether it was loaded; false if the database has a dataset or another process loads it at the same time
 * @throws AccordError BUSY
 */
export async function writeSeed(session: Session, progress: Progress): Promise<boolean> {
  const loading = session.transaction((inner) => loadInto(inner, progress))
  return (await nullFor('NAME_TAKEN', loading)) ?? false
}

async function loadInto(session: Session, progress: Progress): Promise<boolean> {
  if ((await listDatasets(session)).length > 0) return false
  const scenes = readScenes(projectFile('seed/scenes'))
  await importDataset(
    withoutJob(session, part(progress, 0, 0.5)),
    { dataset: SEED_DATASET, imagesFolder: PICTURES },
    captionedImages(scenes),
  )
  const dataset = await requireDataset(session, SEED_DATASET)
  await loadBoxes(session, dataset, scenes)
  await loadCaptionSystems(session, dataset, scenes, part(progress, 0.5, 0.8))
  await loadScoreSystems(session, dataset, part(progress, 0.8, 0.95))
  await importJudgements(withoutJob(session, part(progress, 0.95, 1)), {
    dataset: SEED_DATASET,
    file: projectFile('seed/judgements.jsonl'),
  })
  await loadChallenge(session, dataset, scenes)
  progress(1, 'done')
  return true
}

const CHALLENGE_TEXT = `Describe the ${SEED_DATASET}: one caption of each of their images.

Anybody may submit, at once and as often as the limits allow. The scores are means over folds of four references, so that
people stand on the same board. Systems that are known already are baselines.

To try it, submit \`seed/submission.json\`, which is beside the source code and in the installed package: captions that name two
things of each image.`

/** A challenge that is always open. */
async function loadChallenge(session: Session, dataset: Dataset, scenes: readonly Scene[]): Promise<void> {
  const challengeId = await insertChallenge(session, {
    name: SEED_DATASET,
    title: 'Describe the scenes',
    description: CHALLENGE_TEXT,
    timeZone: 'UTC',
    hostTeam: OPEN_VIEWER.teams[0].id,
    isPaused: false,
    isDraft: false,
  })
  await savePhase(session, {
    challengeId,
    name: 'main',
    datasetId: dataset.id,
    settings: {
      opensAt: '2026-01-01T00:00:00.000Z',
      closesAt: '2126-01-01T00:00:00.000Z',
      metrics: ['CIDEr-D', 'METEOR', 'ROUGE-L', 'BLEU-4'],
      rankedBy: 'CIDEr-D',
      decimals: 3,
      references: dataset.captionsPerImage - 1,
      boardFrom: null,
      isImageScoreShown: true,
      admittedTeams: null,
      limits: { perDay: 20, total: null, concurrent: 2, attempts: null, teamsPerUser: 1 },
      baselines: [...new Set(scenes.flatMap(({ systems }) => [...systems.keys()]))],
    },
  })
}

/** The boxes of the scenes, and the words of the human captions that mention them. */
async function loadBoxes(session: Session, dataset: Dataset, scenes: readonly Scene[]): Promise<void> {
  const descriptions = scenes.flatMap(({ captions }) => captions)
  await insertBoxes(session, dataset.id, finishSource(scenes, descriptions, startTally()))
}

/** The scenes as images with human captions. */
export function captionedImages(scenes: readonly Scene[]): CaptionedImage[] {
  return scenes.map(({ imageId, width, height, captions }) => ({
    externalId: imageId,
    fileName: null,
    url: null,
    width,
    height,
    captions: captions.map(({ id, sentence }) => ({ externalId: id, text: sentence.text })),
  }))
}

async function loadCaptionSystems(
  session: Session,
  dataset: Dataset,
  scenes: readonly Scene[],
  progress: Progress,
): Promise<void> {
  const systems = [...new Set(scenes.flatMap((scene) => [...scene.systems.keys()]))]
  for (const [index, system] of systems.entries()) {
    const captions = scenes.flatMap(({ imageId, systems: written }) => {
      const caption = written.get(system)
      return caption ? [{ imageId, text: caption.sentence.text }] : []
    })
    const { systemId } = await importResults(
      withoutJob(session, step(progress, index, systems.length)),
      dataset,
      { source: system, captions, system, isMissingAllowed: false, match: 'id' },
    )
    const descriptions = scenes.flatMap(({ systems: written }) => written.get(system) ?? [])
    await insertSystemDescriptions(session, dataset.id, systemId, descriptions)
  }
}

async function loadScoreSystems(session: Session, dataset: Dataset, progress: Progress): Promise<void> {
  const folder = projectFile('seed/scores')
  const files = readdirSync(folder).sort()
  for (const [index, name] of files.entries()) {
    const file = join(folder, name)
    await importWordScores(withoutJob(session, step(progress, index, files.length)), dataset, {
      source: file,
      read: (imageIds) => readWordScores(file, undefined, imageIds, false),
      system: basename(name, '.jsonl'),
    })
  }
}

import { rmSync, writeFileSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AccordError } from '../../errors.js'
import { part } from '../../progress.js'
import { findImages, listImageIds } from '../../store/images.js'
import { findJudgementSets, readJudgedCaptions } from '../../store/judgements.js'
import type { Dataset } from '../../store/schema/entities.js'
import { listUsualSystems, readSystemCaptions } from '../../store/systems.js'
import type { Accord, Client } from '../accord.js'
import { captionsByImage } from '../images/images.js'
import type { ImportMetricScoresReport } from '../imports/import-metric-scores.js'
import { metricsOf, refreshMetrics } from '../shared/computing.js'
import { groupBy } from '../shared/groups.js'
import { type StatedMetric, stateMetric } from './external-metrics.js'
import { type ProgramInput, scoreByProgram } from './metric-program.js'

export interface MetricProgram {
  readonly metric: StatedMetric
  /** A line for the shell. */
  readonly command: string
  /** Time in ms without a score after which the program is ended. */
  readonly silence: number
}

/**
 * Scores the captions of a dataset by a program, and imports the scores: those of all captioning systems against all
 * references and on folds of K − 1, of people on these folds, and of judged captions.
 *
 * @throws AccordError as `stateMetric`, `scoreByProgram` and the import of scores; NOT_APPLICABLE for a dataset without such
 *   captions
 */
export async function importByProgram(
  accord: Accord,
  dataset: Dataset,
  { metric: stated, command, silence }: MetricProgram,
  { progress = () => {}, ...client }: Client = {},
): Promise<ImportMetricScoresReport> {
  await refreshMetrics(accord)
  const { metric } = await stateMetric(accord.database, metricsOf(accord), stated)
  progress(0, 'reading captions')
  const captions = await readCaptions(accord, dataset)
  if (captions.length === 0) {
    throw new AccordError('NOT_APPLICABLE', 'there is nothing to score', {
      source: 'dataset',
      expected: 'captions of systems, several of people per image, or judged ones',
      found: dataset.name,
    })
  }
  const scores = await scoreByProgram(
    captions.map(({ input }) => input),
    { command, silence, range: metric, progress: part(progress, 0, 0.9) },
  )
  const folder = await mkdtemp(join(tmpdir(), 'accord-'))
  try {
    const path = join(folder, 'scores.jsonl')
    writeFileSync(
      path,
      captions.map(({ key }, index) => `${JSON.stringify({ ...key, score: scores[index] })}\n`).join(''),
    )
    const input = { datasetId: dataset.id, metric: stated, file: { path } }
    return await accord.run('importMetricScores', input, { ...client, progress: part(progress, 0.9, 1) })
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** A caption to score, and what a line of a file of scores names it by. */
interface ScoredCaption {
  readonly key: {
    readonly image_id: string
    readonly system?: string
    readonly fold?: number
    readonly caption?: string
  }
  readonly input: ProgramInput
}

async function readCaptions(accord: Accord, dataset: Dataset): Promise<ScoredCaption[]> {
  const { database } = accord
  const { id, captionsPerImage: size } = dataset
  const [set] = await findJudgementSets(database, [id])
  const judged = set ? await readJudgedCaptions(database, set.id) : []
  const systems = await listUsualSystems(database, [id])
  const nameOf = new Map(systems.map(({ id: systemId, name }) => [systemId, name]))
  const imageIds = [...(await listImageIds(database, id))]
  const references = await captionsByImage(accord, imageIds)
  const written = groupBy(await readSystemCaptions(database, imageIds), ({ imageId }) => imageId)
  const judgedOf = groupBy(judged, ({ imageId }) => imageId)
  return (await findImages(database, imageIds)).flatMap((image): ScoredCaption[] => {
    const human = (references.get(image.id) ?? []).map(({ text }) => text as string)
    const toCaption = (
      caption: string,
      key: Omit<ScoredCaption['key'], 'image_id'>,
      without: number | null = null,
    ): ScoredCaption => ({
      key: { image_id: image.externalId, ...key },
      input: {
        image_id: image.externalId,
        image: image.fileName,
        caption,
        references: without === null ? human : human.slice(0, size).filter((_, place) => place !== without),
      },
    })
    const folds = size >= 2 && human.length >= size ? human.slice(0, size).map((_, fold) => fold) : []
    const ofSystems = (written.get(image.id) ?? []).flatMap(({ systemId, text }) => {
      const system = nameOf.get(systemId) as string
      return human.length === 0
        ? []
        : [
            toCaption(text, { system }),
            ...folds.map((fold) => toCaption(text, { system, fold: fold + 1 }, fold)),
          ]
    })
    const ofPeople = folds.map((fold) => toCaption(human[fold], { fold: fold + 1 }, fold))
    const distinct = new Set((judgedOf.get(image.id) ?? []).map(({ text }) => text))
    const ofJudges = [...distinct].map((text) => toCaption(text, { caption: text }))
    return [...ofSystems, ...ofPeople, ...ofJudges]
  })
}

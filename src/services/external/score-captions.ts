import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { AccordError, quote } from '../../errors.js'
import type { ScoreRange } from '../../formats/judgements/metric-scores.js'
import { type Progress, part } from '../../progress.js'
import { counted } from '../../shared/numbers.js'
import { findImages, listImageIds } from '../../store/images.js'
import { findJudgementSets, readJudgedCaptions } from '../../store/judgements.js'
import type { Dataset } from '../../store/schema/dataset-tables.js'
import { listUsualSystems, readSystemCaptions } from '../../store/systems.js'
import { createTemporaryFolder } from '../../temporary-folder.js'
import { captionsByImage } from '../images/images.js'
import type { Accord, Client } from '../shared/accord.js'
import { metricsOf, refreshMetrics } from '../shared/computing.js'
import { groupBy } from '../shared/groups.js'
import { type StatedMetric, stateMetric } from './external-metrics.js'
import type { ImportMetricScoresReport } from './import-metric-scores.js'

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
  const folder = createTemporaryFolder(join(tmpdir(), 'accord-scores'))
  try {
    const path = join(folder.path, 'scores.jsonl')
    writeFileSync(
      path,
      captions.map(({ key }, index) => `${JSON.stringify({ ...key, score: scores[index] })}\n`).join(''),
    )
    const input = { datasetId: dataset.id, metric: stated, file: { path } }
    return await accord.run('importMetricScores', input, { ...client, progress: part(progress, 0.9, 1) })
  } finally {
    folder.remove()
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

/** A caption that a program scores. */
interface ProgramInput {
  readonly image_id: string
  /** File of the image as the dataset names it; null where it names none. */
  readonly image: string | null
  readonly caption: string
  readonly references: readonly string[]
}

export interface ProgramOptions {
  /** A line for the shell. */
  readonly command: string
  /** Time in ms without a score after which the program is ended. */
  readonly silence: number
  /** Of the scores. */
  readonly range: ScoreRange
  readonly progress: Progress
}

/** A longer line cannot be a score. */
const MAX_LINE = 100_000

/**
 * Scores captions by a program: it reads one JSON object per caption from its stdin and writes `{"score": 0.5}` for each to its
 * stdout, in the same order; if it writes `image_id` as well, it must be that of the caption. Its stderr is shown.
 *
 * @throws AccordError INVALID_SHAPE and INVALID_VALUE for another number of lines, another order, no number, an exit
 *   code other than 0; OUT_OF_RANGE for a score outside the range; TIMEOUT for silence. The program and what it started are then ended.
 */
export async function scoreByProgram(
  inputs: readonly ProgramInput[],
  { command, silence, range, progress }: ProgramOptions,
): Promise<Float64Array> {
  const scores = new Float64Array(inputs.length)
  const program = spawn(command, { shell: true, detached: true, stdio: ['pipe', 'pipe', 'inherit'] })
  const ended = new Promise<string>((resolve, reject) => {
    program.once('error', reject)
    program.once('close', (code, signal) => resolve(signal ?? `exit code ${code}`))
  })
  const end = () => {
    try {
      if (program.pid !== undefined) process.kill(-program.pid, 'SIGKILL')
    } catch {
      // It has ended.
    }
  }
  let failure: AccordError | undefined
  const fail = (error: AccordError) => {
    failure ??= error
    end()
  }
  const timeout = () =>
    fail(
      failed(
        'TIMEOUT',
        'the program is silent',
        `a score within ${silence / 1000} s`,
        `none after ${count} scores`,
      ),
    )
  let count = 0
  let timer = setTimeout(timeout, silence)
  let length = 0
  program.stdout.on('data', (chunk: Buffer) => {
    const last = chunk.lastIndexOf(0x0a)
    length = last < 0 ? length + chunk.length : chunk.length - last
    if (length > MAX_LINE) fail(failed('INVALID_SHAPE', 'the line is too long', 'a score', `${length} bytes`))
  })
  const lines = createInterface({ input: program.stdout })
  lines.on('line', (line) => {
    if (failure) return
    clearTimeout(timer)
    timer = setTimeout(timeout, silence)
    try {
      if (count === inputs.length) {
        throw failed('INVALID_SHAPE', 'the program wrote too much', `${inputs.length} lines`, 'more lines')
      }
      scores[count] = parseScore(line, inputs[count], count + 1, range)
      count++
      progress(count / inputs.length, 'scoring by the program')
    } catch (error) {
      fail(error as AccordError)
    }
  })
  // A program that ends early closes its stdin: what it lacks is told below.
  program.stdin.on('error', () => {})
  Readable.from(inputLines(inputs)).pipe(program.stdin)
  try {
    const status = await ended
    const after = `after ${counted(count, 'score')}`
    if (failure) throw failure
    if (status !== 'exit code 0') {
      throw failed('INVALID_VALUE', 'the program failed', 'exit code 0', status, after)
    }
    if (count < inputs.length) {
      throw failed(
        'INVALID_SHAPE',
        'the program wrote too little',
        `${inputs.length} lines`,
        String(count),
        after,
      )
    }
    return scores
  } finally {
    clearTimeout(timer)
    end()
  }
}

/** Lines that are written at once. */
const LINES_PER_WRITE = 1000

function* inputLines(inputs: readonly ProgramInput[]): Generator<string> {
  for (let start = 0; start < inputs.length; start += LINES_PER_WRITE) {
    const some = inputs.slice(start, start + LINES_PER_WRITE)
    yield some.map((input) => `${JSON.stringify(input)}\n`).join('')
  }
}

function parseScore(
  line: string,
  { image_id }: ProgramInput,
  number: number,
  { lowest, highest }: ScoreRange,
): number {
  const place = `line ${number}`
  let output: unknown
  try {
    output = JSON.parse(line)
  } catch {
    throw failed('INVALID_SHAPE', 'invalid JSON', '{"score": number}', quote(line), place)
  }
  const { score, image_id: found = image_id } = (output ?? {}) as Record<string, unknown>
  if (String(found) !== image_id) {
    throw failed(
      'INVALID_VALUE',
      'wrong order',
      `the score of image ${quote(image_id)}`,
      quote(String(found)),
      place,
    )
  }
  if (typeof score !== 'number') {
    throw failed('INVALID_VALUE', 'no score', '{"score": number}', quote(line), place)
  }
  if (score >= lowest && score <= highest) return score
  const expected = `a number from ${lowest} to ${highest}, the range of the metric`
  throw failed('OUT_OF_RANGE', 'invalid score', expected, String(score), place)
}

function failed(
  code: 'INVALID_SHAPE' | 'INVALID_VALUE' | 'OUT_OF_RANGE' | 'TIMEOUT',
  summary: string,
  expected: string,
  found: string,
  place?: string,
): AccordError {
  return new AccordError(code, summary, { source: 'metric command', place, expected, found })
}

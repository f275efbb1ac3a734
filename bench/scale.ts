import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { createRandom } from '../src/core/stats/random.js'
import { clientOf, startEvaluation, untilDone } from './client.js'
import { CAPTIONS_PER_IMAGE, type GeneratedFiles, writeDataset } from './generated.js'
import {
  ACCORD,
  describeRatio,
  describeRun,
  type Figure,
  note,
  type Run,
  runAccord,
  sized,
  startProgram,
} from './measure.js'
import { executeOn, type Postgres } from './postgres.js'

export const DEFAULT_IMAGE_COUNT = sized(1_000_000, 1000)

const SMALL_IMAGE_COUNT = sized(5000, 100)

/** Number of workers without kills, on as many cores. */
const TOGETHER = 2

/** Number of processes with one worker each, some of which are killed. */
const WORKERS = 4

/** Number of processes that are killed. */
const KILLED = 2

/** Range of progress of the evaluation in which workers are killed. */
const KILLING = { from: 0.05, to: 0.6 }

const DATASET = ['--dataset', 'bench']
const SYSTEM = ['--system', 'captions']

export interface ScaleOptions {
  /** Real captions in COCO captions format. */
  readonly source: string
  readonly imageCount: number
  /** Folder for files of the measurement. */
  readonly folder: string
  readonly postgres: Postgres
}

/** Imports a large dataset into both databases and evaluates a system with workers, some of which are killed. */
export async function benchScale(options: ScaleOptions): Promise<Figure[]> {
  const { source, imageCount, folder, postgres } = options
  const small = { captions: join(folder, 'small.json'), results: join(folder, 'small-results.json') }
  const large = { captions: join(folder, 'large.json'), results: join(folder, 'large-results.json') }
  note(`generating ${imageCount.toLocaleString('en')} images`)
  writeDataset(source, SMALL_IMAGE_COUNT, small)
  writeDataset(source, imageCount, large)
  const sqlite = { small: join(folder, 'small.sqlite'), large: join(folder, 'large.sqlite') }
  const figures = await benchImports('SQLite', sqlite, { small, large }, imageCount)
  for (const file of Object.values(sqlite)) removeDatabase(file)
  const urls = { small: await postgres.create('small'), large: await postgres.create('large') }
  figures.push(...(await benchImports('PostgreSQL', urls, { small, large }, imageCount)))
  figures.push(...(await benchEvaluation(urls.large, large, imageCount)))
  return figures
}

interface Sizes<Value> {
  readonly small: Value
  readonly large: Value
}

async function benchImports(
  engine: string,
  database: Sizes<string>,
  files: Sizes<GeneratedFiles>,
  imageCount: number,
): Promise<Figure[]> {
  note(`importing captions on ${engine}`)
  const importInto = (size: keyof Sizes<unknown>): Promise<Run> =>
    runAccord('import', 'captions', files[size].captions, ...DATASET, '--database', database[size])
  const small = await importInto('small')
  const large = await importInto('large')
  return [
    {
      what: `import of ${captionCount(imageCount)} captions on ${engine}`,
      measured: describeRun(large),
      asked: '2 GB',
    },
    {
      what: `time per caption, relative to ${captionCount(SMALL_IMAGE_COUNT)}, on ${engine}`,
      measured: describeRatio(large.seconds / imageCount, small.seconds / SMALL_IMAGE_COUNT),
      asked: '1.3 ×',
    },
  ]
}

function captionCount(imageCount: number): string {
  return (imageCount * CAPTIONS_PER_IMAGE).toLocaleString('en')
}

async function benchEvaluation(
  database: string,
  { results }: GeneratedFiles,
  imageCount: number,
): Promise<Figure[]> {
  const location = ['--database', database]
  note('importing results')
  const imported = await runAccord('import', 'results', results, ...DATASET, ...SYSTEM, ...location)
  note('evaluating in one process')
  const alone = await runAccord('evaluate', ...DATASET, ...SYSTEM, ...location)
  const whole = await readScores(database)
  note(`evaluating with ${TOGETHER} workers`)
  const shared = await evaluateWithWorkers(database, { processes: 1, workers: TOGETHER, killed: 0 })
  const parts = await readScores(database)
  note(`evaluating with ${WORKERS} workers, ${KILLED} of which are killed`)
  const survived = await evaluateWithWorkers(database, { processes: WORKERS, workers: 1, killed: KILLED })
  const repeated = await readScores(database)
  const serial =
    shared.serialSeconds / (shared.serialSeconds + TOGETHER * (shared.seconds - shared.serialSeconds))
  const all = new Set([...whole, ...parts, ...repeated])
  const equal = whole.filter((score) => parts.includes(score) && repeated.includes(score))
  return [
    {
      what: `import of ${imageCount.toLocaleString('en')} captions of a system on PostgreSQL`,
      measured: describeRun(imported),
      asked: '',
    },
    { what: 'its evaluation in one process', measured: describeRun(alone), asked: '1.5 GB' },
    { what: `in parts by ${TOGETHER} workers of a process`, measured: describeRun(shared), asked: '' },
    {
      what: `time of ${TOGETHER} workers, relative to one process`,
      measured: describeRatio(shared.seconds, alone.seconds),
      asked: '1.3 ×',
    },
    { what: 'share of the work that one worker does alone', measured: describeShare(serial), asked: '' },
    {
      what: `time of ${2 * TOGETHER} workers on as many cores by this share, relative to one process`,
      measured: describeRatio(
        (serial + (1 - serial) / (2 * TOGETHER)) * shared.seconds,
        (serial + (1 - serial) / TOGETHER) * alone.seconds,
      ),
      asked: '0.65 ×',
    },
    {
      what: `in parts by ${WORKERS} processes, ${KILLED} of which are killed; the largest process`,
      measured: describeRun(survived),
      asked: '',
    },
    {
      what: 'corpus and image scores that are equal in all three',
      measured: `${equal.length} of ${all.size}`,
      asked: 'all',
    },
  ]
}

function describeShare(share: number): string {
  return `${(100 * share).toFixed(1)} %`
}

/** An evaluation in parts. */
interface SharedRun extends Omit<Run, 'cpuSeconds'> {
  /** Duration of the steps between parts, which one worker executes. */
  readonly serialSeconds: number
}

/**
 * The duration of the evaluation and the maximum memory of the processes that were not killed.
 *
 * @param workers of each process
 */
async function evaluateWithWorkers(
  database: string,
  {
    processes,
    workers,
    killed,
  }: { readonly processes: number; readonly workers: number; readonly killed: number },
): Promise<SharedRun> {
  const location = ['--database', database]
  const server = startProgram(ACCORD, ['serve', '--port', '0', '--workers', '0', ...location])
  const running = Array.from({ length: processes }, () =>
    startProgram(ACCORD, ['worker', '--workers', String(workers), ...location]),
  )
  try {
    const query = await clientOf(server)
    await Promise.all(running.map(({ firstOutput }) => firstOutput))
    const random = createRandom(1)
    const deaths = Array.from(
      { length: killed },
      (_, index) => KILLING.from + ((index + random.next()) / killed) * (KILLING.to - KILLING.from),
    )
    const start = performance.now()
    let last = start
    let serialSeconds = 0
    const id = await startEvaluation(query, 'bench', 'captions')
    await untilDone(query, id, (progress, message) => {
      const now = performance.now()
      if (message !== 'waiting for shards') serialSeconds += (now - last) / 1000
      last = now
      if (deaths.length === 0 || progress < deaths[0]) return
      note(`killing a worker at ${Math.round(100 * progress)} %`)
      deaths.shift()
      running.shift()?.child.kill('SIGKILL')
    })
    const seconds = (performance.now() - start) / 1000
    const runs = running.map(({ child, ended }) => {
      child.kill('SIGTERM')
      return ended
    })
    const memory = (await Promise.all(runs)).map(({ megabytes }) => megabytes)
    return { seconds, serialSeconds, megabytes: Math.max(...memory) }
  } finally {
    for (const { child } of [server, ...running]) child.kill('SIGKILL')
  }
}

/** A string for each score, which differs if any bit of the score or its image scores differs. */
async function readScores(database: string): Promise<string[]> {
  const rows = await executeOn<{ score: string }>(
    database,
    `SELECT concat_ws(' ', signature, value, lower, upper, length(image_scores) / 8, md5(image_scores),
                      md5(statistics)) AS score
     FROM metric_score JOIN metric_statistics ON metric_statistics.id = statistics_id`,
  )
  return rows.map(({ score }) => score)
}

function removeDatabase(file: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(`${file}${suffix}`, { force: true })
}

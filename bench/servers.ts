import { join } from 'node:path'
import { clientOf, startEvaluation } from './client.js'
import { writeDataset } from './generated.js'
import { ACCORD, describeRatio, type Figure, note, runAccord, sized, startProgram } from './measure.js'
import { executeOn, type Postgres } from './postgres.js'

const IMAGES = sized(500, 20)
const SYSTEMS = sized(24, 2)
const ROUNDS = sized(3, 1)

export interface ServersOptions {
  /** Real captions in COCO captions format. */
  readonly source: string
  /** Folder for files of the measurement. */
  readonly folder: string
  readonly postgres: Postgres
}

/** Measures small evaluations with one server and one worker, and with two of each, on one PostgreSQL database. */
export async function benchServers({ source, folder, postgres }: ServersOptions): Promise<Figure[]> {
  note(`importing ${SYSTEMS} systems`)
  const database = await postgres.create('servers')
  const location = ['--database', database]
  const files = { captions: join(folder, 'few.json'), results: join(folder, 'few-results.json') }
  writeDataset(source, IMAGES, files)
  await runAccord('import', 'captions', files.captions, '--dataset', 'bench', ...location)
  const systems = Array.from({ length: SYSTEMS }, (_, index) => `system ${index}`)
  for (const system of systems) {
    await runAccord('import', 'results', files.results, '--dataset', 'bench', '--system', system, ...location)
  }
  const rates = { one: [] as number[], two: [] as number[] }
  for (let round = 0; round < ROUNDS; round++) {
    note(`evaluating, round ${round + 1} of ${ROUNDS}`)
    rates.one.push(await measureRate(database, systems, 1))
    rates.two.push(await measureRate(database, systems, 2))
  }
  const [one, two] = [median(rates.one), median(rates.two)]
  return [
    {
      what: `evaluations of ${IMAGES} images per second, one server, one worker`,
      measured: one.toFixed(1),
      asked: '',
    },
    { what: 'the same with two servers and two workers', measured: two.toFixed(1), asked: '' },
    { what: 'ratio of both', measured: describeRatio(two, one), asked: '1.6 ×' },
  ]
}

/** Evaluations per second with this number of servers and workers, after a warm-up evaluation of all systems. */
async function measureRate(
  database: string,
  systems: readonly string[],
  processCount: number,
): Promise<number> {
  const start = (...args: string[]) => startProgram(ACCORD, [...args, '--database', database])
  const indices = Array.from({ length: processCount }, (_, index) => index)
  const servers = indices.map(() => start('serve', '--port', '0', '--workers', '0'))
  const workers = indices.map(() => start('worker', '--workers', '1'))
  try {
    const queries = await Promise.all(servers.map(clientOf))
    await Promise.all(workers.map(({ firstOutput }) => firstOutput))
    const evaluateAll = async () => {
      await Promise.all(
        systems.map((system, index) => startEvaluation(queries[index % processCount], 'bench', system)),
      )
      await untilAllDone(database)
    }
    await evaluateAll()
    const begin = performance.now()
    await evaluateAll()
    return systems.length / ((performance.now() - begin) / 1000)
  } finally {
    for (const { child } of [...servers, ...workers]) child.kill('SIGTERM')
    await Promise.all([...servers, ...workers].map(({ ended }) => ended))
  }
}

async function untilAllDone(database: string): Promise<void> {
  for (;;) {
    const [{ unfinished, lost }] = await executeOn<{ unfinished: number; lost: number }>(
      database,
      `SELECT COUNT(*) FILTER (WHERE status IN ('QUEUED', 'RUNNING'))::integer AS unfinished,
              COUNT(*) FILTER (WHERE status IN ('FAILED', 'CANCELLED'))::integer AS lost
       FROM job`,
    )
    if (lost > 0) throw new Error(`${lost} evaluations failed`)
    if (unfinished === 0) return
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[values.length >> 1]
}

import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { clientOf } from './client.js'
import {
  ACCORD,
  describeRatio,
  type Figure,
  note,
  type Process,
  type Run,
  sized,
  startProgram,
} from './measure.js'

const RUNS = 5

const DATASET = ['--dataset', 'bench']

/** The gaps of 1,000 words of a system with their intervals. */
const GAPS = `{ dataset(name: "bench") { words(first: 1000) { nodes {
  systemResult(system: "one") { estimates { gapToPeople { value interval { lower upper } } } } } } } }`

/** What is measured: processes that are started with a database. */
const ACTIONS: readonly { readonly what: string; readonly asked: string; readonly run: Action }[] = [
  {
    what: 'two detectors and people compared by PHR',
    asked: '3 s',
    run: (program, database) =>
      startProgram(program, ['compare', '--phr', '--people', ...DATASET, '--database', database]).ended,
  },
  {
    what: 'board of two detectors and people by PHR',
    asked: '5 s',
    run: (program, database) =>
      startProgram(program, ['leaderboard', ...DATASET, '--database', database]).ended,
  },
  {
    what: 'server that is asked once for 1,000 words with intervals of gaps',
    asked: '1.5 s of CPU time beside one that is not asked',
    run: (program, database) => serveUntil(program, database, GAPS),
  },
  {
    what: 'server that is not asked for them',
    asked: '',
    run: (program, database) => serveUntil(program, database, '{ __typename }'),
  },
]

type Action = (program: string, database: string) => Promise<Run>

/**
 * Computations on the scores of 1,000 words for 5,000 images by two detectors: CPU time and wall time of whole processes,
 * and their ratios to those of an older build, round by round.
 *
 * @param data folder with COCO val2017
 * @param baseline the `main.js` of a build to compare with
 */
export async function benchWords(data: string, folder: string, baseline?: string): Promise<Figure[]> {
  note('computing on words')
  const builds = [ACCORD, ...(baseline === undefined ? [] : [baseline])]
  const databases = await Promise.all(builds.map((program, index) => prepare(program, data, folder, index)))
  const figures: Figure[] = []
  for (const { what, asked, run } of ACTIONS) {
    note(what)
    const rounds: Run[][] = []
    for (let round = 0; round < sized(RUNS, 1); round++) {
      const runs: Run[] = []
      for (const [index, program] of builds.entries()) {
        // Answers are kept in the database.
        const fresh = join(folder, 'words-fresh.sqlite')
        copyFileSync(databases[index], fresh)
        runs.push(await run(program, fresh))
      }
      rounds.push(runs)
    }
    const median = (value: (runs: readonly Run[]) => number) =>
      rounds.map(value).sort((one, other) => one - other)[rounds.length >> 1]
    const describe = (build: number) =>
      `${median((runs) => runs[build].cpuSeconds).toFixed(2)} s CPU, ${median((runs) => runs[build].seconds).toFixed(2)} s wall`
    figures.push({ what, measured: describe(0), asked })
    if (baseline === undefined) continue
    figures.push({
      what: `the older build: ${describe(1)}; CPU time, wall time of this build relative to it`,
      measured: [
        describeRatio(
          median(([now, older]) => now.cpuSeconds / older.cpuSeconds),
          1,
        ),
        describeRatio(
          median(([now, older]) => now.seconds / older.seconds),
          1,
        ),
      ].join(', '),
      asked: '',
    })
  }
  return figures
}

/** A database with val2017 and the same scores of two systems. */
async function prepare(program: string, data: string, folder: string, index: number): Promise<string> {
  const database = join(folder, `words-${index}.sqlite`)
  const file = (name: string) => join(data, name)
  const vocabulary = ['--vocabulary', file('vocabulary_1000.csv')]
  const run = (...args: string[]) =>
    startProgram(program, [...args, ...DATASET, ...vocabulary, '--database', database]).ended
  await run('import', 'captions', file('captions_val2017.json'))
  const imageIds = ['--image-ids', file('word_scores_val2017_image_ids.json')]
  for (const system of ['one', 'other']) {
    await run('import', 'scores', file('word_scores_val2017_ensemble9.npy'), '--system', system, ...imageIds)
  }
  return database
}

/** The resources of a server that answers one query. */
async function serveUntil(program: string, database: string, query: string): Promise<Run> {
  const server: Process = startProgram(program, ['serve', '--port', '0', '--database', database])
  const ask = await clientOf(server)
  await ask(query)
  server.child.kill()
  return server.ended
}

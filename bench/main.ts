/**
 * Measures the figures of the README on this machine and prints them as a table:
 *
 *     npm run bench                  commands, computations and a server, on COCO val2017
 *     npm run bench -- bounds        training and beam search of upper bounds, retrieval bounds
 *     npm run bench -- challenge     submissions of 50 teams beside evaluations one after the other
 *     npm run bench -- scale         a million images
 *     npm run bench -- judging       judging of metrics, training of composite metrics
 *     npm run bench -- honest        { __typename } beside clients that repeat expensive operations
 *     npm run bench -- repeated      queries whose answers are kept
 *     npm run bench -- accounts      requests of signed-in users beside those of an open server
 *     npm run bench -- requests      requests beside a plain Apollo Server
 *     npm run bench -- start         the first minutes: starts of a server, the package
 *     npm run bench -- servers       several servers and workers on one PostgreSQL database
 *     npm run bench -- words         comparisons, a board and intervals of words, beside an older build
 *     npm run bench -- web           pages of the dashboard in a browser; NODE_PATH has playwright-core
 *
 * `--data FOLDER` contains COCO val2017 captions, results of systems and word scores, beside a folder `judgements` (default:
 * ../shared/data/coco). `--images N` is the number of images of `scale`, `--submissions N` that of submissions of `challenge`.
 * With `--quick` each group runs once and small: it shows that the group runs, and measures nothing. ACCORD_BENCH_BASELINE is
 * the path of the `main.js` of an older build; both builds are then measured alternately.
 */
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { text } from '../src/cli/output/formats.js'
import { render } from '../src/cli/output/output.js'
import { projectFile } from '../src/project.js'
import { benchBounds } from './bounds.js'
import { benchChallenge } from './challenge.js'
import { benchCommands } from './commands.js'
import { benchComputing } from './computing.js'
import { addChallenge, benchHonest, prepareBench } from './honest.js'
import { benchJudging } from './judging.js'
import { type Figure, sized } from './measure.js'
import { type Postgres, preparePostgres } from './postgres.js'
import { benchRepeated } from './repeated.js'
import { benchAccounts, benchRequests, importCaptions } from './requests.js'
import { benchScale, DEFAULT_IMAGE_COUNT } from './scale.js'
import { benchServer } from './server.js'
import { benchServers } from './servers.js'
import { benchStart } from './start.js'
import { benchWeb } from './web.js'
import { benchWords } from './words.js'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    data: { type: 'string', default: projectFile('../shared/data/coco') },
    images: { type: 'string', default: String(DEFAULT_IMAGE_COUNT) },
    submissions: { type: 'string', default: sized('200', '2') },
    quick: { type: 'boolean' },
  },
})
const source = join(values.data, 'captions_val2017.json')
if (!existsSync(source)) {
  process.stderr.write(`bench: ${values.data} has no captions_val2017.json; specify a folder that has it\n`)
  process.exit(1)
}
const folder = mkdtempSync(join(tmpdir(), 'accord-bench-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
const postgres = preparePostgres()
try {
  process.stdout.write(await describe(await measure(positionals[0] ?? 'all', postgres)))
} finally {
  await postgres.stop()
}

async function measure(part: string, postgres: Postgres): Promise<Figure[]> {
  if (part === 'start') return benchStart(values.data, folder)
  if (part === 'scale') return benchScale({ source, imageCount: Number(values.images), folder, postgres })
  if (part === 'web') return benchWeb(values.data, folder)
  if (part === 'servers') return benchServers({ source, folder, postgres })
  if (part === 'challenge') return benchChallenge(values.data, folder, Number(values.submissions))
  if (part === 'words') return benchWords(values.data, folder, process.env.ACCORD_BENCH_BASELINE)
  if (part === 'bounds') return benchBounds(source)
  if (part === 'repeated') return benchRepeated(values.data, folder)
  if (part === 'judging') return benchJudging(values.data, folder)
  if (part === 'honest') return benchHonest(await prepareBench(values.data, folder))
  if (part === 'accounts') return benchAccounts(await importCaptions(source, folder))
  if (part === 'requests') return benchRequests(await importCaptions(source, folder))
  if (part !== 'all')
    throw new Error(
      `expected accounts, bounds, challenge, honest, judging, repeated, requests, scale, servers, start, web or words, found ${part}`,
    )
  const { databases, figures } = await benchCommands({
    data: values.data,
    folder,
    postgres,
    baseline: process.env.ACCORD_BENCH_BASELINE,
  })
  return [
    ...figures,
    ...(await benchComputing(databases.sqlite, source)),
    ...(await benchJudging(values.data, folder)),
    ...(await benchServer(databases)),
    ...(await addChallenge(databases.sqlite).then(() => benchHonest(databases.sqlite))),
    ...(await benchRepeated(values.data, folder)),
    ...(await benchBounds(source)),
    ...(await benchRequests(databases.sqlite)),
  ]
}

async function describe(figures: readonly Figure[]): Promise<string> {
  const [cpu] = cpus()
  const number = { ...text, align: 'right' } as const
  const columns = [
    { path: 'what', title: 'figure' },
    { path: 'measured', title: 'measured', format: number },
    { path: 'asked', title: 'asked', format: number },
  ]
  const report = { tables: [], parts: [{ columns, rows: figures }] }
  const table = await render({ format: 'table', width: Number.POSITIVE_INFINITY }, report)
  return `${cpu.model}, ${cpus().length} cores, Node ${process.version}${sized('', '; quick: the figures mean nothing')}\n\n${table}`
}

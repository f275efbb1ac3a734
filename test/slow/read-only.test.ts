import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import BetterSqlite3 from 'better-sqlite3'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Outcome, outcomeOf, PROGRAM, query, urlOf, workbench } from '../cli/kit.js'
import { villagesFile, writeVillages } from '../kit/villages.js'

const { folder, path, run, start } = workbench()
const place = path('archive')
const file = `${place}/data.sqlite`

/** Root can write read-only files: if the tests run as root, commands run as another user and as root. */
const isRoot = process.getuid?.() === 0
const NOBODY = { uid: 65_534, gid: 65_534 }
const USERS = isRoot ? (['nobody', 'root'] as const) : (['nobody'] as const)

/** Other users cannot start the program in a checkout that only root can read. */
const isReadable =
  !isRoot ||
  spawnSync(process.execPath, ['-e', 'fs.accessSync(process.argv[1])', PROGRAM], NOBODY).status === 0

function runAs(user: (typeof USERS)[number], command: string): Promise<Outcome> {
  return outcomeOf(spawnAs(user, command))
}

function spawnAs(user: (typeof USERS)[number], command: string) {
  return spawn(process.execPath, [PROGRAM, ...command.split(' '), '--database', file], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(user === 'nobody' && isRoot && NOBODY),
  })
}

/** What the reading commands answer where everything is writable. */
let expected: readonly Outcome[]

beforeAll(async () => {
  chmodSync(folder, 0o755)
  await writeVillages(path('data.sqlite'))
  expected = await Promise.all(READING.map((command) => run(`${command} --database data.sqlite`)))
})

beforeEach(({ skip }) => {
  skip(!isReadable, 'the checkout cannot be read by other users')
  mkdirSync(place)
  copyFileSync(path('data.sqlite'), file)
})

afterEach(() => {
  if (!isReadable) return
  chmodSync(place, 0o755)
  rmSync(place, { recursive: true })
})

/** Adds a dataset that is only in the write-ahead log, like a killed process. */
function leaveLog(): void {
  const writer = new BetterSqlite3(file)
  writer.exec(`PRAGMA wal_autocheckpoint = 0;
               INSERT INTO dataset (name, captions_per_image, image_count, caption_count, excluded_image_count,
                                    revision, language, tokenizer, is_private, created_at)
               VALUES ('in the log', 0, 0, 0, 0, '', 'en', 'ptb', 0, '')`)
  const [main, log] = [readFileSync(file), readFileSync(`${file}-wal`)]
  writer.close()
  writeFileSync(file, main)
  writeFileSync(`${file}-wal`, log)
}

function protect(fileMode: number, folderMode: number): void {
  chmodSync(file, fileMode)
  chmodSync(place, folderMode)
}

const MODES = [
  ['file and folder', 0o444, 0o555],
  ['the file', 0o444, 0o755],
  ['the folder', 0o644, 0o555],
] as const

const READING = [
  'datasets',
  'words --dataset villages --system detector captioner',
  'agreement --dataset villages',
  'selection --dataset boxes-only --priors-share 0.5',
]

const WRITING = [
  `import captions ${villagesFile('captions.json')} --dataset new`,
  'remove dataset villages',
  'remove system captioner --dataset villages',
  'worker',
]

describe.each(USERS)('as %s', (user) => {
  it.each(MODES)('every reading command works if %s is not writable', async (_, fileMode, folderMode) => {
    protect(fileMode, folderMode)
    const before = readFileSync(file)
    const outcomes = await Promise.all(READING.map((command) => runAs(user, command)))
    const named = expected.map((outcome) => ({
      ...outcome,
      stderr: outcome.stderr.replace(/ data\.sqlite$/m, ` ${file}`),
    }))
    expect(outcomes).toEqual(named)
    expect(readFileSync(file).equals(before)).toBe(true)
  })

  it.each(MODES)('the log of a killed process is read if %s is not writable', async (_, ...modes) => {
    leaveLog()
    protect(...modes)
    const { code, stdout, stderr } = await runAs(user, 'datasets')
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toContain('in the log')
  })
})

it.each(MODES)('every writing command is one clear line where %s cannot be written', async (_, ...modes) => {
  protect(...modes)
  const before = readFileSync(file)
  for (const command of WRITING) {
    const { code, stdout, stderr } = await runAs('nobody', command)
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr.trimEnd().split('\n').at(-1)).toBe(
      `accord: ${file}: the database is read-only: expected a writable file in a writable folder`,
    )
    expect(stderr).not.toContain(' at ')
  }
  expect(readFileSync(file).equals(before)).toBe(true)
})

it('agreement that is not stored is refused before it is computed', async () => {
  const writer = new BetterSqlite3(file)
  writer.exec('DELETE FROM agreement_score')
  writer.close()
  protect(0o444, 0o555)
  const { code, stdout, stderr } = await runAs('nobody', 'agreement --dataset villages')
  expect([code, stdout, stderr]).toEqual([
    1,
    '',
    `accord: ${file}: the database is read-only: expected a writable file in a writable folder\n`,
  ])
})

it('what is stored is shown without scores with the built-in document frequencies that are not', async () => {
  const evaluate = 'evaluate --dataset villages --system captioner --metrics CIDEr'
  const written = await run(`${evaluate} --database ${file}`)
  expect([written.code, written.stdout.includes('(coco)')]).toEqual([0, true])
  const writer = new BetterSqlite3(file)
  for (const table of ['agreement_score', 'metric_score'])
    writer.exec(
      `DELETE FROM ${table} WHERE provenance_id IN (SELECT id FROM provenance WHERE record LIKE '%"source":"coco"%')`,
    )
  writer.close()
  protect(0o444, 0o555)
  for (const command of ['agreement --dataset villages', evaluate]) {
    const { code, stdout } = await runAs('nobody', command)
    expect([code, stdout.includes('CIDEr'), stdout.includes('(coco)')]).toEqual([0, true, false])
  }
})

it('a server on a read-only database answers what workers compute elsewhere', async () => {
  const ask = `{
    boxes: dataset(name: "boxes-only") { contentSelection { humanBound { fMean { value } } imageScores(first: 2) { nodes { f } } } }
    captions: dataset(name: "villages") { wordAgreement { means { value interval { lower } } } wordLeaderboard { rows { nodes { value } } } }
    compared: dataset(name: "villages") { comparisons(systems: ["detector"], isHumanIncluded: true, words: [{ figure: PHR }]) { conclusion } }
  }`
  protect(0o444, 0o555)
  const [expected, answer] = await Promise.all(
    [start('serve --port 0 --database data.sqlite'), spawnAs('nobody', 'serve --port 0')].map(
      async (server) => {
        const outcome = outcomeOf(server)
        const response = await query(await urlOf(server), ask)
        server.kill('SIGTERM')
        expect(await outcome).toMatchObject({ code: 0, stderr: '' })
        return response
      },
    ),
  )
  expect(answer.errors).toBeUndefined()
  expect(answer).toEqual(expected)
})

it('a server on a read-only database refuses mutations as data', async () => {
  protect(0o444, 0o555)
  const server = spawnAs('nobody', 'serve --port 0')
  const mutation =
    'mutation { startEvaluation(input: { dataset: "villages", system: "captioner" }) { __typename ... on MutationError { code message } } }'
  const { data } = await query(await urlOf(server), mutation)
  server.kill('SIGTERM')
  expect(data.startEvaluation).toEqual({
    __typename: 'MutationError',
    code: 'FORBIDDEN',
    message: 'the database is read-only',
  })
})

it('an unreadable database is one clear error', async () => {
  protect(0o000, 0o755)
  const { code, stderr } = await runAs('nobody', 'datasets')
  expect(code).toBe(2)
  expect(stderr).toMatch(/^accord: .*data\.sqlite: the database cannot be opened: expected .*\n$/)
})

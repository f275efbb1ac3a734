import type { Command } from 'commander'
import { beforeAll, describe, expect, it } from 'vitest'
import { nameOf } from '../../src/cli/next-steps.js'
import { createProgram } from '../../src/cli/program.js'
import { openMetricRegistry } from '../../src/compute/resources.js'
import { openDatabase } from '../../src/store/database.js'
import { insertArtefact } from '../../src/store/metrics.js'
import { importPark, outcomeOf, runHere, workbench } from '../cli/kit.js'
import { simpleComposite } from '../kit/composites.js'
import { commandsOfDocuments, reasonNotExecuted } from '../kit/documents.js'
import { parksFile } from '../kit/parks.js'

/** Sizes of a bound of the four images of the park. */
const BOUND = '--validation-images 1 --test-images 1 --min-word-count 1 --embedding 4 --state 4 --epochs 1'

/** Commands that no page of the documentation executes, in an order in which they succeed. */
const COMMANDS = [
  'datasets --format json',
  'metrics',
  'systems --dataset park',
  'show 1 --dataset park',
  'evaluate --dataset park',
  'verify --dataset park',
  'examples --dataset park --system captioner --metric BLEU-1',
  'export captions --dataset park',
  'export results --dataset park --system captioner',
  'export scores --dataset park --system captioner',
  'export frequencies --dataset park',
  'import objects objects.csv --dataset park',
  'import votes votes.csv --dataset park --kind entity',
  'votes cast --dataset park --voter cem --kind entity --visual dog',
  `bounds run --dataset park --atoms 0 1 ${BOUND}`,
  `bounds train --dataset park --atoms 1 --seed 2 ${BOUND}`,
  'bounds export bound.model --dataset park --system bound-all-1',
  'remove system bound-all-1 --dataset park',
  'bounds import bound.model --dataset park',
  'artefacts show EvalRC',
  'artefacts export EvalRC trained.json',
  'artefacts remove EvalRC',
  'artefacts import trained.json',
  'collect create --dataset parks --images parks.csv --per-image 2',
  'collect show parks',
  'challenge create parks --file challenge.json',
  'challenge update parks --file changes.json',
  'challenge list',
  'users list',
  'users log',
  'copy --from accord.sqlite --to copied.sqlite',
  'completion bash',
  'complete -- accord data',
]

/** Commands that the built program runs elsewhere. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  demo: 'package.test.ts',
  serve: 'serve.test.ts',
  worker: 'worker.test.ts',
}

/** Commands that read a password, and those that need a user. */
const OF_USERS = [
  ...['users add', 'users role', 'users ban', 'users unban', 'users reset', 'login', 'logout'],
  ...['teams create', 'teams invite', 'teams list'],
]

const built = workbench()
const here = workbench()

beforeAll(async () => {
  const phase = {
    name: 'main',
    dataset: 'park',
    closesAt: '2120-01-01T00:00:00Z',
    metrics: ['BLEU-1'],
    limits: { total: 2 },
  }
  for (const bench of [built, here]) {
    await importPark(bench, 'with systems')
    bench.write('objects.csv', 'image_id,objects\n1,dog|kite\n')
    bench.write('votes.csv', 'atom,voter,visual\ndog,anna,yes\ncat,anna,no\n')
    const database = await openDatabase(bench.path('accord.sqlite'))
    await insertArtefact(database, simpleComposite(openMetricRegistry(), 'EvalRC', ['ROUGE-L', 'CIDEr']))
    await database.close()
    bench.write('parks.csv', parksFile(2))
    bench.write('challenge.json', { phases: [phase] })
    bench.write('changes.json', { phases: [{ name: 'main', limits: { total: 1 } }] })
  }
})

describe('the built program', () => {
  it.each(COMMANDS)('answers as the sources do: %s', async (command) => {
    const expected = await runHere(command, {}, here.folder)
    expect(expected).toMatchObject({ code: 0 })
    expect(withoutTimes(await outcomeOf(built.start(command)))).toEqual(withoutTimes(expected))
  })

  it.each(OF_USERS)('explains `%s`', async (command) => {
    const expected = await runHere(`${command} --help`, {}, here.folder)
    expect(await outcomeOf(built.start(`${command} --help`))).toEqual(expected)
  })

  it('runs every command here, in the documentation or in another test', async () => {
    const executed = [
      ...commandsOfDocuments().filter((command) => reasonNotExecuted(command) === undefined),
      ...[...COMMANDS, ...OF_USERS, ...Object.keys(ELSEWHERE)].map((command) => `accord ${command}`),
    ]
    const below = (command: Command): Command[] => command.commands.flatMap((one) => [one, ...below(one)])
    const names = below(await createProgram())
      .filter(({ commands }) => commands.length === 0)
      .map(nameOf)
    expect(
      names.filter((name) => !executed.some((command) => `${command} `.startsWith(`accord ${name} `))),
    ).toEqual([])
  })
})

/** An outcome in which times are equal, and what depends on them. */
function withoutTimes({ code, stdout, stderr }: Awaited<ReturnType<typeof runHere>>) {
  const plain = (text: string) =>
    text
      .replaceAll(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:[\d.]+)?Z?/g, 'TIME')
      .replaceAll(/\d+(\.\d+)? (s|ms)\b/g, 'DURATION')
  return { code, stdout: plain(stdout), stderr: plain(stderr) }
}

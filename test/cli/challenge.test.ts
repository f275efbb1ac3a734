import { expect, it } from 'vitest'
import { cocoResults } from '../kit/coco.js'
import { importPark, workbench } from './kit.js'

const bench = workbench()
const { run, write } = bench

const json = async (args: string) => JSON.parse((await run(`${args} --format json`)).stdout)

it('creates a challenge, takes submissions and shows the board', async () => {
  await importPark(bench, 'with systems')
  write('challenge.json', {
    title: 'Parks',
    timeZone: 'Europe/Berlin',
    phases: [
      {
        name: 'main',
        dataset: 'park',
        closesAt: '2126-01-01T00:00:00Z',
        metrics: ['BLEU-1'],
        limits: { total: 2 },
        baselines: ['captioner'],
      },
    ],
  })
  expect(await run('challenge create parks --file challenge.json')).toMatchObject({
    code: 0,
    stdout: 'Created challenge parks with 1 phase\n',
    stderr: '',
  })
  expect(await json('challenge list')).toMatchObject({
    challenges: [{ challenge: 'parks', phaseCount: 1, isPaused: false }],
  })
  expect(await json('challenge show parks')).toMatchObject({
    timeZone: 'Europe/Berlin',
    phases: [
      { phase: 'main', dataset: 'park', stage: 'OPEN', limits: { total: 2, perDay: null }, isPrivate: false },
    ],
  })
  write('results.json', cocoResults({ 1: 'a dog in the park', 2: 'a dog', 3: 'a cat', 4: 'a bird' }))
  write('bad.json', cocoResults({ 1: 'a dog', 9: 'x' }))
  expect(await run('submit bad.json --challenge parks')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('bad.json: [1].image_id: unknown image'),
  })
  expect(await run('submit results.json --challenge parks --method new')).toMatchObject({
    code: 0,
    stdout: 'results.json: done\n',
    stderr: '',
  })
  // The same again, as after a command that was killed, is the same submission.
  expect((await run('submit results.json --challenge parks --method new')).stdout).toBe(
    'results.json: done\n',
  )
  const { rows } = await json('challenge board parks')
  expect(rows).toHaveLength(3)
  expect(rows[0]).toMatchObject({ rank: 1, kind: 'ENTRY', name: 'local' })
  // The evaluation of the baseline may still be queued.
  for (const other of [
    { kind: 'HUMAN', name: 'people' },
    { kind: 'BASELINE', name: 'captioner' },
  ])
    expect(rows).toContainEqual(expect.objectContaining(other))
  expect((await json('challenge submissions parks')).submissions).toMatchObject([
    { id: 1, team: 'local', status: 'DONE' },
  ])
  const exported = (await run('challenge export parks')).stdout
  expect(JSON.parse(exported)).toMatchObject({
    phase: 'main',
    method: 'new',
    captions: [{ image_id: '1' }, {}, {}, {}],
  })
  // A submission is a system of its dataset if the host imports it as one.
  const systems = async () =>
    (await json('systems --dataset park')).systems.map(({ system }: { system: string }) => system)
  expect(await systems()).toEqual(['captioner', 'detector'])
  write('winner.json', JSON.parse(exported).captions)
  expect(await run('import results winner.json --dataset park --system winner')).toMatchObject({ code: 0 })
  expect(await systems()).toEqual(['captioner', 'detector', 'winner'])
  for (const [command, message] of [
    ['challenge board parks --order-by SPICE', 'the board has no column of this metric: expected one of '],
    ['challenge grant parks --team nope', 'unknown team'],
    [
      'submit results.json --challenge parks --team nope',
      '--team: unknown team: expected one of local, found "nope"',
    ],
  ]) {
    const { code, stderr } = await run(command)
    expect({ command, code, stderr }).toEqual({ command, code: 2, stderr: expect.stringContaining(message) })
  }
  write('wrong.json', { titel: 'Parks' })
  expect((await run('challenge update parks --file wrong.json')).stderr).toContain('wrong.json: titel: ')
  await run('challenge pause parks')
  expect((await json('challenge show parks')).phases).toMatchObject([{ stage: 'PAUSED' }])
  expect((await run('submit results.json --challenge parks')).stderr).toContain('the phase is paused')
  await run('challenge pause parks --resume')
  expect((await run('challenge grant parks --team local --count 3')).stdout).toBe(
    'Granted team local 3 submissions; 3 of those granted are left\n',
  )
  write('changes.json', { phases: [{ name: 'main', limits: { total: 0 } }] })
  await run('challenge update parks --file changes.json')
  // That of the baseline may be queued still.
  expect((await run('challenge rerun parks')).stdout).toMatch(
    /^Started [01] evaluations?, and 0 failed submissions again\n$/,
  )
  const { entries } = await json('challenge audit parks')
  expect(entries.map(({ action }: { action: string }) => action)).toEqual([
    'createChallenge',
    'submit',
    'updateChallenge',
    'updateChallenge',
    'grantSubmissions',
    'updateChallenge',
    'rerunChallenge',
  ])
  write('wrong.json', { phases: [{ name: 'main', limits: { perWeek: 1 } }] })
  expect((await run('remove dataset park')).stderr).toContain('the dataset is that of a phase of a challenge')
  expect((await run('challenge update parks --file wrong.json')).stderr).toContain(
    'wrong.json: phases[0].limits',
  )
  expect((await run('challenge remove parks')).stdout).toBe('Removed challenge parks and its 1 submission\n')
  expect(await systems()).toEqual(['captioner', 'detector', 'winner'])
  expect(bench.dump()).toMatchObject({ challenge: [], phase: [], submission: [], submission_grant: [] })
})

it('names the rules of the preset', async () => {
  const created = await run(
    'challenge create coco --preset coco-captions-2015 --phase val=park --closes 2126-01-01T00:00:00Z',
  )
  expect(created.stderr).toContain('expected one of val-c5, val-c40, test-c5, test-c40')
  const few = await run(
    'challenge create coco --preset coco-captions-2015 --phase val-c5=park --closes 2126-01-01T00:00:00Z',
  )
  expect(few.stderr).toContain('too few captions of each image: expected 1 to 3')
})

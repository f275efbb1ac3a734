import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { zipSync } from 'fflate'
import { beforeAll, describe, expect, it } from 'vitest'
import { submitToServer } from '../../src/cli/submit-to-server.js'
import { rejectionOf } from '../kit/boxes.js'
import { cocoResults } from '../kit/coco.js'
import { dogImages } from '../kit/dogs.js'
import { type Api, initWorld, type Json } from '../kit/seed.js'

const COUNT = 12
const IMAGES = dogImages(COUNT)

/** Captions of all images. */
const captions = (text: (image: string) => string) =>
  cocoResults(Object.fromEntries(Object.keys(IMAGES).map((image) => [image, text(image)])))

const GOOD = captions((image) => IMAGES[image][0])
const BAD = captions((image) => `zebra ${image}`)

const ERROR = '... on MutationError { __typename code message place expected found }'
const SUBMIT = `mutation ($input: SubmitInput!) { submit(input: $input) {
  ... on SubmitSuccess { submissions { id teamName fileName day isCharged phase { name } job { id kind } } } ${ERROR} } }`

describe('challenges', async () => {
  const world = await initWorld()
  let api: Api

  beforeAll(async () => {
    await world.dataset('dogs', { images: IMAGES })
    await world.dataset('cats', { images: { c1: ['a cat', 'the cat'], c2: ['cats', 'two cats'] } })
    const dogs = await world.dataset('more dogs', { images: IMAGES })
    await dogs.captionSystem(
      'parrot',
      Object.fromEntries(Object.keys(IMAGES).map((image) => [image, 'a dog'])),
    )
    api = await world.serve({ workers: 1 })
  })

  const create = (input: Json) =>
    api.ask(
      `mutation ($input: CreateChallengeInput!) { createChallenge(input: $input) {
        ... on ChallengeSuccess { challenge { name } } ${ERROR} } }`,
      { input },
    )

  const OPEN = { opensAt: '2020-01-01T00:00:00Z', closesAt: '2120-01-01T00:00:00Z' }
  const phase = (more: Json = {}) => ({
    name: 'main',
    dataset: 'dogs',
    metrics: ['BLEU-1', 'CIDEr-D'],
    ...OPEN,
    ...more,
  })

  const submit = async (challenge: string, content: object | Buffer, more: Json = {}) => {
    const upload = await api.upload(content as object, more.fileName ?? 'results.json')
    const { fileName: _, ...input } = more
    return (await api.ask(SUBMIT, { input: { challenge, upload, ...input } })).submit
  }

  it('reads times in RFC 3339 with an offset, and sends them in UTC', async () => {
    const times = {
      opensAt: '2020-01-01T09:00:00+09:00',
      closesAt: '2120-01-01t00:00:00.25-01:30',
      boardFrom: null,
    }
    expect(await create({ name: 'offsets', phases: [phase(times)] })).toMatchObject({
      createChallenge: { challenge: { name: 'offsets' } },
    })
    const { challenge } = await api.ask(
      '{ challenge(name: "offsets") { phases { opensAt closesAt boardFrom } } }',
    )
    expect(challenge.phases).toEqual([
      { opensAt: '2020-01-01T00:00:00.000Z', closesAt: '2120-01-01T01:30:00.250Z', boardFrom: null },
    ])
  })

  it.each([
    '"2030-06-31T00:00:00Z"',
    '"12/25/2030"',
    '"2030-06-30T12:00:00"',
    '"2030-06-30"',
    '1924992000000',
    'true',
  ])('refuses the time %s', async (closesAt) => {
    const create = (value: string) => `createChallenge(input: { name: "late", phases: [
        { name: "main", dataset: "dogs", closesAt: ${value} }] }) { __typename }`
    const literal = await api.query(`mutation { ${create(closesAt)} }`)
    const variable = await api.query(`mutation ($at: DateTime) { ${create('$at')} }`, {
      at: JSON.parse(closesAt),
    })
    for (const { status, errors } of [literal, variable]) {
      expect(status).toBe(400)
      expect(errors[0].message).toContain('RFC 3339 with an offset, such as')
    }
  })

  it('takes a submission from the file to the board', async () => {
    await create({
      name: 'first',
      description: '# Dogs',
      phases: [phase({ dataset: 'more dogs', baselines: ['parrot'] })],
    })
    for (const content of [GOOD, BAD]) {
      const { submissions } = await submit('first', content)
      expect(submissions).toMatchObject([
        {
          teamName: 'local',
          fileName: 'results.json',
          isCharged: true,
          phase: { name: 'main' },
          job: { kind: 'SUBMISSION' },
        },
      ])
      expect(await api.ended(submissions[0].job.id)).toMatchObject({ status: 'DONE', failure: null })
    }
    const { challenge } = await api.ask(`{ challenge(name: "first") {
      title isHosted descriptionHtml
      phases { stage board { metrics { name } rankedBy { name } rows { nodes {
        rank kind name isOwn submission { fileName } scores { metric { name } value undefinedReason } } } }
        quota { leftCount usedInTotalCount timeZone resetsAt whyNone }
        submissions { totalCount nodes { isChosen scores { value } queuedBeforeCount } } }
      auditLog { nodes { actor action } } } }`)
    expect(challenge).toMatchObject({
      title: 'first',
      isHosted: true,
      descriptionHtml: '<h1>Dogs</h1>\n',
      auditLog: {
        nodes: ['createChallenge', 'submit', 'submit'].map((action) => ({ actor: 'local', action })),
      },
    })
    const [{ board, quota, submissions }] = challenge.phases
    expect(quota).toMatchObject({ leftCount: null, usedInTotalCount: 2, timeZone: 'UTC', whyNone: null })
    expect(submissions).toMatchObject({
      totalCount: 2,
      nodes: [{ isChosen: false, queuedBeforeCount: null }, {}],
    })
    const { nodes } = board.rows
    expect(board).toMatchObject({
      metrics: [{ name: 'BLEU-1' }, { name: 'CIDEr-D' }],
      rankedBy: { name: 'CIDEr-D' },
    })
    // The best one of the team is its entry; baselines and people are not ranked.
    expect(nodes.filter(({ kind }: Json) => kind === 'ENTRY')).toMatchObject([
      { rank: 1, name: 'local', isOwn: true },
    ])
    expect(nodes.find(({ kind }: Json) => kind === 'HUMAN').name).toBe('people')
    expect(new Set(nodes.map(({ kind }: Json) => kind))).toEqual(new Set(['ENTRY', 'BASELINE', 'HUMAN']))
  })

  it('is used by accord submit --server', async () => {
    const [file, zip, bad] = ['results.json', 'results.zip', 'bad.json'].map((name) =>
      join(world.folder, name),
    )
    writeFileSync(file, JSON.stringify(GOOD))
    writeFileSync(zip, zipSync({ 'any name.json': Buffer.from(JSON.stringify(BAD)) }))
    writeFileSync(bad, JSON.stringify(GOOD.slice(1)))
    await create({ name: 'remote', phases: [phase()] })
    const server = new URL('.', api.url).href
    const send = (path: string, challenge = 'remote') =>
      submitToServer({ server }, path, { challenge }, () => {})
    expect(await send(file)).toEqual([{ fileName: 'results.json', status: 'DONE', message: null }])
    expect(await send(zip)).toEqual([{ fileName: 'any name.json', status: 'DONE', message: null }])
    // A command that was killed is used again.
    expect(await send(file)).toEqual([{ fileName: 'results.json', status: 'DONE', message: null }])
    const { challenge: remote } = await api.ask(
      '{ challenge(name: "remote") { phases { quota { attemptCount } } } }',
    )
    expect(remote.phases).toEqual([{ quota: { attemptCount: 2 } }])
    expect(await rejectionOf(send(bad))).toMatch(/^MISSING_IMAGES bad.json: images are missing/)
    expect(await rejectionOf(send(file, 'none'))).toMatch(/^UNKNOWN_CHALLENGE/)
    expect(await rejectionOf(send(join(world.folder, 'none.json')))).toMatch(/^FILE_NOT_FOUND/)
    const nowhere = submitToServer({ server: 'http://127.0.0.1:9/' }, file, { challenge: 'remote' }, () => {})
    expect(await rejectionOf(nowhere)).toMatch(/^FILE_NOT_FOUND .*does not answer/)
  })

  it.each(['host', 'submit'])('has no phase with the name of a page: %s', async (name) => {
    const { createChallenge } = await create({ name: `pages-${name}`, phases: [phase({ name })] })
    expect(createChallenge).toMatchObject({ code: 'INVALID_VALUE', place: 'phases.name', found: `"${name}"` })
  })

  it('have another name than the page that creates them', async () => {
    const { createChallenge } = await create({ name: 'new', phases: [phase()] })
    expect(createChallenge).toMatchObject({ code: 'INVALID_VALUE', place: 'name', found: '"new"' })
  })

  it('changes a challenge, and refuses what its hosts did not mean', async () => {
    await create({ name: 'changed', phases: [phase()] })
    const update = async (input: Json) =>
      (
        await api.ask(
          `mutation ($input: UpdateChallengeInput!) { updateChallenge(input: $input) {
            ... on ChallengeSuccess { challenge { title isPaused phases { limits { perDay total } boardFrom stage } } } ${ERROR} } }`,
          { input: { challenge: 'changed', ...input } },
        )
      ).updateChallenge
    const limited = { name: 'main', limits: { perDay: 3 }, boardFrom: '2110-01-01T00:00:00Z' }
    expect(await update({ title: 'New', isPaused: true, phases: [limited] })).toEqual({
      challenge: {
        title: 'New',
        isPaused: true,
        phases: [
          { limits: { perDay: 3, total: null }, boardFrom: '2110-01-01T00:00:00.000Z', stage: 'PAUSED' },
        ],
      },
    })
    // Null is a value where it says that there is no limit, and no date.
    expect(
      await update({ title: null, phases: [{ name: 'main', limits: { perDay: null }, boardFrom: null }] }),
    ).toMatchObject({ challenge: { title: 'New', phases: [{ limits: { perDay: null }, boardFrom: null }] } })
    expect(await update({ phases: [{ name: 'main', dataset: 'cats' }] })).toMatchObject({
      __typename: 'MutationError',
      code: 'NOT_APPLICABLE',
      expected: '"dogs"',
    })
    expect(await update({ phases: [{ name: 'main', rankedBy: 'METEOR' }] })).toMatchObject({
      __typename: 'MutationError',
    })
    const preset = {
      name: 'preset',
      preset: 'COCO_CAPTIONS_2015',
      phases: [{ name: 'val', dataset: 'dogs' }],
    }
    expect((await create(preset)).createChallenge).toMatchObject({ code: 'INVALID_VALUE' })
  })
})

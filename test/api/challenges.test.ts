import { beforeAll, describe, expect, it } from 'vitest'
import { cocoResults } from '../kit/coco.js'
import { ENGINES } from '../kit/databases.js'
import { type Api, initWorld, type Json } from '../kit/seed.js'

const IMAGES = Object.fromEntries(
  Array.from({ length: 12 }, (_, image) => [
    `${image + 1}`,
    [`a dog runs in park ${image}`, `the dog is in the park ${image}`, `one brown dog near tree ${image}`],
  ]),
)

/** Captions of all images. */
const captions = (text: (image: string) => string) =>
  cocoResults(Object.fromEntries(Object.keys(IMAGES).map((image) => [image, text(image)])))

const GOOD = captions((image) => IMAGES[image][0])
const BAD = captions((image) => `zebra ${image}`)

const ERROR = '... on MutationError { __typename code message place expected found }'
const SUBMIT = `mutation ($input: SubmitInput!) { submit(input: $input) {
  ... on SubmitSuccess { submissions { id teamName fileName day isCharged phase { name } job { id kind } } } ${ERROR} } }`

describe.each(ENGINES)('challenges on %s', async (engine) => {
  const world = await initWorld({ engine })
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
        ... on CreateChallengeSuccess { challenge { name } } ${ERROR} } }`,
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
      phases { stage board { metricNames rows { nodes {
        rank kind name isOwn submission { fileName } scores { metricName value undefinedReason } } } }
        quota { leftCount usedInTotalCount timeZone resetsAt whyNone }
        submissions { totalCount nodes { isChosen scores { value } queuedBeforeCount } } }
      auditLog { nodes { actor action } } } }`)
    expect(challenge).toMatchObject({
      title: 'first',
      isHosted: true,
      descriptionHtml: '<h1>Dogs</h1>\n',
      auditLog: { nodes: [{ actor: 'local', action: 'createChallenge' }] },
    })
    const [{ board, quota, submissions }] = challenge.phases
    expect(quota).toMatchObject({ leftCount: null, usedInTotalCount: 2, timeZone: 'UTC', whyNone: null })
    expect(submissions).toMatchObject({
      totalCount: 2,
      nodes: [{ isChosen: false, queuedBeforeCount: null }, {}],
    })
    const { nodes } = board.rows
    expect(board.metricNames).toEqual(['BLEU-1', 'CIDEr-D'])
    // The best one of the team is its entry; baselines and people are not ranked.
    expect(nodes.filter(({ kind }: Json) => kind === 'ENTRY')).toMatchObject([
      { rank: 1, name: 'local', isOwn: true },
    ])
    expect(new Set(nodes.map(({ kind }: Json) => kind))).toEqual(new Set(['ENTRY', 'BASELINE', 'HUMAN']))
  })
})

import { beforeAll, describe, expect, it } from 'vitest'
import { toGlobalId } from '../../src/api/shared/ids.js'
import { findChallenge, findPhasesOfChallenges } from '../../src/store/challenges.js'
import { dogImages } from '../kit/dogs.js'
import { type Api, initWorld, type Json } from '../kit/seed.js'
import { signInViewers, type ViewerName } from '../kit/viewers.js'

/** Who knows of a challenge that its hosts have not opened yet. */

const COUNT = 12
const HOSTS = ['host', 'administrator'] as const
const OTHERS = ['anonymous', 'rival', 'member', 'otherHost'] as const

const world = await initWorld()
let api: Api
let headersOf: Readonly<Record<ViewerName, Record<string, string>>>
let ids: { readonly challenge: string; readonly phase: string; readonly entry: string }

const ask = (viewer: ViewerName, query: string, variables?: Json) =>
  api.post(JSON.stringify({ query, variables }), headersOf[viewer])

async function data(viewer: ViewerName, query: string, variables?: Json): Promise<Json> {
  const answer = await ask(viewer, query, variables)
  expect(answer.errors, `${viewer}: ${query}`).toEqual([])
  return answer.data
}

const ERROR = '__typename ... on MutationError { code message expected found }'

const create = async (name: string, more = '') =>
  (
    await data(
      'host',
      `mutation { createChallenge(input: { name: "${name}", ${more} phases: [{ name: "main", dataset: "dogs", metrics: ["BLEU-1"],
        opensAt: "2020-01-01T00:00:00Z", closesAt: "2126-01-01T00:00:00Z" }] }) { ${ERROR} } }`,
    )
  ).createChallenge

beforeAll(async () => {
  const { accord, database } = world
  await world.dataset('dogs', { images: dogImages(COUNT) })
  api = await world.serve({ accounts: 'OPEN', workers: 1 })
  const { accounts, sessions, headers } = await signInViewers(accord, api)
  headersOf = headers
  await accounts.createTeam(sessions.host, 'Hosts')
  await accounts.createTeam(sessions.otherHost, 'Other hosts')
  expect(await create('open')).toEqual({ __typename: 'ChallengeSuccess' })
  expect(await create('secret', 'isDraft: true,')).toEqual({ __typename: 'ChallengeSuccess' })
  const challenge = await findChallenge(database, 'secret')
  const [phase] = await findPhasesOfChallenges(database, [challenge?.id as number])
  const { challenge: hosted } = await data(
    'host',
    '{ challenge(name: "secret") { auditLog { nodes { id } } phase(name: "main") { board { rows { totalCount } } } } }',
  )
  ids = {
    challenge: toGlobalId('Challenge', challenge?.id as number),
    phase: toGlobalId('Phase', phase.id),
    entry: hosted.auditLog.nodes[0].id,
  }
})

describe('a draft', () => {
  it.each(HOSTS)('is shown to the %s', async (viewer) => {
    const { challenges, challenge, node, phase } = await data(
      viewer,
      `query ($challenge: ID!, $phase: ID!) {
         challenges { totalCount nodes { name isDraft } }
         challenge(name: "secret") { isDraft isHosted phases { stage board { rankedBy { name } } } }
         node(id: $challenge) { ... on Challenge { name } }
         phase: node(id: $phase) { ... on Phase { stage challenge { name } } } }`,
      ids,
    )
    expect(challenges.nodes).toEqual([
      { name: 'open', isDraft: false },
      { name: 'secret', isDraft: true },
    ])
    expect(challenge).toEqual({
      isDraft: true,
      isHosted: true,
      phases: [{ stage: 'DRAFT', board: { rankedBy: { name: 'BLEU-1' } } }],
    })
    expect(node).toEqual({ name: 'secret' })
    expect(phase).toEqual({ stage: 'DRAFT', challenge: { name: 'secret' } })
  })

  it.each(OTHERS)('does not exist for the %s: in lists, by name, by id, or by its board', async (viewer) => {
    const answer = await data(
      viewer,
      `query ($challenge: ID!, $phase: ID!, $entry: ID!) {
         challenges { totalCount nodes { name } }
         challenge(name: "secret") { title phase(name: "main") { board { rankedBy { name } } submissions { totalCount } } }
         node(id: $challenge) { id ... on Challenge { name } }
         phase: node(id: $phase) { id ... on Phase { board { rankedBy { name } } } }
         entry: node(id: $entry) { id } }`,
      ids,
    )
    expect(answer).toEqual({
      challenges: { totalCount: 1, nodes: [{ name: 'open' }] },
      challenge: null,
      node: null,
      phase: null,
      entry: null,
    })
  })

  it.each(OTHERS)('is not named in the refusals of the %s', async (viewer) => {
    const unknown = (name: string) => [
      `updateChallenge(input: { challenge: "${name}", title: "x" })`,
      `rerunChallenge(input: { challenge: "${name}" })`,
      `removeChallenge(input: { challenge: "${name}" })`,
      `grantSubmissions(input: { challenge: "${name}", team: "Rivals", submissionCount: 1 })`,
      `submit(input: { challenge: "${name}", upload: "none" })`,
    ]
    for (const [index, mutation] of unknown('secret').entries()) {
      const { data: refused } = await ask(viewer, `mutation { result: ${mutation} { ${ERROR} } }`)
      const { data: absent } = await ask(
        viewer,
        `mutation { result: ${unknown('sekret')[index]} { ${ERROR} } }`,
      )
      // As for a name that nothing has, which is not corrected to that of the draft.
      const named = JSON.stringify(absent).replaceAll('sekret', 'secret')
      expect(JSON.stringify(refused)).toBe(named)
      expect(refused?.result.__typename).not.toMatch(/Success$/)
      expect(JSON.stringify(absent)).not.toContain('secret')
    }
  })

  it('has a board whose job says nothing to other hosts', async () => {
    const jobs = '{ jobs(last: 100) { nodes { kind input { name } message } } }'
    const boardsOf = async (viewer: ViewerName) =>
      (await data(viewer, jobs)).jobs.nodes.filter(({ kind }: Json) => kind === 'BOARD')
    const inputs = async (viewer: ViewerName) =>
      (await boardsOf(viewer)).map(({ input }: Json) => input.map(({ name }: Json) => name))
    expect((await inputs('host')).some((input: string[]) => input.includes('phaseId'))).toBe(true)
    for (const input of await inputs('otherHost')) expect(input).not.toContain('phaseId')
  })

  it('accepts nothing, of its hosts neither, and opens for good', async () => {
    const { submit } = await data(
      'host',
      `mutation { submit(input: { challenge: "secret", upload: "none" }) { ${ERROR} } }`,
    )
    expect(submit).toMatchObject({ message: expect.stringContaining('is one of a draft') })
    const update = async (isDraft: boolean) =>
      (
        await data(
          'host',
          `mutation { updateChallenge(input: { challenge: "secret", isDraft: ${isDraft} }) { ${ERROR} } }`,
        )
      ).updateChallenge
    expect(await update(false)).toEqual({ __typename: 'ChallengeSuccess' })
    for (const viewer of OTHERS) {
      const { challenge } = await data(viewer, '{ challenge(name: "secret") { isDraft phases { stage } } }')
      expect(challenge).toEqual({ isDraft: false, phases: [{ stage: 'OPEN' }] })
    }
    expect(await update(true)).toMatchObject({ code: 'NOT_APPLICABLE' })
  })
})

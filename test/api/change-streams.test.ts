import { createClient } from 'graphql-sse'
import { beforeAll, expect, it } from 'vitest'
import { cocoResults } from '../kit/coco.js'
import { dogImages } from '../kit/dogs.js'
import { type Api, initWorld, type Json } from '../kit/seed.js'
import { signInViewers, type ViewerName } from '../kit/viewers.js'

/** Event streams of lists and boards, for whom they are. */

const world = await initWorld()
let api: Api
let headers: Record<ViewerName, Record<string, string>>

beforeAll(async () => {
  const dogs = await world.dataset('dogs', { images: dogImages(4) })
  await dogs.captionSystem('echo', captions())
  api = await world.serve({ accounts: 'OPEN', workers: 1 })
  const viewers = await signInViewers(world.accord, api)
  headers = viewers.headers
  await viewers.accounts.createTeam(viewers.sessions.host, 'Hosts')
})

const captions = () => Object.fromEntries(Object.keys(dogImages(4)).map((image) => [image, 'a dog']))

async function data(viewer: ViewerName, query: string, variables?: Json): Promise<Json> {
  const answer = await api.post(JSON.stringify({ query, variables }), headers[viewer])
  expect(answer.errors, query).toEqual([])
  return answer.data as Json
}

/** Opens a stream. `until` reads events up to the first one that fits. */
function open(viewer: ViewerName, query: string, variables: Json = {}) {
  const client = createClient({ url: api.url, headers: headers[viewer], retryAttempts: 0 })
  const events = client.iterate<Json>({ query, variables })
  const next = async (): Promise<Json> => (await events.next()).value
  return {
    next,
    async until(fits: (data: Json) => boolean): Promise<Json> {
      for (;;) {
        const { data, errors } = await next()
        expect(errors).toBeUndefined()
        if (fits(data)) return data
      }
    },
    close: () => client.dispose(),
  }
}

/** The code of the error with which a stream begins. */
async function refusal(viewer: ViewerName, query: string, variables?: Json): Promise<string> {
  const stream = open(viewer, query, variables)
  const { errors, data } = await stream.next()
  stream.close()
  expect(data ?? null).toBeNull()
  return errors[0].extensions.code
}

it('a list of jobs is sent when its jobs change, to hosts alone', async () => {
  const JOBS = `subscription { jobs(filter: { kinds: [EVALUATE] }, first: 2) {
    totalCount nodes { id status subject { ... on System { name } } } pageInfo { startCursor } } }`
  const stream = open('host', JOBS)
  const empty = { totalCount: 0, nodes: [], pageInfo: { startCursor: null } }
  expect(await stream.next()).toEqual({ data: { jobs: empty } })
  const { startEvaluation } = await data(
    'host',
    'mutation { startEvaluation(input: { dataset: "dogs", system: "echo" }) { ... on JobSuccess { job { id } } } }',
  )
  const { jobs } = await stream.until((event) => event.jobs.nodes[0]?.status === 'DONE')
  expect(jobs).toEqual({
    totalCount: 1,
    nodes: [{ id: startEvaluation.job.id, status: 'DONE', subject: { name: 'echo' } }],
    pageInfo: { startCursor: expect.any(String) },
  })
  stream.close()
  expect(await refusal('anonymous', JOBS)).toBe('UNAUTHENTICATED')
  for (const viewer of ['rival', 'member'] as const) expect(await refusal(viewer, JOBS)).toBe('FORBIDDEN')
  expect(await refusal('host', 'subscription { jobs(first: 5000) { totalCount } }')).toBe('OUT_OF_RANGE')
})

it('a board is sent when it changes, to those who see it', async () => {
  const phase = (name: string, more = '') =>
    `{ name: "${name}", dataset: "dogs", metrics: ["BLEU-1"], closesAt: "2126-01-01T00:00:00Z"${more} }`
  const create = (name: string, more: string) =>
    data(
      'host',
      `mutation { createChallenge(input: { name: "${name}", ${more} }) { ... on ChallengeSuccess { challenge { phases { id } } } } }`,
    ).then(({ createChallenge }) => createChallenge.challenge.phases.map(({ id }: Json) => id))
  const [main, later] = await create(
    'open',
    `phases: [${phase('main')}, ${phase('later', ', boardFrom: "2120-01-01T00:00:00Z"')}]`,
  )
  const [secret] = await create('secret', `isDraft: true, phases: [${phase('main')}]`)
  const BOARD = `subscription ($id: ID!) { boardChanges(id: $id) {
    id board { rows { nodes { kind name scores { value } } } } } }`
  const entriesOf = ({ boardChanges }: Json) =>
    boardChanges.board.rows.nodes.filter(({ kind }: Json) => kind === 'ENTRY')

  const stream = open('anonymous', BOARD, { id: main })
  const first = (await stream.next()).data
  expect(first.boardChanges.id).toBe(main)
  expect(entriesOf(first)).toEqual([])
  const upload = await fetch(new URL('uploads?filename=mine.json', api.url), {
    method: 'POST',
    headers: { 'content-type': 'application/octet-stream', ...headers.member },
    body: JSON.stringify(cocoResults(captions())),
  })
  const { id } = (await upload.json()) as { id: string }
  await data(
    'member',
    `mutation { submit(input: { challenge: "open", phaseNames: ["main"], upload: "${id}" }) { __typename } }`,
  )
  const changed = await stream.until((event) => entriesOf(event)[0]?.scores[0].value != null)
  expect(entriesOf(changed)).toEqual([
    { kind: 'ENTRY', name: 'Members', scores: [{ value: expect.any(Number) }] },
  ])
  stream.close()

  // Before it is shown it is sent to hosts alone; who waits for it gets it then.
  const waiting = open('rival', BOARD, { id: later })
  expect((await waiting.next()).data.boardChanges).toEqual({ id: later, board: null })
  const ofHost = open('host', BOARD, { id: later })
  expect((await ofHost.next()).data.boardChanges.board).not.toBeNull()
  ofHost.close()
  await data(
    'host',
    'mutation { updateChallenge(input: { challenge: "open", phases: [{ name: "later", boardFrom: null }] }) { __typename } }',
  )
  await waiting.until(({ boardChanges }) => boardChanges.board !== null)
  waiting.close()

  // A draft is as unknown as what does not exist, and a stream of it begins for its hosts.
  for (const unknown of [secret, main.slice(1)])
    expect(await refusal('rival', BOARD, { id: unknown })).toBe('UNKNOWN_CHALLENGE')
  const ofDraft = open('host', BOARD, { id: secret })
  expect((await ofDraft.next()).data.boardChanges.id).toBe(secret)
  // It ends with the challenge.
  const ended = ofDraft.next()
  await data('host', 'mutation { removeChallenge(input: { challenge: "secret" }) { __typename } }')
  expect((await ended).errors[0].extensions.code).toBe('UNKNOWN_CHALLENGE')
  ofDraft.close()
})

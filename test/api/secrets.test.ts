import { readFileSync } from 'node:fs'
import { buildSchema, parse } from 'graphql'
import { expect, it } from 'vitest'
import { LIMITS } from '../../src/api/schema/limits.js'
import { rowIdOf, toGlobalId } from '../../src/api/shared/ids.js'
import { createRandom } from '../../src/core/stats/random.js'
import { projectFile } from '../../src/project.js'
import { makePrivate } from '../../src/store/datasets.js'
import { raw, sql } from '../../src/store/engine/sql.js'
import { findSubmissions } from '../../src/store/submissions.js'
import { cocoResults } from '../kit/coco.js'
import { dogImages } from '../kit/dogs.js'
import { randomQueries } from '../kit/random-queries.js'
import { type Api, initWorld, type Json } from '../kit/seed.js'
import { isSlow } from '../kit/slow.js'
import { signInViewers, type ViewerName } from '../kit/viewers.js'

/** Random queries of rivals, beside those of an administrator, who sees everything: the secrets are in no answer to a rival. */

/** What only a private dataset and a submission contain; no query names it. */
const OF_SUBMISSION = ['okapi', 'mine.json', 'of our method']
const SECRETS = [...OF_SUBMISSION, 'quagga']

/** 10,000 were sent once. */
const QUERIES = isSlow ? 320 : 80

const world = await initWorld()

it('random queries of rivals find no secret of private datasets and submissions', async () => {
  const api = await world.serve({ accounts: 'OPEN', workers: 1 })
  const { accounts, sessions, headers } = await signInViewers(world.accord, api)
  for (const host of ['host', 'otherHost', 'administrator'] as const)
    await accounts.createTeam(sessions[host], host)
  const ask = (viewer: ViewerName, query: string, variables?: Json) =>
    api.post(JSON.stringify({ query, variables }), headers[viewer])
  const ids = await createSecrets(api, headers, async (viewer, query, variables) => {
    const { data, errors } = await ask(viewer, query, variables)
    expect(errors, query).toEqual([])
    return data
  })

  const random = createRandom(31)
  const schema = buildSchema(readFileSync(projectFile('schema.graphql'), 'utf8'))
  /** Names that the queries of a field of `Query` ask for. */
  const roots: Record<string, readonly string[]> = {
    dataset: ['hidden', 'hidden', 'dogs', 'secretive', 'submission 1'],
    challenge: ['dogs', 'dogs', 'quiet', 'main'],
    node: ['secretive', 'submission 1', 'main'],
    jobs: ['secretive'],
  }
  const generators = Object.entries(roots).map(([root, name]) =>
    randomQueries(schema, () => random.next(), {
      root,
      omitted: new Set(),
      texts: {
        name,
        system: ['echo', 'secretive', 'submission 1'],
        systems: ['echo', 'secretive', 'submission 1'],
        dataset: ['dogs', 'hidden'],
        text: ['dog', 'near'],
        texts: ['dog', 'near'],
        word: ['dog', 'near'],
        metric: ['BLEU-1'],
        metrics: ['BLEU-1'],
        externalId: ['1', '2'],
        externalIds: ['1', '2'],
        id: ids,
      },
    }),
  )
  let hits = 0
  for (let count = 0; count < QUERIES; count++) {
    const isControl = count % 8 === 0
    const { query, variables } = isControl
      ? { query: CONTROL, variables: { id: ids[(count / 8) % ids.length] } }
      : generators[count % generators.length]()
    // The server refuses longer documents.
    if ((parse(query).tokenCount ?? 0) > LIMITS.tokens) continue
    for (const viewer of ['anonymous', 'rival', 'otherHost'] as const) {
      const answer = JSON.stringify(await ask(viewer, query, variables))
      // Hosts see private datasets.
      for (const secret of viewer === 'otherHost' ? OF_SUBMISSION : SECRETS)
        expect(answer, `${viewer}: ${query}`).not.toContain(secret)
    }
    const answer = JSON.stringify(await ask('administrator', query, variables))
    if (SECRETS.some((secret) => answer.includes(secret))) hits++
  }
  // The same queries hit secrets.
  expect(hits).toBeGreaterThan(QUERIES / 40)
})

/** Reads what has an id as deep as secrets lie. */
const CONTROL = `query ($id: ID!) { node(id: $id) {
  ... on System { name dataset { words(first: 9) { nodes { text } } } }
  ... on SystemCaption { text tokens }
  ... on Image { captions { text } systemCaptions { nodes { text } } }
  ... on Word { text }
  ... on Dataset { name words(first: 9) { nodes { text } } images(first: 9) { nodes { captions { text } } } }
  ... on Submission { fileName method system { name } }
  ... on Job { input { text } summary about: subject { ... on System { name } } }
  ... on WordAgreementSummary { means { value } notes }
  ... on PhrSummary { notes }
  ... on Leaderboard { rows { nodes { subject { ... on System { name dataset { words(first: 9) { nodes { text } } } } } } } }
  ... on LeaderboardRow { subject { ... on System { name dataset { words(first: 9) { nodes { text } } } } } }
} }`

type Ask = (viewer: ViewerName, query: string, variables?: Json) => Promise<Json>

/** A private dataset with a system, and an anonymous submission of members. @returns global ids of what is secret and of the rest */
async function createSecrets(api: Api, headers: Record<ViewerName, Record<string, string>>, ask: Ask) {
  const { database } = world
  const dogs = await world.dataset('dogs', { images: dogImages(8), vocabulary: { dog: 'NN', park: 'NN' } })
  const secretive = { 1: ['a dog near a quagga', 'the quagga'], 2: ['a quagga', 'dogs near the quagga'] }
  const hidden = await world.dataset('hidden', { images: secretive, vocabulary: { dog: 'NN', quagga: 'NN' } })
  await dogs.captionSystem(
    'echo',
    Object.fromEntries(Object.keys(dogImages(8)).map((image) => [image, 'a dog'])),
  )
  await hidden.captionSystem('secretive', { 1: 'a dog near a quagga', 2: 'quagga' })
  await dogs.evaluate('echo')
  await hidden.evaluate('secretive')
  await makePrivate(database, hidden.row.id)
  for (const [viewer, name, dataset] of [
    ['host', 'dogs', 'dogs'],
    ['administrator', 'quiet', 'hidden'],
    ['otherHost', 'other', 'dogs'],
  ] as const) {
    const { createChallenge } = await ask(
      viewer,
      `mutation { createChallenge(input: { name: "${name}", phases: [{ name: "main", dataset: "${dataset}", metrics: ["BLEU-1"],
        references: ${dataset === 'hidden' ? 1 : 2}, closesAt: "2126-01-01T00:00:00Z" }] }) { __typename ... on MutationError { message } } }`,
    )
    expect(createChallenge).toEqual({ __typename: 'ChallengeSuccess' })
  }
  const upload = await fetch(new URL('uploads?filename=mine.json', api.url), {
    method: 'POST',
    headers: { 'content-type': 'application/octet-stream', ...headers.member },
    body: JSON.stringify(
      cocoResults(Object.fromEntries(Object.keys(dogImages(8)).map((image) => [image, `an okapi ${image}`]))),
    ),
  })
  const { id } = (await upload.json()) as { id: string }
  const { submit } = await ask(
    'member',
    `mutation ($upload: ID!) { submit(input: { challenge: "dogs", upload: $upload, isAnonymous: true, method: "of our method" }) {
      ... on SubmitSuccess { submissions { id job { id } } } ... on MutationError { message } } }`,
    { upload: id },
  )
  const [submission] = submit.submissions
  const row = rowIdOf('Submission', submission.id) as number
  const [{ jobId }] = await findSubmissions(database, [row])
  expect((await world.remote.queue.waitForEnd(jobId as number)).status).toBe('DONE')
  const rows = (table: string) => database.all<{ id: number }>(sql`SELECT id FROM ${raw(table)} ORDER BY id`)
  const ofTable = async (type: Parameters<typeof toGlobalId>[0], table: string) =>
    (await rows(table)).map((one) => toGlobalId(type, one.id))
  const { dataset } = await ask(
    'administrator',
    `{ dataset(name: "hidden") { wordAgreement { id } system(name: "secretive") { phrSummary { id } }
      leaderboards(metrics: ["BLEU-1"]) { id rows { nodes { id } } } } }`,
  )
  const [board] = dataset.leaderboards
  const figures: Json[] = [dataset.wordAgreement, dataset.system.phrSummary, board, ...board.rows.nodes]
  return [
    ...figures.map((figure) => figure.id),
    submission.id,
    submission.job.id,
    ...(await ofTable('System', 'system')),
    ...(await ofTable('Dataset', 'dataset')),
    ...(await ofTable('SystemCaption', 'system_caption')),
    ...(await ofTable('Image', 'image')),
    ...(await ofTable('Word', 'word')),
  ]
}

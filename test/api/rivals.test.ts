import { beforeAll, describe, expect, it } from 'vitest'
import { rowIdOf, toGlobalId } from '../../src/api/shared/ids.js'
import { makePrivate } from '../../src/store/datasets.js'
import { sql } from '../../src/store/engine/sql.js'
import { findSubmissions } from '../../src/store/submissions.js'
import { cocoResults } from '../kit/coco.js'
import { dogImages } from '../kit/dogs.js'
import { type Api, initWorld, type Json } from '../kit/seed.js'
import { signInViewers, VIEWERS, type ViewerName } from '../kit/viewers.js'

/** What a submission to a public dataset shows, to whom: its captions are those of a system, which is in no list. */

const IMAGES = dogImages(12)
/** A word that no other caption has. */
const SECRET = 'okapi'

const world = await initWorld()
const OTHERS = ['anonymous', 'rival'] as const

let api: Api
let headersOf: Readonly<Record<ViewerName, Record<string, string>>>
let submission: Json
/** Global ids of what is stored of the submission, by type. */
let ids: Readonly<Record<string, string>>

const ask = (viewer: ViewerName, query: string, variables?: Json) =>
  api.post(JSON.stringify({ query, variables }), headersOf[viewer])

async function data(viewer: ViewerName, query: string, variables?: Json): Promise<Json> {
  const answer = await ask(viewer, query, variables)
  expect(answer.errors, `${viewer}: ${query}`).toEqual([])
  return answer.data
}

beforeAll(async () => {
  const { accord, database } = world
  const dogs = await world.dataset('dogs', {
    images: IMAGES,
    vocabulary: { dog: 'NN', park: 'NN', runs: 'VB' },
  })
  for (const name of ['echo', 'parrot']) {
    await dogs.captionSystem(name, Object.fromEntries(Object.keys(IMAGES).map((image) => [image, 'a dog'])))
    await dogs.evaluate(name)
  }
  api = await world.serve({ accounts: 'OPEN', workers: 1 })
  const { accounts, sessions, headers } = await signInViewers(accord, api)
  headersOf = headers
  await accounts.createTeam(sessions.host, 'Hosts')
  await accounts.createTeam(sessions.otherHost, 'Other hosts')
  const created = await data(
    'host',
    `mutation { createChallenge(input: { name: "dogs", phases: [{ name: "main", dataset: "dogs", metrics: ["BLEU-1"],
      closesAt: "2126-01-01T00:00:00Z" }] }) { __typename ... on MutationError { message } } }`,
  )
  expect(created.createChallenge).toEqual({ __typename: 'ChallengeSuccess' })
  // Another challenge on the same dataset.
  const other = await data(
    'otherHost',
    `mutation { createChallenge(input: { name: "other", phases: [{ name: "main", dataset: "dogs", metrics: ["BLEU-1"],
      closesAt: "2126-01-01T00:00:00Z" }] }) { __typename ... on MutationError { message } } }`,
  )
  expect(other.createChallenge).toEqual({ __typename: 'ChallengeSuccess' })
  const captions = Object.fromEntries(
    Object.keys(IMAGES).map((image) => [image, `a dog and an ${SECRET} ${image}`]),
  )
  const upload = await fetch(new URL('uploads?filename=mine.json', api.url), {
    method: 'POST',
    headers: { 'content-type': 'application/octet-stream', ...headers.member },
    body: JSON.stringify(cocoResults(captions)),
  })
  const { id } = (await upload.json()) as { id: string }
  const { submit } = await data(
    'member',
    `mutation ($upload: ID!) { submit(input: { challenge: "dogs", upload: $upload, isAnonymous: true }) {
      ... on SubmitSuccess { submissions { id job { id } } } ... on MutationError { message } } }`,
    { upload: id },
  )
  ;[submission] = submit.submissions
  const { jobId } = (await findSubmissions(database, [rowIdOf('Submission', submission.id) as number]))[0]
  expect((await world.remote.queue.waitForEnd(jobId as number)).status).toBe('DONE')
  const [{ systemId }] = await database.all<{ systemId: number }>(
    sql`SELECT system_id AS "systemId" FROM submission`,
  )
  const [caption] = await database.all<{ id: number }>(
    sql`SELECT id FROM system_caption WHERE system_id = ${systemId} ORDER BY id LIMIT 1`,
  )
  ids = {
    System: toGlobalId('System', systemId),
    SystemCaption: toGlobalId('SystemCaption', caption.id),
    MetricScore: toGlobalId('MetricScore', systemId, 'BLEU-1', 2),
  }
})

it('a private dataset is unknown to others also within an argument', async () => {
  const kept = await world.dataset('kept', { images: dogImages(3) })
  await makePrivate(world.database, kept.row.id)
  const query = '{ dataset(name: "dogs") { contentSelection(priors: { dataset: "kept" }) { imageCount } } }'
  for (const viewer of OTHERS) {
    const { errors } = await ask(viewer, query)
    expect(errors).toMatchObject([{ extensions: { code: 'UNKNOWN_DATASET' } }])
  }
  expect(await data('host', query)).toEqual({ dataset: { contentSelection: null } })
})

it('the team of a submission is an object for those who see it, and admitted teams are for hosts', async () => {
  const teamOf = async (viewer: ViewerName) =>
    (
      await data(
        viewer,
        'query ($id: ID!) { node(id: $id) { ... on Submission { teamName team { id name members { name } } submitter { name } } } }',
        { id: submission.id },
      )
    ).node
  const seen = await teamOf('host')
  const { id } = seen.team
  expect(seen).toEqual({
    teamName: 'Members',
    team: { id, name: 'Members', members: null },
    submitter: { name: 'mary' },
  })
  expect((await teamOf('member')).team).toEqual({ id, name: 'Members', members: [{ name: 'mary' }] })
  for (const viewer of ['anonymous', 'rival', 'otherHost'] as const) expect(await teamOf(viewer)).toBeNull()

  const admit = `mutation ($teams: [ID!]) { updateChallenge(input: { challenge: "other", phases: [{ name: "main", admittedTeams: $teams }] }) {
    __typename ... on MutationError { message } } }`
  const success = { updateChallenge: { __typename: 'ChallengeSuccess' } }
  expect(await data('otherHost', admit, { teams: [id, 'Rivals'] })).toEqual(success)
  const query =
    '{ challenge(name: "other") { hostTeam { name members { name } } phase(name: "main") { admittedTeamCount admittedTeams { name } } } }'
  const shown = async (viewer: ViewerName) => (await data(viewer, query)).challenge
  expect(await shown('otherHost')).toEqual({
    hostTeam: { name: 'Other hosts', members: [{ name: 'oscar' }] },
    phase: { admittedTeamCount: 2, admittedTeams: [{ name: 'Members' }, { name: 'Rivals' }] },
  })
  for (const viewer of ['anonymous', 'rival', 'member', 'host'] as const)
    expect(await shown(viewer)).toEqual({
      hostTeam: { name: 'Other hosts', members: null },
      phase: { admittedTeamCount: 2, admittedTeams: null },
    })
  expect(await data('otherHost', admit, { teams: null })).toEqual(success)
})

describe('a submission', () => {
  it('is in no list of systems, captions, words and scores, and found by no search', async () => {
    const query = `{ dataset(name: "dogs") {
      systems { totalCount nodes { name } }
      all: systems(isBoundIncluded: true) { totalCount }
      leaderboards(metrics: ["BLEU-1"]) { rows { totalCount nodes { subject { name } } } }
      ofFolds: leaderboards(metrics: ["BLEU-1"], references: 2) { rows { totalCount } }
      ofWords: wordLeaderboard(figure: WORD_PRECISION) { rows { nodes { subject { name } } } }
      comparisons(metrics: ["BLEU-1"]) { first { name } second { name } }
      words { nodes { text systemResults { nodes { system { name } } } } }
      images { nodes { systemCaptions { nodes { text system { name } } } } }
      found: images(filter: { captionWords: { all: ["${SECRET}"] } }) { totalCount }
    } }`
    for (const viewer of VIEWERS) {
      const { dataset } = await data(viewer, query)
      expect(JSON.stringify(dataset)).not.toMatch(new RegExp(`${SECRET}|submission`))
      expect(dataset.found.totalCount).toBe(0)
      expect(dataset.systems).toEqual({ totalCount: 2, nodes: [{ name: 'echo' }, { name: 'parrot' }] })
      expect(dataset.images.nodes[0].systemCaptions.nodes).toHaveLength(2)
    }
  })

  it('has no name by which it is found, nor is its name a known one', async () => {
    const names = ['submission 1', 'submission 9']
    const query = `query ($name: String!) { dataset(name: "dogs") {
      system(name: $name) { name }
      comparisons(systems: ["parrot", $name], metrics: ["BLEU-1"]) { firstScore }
      words { nodes { systemResult(system: $name) { precision } } }
      images(first: 1) { nodes { systemCaptions(systems: [$name]) { nodes { text } } } }
    } }`
    for (const viewer of VIEWERS) {
      const answers = await Promise.all(names.map((name) => ask(viewer, query, { name })))
      const [existing, absent] = answers.map(({ errors, ...answer }) =>
        JSON.stringify({ ...answer, errors: errors.map((error) => JSON.stringify(error)).sort() }),
      )
      expect(existing.replaceAll(names[0], 'NAME')).toBe(absent.replaceAll(names[1], 'NAME'))
      expect(answers[0].errors.map(({ extensions }) => extensions.code)).toContain('UNKNOWN_SYSTEM')
    }
    for (const viewer of ['host', 'otherHost', 'administrator'] as const) {
      for (const mutation of [
        'startEvaluation(input: { dataset: "dogs", system: "submission 1" })',
        'removeSystem(input: { dataset: "dogs", system: "submission 1" })',
      ]) {
        const result = await data(
          viewer,
          `mutation { result: ${mutation} { ... on MutationError { code } } }`,
        )
        expect(result).toEqual({ result: { code: 'UNKNOWN_SYSTEM' } })
      }
    }
  })

  it('is read by id by its team without captions, by hosts with them, and by nobody else', async () => {
    const byId = 'query ($id: ID!) { node(id: $id) { __typename id } }'
    for (const [type, id] of Object.entries(ids)) {
      for (const viewer of [...OTHERS, 'member', 'otherHost'] as const)
        expect((await data(viewer, byId, { id })).node, `${viewer}: ${type}`).toBeNull()
      for (const viewer of ['host', 'administrator'] as const)
        expect((await data(viewer, byId, { id })).node, `${viewer}: ${type}`).toEqual({
          __typename: type,
          id,
        })
    }
    expect((await data('otherHost', byId, { id: submission.id })).node).toBeNull()
    for (const viewer of OTHERS) {
      for (const id of [submission.id, submission.job.id])
        expect((await data(viewer, byId, { id })).node, viewer).toBeNull()
      expect(
        (await data(viewer, `{ job(id: "${submission.job.id}") { id } jobs { totalCount } }`)).jobs,
      ).toBeNull()
    }
    const own = `query ($id: ID!) { node(id: $id) { ... on Submission { teamName system { name } scores { value } } } }`
    expect((await data('member', own, { id: submission.id })).node).toMatchObject({
      teamName: 'Members',
      system: null,
      scores: [{ value: expect.any(Number) }],
    })
    const { node } = await data('administrator', own, { id: submission.id })
    expect(node.system).toEqual({ name: 'submission 1' })
  })

  it('is shown by no job to hosts of another challenge on the same dataset, who cannot cancel them either', async () => {
    const evaluated = `mutation { updateChallenge(input: { challenge: "dogs", phases: [{ name: "main", metrics: ["BLEU-1", "ROUGE-L"] }] }) {
      ... on ChallengeSuccess { evaluationCount submissionCount } } }`
    expect(await data('host', evaluated)).toEqual({
      updateChallenge: { evaluationCount: 1, submissionCount: 0 },
    })
    const query = `{ jobs(filter: { kinds: [CHECK_SUBMISSION, SUBMISSION, EVALUATE] }) { nodes {
      id kind input { name text } summary message failure { message } subject { ... on System { name } } } } }`
    const jobsOf = async (viewer: ViewerName): Promise<Json[]> => (await data(viewer, query)).jobs.nodes
    const isOfSubmission = ({ kind, subject }: Json) =>
      kind !== 'EVALUATE' || subject?.name === 'submission 1'
    const shown = (await jobsOf('host')).filter(isOfSubmission)
    expect(new Set(shown.map(({ kind }) => kind))).toEqual(
      new Set(['CHECK_SUBMISSION', 'SUBMISSION', 'EVALUATE']),
    )
    for (const { input } of shown)
      expect(input.map(({ name }: Json) => name).join()).toMatch(/phases|submissionId|metrics/)
    const ofSubmission = new Set(shown.map(({ id }) => id))
    const hidden = (await jobsOf('otherHost')).filter(({ id }) => ofSubmission.has(id))
    const nothing = { input: [], summary: null, message: null, failure: null }
    expect(hidden).toEqual(
      shown.map(({ id, kind, subject }) => ({
        id,
        kind,
        ...nothing,
        subject: kind === 'EVALUATE' ? null : subject,
      })),
    )
    const cancel = 'mutation ($id: ID!) { cancelJob(input: { id: $id }) { ... on MutationError { code } } }'
    for (const id of ofSubmission)
      expect((await data('otherHost', cancel, { id })).cancelJob).toEqual({ code: 'UNKNOWN_JOB' })
    expect((await data('host', cancel, { id: submission.job.id })).cancelJob).toEqual({
      code: 'NOT_APPLICABLE',
    })
  })

  it('stands on the board without its team, and its file is nobody else’s', async () => {
    const board = `{ challenge(name: "dogs") { phase(name: "main") {
      submissions { totalCount }
      quota { usedInTotalCount }
      board { rows { nodes { kind name isOwn method submission { id } } } } } } }`
    for (const viewer of OTHERS) {
      const { phase } = (await data(viewer, board)).challenge
      expect(phase.submissions.totalCount).toBe(0)
      expect(phase.quota).toEqual(viewer === 'rival' ? { usedInTotalCount: 0 } : null)
      const [entry] = phase.board.rows.nodes.filter(({ kind }: Json) => kind === 'ENTRY')
      expect(entry).toEqual({ kind: 'ENTRY', name: null, isOwn: false, method: null, submission: null })
    }
    const [rival] = OTHERS.slice(1)
    for (const field of ['cancelSubmission', 'rerunSubmission', 'withdrawSubmission', 'chooseEntry']) {
      const query = `mutation ($id: ID!) { ${field}(input: { id: $id }) { ... on MutationError { code } } }`
      expect((await data(rival, query, { id: submission.id }))[field]).toEqual({ code: 'UNKNOWN_SUBMISSION' })
    }
    const { phase } = (await data('administrator', board)).challenge
    expect(phase.submissions.totalCount).toBe(1)
  })

  const DISTANCES = `query ($id: ID!) { node(id: $id) { ... on Submission { comparisons {
    metric { name } first { ... on System { id } } second { ... on System { id } } difference imageCount } } } }`

  it('shows scores of images to its team alone, where the phase says so', async () => {
    // Paired distances say something about single images.
    expect((await data('member', DISTANCES, { id: submission.id })).node).toEqual({ comparisons: null })
    const shown = `mutation { updateChallenge(input: { challenge: "dogs", phases: [{ name: "main", isImageScoreShown: true }] }) {
      __typename } }`
    expect(await data('host', shown)).toEqual({ updateChallenge: { __typename: 'ChallengeSuccess' } })
    const byId = `query ($id: ID!) { node(id: $id) { ... on System {
      score(metric: "BLEU-1", references: 2) { imageScores(first: 1) { nodes { value } } } } } }`
    expect((await data('member', byId, { id: ids.System })).node.score.imageScores.nodes).toEqual([
      { value: expect.any(Number) },
    ])
    for (const viewer of [...OTHERS, 'otherHost'] as const)
      for (const id of Object.values(ids)) expect((await data(viewer, byId, { id })).node).toBeNull()
    const captions = `query ($id: ID!) { node(id: $id) { ... on System {
      captions(externalIds: ["2", "3", "none"]) { totalCount nodes { text image { externalId } } } } } }`
    const { node } = await data('member', captions, { id: ids.System })
    expect(node.captions.nodes.map(({ image }: Json) => image.externalId)).toEqual(['2', '3'])
    expect(JSON.stringify(node.captions)).toContain(SECRET)
    // Of people and baselines on the same images, the submission is the second.
    const [distance] = (await data('member', DISTANCES, { id: submission.id })).node.comparisons
    expect(distance).toEqual({
      metric: { name: 'BLEU-1' },
      first: {},
      second: { id: ids.System },
      difference: expect.any(Number),
      imageCount: 12,
    })
    for (const viewer of [...OTHERS, 'otherHost'] as const)
      expect((await data(viewer, DISTANCES, { id: submission.id })).node).toBeNull()
  })

  it('is removed with its challenge, by the team that hosts it or an administrator', async () => {
    const remove = `mutation { removeChallenge(input: { challenge: "dogs" }) {
      ... on RemovalSuccess { removedId submissionCount } ... on MutationError { code } } }`
    for (const [viewer, code] of [
      ['anonymous', 'UNAUTHENTICATED'],
      ['rival', 'FORBIDDEN'],
      ['member', 'FORBIDDEN'],
      ['otherHost', 'FORBIDDEN'],
    ] as const)
      expect(await data(viewer, remove)).toEqual({ removeChallenge: { code } })
    const { challenge } = await data('host', '{ challenge(name: "dogs") { id } }')
    expect(await data('host', remove)).toEqual({
      removeChallenge: { removedId: challenge.id, submissionCount: 1 },
    })
    expect(await data('administrator', remove)).toEqual({ removeChallenge: { code: 'UNKNOWN_CHALLENGE' } })
    const byId = 'query ($id: ID!) { node(id: $id) { id } }'
    for (const id of [ids.System, submission.id])
      expect((await data('administrator', byId, { id })).node).toBeNull()
  })
})

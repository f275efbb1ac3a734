import { beforeAll, describe, expect, it } from 'vitest'
import { addUser } from '../../src/services/accounts/users.js'
import { parkCaption, parksFile } from '../kit/parks.js'
import { type Api, initWorld, type Json } from '../kit/seed.js'

const world = await initWorld()
let api: Api

beforeAll(async () => {
  api = await world.serve({ workers: 1 })
  const upload = await api.upload(parksFile(2), 'parks.csv')
  await api.done(`createCollection(input: { dataset: "parks", captionsPerImage: 2, upload: "${upload}" })`)
})

const ERRORS = '__typename ... on MutationError { code message }'

async function take(annotator: string) {
  const { takeTask } = await api.ask(
    `mutation ($annotator: String) { takeTask(input: { collection: "parks", annotator: $annotator }) { ${ERRORS}
       ... on TakeTaskSuccess { ownCaptionCount task { id taskStatus text collectionImage { externalId url datasetImage { id } } } } } }`,
    { annotator },
  )
  return takeTask
}

async function submit(task: string, annotator: string, caption: string) {
  const { submitCaption } = await api.ask(
    `mutation ($input: SubmitCaptionInput!) { submitCaption(input: $input) { ${ERRORS}
       ... on TaskSuccess { task { id taskStatus } problems { problem } } } }`,
    { input: { task, annotator, caption } },
  )
  return submitCaption
}

describe('a collection over HTTP', () => {
  it('is described by several annotators, and becomes a dataset', async () => {
    for (const [number, annotator] of ['anna', 'ben'].entries()) {
      for (let count = 0; count < 2; count++) {
        const { task, ownCaptionCount } = await take(annotator)
        expect(ownCaptionCount).toBe(count)
        expect(task).toMatchObject({
          taskStatus: 'TAKEN',
          text: null,
          collectionImage: { datasetImage: null },
        })
        expect(await submit(task.id, annotator, 'There is a dog.')).toMatchObject({
          task: { id: task.id, taskStatus: 'TAKEN' },
          problems: [{ problem: 'TOO_SHORT' }, { problem: 'THERE_IS' }],
        })
        const caption = parkCaption(task.collectionImage.externalId, number)
        expect(await submit(task.id, annotator, caption)).toMatchObject({
          task: { id: task.id, taskStatus: 'DESCRIBED' },
          problems: [],
        })
        expect(await submit(task.id, annotator, caption)).toMatchObject({
          __typename: 'MutationError',
          code: 'UNKNOWN_TASK',
        })
      }
      expect(await take(annotator)).toMatchObject({ task: null, ownCaptionCount: 2 })
    }
    expect(await take('cleo')).toMatchObject({ task: null, ownCaptionCount: 0 })
    const { collection, collections } = await api.ask(`{
      collections { nodes { name } totalCount }
      collection(name: "parks") {
        instructions
        state { captionCount completeImageCount annotatorCount }
        agreementSoFar { medianSeconds rows { metric { name } referenceCount imageCount value } }
        images { nodes { externalId captionCount } totalCount }
        annotators { nodes { name captionCount isLow undefinedReason } totalCount }
        tasks(filter: { status: DESCRIBED }, first: 1) { nodes { annotatorName text endedAt } totalCount }
      }
    }`)
    expect(collections).toEqual({ nodes: [{ name: 'parks' }], totalCount: 1 })
    expect(collection.instructions).toHaveLength(7)
    expect(collection.state).toEqual({ captionCount: 4, completeImageCount: 2, annotatorCount: 2 })
    expect(
      collection.agreementSoFar.rows.map(({ metric }: { metric: { name: string } }) => metric.name),
    ).toEqual(['ROUGE-L', 'CIDEr-D', 'METEOR'])
    expect(collection.images).toEqual({
      nodes: ['1', '2'].map((externalId) => ({ externalId, captionCount: 2 })),
      totalCount: 2,
    })
    expect(collection.annotators.totalCount).toBe(2)
    expect(collection.tasks).toMatchObject({ nodes: [{ text: parkCaption('1', 0) }], totalCount: 4 })
    expect(collection.tasks.nodes[0].annotatorName).toMatch(/^[\da-f]{12}$/)

    await api.done('finishCollection(input: { collection: "parks", dataset: "parks", people: "held-out" })')
    const { dataset } = await api.ask(`{ dataset(name: "parks") {
      captionsPerImage images { nodes { captions { text } } } system(name: "held-out") { kind } } }`)
    expect(dataset).toEqual({
      captionsPerImage: 1,
      images: { nodes: ['1', '2'].map((image) => ({ captions: [{ text: parkCaption(image, 0) }] })) },
      system: { kind: 'CAPTIONS' },
    })
  })

  it('has tasks of their annotators alone', async () => {
    await world.dataset('pets', { images: { a: ['A dog runs.'], b: [] } })
    await api.done('createCollection(input: { dataset: "pets" })')
    const input = 'collection: "pets", annotator: "anna"'
    const { takeTask } = await api.ask(`mutation { takeTask(input: { ${input} }) { ... on TakeTaskSuccess {
      collection { captionsPerImage isExtension }
      task { id collectionImage { datasetImage { externalId } } } } } }`)
    expect(takeTask.collection).toEqual({ captionsPerImage: 5, isExtension: true })
    const { id, collectionImage } = takeTask.task
    expect(collectionImage.datasetImage).toEqual({ externalId: 'a' })
    const problems = (annotator: string) =>
      api.query(
        `{ captionProblems(task: "${id}", annotator: "${annotator}", caption: "A dog.") { problem } }`,
      )
    expect((await problems('anna')).data).toEqual({ captionProblems: [{ problem: 'TOO_SHORT' }] })
    expect((await problems('ben')).errors).toMatchObject([{ extensions: { code: 'UNKNOWN_TASK' } }])
    for (const [field, more] of [
      ['submitCaption', ', caption: "A dog runs over the green grass of a park."'],
      ['skipTask', ''],
      ['reportTask', ', remark: "It is black."'],
    ]) {
      const end = (annotator: string) =>
        api.ask(
          `mutation { ${field}(input: { task: "${id}", annotator: "${annotator}"${more} }) { ${ERRORS} } }`,
        )
      expect((await end('ben'))[field]).toMatchObject({ __typename: 'MutationError', code: 'UNKNOWN_TASK' })
      expect((await end(' '))[field]).toMatchObject({ __typename: 'MutationError', code: 'INVALID_VALUE' })
    }
    const { reportTask } = await api.ask(
      `mutation { reportTask(input: { task: "${id}", annotator: "anna", remark: "It is black." }) {
         ... on TaskSuccess { task { id taskStatus } problems { problem } } } }`,
    )
    expect(reportTask).toEqual({ task: { id, taskStatus: 'REPORTED' }, problems: [] })
    const { node } = await api.ask(
      `{ node(id: "${id}") { ... on CollectionTask { taskStatus remark collectionImage { reportCount } } } }`,
    )
    expect(node).toEqual({
      taskStatus: 'REPORTED',
      remark: 'It is black.',
      collectionImage: { reportCount: 1 },
    })
    const { collection } = await api.ask('{ collection(name: "pets") { id } }')
    const { removeCollection } = await api.ask(
      'mutation { removeCollection(input: { collection: "pets" }) { ... on RemovalSuccess { removedId submissionCount } } }',
    )
    expect(removeCollection).toEqual({ removedId: collection.id, submissionCount: null })
    expect(await api.ask('{ collection(name: "pets") { id } }')).toEqual({ collection: null })
  })
})

describe('a collection on a server with accounts', () => {
  it('is described by users, and read by hosts', async () => {
    const own = await initWorld()
    await own.dataset('pets', { images: { a: ['A dog runs.'] } })
    await own.accord.run('importCollection', { dataset: 'pets', captionsPerImage: 2 })
    const server = await own.serve({ accounts: 'OPEN', accord: own.accord })
    const { origin } = new URL(server.url)
    async function send(query: string, cookie = '') {
      const headers = { 'content-type': 'application/json', origin, cookie }
      const response = await fetch(server.url, { method: 'POST', headers, body: JSON.stringify({ query }) })
      const { data }: Json = await response.json()
      return { data, cookie: (response.headers.get('set-cookie') ?? '').split(';')[0] }
    }
    const TAKE = `mutation { takeTask(input: { collection: "pets" }) { ${ERRORS}
      ... on TakeTaskSuccess { task { id annotatorName collectionImage { externalId datasetImage { url } } } } } }`
    expect((await send(TAKE)).data.takeTask).toMatchObject({ code: 'UNAUTHENTICATED' })
    const { cookie } = await send(
      'mutation { signUp(input: { name: "ann", password: "correct horse 1" }) { __typename } }',
    )
    const { task } = (await send(TAKE, cookie)).data.takeTask
    expect(task).toMatchObject({
      annotatorName: expect.stringMatching(/./),
      collectionImage: { externalId: 'a', datasetImage: { url: 'https://images.example/a.jpg' } },
    })
    const stored = await send(
      `mutation { submitCaption(input: { task: "${task.id}", caption: "A dog runs over the green grass of a park." }) {
         ${ERRORS} ... on TaskSuccess { task { taskStatus } } } }`,
      cookie,
    )
    expect(stored.data.submitCaption).toMatchObject({ task: { taskStatus: 'DESCRIBED' } })
    const { data } = await send(
      `{ node(id: "${task.id}") { id } collection(name: "pets") { state { captionCount } tasks { nodes { text } }
         annotators { nodes { name } } agreementSoFar { notes } } }`,
      cookie,
    )
    expect(data).toEqual({
      node: null,
      collection: { state: { captionCount: 1 }, tasks: null, annotators: null, agreementSoFar: null },
    })
    for (const mutation of [
      'createCollection(input: { dataset: "pets" })',
      'finishCollection(input: { collection: "pets", dataset: "new" })',
      'removeCollection(input: { collection: "pets" })',
    ]) {
      const answer = Object.values((await send(`mutation { ${mutation} { ${ERRORS} } }`, cookie)).data)
      expect(answer).toMatchObject([{ __typename: 'MutationError', code: 'FORBIDDEN' }])
    }
    await addUser(own.accord, { name: 'hana', password: 'correct horse 1' }, 'host')
    const host = await send(
      'mutation { signIn(input: { name: "hana", password: "correct horse 1" }) { __typename } }',
    )
    const seen = await send(
      '{ collection(name: "pets") { annotators { nodes { user { name } } } } }',
      host.cookie,
    )
    expect(seen.data.collection.annotators.nodes).toEqual([{ user: { name: 'ann' } }])
  })
})

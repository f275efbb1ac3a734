import { serve } from '../src/api/http/server.js'
import { openAccord } from '../src/services/open-accord.js'
import { type Query, queryAt, untilDone } from './client.js'
import { ACCORD, describeRatio, type Figure, medianMilliseconds, note, startProgram } from './measure.js'

const WORDS = `{
  dataset(name: "bench") {
    words(first: 1000) {
      nodes {
        text
        agreement { precision recall }
        usageModel { usageProbability objectProbability }
        systemResult(system: "scores") { precisionAtHumanRecall }
      }
    }
  }
}`

/** Measures queries over HTTP: to servers in this process, with SQL statements counted, and to a separate one. */
export async function benchServer(databases: {
  readonly sqlite: string
  readonly postgres: string
}): Promise<Figure[]> {
  note('querying a server')
  const words = await measureWords(databases.sqlite)
  const postgresWords = await measureWords(databases.postgres)
  return [
    {
      what: '1,000 words with human figures, model fit and PHR, at the client',
      measured: `${words.milliseconds.toFixed(0)} ms`,
      asked: '100 ms',
    },
    { what: 'SQL statements of that query', measured: String(words.statements), asked: '8' },
    {
      what: 'the same query on PostgreSQL, relative to SQLite',
      measured: describeRatio(postgresWords.milliseconds, words.milliseconds),
      asked: '1.5 ×',
    },
    {
      what: 'longest { __typename } while results are imported and evaluated',
      measured: `${(await longestPing(databases.sqlite)).toFixed(0)} ms`,
      asked: '50 ms',
    },
  ]
}

/** Duration and number of SQL statements of the query of words. */
async function measureWords(location: string): Promise<{ milliseconds: number; statements: number }> {
  let statements = 0
  const accord = await openAccord({ location, hasWorkers: true, onStatement: () => statements++ })
  const server = await serve(accord, {
    host: '127.0.0.1',
    port: 0,
    uploadLimit: '2gb',
    submissionLimit: '200mb',
  })
  try {
    const query = queryAt(server.url)
    const milliseconds = await medianMilliseconds(15, 10, () => query(WORDS))
    statements = 0
    await query(WORDS)
    return { milliseconds, statements }
  } finally {
    await server.close()
    await accord.close()
  }
}

/**
 * Imports a system into a running `accord serve` and sends it `{ __typename }` repeatedly, until the evaluation of the
 * system is done. Returns the longest response time in milliseconds.
 */
async function longestPing(databaseFile: string): Promise<number> {
  const server = startProgram(ACCORD, ['serve', '--port', '0', '--database', databaseFile])
  try {
    const url = (await server.firstOutput).split(' ').at(-1) as string
    const query = queryAt(url)
    const captions = await systemCaptions(query)
    for (let warmUp = 0; warmUp < 20; warmUp++) await query('{ __typename }')
    let isDone = false
    const importing = importAndEvaluate(url, captions).finally(() => {
      isDone = true
    })
    let longest = 0
    while (!isDone) {
      const start = performance.now()
      await query('{ __typename }')
      longest = Math.max(longest, performance.now() - start)
    }
    await importing
    return longest
  } finally {
    server.child.kill()
    await server.ended
  }
}

async function importAndEvaluate(url: string, captions: readonly object[]): Promise<void> {
  const query = queryAt(url)
  const response = await fetch(new URL('uploads', url), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(captions),
  })
  const { id: upload } = (await response.json()) as { id: string }
  const { importResults } = (await query(
    `mutation ($upload: ID!) {
      importResults(input: { dataset: "bench", system: "copy", upload: $upload }) {
        ... on JobSuccess { job { id } }
        ... on MutationError { message }
      }
    }`,
    { upload },
  )) as { importResults: { job?: { id: string }; message?: string } }
  if (!importResults.job) throw new Error(importResults.message)
  const { id } = importResults.job
  await untilDone(query, id)
  const { job } = (await query(
    'query ($id: ID!) { job(id: $id) { result { ... on ImportResult { evaluation { id } } } } }',
    { id },
  )) as { job: { result: { evaluation: { id: string } } } }
  await untilDone(query, job.result.evaluation.id)
}

/** The captions of the system `captions`, page by page. */
async function systemCaptions(query: Query): Promise<{ image_id: string; caption: string }[]> {
  const captions: { image_id: string; caption: string }[] = []
  let after: string | null = null
  do {
    const { dataset } = (await query(
      `query ($after: String) {
        dataset(name: "bench") {
          images(first: 1000, after: $after) {
            nodes { externalId systemCaptions(systems: ["captions"]) { nodes { text } } }
            pageInfo { hasNextPage endCursor }
          }
        }
      }`,
      { after },
    )) as { dataset: { images: ImagePage } }
    const { nodes, pageInfo }: ImagePage = dataset.images
    // A system may lack captions.
    for (const { externalId, systemCaptions: written } of nodes)
      captions.push(...written.nodes.map(({ text }) => ({ image_id: externalId, caption: text })))
    after = pageInfo.hasNextPage ? pageInfo.endCursor : null
  } while (after !== null)
  return captions
}

interface ImagePage {
  readonly nodes: readonly {
    readonly externalId: string
    readonly systemCaptions: { readonly nodes: readonly { text: string }[] }
  }[]
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string }
}

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { serve } from '../src/api/server.js'
import { projectFile } from '../src/project.js'
import { openDatabase } from '../src/store/database.js'
import { type Figure, medianMilliseconds } from './measure.js'

const WORDS = `{
  dataset(name: "bench") {
    words(first: 1000) {
      nodes {
        text
        human { precision recall }
        usageModel { usageProbability objectProbability }
        systemResult(system: "scores") { precisionAtHumanRecall }
      }
    }
  }
}`

type Query = (text: string, variables?: object) => Promise<Record<string, unknown>>

/** Queries over HTTP: to a server in this process, whose SQL statements are counted, and to one of its own. */
export async function benchServer(databaseFile: string): Promise<Figure[]> {
  process.stderr.write('querying a server\n')
  let statements = 0
  const database = await openDatabase(databaseFile, { onStatement: () => statements++ })
  const server = await serve(database, { host: '127.0.0.1', port: 0, bodyLimit: '20mb' })
  try {
    const query = queryAt(server.url)
    const words = await medianMilliseconds(15, 10, () => query(WORDS))
    statements = 0
    await query(WORDS)
    return [
      {
        what: '1,000 words with human figures, model fit and PHR, at the client',
        measured: `${words.toFixed(0)} ms`,
        asked: '100 ms',
      },
      { what: 'SQL statements of that query', measured: String(statements), asked: '8' },
      {
        what: 'longest { __typename } while results are imported and evaluated',
        measured: `${(await longestPing(databaseFile)).toFixed(0)} ms`,
        asked: '50 ms',
      },
    ]
  } finally {
    await server.close()
    await database.close()
  }
}

function queryAt(url: string): Query {
  return async (text, variables) => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: text, variables }),
    })
    const { data, errors } = (await response.json()) as { data: Record<string, unknown>; errors?: unknown }
    if (errors) throw new Error(JSON.stringify(errors))
    return data
  }
}

/**
 * Imports a system into a running `accord serve` and asks it `{ __typename }` all the while, until the system's
 * evaluation is done.
 */
async function longestPing(databaseFile: string): Promise<number> {
  const command = [projectFile('dist/src/main.js'), 'serve', '--port', '0', '--database', databaseFile]
  const child = spawn(process.execPath, command, { stdio: ['ignore', 'pipe', 'inherit'] })
  try {
    const [line] = (await once(child.stdout, 'data')) as [Buffer]
    const query = queryAt(String(line).trim().split(' ').at(-1) as string)
    const input = { dataset: 'bench', system: 'copy', captions: await systemCaptions(query) }
    for (let warmUp = 0; warmUp < 20; warmUp++) await query('{ __typename }')
    let isDone = false
    const importing = importAndEvaluate(query, input).finally(() => {
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
    child.kill()
    await once(child, 'close')
  }
}

async function importAndEvaluate(query: Query, input: object): Promise<void> {
  const { importResults } = (await query(
    `mutation ($input: ImportResultsInput!) {
      importResults(input: $input) { ... on ImportResultsSuccess { evaluation { id } } ... on MutationError { message } }
    }`,
    { input },
  )) as { importResults: { evaluation?: { id: string }; message?: string } }
  if (!importResults.evaluation) throw new Error(importResults.message)
  const { id } = importResults.evaluation
  for (;;) {
    const { evaluation } = (await query('query ($id: ID!) { evaluation(id: $id) { status message } }', {
      id,
    })) as {
      evaluation: { status: string; message: string | null }
    }
    if (evaluation.status === 'DONE') return
    if (evaluation.status === 'FAILED') throw new Error(String(evaluation.message))
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** The captions of the system `captions`, page by page. */
async function systemCaptions(query: Query): Promise<{ imageId: string; caption: string }[]> {
  const captions: { imageId: string; caption: string }[] = []
  let after: string | null = null
  do {
    const { dataset } = (await query(
      `query ($after: String) {
        dataset(name: "bench") {
          images(first: 1000, after: $after) {
            nodes { externalId systemCaptions(systems: ["captions"]) { text } }
            pageInfo { hasNextPage endCursor }
          }
        }
      }`,
      { after },
    )) as { dataset: { images: ImagePage } }
    const { nodes, pageInfo }: ImagePage = dataset.images
    for (const { externalId, systemCaptions: written } of nodes) {
      captions.push({ imageId: externalId, caption: written[0].text })
    }
    after = pageInfo.hasNextPage ? pageInfo.endCursor : null
  } while (after !== null)
  return captions
}

interface ImagePage {
  readonly nodes: readonly {
    readonly externalId: string
    readonly systemCaptions: readonly { text: string }[]
  }[]
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string }
}

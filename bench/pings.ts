import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { getIntrospectionQuery } from 'graphql'

/** How long a server takes to answer `{ __typename }` while it executes an operation that is accepted and computes for long. */

const INTERVAL_MS = 5
const ROUNDS = 3

const WORDS = [
  ...[
    'a',
    'the',
    'dog',
    'cat',
    'man',
    'on',
    'street',
    'table',
    'bus',
    'train',
    'food',
    'water',
    'grass',
    'person',
  ],
  ...['sitting', 'standing', 'red', 'white', 'two', 'people'],
]

/** Heavy operations on the dataset `bench` with the systems `scores` and `captions`. */
const HEAVY: Readonly<Record<string, string>> = {
  'model fits of 1,000 words': ofDataset(`
    words(first: 1000) { nodes { text usageModel(kind: BETA_BINOMIAL) { usageProbability aic } } }
    ${aliases(4, (k) => `usageFit(references: ${k + 1}, model: BETA_BINOMIAL) { rSquared }`)}`),
  'intervals of 400 words': ofDataset(`system(name: "scores") { words(first: 400) { nodes { estimates {
    precisionAtHumanRecall { interval { lower } } gapToPeople { value }
  } } } }`),
  'caption searches': ofDataset(`
    ${aliases(20, (word) => `captions(first: 50, filter: { all: ["${WORDS[word]}"] }) { totalCount nodes { text } }`)}
    none: captions(filter: { none: ["zebra"] }) { totalCount }`),
  'images that a system gets wrong': ofDataset(`
    ${aliases(
      20,
      (word) => `word(text: "${WORDS[word]}") { systemResult(system: "scores") {
      mistakes(kind: FALSE_POSITIVE, first: 50) { totalCount nodes { wordScore image { externalId } } } } }`,
    )}
    system(name: "scores") { words(first: 200) { nodes { mistakes(kind: FALSE_NEGATIVE) { totalCount } } } }`),
  'image scores of seven metrics': ofDataset(`system(name: "captions") {
    ${['BLEU-1', 'BLEU-2', 'BLEU-3', 'BLEU-4', 'ROUGE-L', 'CIDEr', 'CIDEr-D']
      .map((metric, index) => `m${index}: score(metric: "${metric}") { vector { externalIds values } }`)
      .join(' ')}
    metricCorrelations { pearson spearman } }`),
  'curves of 1,000 points': ofDataset(
    aliases(
      16,
      (word) =>
        `word(text: "${WORDS[word]}") { systemResult(system: "scores") { curve(points: 1000) { recall precision } } }`,
    ),
  ),
  'words of 1,000 images': ofDataset('images(first: 1000) { nodes { words { captionCount } } }'),
  'leaderboard and means over words': ofDataset(`leaderboard { rows { nodes { value notes } } }
    systems { nodes { phrSummary { meanPrecisionAtHumanRecall unscoredShare notes } } }`),
  introspection: getIntrospectionQuery(),
}

function ofDataset(fields: string): string {
  return `{ dataset(name: "bench") { ${fields} } }`
}

function aliases(count: number, field: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => `a${index}: ${field(index)}`).join(' ')
}

/** The longest answer over all heavy operations in milliseconds, and during which one. @param url of the server */
export async function longestPingOf(
  url: string,
): Promise<{ readonly what: string; readonly milliseconds: number }> {
  const agent = new Agent({ keepAlive: true })
  for (let warmUp = 0; warmUp < 20; warmUp++) await post(agent, url, '{ __typename }')
  let longest = { what: '', milliseconds: 0 }
  for (const [what, query] of Object.entries(HEAVY)) {
    for (let round = 0; round < ROUNDS; round++) {
      const milliseconds = await longestPingDuring(agent, url, query)
      if (milliseconds > longest.milliseconds) longest = { what, milliseconds }
    }
  }
  agent.destroy()
  return longest
}

async function longestPingDuring(agent: Agent, url: string, query: string): Promise<number> {
  let isDone = false
  const heavy = post(new Agent(), url, query).finally(() => {
    isDone = true
  })
  let longest = 0
  while (!isDone) {
    const start = performance.now()
    await post(agent, url, '{ __typename }')
    longest = Math.max(longest, performance.now() - start)
    await sleep(INTERVAL_MS)
  }
  await heavy
  return longest
}

/** Rejects if the response has errors: the operation would not have been measured. */
function post(agent: Agent, url: string, query: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json' }
    const outgoing = request(url, { agent, method: 'POST', headers }, (response) => {
      let start = ''
      response.on('data', (data) => {
        if (start.length < 1000) start += data
      })
      response.on('end', () => {
        if (response.statusCode === 200 && !start.startsWith('{"errors"')) resolve()
        else reject(new Error(start.slice(0, 1000)))
      })
    })
    outgoing.on('error', reject).end(JSON.stringify({ query }))
  })
}

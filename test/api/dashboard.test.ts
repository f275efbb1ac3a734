import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type FragmentDefinitionNode, Kind, type OperationDefinitionNode, parse, print, visit } from 'graphql'
import { beforeAll, describe, expect, it } from 'vitest'
import { projectFile } from '../../src/project.js'
import { type Api, initWorld } from '../kit/seed.js'

const QUERIES = projectFile('web/queries')

const definitions = readdirSync(QUERIES).flatMap(
  (name) => parse(readFileSync(join(QUERIES, name), 'utf8')).definitions,
)
const operations = definitions.filter(
  (definition): definition is OperationDefinitionNode => definition.kind === Kind.OPERATION_DEFINITION,
)
const fragments = new Map(
  definitions
    .filter(
      (definition): definition is FragmentDefinitionNode => definition.kind === Kind.FRAGMENT_DEFINITION,
    )
    .map((fragment) => [fragment.name.value, fragment]),
)

/** An operation with the fragments that it uses. */
function documentOf(operation: OperationDefinitionNode): string {
  const used = new Set<FragmentDefinitionNode>()
  const collect = (definition: OperationDefinitionNode | FragmentDefinitionNode) =>
    visit(definition, {
      FragmentSpread({ name }) {
        const fragment = fragments.get(name.value) as FragmentDefinitionNode
        if (used.has(fragment)) return
        used.add(fragment)
        collect(fragment)
      },
    })
  collect(operation)
  return [operation, ...used].map(print).join('\n\n')
}

/** Values of the variables of all queries, on the dataset `park`. */
const VARIABLES: Readonly<Record<string, unknown>> = {
  ...{ dataset: 'park', word: 'dog', image: '1', system: 'captioner', systems: ['captioner', 'other'] },
  ...{ first: 'captioner', second: 'other', metric: 'CIDEr-D', metrics: ['CIDEr-D'], count: 1 },
  ...{ isHumanIncluded: true, direction: 'ASC', name: 'EvalMS', references: 2, filter: { word: 'dog' } },
}

const world = await initWorld()
let api: Api

beforeAll(async () => {
  const images = {
    1: ['A dog runs.', 'The dog plays.', 'A small dog.'],
    2: ['A man walks.', 'A man and a dog.', 'Somebody walks outside.'],
    3: ['A cat sleeps.', 'A cat on a sofa.', 'The cat rests.'],
  }
  const park = await world.dataset('park', { images, vocabulary: { dog: 'NN', cat: 'NN', walks: 'VB' } })
  for (const name of ['captioner', 'other']) {
    await park.captionSystem(name, { 1: 'A dog.', 2: 'A cat walks.', 3: 'A cat.' })
    await park.evaluate(name)
  }
  await park.scoreSystem('detector', { 1: { dog: 0.9 }, 2: { dog: 0.25, cat: 0.3 }, 3: { cat: 0.7 } })
  api = await world.serve({ workers: 1 })
})

describe('the queries of the dashboard', () => {
  const queries = operations.filter(({ operation }) => operation === 'query')

  it.each(queries.map((operation) => [operation.name?.value, operation] as const))(
    '%s is answered without an error',
    async (name, operation) => {
      const values = (operation.variableDefinitions ?? []).map(({ variable, type }) => {
        const isCount = variable.name.value === 'first' && print(type) === 'Int!'
        return [variable.name.value, isCount ? 50 : VARIABLES[variable.name.value]]
      })
      if (name === 'Job') values.splice(0, 1, ['id', await newestJob()])
      expect(await api.ask(documentOf(operation), Object.fromEntries(values))).not.toEqual({})
    },
  )

  const newestJob = async () => {
    await api.ask('{ dataset(name: "park") { comparisons(metrics: ["BLEU-1"]) { difference } } }')
    return (await api.ask('{ jobs(first: 1) { nodes { id } } }')).jobs.nodes[0].id
  }
})

describe('a leaderboard', () => {
  const board = async (options: string) => {
    const fields = 'metric { name } rows { nodes { isHuman group referenceRange { max } } }'
    const text = `{ dataset(name: "park") { leaderboard(${options}) { ${fields} } } }`
    return (await api.ask(text)).dataset.leaderboard
  }

  it('of every metric has a board for each metric that has scores', async () => {
    const { scores } = (
      await api.ask('{ dataset(name: "park") { system(name: "captioner") { scores { metric { name } } } } }')
    ).dataset.system
    const nameOf = ({ metric }: { metric: { name: string } }) => metric.name
    expect((await board('isEveryMetric: true')).map(nameOf)).toEqual(scores.map(nameOf))
    expect(await board('metrics: []')).toEqual([])
  })

  it('with people has as many references as people', async () => {
    await api.done('computeHumanAgreement(input: { dataset: "park", metrics: ["BLEU-1"] })')
    const [{ rows }] = await board('metrics: ["BLEU-1"], isHumanIncluded: true')
    expect(rows.nodes).toContainEqual({ isHuman: true, group: 'COMPARABLE', referenceRange: { max: 2 } })
  })
})

it('scores as people have are those on as many references', async () => {
  await api.done('startEvaluation(input: { dataset: "park", system: "captioner", references: 2 })')
  const fields = (argument: string) =>
    `score(metric: "BLEU-1", ${argument}) { value referenceCount } scores(${argument}) { value referenceCount }`
  const captions = (argument: string) =>
    `systemCaptions(systems: ["captioner"]) { nodes { scores(${argument}) { value } } }`
  const ask = async (argument: string) =>
    api.ask(`{ dataset(name: "park") {
      system(name: "captioner") { ${fields(argument)} } image(externalId: "1") { ${captions(argument)} }
    } }`)
  const asPeople = await ask('isAsPeople: true')
  expect(asPeople).toEqual(await ask('references: 2'))
  expect(asPeople.dataset.system.score.referenceCount).toBe(2)
})

describe('the pages of the dashboard', () => {
  const get = (path: string) => fetch(new URL(path, api.url))

  it.each(['/', '/d/park/words/dog', '/metrics', '/jobs', '/import', '/composites/EvalMS'])(
    '%s is the page, which loads files of this server alone',
    async (path) => {
      const response = await get(path)
      expect(response.headers.get('content-type')).toContain('text/html')
      expect(response.headers.get('cache-control')).toBe('no-cache')
      const policy = response.headers.get('content-security-policy') as string
      expect(policy.split('; ')).toEqual(
        expect.arrayContaining(["default-src 'none'", "script-src 'self'", "style-src 'self'"]),
      )
      const page = await response.text()
      expect(page).not.toMatch(/\b(https?:)?\/\/[a-z]/i)
      expect(page).not.toMatch(/<style|<script>|\sstyle=/)
    },
  )

  it('has files whose names change with their contents, kept for ever', async () => {
    const page = await (await get('/')).text()
    const [, script] = /<script type="module"[^>]* src="\.(\/assets\/[^"]+)"/.exec(page) as RegExpExecArray
    const response = await get(script)
    expect(response.headers.get('content-type')).toContain('javascript')
    expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect((await get('/favicon.svg')).headers.get('cache-control')).toBe('no-cache')
    expect((await get('/assets/unknown.js')).status).toBe(404)
    expect((await get('/assets/..%2f..%2fpackage.json')).status).toBe(404)
    expect((await get('/unknown')).status).toBe(404)
  })

  it('stands below the prefix of the server', async () => {
    const prefixed = await world.serve({ pathPrefix: '/accord' })
    const page = await (await fetch(new URL('/accord/', prefixed.url))).text()
    expect(page).toContain('<base href="/accord/"')
    expect((await fetch(new URL('/', prefixed.url))).status).toBe(404)
    await prefixed.close()
  })
})

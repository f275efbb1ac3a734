import { getIntrospectionQuery } from 'graphql'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { LIMITS } from '../../src/api/schema/limits.js'
import { openAccord } from '../../src/services/open-accord.js'
import type { RequestErrorCode } from '../../src/shared/error-codes.js'
import { update } from '../../src/store/engine/rows.js'
import { sql } from '../../src/store/engine/sql.js'
import { DatasetEntity } from '../../src/store/schema/dataset-tables.js'
import { createTestDatabase } from '../kit/databases.js'
import { importPets } from '../kit/pets.js'
import { type Api, initWorld, type Json } from '../kit/seed.js'

const world = await initWorld()
let api: Api

beforeAll(async () => {
  await importPets(world)
  api = await world.serve()
})

describe('a request beyond a limit is refused with the limit', () => {
  it('for a document that is too deep', async () => {
    const deep = `{ datasets { nodes { ${'systems { nodes { dataset { '.repeat(6)}name${' } } }'.repeat(6)} } } }`
    const { status, errors } = await api.query(deep)
    expect(status).toBe(400)
    expect(errors[0].message).toBe(
      `The query is too large: expected a depth of at most ${LIMITS.depth}, found 21.`,
    )
  })

  it('in depth of the introspection, also through fragments', async () => {
    const inner = (count: number, end: string) => `${'ofType { '.repeat(count)}${end}${' }'.repeat(count)}`
    const refused = await api.query(
      `{ __schema { types { fields { type { ${inner(6, '...More')} } } } } } fragment More on __Type { ${inner(6, 'name')} }`,
    )
    expect(refused).toMatchObject({ status: 400, data: null })
    expect(refused.errors[0].message).toBe(
      'The query is too large: expected a depth of the introspection of at most 15, found 17.',
    )
    expect(
      (await api.ask(`{ __schema { types { fields { type { ${inner(10, 'name')} } } } } }`)).__schema,
    ).toBeDefined()
  })

  it('in fields of an introspection', async () => {
    const schemas = Array.from(
      { length: 45 },
      (_, i) => `a${i}: __schema { types { fields { args { name description } } } }`,
    )
    const { status, errors } = await api.query(`{ ${schemas.join(' ')} }`)
    expect({ status, code: errors[0].extensions.code }).toEqual({ status: 400, code: 'TOO_COSTLY' })
    expect(errors[0].message).toContain(`expected at most ${LIMITS.fields} fields`)
  })

  it('in fields of one selection set, before it is validated', async () => {
    const { status, errors } = await api.query(`{ ${'__typename '.repeat(LIMITS.selections + 1)} }`)
    expect({ status, code: errors[0].extensions.code }).toEqual({
      status: 400,
      code: 'GRAPHQL_VALIDATION_FAILED',
    })
    expect(errors[0].message).toContain(`at most ${LIMITS.selections} fields`)
    expect((await api.query(`{ ${'__typename '.repeat(LIMITS.selections)} }`)).status).toBe(200)
  })

  it('for a document with too many comments', async () => {
    const { status, errors } = await api.query(`{ __typename ${'#\n'.repeat(LIMITS.tokens)} }`)
    expect(status).toBe(400)
    expect(errors[0].message).toContain(`at most ${LIMITS.tokens} tokens`)
  })

  it('for a document with too many aliases', async () => {
    const { status, errors } = await api.query(
      `{ ${Array.from({ length: LIMITS.aliases + 1 }, (_, i) => `a${i}: datasets { totalCount }`).join(' ')} }`,
    )
    expect(status).toBe(400)
    expect(errors[0].message).toContain(String(LIMITS.aliases))
  })

  it('for a document with too many tokens', async () => {
    const { status, errors } = await api.query(`{ ${'__typename '.repeat(LIMITS.tokens)} }`)
    expect(status).toBe(400)
    expect(errors[0].message).toContain(String(LIMITS.tokens))
  })

  it('in cost, before anything is computed', async () => {
    const costly = `query ($first: Int) { dataset(name: "pets") {
      words(first: $first) { nodes { dataset { words(first: 1000) { nodes { text } } } } }
    } }`
    const statements = await world.statementsOf(async () => {
      const { status, errors } = await api.query(costly, { first: 1000 })
      expect(status).toBe(400)
      expect(errors[0].extensions.code).toBe('TOO_COSTLY')
      expect(errors[0].message).toMatch(/expected at most 50000 fields in the response, found up to \d+/)
    })
    expect(statements).toEqual([])
    expect((await api.query(costly, { first: 10 })).errors).toEqual([])
  })

  it('in the cost of computations, which is that of the objects that there are', async () => {
    const fits =
      '{ dataset(name: "pets") { words(first: 100) { nodes { dataset { usageFit { wordCount } } } } } }'
    expect((await api.query(fits)).errors).toEqual([])
  })

  it('in the cost of jobs, before any is queued', async () => {
    const comparisons = (count: number) =>
      `{ dataset(name: "pets") { ${Array.from(
        { length: count },
        (_, index) =>
          `a${index}: comparisons(words: [{ figure: PHR }], references: ${1 + (index % 2)}) { difference }`,
      ).join(' ')} } }`
    const [{ images }] = await world.database.all<{ images: number }>(
      sql`SELECT image_count AS images FROM dataset WHERE name = 'pets'`,
    )
    await update(world.database, DatasetEntity, { imageCount: 500_000 }, sql`name = 'pets'`)
    const large = await world.serve()
    const { status, errors } = await large.query(comparisons(20))
    expect(status).toBe(400)
    expect(errors).toMatchObject([{ extensions: { code: 'TOO_COSTLY' } }])
    expect(errors[0].message).toMatch(/expected at most 160 s of a worker, found up to \d+ s/)
    expect(await world.database.all(sql`SELECT id FROM job WHERE kind = 'compare'`)).toEqual([])
    await large.close()
    await update(world.database, DatasetEntity, { imageCount: images }, sql`name = 'pets'`)
  })

  it('in cost, also through fragments', async () => {
    const fragments = Array.from(
      { length: 6 },
      (_, i) =>
        `fragment F${i} on Dataset { systems { nodes { dataset { ${i === 5 ? 'name' : `...F${i + 1} ...F${i + 1}`} } } } }`,
    )
    const { status } = await api.query(`{ datasets { nodes { ...F0 } } } ${fragments.join(' ')}`)
    expect(status).toBe(400)
    const bomb = Array.from(
      { length: 10 },
      (_, i) => `fragment B${i} on Query { ...B${i + 1} ...B${i + 1} ...B${i + 1} }`,
    )
    const answer = await api.query(
      `{ ...B0 } ${bomb.join(' ')} fragment B10 on Query { datasets { nodes { name } } }`,
    )
    expect(answer.status).toBe(400)
    expect(answer.errors[0].message).toMatch(/number of fields of at most 1000, found 1001/)
  })

  it.each([
    ['levels of lists', '['.repeat(490_000), ']'.repeat(490_000), `${LIMITS.levels} levels`],
    ['levels of objects', '{"a":'.repeat(160_000), `1${'}'.repeat(160_000)}`, `${LIMITS.levels} levels`],
    ['levels that do not end', '['.repeat(980_000), '', `${LIMITS.levels} levels`],
    ['values', '[', `${'{},'.repeat(300_000)}0]`, `${LIMITS.values} values`],
    ['keys', '{', `${'"":0,'.repeat(150_000)}"":0}`, `${LIMITS.values} values`],
  ])('in %s of a body, wherever they are', async (_what, start, end, expected) => {
    for (const place of ['query', 'operationName', 'variables', 'extensions', 'unknown']) {
      const { status, errors } = await api.post(`{"${place}":${start}${end}}`)
      expect({ status, code: errors[0].extensions.code }).toEqual({ status: 400, code: 'BAD_REQUEST' })
      expect(errors[0].message).toBe(
        `The request cannot be read: expected JSON of at most ${expected}, found more.`,
      )
    }
  })

  it('in levels of an address', async () => {
    const deep = encodeURIComponent('{"a":'.repeat(LIMITS.levels + 1) + 1 + '}'.repeat(LIMITS.levels + 1))
    for (const search of [`variables=${deep}`, `variables=${deep}&variables={}`, `extensions=${deep}`]) {
      const response = await fetch(`${api.url}?query={__typename}&${search}`, {
        headers: { 'apollo-require-preflight': '1' },
      })
      expect(response.status).toBe(400)
      expect(await response.text()).toContain(`at most ${LIMITS.levels} levels`)
    }
  })

  it('but brackets in strings are not counted', async () => {
    const { data } = await api.query('query ($name: String!) { dataset(name: $name) { name } }', {
      name: `\\" ${'[{,'.repeat(3000)}`,
    })
    expect(data).toEqual({ dataset: null })
  })

  it('for a body with too many bytes', async () => {
    const { status, errors } = await api.post(
      JSON.stringify({ query: `{ __typename } # ${'x'.repeat(2e6)}` }),
    )
    expect(status).toBe(413)
    expect(errors[0].extensions.code).toBe('BODY_TOO_LARGE')
    expect(errors[0].message).toBe(
      'The request is too large: expected at most 1000000 bytes. Files are imported by /uploads.',
    )
  })
})

describe('an argument out of range is refused with the range', () => {
  it.each([
    [
      'words(first: 100000) { nodes { text } }',
      'first: invalid page size: expected an integer from 0 to 1000, found 100000',
    ],
    [
      'words(first: -1) { nodes { text } }',
      'first: invalid page size: expected an integer from 0 to 1000, found -1',
    ],
    [
      'words(last: 1001) { nodes { text } }',
      'last: invalid page size: expected an integer from 0 to 1000, found 1001',
    ],
    [
      'words(first: 1, last: 1) { nodes { text } }',
      'first, last: first and last cannot be used together: expected one of them, found both',
    ],
    [
      'images(first: 1001) { nodes { id } }',
      'first: invalid page size: expected an integer from 0 to 1000, found 1001',
    ],
    [
      'word(text: "dog") { images(first: 1001) { nodes { id } } }',
      'first: invalid page size: expected an integer from 0 to 1000, found 1001',
    ],
    [
      'word(text: "dog") { images(count: 4) { totalCount } }',
      'count: no image has this many captions: expected an integer from 0 to 3, found 4',
    ],
    [
      'word(text: "dog") { images(count: -1) { totalCount } }',
      'count: no image has this many captions: expected an integer from 0 to 3, found -1',
    ],
    ['word(text: "dog") { agreement(references: 0) { precision } }', rangeOfK('0')],
    ['word(text: "dog") { agreement(references: 3) { precision } }', rangeOfK('3')],
    ['word(text: "dog") { agreement(references: 99) { precision } }', rangeOfK('99')],
    ['word(text: "dog") { usageModel { precision(references: 3) } }', rangeOfK('3')],
    ['word(text: "dog") { usageModel { residual(references: 0) } }', rangeOfK('0')],
    ['word(text: "dog") { systemResult(system: "noise", references: 3) { precision } }', rangeOfK('3')],
    ['wordAgreement(references: -1) { wordCount }', rangeOfK('-1')],
    ['usageFit(references: 3) { wordCount }', rangeOfK('3')],
    ['usageCurve(references: 3) { referenceCount }', rangeOfK('3')],
    ['humanAgreement(references: 3) { imageCount }', rangeOfK('3')],
    [
      'usageCurve(references: 1, points: 1) { referenceCount }',
      'points: invalid number of points: expected an integer from 2 to 1000, found 1',
    ],
    [
      'usageCurve(references: 1, points: 1000000) { referenceCount }',
      'points: invalid number of points: expected an integer from 2 to 1000, found 1000000',
    ],
    [
      'word(text: "dog") { systemResult(system: "noise") { curve(points: -5) { recall } } }',
      'points: invalid number of points: expected an integer from 2 to 1000, found -5',
    ],
    [
      `captions(filter: { any: ${JSON.stringify(Array.from({ length: 20 }, (_, i) => `dog${i}`))}, none: ${JSON.stringify(Array.from({ length: 13 }, (_, i) => `cat${i}`))} }) { totalCount }`,
      'filter: too many words to search for: expected at most 32 different tokens, found 33',
    ],
    [
      'comparisons(systems: ["noise"]) { difference }',
      'metrics, words: nothing to compare on: expected at least one metric or figure of words',
    ],
  ])('%s', async (field, message) => {
    const { status, data, errors } = await api.query(
      `{ dataset(name: "pets") { ${field} name rest: word(text: "dog") { text } } }`,
    )
    expect(errors).toMatchObject([{ message, extensions: { code: 'OUT_OF_RANGE' } }])
    // The field alone is null; the rest of the page stays.
    const { name, rest, ...refused } = data.dataset
    expect({ name, rest }).toEqual({ name: 'pets', rest: { text: 'dog' } })
    const path = errors[0].path as string[]
    expect(path.reduce<Json>((value, step) => value[step], data)).toBeNull()
    expect(Object.keys(refused)).toEqual([path[1]])
    expect(status).toBe(200)
  })

  it.each([
    ['leaderboards(metrics: ["BLEU"]) { rows { nodes { rank } } }', 'UNKNOWN_METRIC'],
    ['system(name: "copycat") { scores(metrics: ["BLEU-4", "bleurt"]) { value } }', 'UNKNOWN_METRIC'],
    ['system(name: "copycat") { score(metric: "") { value } }', 'UNKNOWN_METRIC'],
    ['image(externalId: "10") { captions { scores(metrics: ["x"]) { value } } }', 'UNKNOWN_METRIC'],
    [
      'image(externalId: "10") { systemCaptions { nodes { scores(metrics: ["x"]) { value } } } }',
      'UNKNOWN_METRIC',
    ],
  ])('%s: %s', async (field, code) => {
    expect(new Set(await api.refusal(`{ dataset(name: "pets") { ${field} } }`))).toEqual(new Set([code]))
  })

  it('a value that is not a 32-bit integer', async () => {
    const query = 'query ($first: Int) { dataset(name: "pets") { words(first: $first) { totalCount } } }'
    for (const first of [1e12, 1.5, '20', true, [20]]) {
      const { status, errors } = await api.query(query, { first })
      expect(status).toBe(400)
      expect(errors[0].extensions.code).toBe('BAD_USER_INPUT')
      expect(errors[0].message).toContain('$first')
    }
  })
})

describe('a cursor of another list is refused', () => {
  const PAGE = `query ($after: String, $orderBy: WordOrder) { dataset(name: "pets") {
    words(first: 2, after: $after, orderBy: $orderBy) { pageInfo { endCursor } }
    images(first: 2) { pageInfo { endCursor } }
    system(name: "copycat") { words(first: 2) { pageInfo { endCursor } } }
  } }`
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

  it('one of another list, another order, another direction', async () => {
    const { words, images, system } = (await api.ask(PAGE)).dataset
    const refused = [
      { after: images.pageInfo.endCursor },
      { after: system.words.pageInfo.endCursor },
      { after: words.pageInfo.endCursor, orderBy: { field: 'TEXT' } },
      { after: words.pageInfo.endCursor, orderBy: { field: 'RANK', direction: 'DESC' } },
    ]
    for (const variables of refused) expect(await api.refusal(PAGE, variables)).toEqual(['INVALID_CURSOR'])
    expect(await api.refusal(PAGE, { after: words.pageInfo.endCursor })).toEqual([])
  })

  it.each([
    ['empty', ''],
    ['not base64', '%%%'],
    ['not JSON', Buffer.from('nonsense').toString('base64url')],
    ['an object', encode({})],
    ['a null value', encode(['words by word.text ASC', null, 1])],
    ['an id that is not a number', encode(['words by word.text ASC', 'a', 'b'])],
    ['a long one', 'x'.repeat(LIMITS.string)],
  ])('%s', async (_what, after) => {
    const { errors } = await api.query(PAGE, { after, orderBy: { field: 'TEXT' } })
    expect(errors[0].extensions).toMatchObject({ code: 'INVALID_CURSOR', place: 'after' })
    expect(errors[0].message.length).toBeLessThan(250)
  })
})

describe('an invalid request gets an error response', () => {
  it.each<[string, string, number, RequestErrorCode]>([
    ['malformed JSON', '{"query": "{ __typename }"', 400, 'BAD_REQUEST'],
    ['not an object', '"{ __typename }"', 400, 'BAD_REQUEST'],
    ['an array', '[{"query": "{ __typename }"}]', 400, 'BAD_REQUEST'],
    ['no query', '{}', 400, 'BAD_REQUEST'],
    ['an empty body', '', 400, 'BAD_REQUEST'],
    ['variables that are not an object', '{"query": "{ __typename }", "variables": "x"}', 400, 'BAD_REQUEST'],
    ['invalid GraphQL', '{"query": "{"}', 400, 'GRAPHQL_PARSE_FAILED'],
    ['an unknown field', '{"query": "{ dog }"}', 400, 'GRAPHQL_VALIDATION_FAILED'],
    [
      'an unknown operation',
      '{"query": "query A { __typename }", "operationName": "B"}',
      400,
      'OPERATION_RESOLUTION_FAILURE',
    ],
    [
      'an unknown persisted query',
      JSON.stringify({ extensions: { persistedQuery: { version: 1, sha256Hash: '0'.repeat(64) } } }),
      200,
      'PERSISTED_QUERY_NOT_FOUND',
    ],
    [
      'a persisted query of another version',
      JSON.stringify({
        query: '{ __typename }',
        extensions: { persistedQuery: { version: 2, sha256Hash: 1 } },
      }),
      400,
      'BAD_REQUEST',
    ],
    [
      'a persisted query with another hash',
      JSON.stringify({
        query: '{ __typename }',
        extensions: { persistedQuery: { version: 1, sha256Hash: { a: [] } } },
      }),
      400,
      'BAD_REQUEST',
    ],
    [
      'a lone surrogate in the document',
      '{"query": "{ dataset(name: \\"\\\\uD83D\\") { name } }"}',
      400,
      'GRAPHQL_PARSE_FAILED',
    ],
  ])('%s', async (_what, body, status, code) => {
    const log = vi.spyOn(console, 'error')
    const answer = await api.post(body)
    expect(log).not.toHaveBeenCalled()
    log.mockRestore()
    expect(JSON.stringify(answer)).not.toMatch(/node_modules|\.js|\bat \w+ \(/)
    expect({ status: answer.status, codes: answer.errors.map(({ extensions }) => extensions?.code) }).toEqual(
      { status, codes: [code] },
    )
  })

  it('another content type', async () => {
    const { status, errors } = await api.post('query={__typename}', {
      'content-type': 'application/x-www-form-urlencoded',
    })
    expect(status).toBe(415)
    expect(errors[0].message).toContain('application/json')
  })

  it('bytes that are not UTF-8', async () => {
    const body = new Uint8Array(Buffer.from('{"query": "{ __typename # \u00e9 }"}', 'latin1'))
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(api.url, { method: 'POST', headers, body })
    expect({ status: response.status, text: await response.text() }).toEqual({
      status: 400,
      text: expect.stringContaining('The request cannot be read: expected UTF-8.'),
    })
  })

  it('an unknown encoding', async () => {
    const { status, errors } = await api.post('{}', { 'content-encoding': 'rot13' })
    expect({ status, code: errors[0].extensions.code }).toEqual({ status: 415, code: 'BAD_REQUEST' })
  })
})

describe('the API describes itself', () => {
  it('to a client that asks by introspection', async () => {
    const data = await api.ask(
      getIntrospectionQuery({ inputValueDeprecation: true, schemaDescription: true }),
    )
    expect(data.__schema.types.map(({ name }: Json) => name)).toContain('Dataset')
  })
})

describe('a failure', () => {
  it('that is a bug is hidden from the client and logged', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    await world.database.run(sql`ALTER TABLE system_caption RENAME TO hidden`)
    const columns = sql`id, system_id, image_id, abs(-9223372036854775807 - 1) AS text`
    await world.database.run(sql`CREATE VIEW system_caption AS SELECT ${columns} FROM hidden`)
    try {
      const { data, errors } = await api.query(`{ dataset(name: "pets") {
        name image(externalId: "10") { systemCaptions { nodes { text } } }
      } }`)
      expect(errors).toMatchObject([
        {
          message: 'Internal error. The log of the server has the details.',
          extensions: { code: 'INTERNAL_SERVER_ERROR' },
        },
      ])
      expect(JSON.stringify({ data, errors })).not.toMatch(/system_caption|sqlite|node_modules/i)
      expect(data.dataset).toEqual({ name: 'pets', image: { systemCaptions: null } })
      expect(String(log.mock.calls[0][0])).toContain('integer overflow')
    } finally {
      await world.database.run(sql`DROP VIEW system_caption`)
      await world.database.run(sql`ALTER TABLE hidden RENAME TO system_caption`)
      log.mockRestore()
    }
  })

  it('by a query that takes too long is reported', async () => {
    let calls = 0
    const now = vi.spyOn(performance, 'now').mockImplementation(() => 1000 * calls++)
    const usage = vi.spyOn(process, 'cpuUsage').mockImplementation((before) => {
      return { user: 1e6 * calls++ - (before?.user ?? 0), system: 0 }
    })
    try {
      const { errors } = await api.query(`{ dataset(name: "pets") {
        words(first: 20) { nodes { usageModel(kind: BETA_BINOMIAL) { aic } } }
      } }`)
      expect(errors[0]).toMatchObject({
        message: 'the query takes too long; request fewer fields at once: expected at most 10 s',
        extensions: { code: 'TIMEOUT' },
      })
    } finally {
      now.mockRestore()
      usage.mockRestore()
    }
  })

  it('by the same query is not, if it only waits', async () => {
    let calls = 0
    const now = vi.spyOn(performance, 'now').mockImplementation(() => 1000 * calls++)
    const usage = vi.spyOn(process, 'cpuUsage').mockReturnValue({ user: 0, system: 0 })
    try {
      const { data, errors } = await api.query(`{ dataset(name: "pets") {
        words(first: 20) { nodes { usageModel(kind: BETA_BINOMIAL) { aic } } }
      } }`)
      expect(errors).toEqual([])
      expect(data.dataset.words.nodes).not.toHaveLength(0)
      expect(calls).toBeGreaterThan(20)
    } finally {
      now.mockRestore()
      usage.mockRestore()
    }
  })
})

describe('a database file that is removed while it is served', () => {
  it('is reported by every request', async () => {
    const { location, remove } = await createTestDatabase('sqlite')
    const accord = await openAccord({ location, threadCount: 1, hasWorkers: true })
    const other = await world.serve({ accord })
    try {
      await other.ask('{ datasets { nodes { name } } }')
      await remove()
      await expect.poll(() => other.refusal('{ datasets { nodes { name } } }')).toEqual(['FILE_NOT_FOUND'])
      const { startEvaluation } =
        await other.ask(`mutation { startEvaluation(input: { dataset: "pets", system: "copycat" }) {
        ... on MutationError { code }
      } }`)
      expect(startEvaluation).toEqual({ code: 'FILE_NOT_FOUND' })
      expect(await other.ask('{ __typename }')).toEqual({ __typename: 'Query' })
    } finally {
      await other.close()
      await accord.close()
    }
  })
})

describe('a server that stops', () => {
  it('answers a request that waits for a job', async () => {
    // No worker executes the job.
    const other = await world.serve()
    const waiting = other.query('{ dataset(name: "pets") { wordAgreement { means { value } } } }')
    await expect
      .poll(() => world.database.all(sql`SELECT id FROM job WHERE kind = 'wordMeans'`))
      .toHaveLength(1)
    await other.close()
    expect((await waiting).errors).toMatchObject([
      { message: 'the server is stopping', extensions: { code: 'CANCELLED' } },
    ])
    await expect(fetch(other.url)).rejects.toThrow()
  })
})

function rangeOfK(found: string): string {
  return `references: invalid number of references: expected an integer from 1 to 2, found ${found}`
}

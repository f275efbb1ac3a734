import { describe, expect, it } from 'vitest'
import { type Api, initWorld } from '../kit/seed.js'

const MUTATION = 'mutation { cancelJob(input: { id: "none" }) { ... on MutationError { code } } }'
const ELSEWHERE = { 'x-forwarded-for': '192.0.2.7' }

const world = await initWorld()

describe('mutations and uploads', () => {
  it.each([
    ['LOCAL', {}, true],
    ['LOCAL', ELSEWHERE, false],
    ['ALL', ELSEWHERE, true],
    ['NONE', {}, false],
  ] as const)('with %s and the headers %j are accepted: %s', async (changes, headers, isAccepted) => {
    const api = await world.serve({ changes })
    const isData = isAccepted || changes === 'NONE'
    expect(await outcomes(api, headers)).toEqual([isData ? 200 : 403, 200, isAccepted ? 201 : 403])
    const { data, errors } = await api.post(JSON.stringify({ query: MUTATION }), headers)
    expect(errors[0]?.extensions.code).toBe(isData ? undefined : 'FORBIDDEN')
    if (isData) expect(data?.cancelJob.code).toBe(isAccepted ? 'UNKNOWN_JOB' : 'FORBIDDEN')
  })

  it('are refused in event streams too', async () => {
    const api = await world.serve({ changes: 'NONE' })
    const response = await fetch(api.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
      body: JSON.stringify({ query: MUTATION }),
    })
    expect(await response.text()).toContain('FORBIDDEN')
  })
})

/** Statuses of a mutation, a query and an upload. */
async function outcomes(api: Api, headers: Record<string, string>): Promise<number[]> {
  const { status: mutation } = await api.post(JSON.stringify({ query: MUTATION }), headers)
  const { status: query } = await api.post(JSON.stringify({ query: '{ __typename }' }), headers)
  const upload = await fetch(new URL('uploads', api.url), {
    method: 'POST',
    headers: { 'content-type': 'application/octet-stream', ...headers },
    body: '[]',
  })
  return [mutation, query, upload.status]
}

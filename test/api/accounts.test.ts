import { describe, expect, it } from 'vitest'
import { toGlobalId } from '../../src/api/shared/ids.js'
import { addUser } from '../../src/services/accounts/users.js'
import { sql } from '../../src/store/engine/sql.js'
import { initWorld, type Json } from '../kit/seed.js'

const PASSWORD = 'correct horse 1'
const VIEWER =
  'viewer { user { name } isAdministrator scopes teams { id name } accessTokens { id name prefix usedAt } }'
const RESULT = `... on ViewerSuccess { ${VIEWER} } ... on MutationError { code message }`

describe('accounts over HTTP', async () => {
  const world = await initWorld()
  await world.dataset('pets', { images: { 1: ['A dog.', 'The dog.'] } })
  const api = await world.serve({ accounts: 'OPEN' })
  const { origin } = new URL(api.url)

  async function send(query: string, headers: Record<string, string> = {}) {
    const response = await fetch(api.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ query }),
    })
    const { data, errors }: Json = await response.json()
    return { status: response.status, data, errors, cookie: response.headers.get('set-cookie') }
  }
  const login = (field: string, name: string, password = PASSWORD) =>
    send(`mutation { ${field}(input: { name: "${name}", password: "${password}" }) { ${RESULT} } }`, {
      origin,
    })
  const cookieOf = (header: string | null) => (header ?? '').split(';')[0]
  const sessionOf = async (name: string) => cookieOf((await login('signUp', name)).cookie)
  const upload = (headers: Record<string, string>) =>
    fetch(new URL('uploads', api.url), {
      method: 'POST',
      headers: { 'content-type': 'application/octet-stream', ...headers },
      body: '[]',
    })

  it('end their event streams with a session, a token and a ban', async () => {
    const chief = 'stream chief'
    await addUser(world.accord, { name: chief, password: PASSWORD }, 'admin')
    const { id } = await world.accord.start('agreement', {
      datasetId: (await world.accord.database.all<{ id: number }>(sql`SELECT id FROM dataset`))[0].id,
      references: 1,
      metrics: ['BLEU-1'],
    })
    const job = toGlobalId('Job', id)
    const watch = async (headers: Record<string, string>) => {
      const response = await fetch(api.url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'text/event-stream', origin, ...headers },
        body: JSON.stringify({
          query: `subscription ($id: ID!) { jobProgress(id: $id) { status } }`,
          variables: { id: job },
        }),
      })
      const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
      let text = ''
      while (!text.includes('QUEUED')) text += (await reader.read()).value
      return async () => {
        for (let part = await reader.read(); !part.done; part = await reader.read()) text += part.value
        return text
      }
    }
    const administrator = { cookie: cookieOf((await login('signIn', chief)).cookie), origin }
    const session = cookieOf((await login('signIn', chief)).cookie)
    const created = await send(
      'mutation { createToken(input: { name: "t", scope: HOST, expiresInDays: 1 }) { ... on CreateTokenSuccess { secret token { id } } } }',
      administrator,
    )
    const { secret, token } = created.data.createToken
    const [bySession, byToken, byOther] = [
      await watch({ cookie: session }),
      await watch({ authorization: `Bearer ${secret}` }),
      await watch(administrator),
    ]
    const refused = /not valid any more.*UNAUTHENTICATED.*event: complete/s
    await send('mutation { signOut(input: {}) { __typename } }', { cookie: session, origin })
    expect(await bySession()).toMatch(refused)
    await send(`mutation { revokeToken(input: { id: "${token.id}" }) { __typename } }`, administrator)
    expect(await byToken()).toMatch(refused)
    await send(`mutation { banUser(input: { name: "${chief}" }) { __typename } }`, administrator)
    expect(await byOther()).toMatch(refused)
  })

  it('are signed in by a cookie that only pages of the server send', async () => {
    const { data, cookie } = await login('signUp', 'ann')
    expect(data.signUp.viewer).toMatchObject({ user: { name: 'ann' }, scopes: ['READ', 'SUBMIT'] })
    expect(cookie).toMatch(/^accord_session=[\w-]{43}; Path=\/; Max-Age=604800; HttpOnly; SameSite=Strict$/)
    const session = cookieOf(cookie)
    expect((await send(`{ ${VIEWER} }`, { cookie: session })).data.viewer.user).toEqual({ name: 'ann' })
    expect((await send(`{ ${VIEWER} }`)).data.viewer).toMatchObject({ user: null, scopes: ['READ'] })
    const signIn = await login('signIn', 'ann')
    expect(signIn.data.signIn.viewer.user).toEqual({ name: 'ann' })
    const { data: wrong, cookie: none } = await login('signIn', 'ann', 'wrong password')
    expect([wrong.signIn.code, none]).toEqual(['UNAUTHENTICATED', null])
    const out = await send(`mutation { signOut(input: {}) { ${RESULT} } }`, { cookie: session, origin })
    expect([out.data.signOut.viewer.user, out.cookie]).toEqual([
      null,
      expect.stringMatching(/^accord_session=; Path=\/; Max-Age=0;/),
    ])
    expect((await send(`{ ${VIEWER} }`, { cookie: session })).data.viewer.user).toBeNull()
    const secure = await send(
      `mutation { signIn(input: { name: "ann", password: "${PASSWORD}" }) { ${RESULT} } }`,
      { origin: origin.replace('http:', 'https:') },
    )
    expect(secure.cookie).toMatch(/; Secure$/)
  })

  const FOREIGN: [string, Record<string, string>][] = [
    ['an origin of another site', { origin: 'https://evil.example' }],
    ['an opaque origin', { origin: 'null' }],
    ['another port', { origin: 'http://127.0.0.1:1' }],
    ['no origin but of another site', { 'sec-fetch-site': 'cross-site' }],
    ['a sibling of the site', { 'sec-fetch-site': 'same-site' }],
  ]
  it.each(FOREIGN)('are not used with %s', async (_name, headers) => {
    const cookie = await sessionOf(`user of ${_name.replaceAll(' ', '-').slice(0, 20)}`)
    expect((await send(`{ ${VIEWER} }`, { cookie, ...headers })).data.viewer.user).toBeNull()
    const mutation = await send(`mutation { createTeam(input: { name: "x" }) { ${RESULT} } }`, {
      cookie,
      ...headers,
    })
    expect([mutation.status, mutation.errors[0].extensions.code]).toEqual([403, 'FORBIDDEN'])
    // Nobody is signed in as somebody else.
    const signIn = await send(
      `mutation { signIn(input: { name: "ann", password: "${PASSWORD}" }) { ${RESULT} } }`,
      headers,
    )
    expect([signIn.status, signIn.cookie]).toEqual([403, null])
    expect((await upload({ cookie, ...headers })).status).toBe(403)
  })

  it('change nothing by a cookie without an origin', async () => {
    const cookie = await sessionOf('no origin')
    expect((await send(`{ ${VIEWER} }`, { cookie })).data.viewer.user).toEqual({ name: 'no origin' })
    const { status } = await send(`mutation { createTeam(input: { name: "x" }) { ${RESULT} } }`, { cookie })
    expect(status).toBe(403)
    expect((await upload({ cookie })).status).toBe(403)
    expect((await upload({ cookie, origin })).status).toBe(201)
  })

  it('are answered by nothing that a cache on the way has kept', async () => {
    const cookie = await sessionOf('cached')
    const url = `${api.url}?query=${encodeURIComponent(`{ ${VIEWER} }`)}`
    const get = (headers: Record<string, string>) =>
      fetch(url, { headers: { 'apollo-require-preflight': '1', ...headers } })
    const own = await get({ cookie })
    expect(((await own.json()) as Json).data.viewer.user).toEqual({ name: 'cached' })
    expect(own.headers.get('cache-control')).toBe('private, no-cache')
    const anonymous = await get({ 'if-none-match': own.headers.get('etag') as string })
    expect(((await anonymous.json()) as Json).data.viewer.user).toBeNull()
    expect(anonymous.headers.get('vary')).toContain('Authorization, Cookie')
  })

  it('have tokens, which are shown once, and are an error when they are not valid', async () => {
    const cookie = await sessionOf('bob')
    const created = await send(
      `mutation { createToken(input: { name: "ci", scope: READ }) {
        ... on CreateTokenSuccess { secret token { id prefix scope expiresAt } } } }`,
      { cookie, origin },
    )
    const { secret, token } = created.data.createToken
    const bearer = { authorization: `Bearer ${secret}` }
    const { viewer } = (await send(`{ ${VIEWER} }`, bearer)).data
    expect(viewer).toMatchObject({ user: { name: 'bob' }, scopes: ['READ'] })
    expect(viewer.accessTokens).toEqual([
      { id: token.id, name: 'ci', prefix: secret.slice(0, 11), usedAt: expect.any(String) },
    ])
    // By its id it is found by its user, and by nobody else.
    const byId = `{ node(id: "${token.id}") { __typename ... on Token { name prefix } } }`
    const node = { __typename: 'Token', name: 'ci', prefix: token.prefix }
    for (const own of [bearer, { cookie }]) expect((await send(byId, own)).data).toEqual({ node })
    await addUser(world.accord, { name: 'curious', password: PASSWORD }, 'admin')
    const administrator = { cookie: cookieOf((await login('signIn', 'curious')).cookie) }
    for (const other of [{}, { cookie: await sessionOf('carol') }, administrator])
      expect((await send(byId, other)).data).toEqual({ node: null })
    const refused = await send(`mutation { createTeam(input: { name: "x" }) { ${RESULT} } }`, bearer)
    expect(refused.data.createTeam.code).toBe('UNAUTHENTICATED')
    expect((await upload(bearer)).status).toBe(403)
    const revoked = await send(
      `mutation { revokeToken(input: { id: "${token.id}" }) { ... on ViewerSuccess { removedId } ${RESULT} } }`,
      { cookie, origin },
    )
    expect(revoked.data.revokeToken.viewer.accessTokens).toEqual([])
    expect(revoked.data.revokeToken.removedId).toBe(token.id)
    expect((await send(byId, { cookie })).data).toEqual({ node: null })
    const guessed = `accord_${'x'.repeat(43)}`
    const answers = [secret, guessed, 'accord_', `${secret}x`].map((text) =>
      send(`{ ${VIEWER} }`, { authorization: `Bearer ${text}` }),
    )
    const failures = await Promise.all(answers)
    expect(
      new Set(failures.map(({ status, data, errors }) => JSON.stringify([status, data, errors]))).size,
    ).toBe(1)
    expect(failures[0]).toMatchObject({ status: 401, errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] })
    expect((await upload({ authorization: `Bearer ${guessed}` })).status).toBe(401)
    // Other schemes are for proxies.
    expect((await send('{ __typename }', { authorization: 'Basic YTpi' })).status).toBe(200)
  })

  it('may do what their role allows, as data, and are noted', async () => {
    await addUser(world.accord, { name: 'root', password: PASSWORD }, 'admin')
    await addUser(world.accord, { name: 'host', password: PASSWORD }, 'host')
    const mutation =
      'mutation { removeSystem(input: { dataset: "pets", system: "none" }) { ... on MutationError { __typename code } } }'
    const codes = []
    for (const cookie of [
      '',
      await sessionOf('carl'),
      cookieOf((await login('signIn', 'host')).cookie),
      cookieOf((await login('signIn', 'root')).cookie),
    ]) {
      const { data } = await send(mutation, { cookie, origin })
      codes.push(data.removeSystem.code)
    }
    expect(codes).toEqual(['UNAUTHENTICATED', 'FORBIDDEN', 'UNKNOWN_SYSTEM', 'UNKNOWN_SYSTEM'])
    const cookie = await sessionOf('dora')
    await send(`mutation { createTeam(input: { name: "Owls" }) { ${RESULT} } }`, { cookie, origin })
    const entries = await world.database.all(
      sql`SELECT actor, action, subject FROM audit_entry ORDER BY id DESC LIMIT 1`,
    )
    expect(entries).toEqual([{ actor: 'dora', action: 'createTeam', subject: 'Owls' }])
  })

  it('know the members of their teams', async () => {
    const [owner, member] = [await sessionOf('Ada'), await sessionOf('Bea')]
    const team = await send(`mutation { createTeam(input: { name: "Pair" }) { ${RESULT} } }`, {
      cookie: owner,
      origin,
    })
    const [{ id }] = team.data.createTeam.viewer.teams
    const { data } = await send(
      `mutation { inviteMember(input: { team: "${id}", name: "Bea" }) { ... on InviteMemberSuccess { invitation } } }`,
      { cookie: owner, origin },
    )
    await send(
      `mutation { acceptInvitation(input: { invitation: "${data.inviteMember.invitation}" }) { ${RESULT} } }`,
      { cookie: member, origin },
    )
    const { viewer } = (await send('{ viewer { teams { name members { name } } } }', { cookie: member })).data
    const members = [{ name: 'Ada' }, { name: 'Bea' }]
    expect(viewer.teams).toEqual([{ name: 'Pair', members }])
    // Whoever has the id of a team knows its name; its members are for them and administrators.
    const byId = `{ node(id: "${id}") { __typename id ... on Team { name members { name } } } }`
    await addUser(world.accord, { name: 'overseer', password: PASSWORD }, 'admin')
    await addUser(world.accord, { name: 'another host', password: PASSWORD }, 'host')
    const signIn = async (name: string) => ({ cookie: cookieOf((await login('signIn', name)).cookie) })
    const node = { __typename: 'Team', id, name: 'Pair' }
    for (const seeing of [{ cookie: member }, await signIn('overseer')])
      expect((await send(byId, seeing)).data).toEqual({ node: { ...node, members } })
    for (const other of [{}, await signIn('another host')])
      expect((await send(byId, other)).data).toEqual({ node: { ...node, members: null } })
  })

  it('are banned by administrators alone, at once', async () => {
    await addUser(world.accord, { name: 'chief', password: PASSWORD }, 'admin')
    await addUser(world.accord, { name: 'mere host', password: PASSWORD }, 'host')
    const [chief, host] = [
      cookieOf((await login('signIn', 'chief')).cookie),
      cookieOf((await login('signIn', 'mere host')).cookie),
    ]
    const eve = await sessionOf('eve')
    expect((await send(`{ ${VIEWER} }`, { cookie: eve })).data.viewer.user).toEqual({ name: 'eve' })
    const ban = async (cookie: string, input: string) =>
      (
        await send(
          `mutation { banUser(input: { ${input} }) { ... on BanUserSuccess { user { name } } ... on MutationError { code } } }`,
          { cookie, origin },
        )
      ).data.banUser
    expect(await ban(host, 'name: "eve"')).toEqual({ code: 'FORBIDDEN' })
    expect(await ban(chief, 'name: "nobody"')).toEqual({ code: 'UNKNOWN_USER' })
    expect(await ban(chief, 'name: "eve"')).toEqual({ user: { name: 'eve' } })
    expect((await send(`{ ${VIEWER} }`, { cookie: eve })).data.viewer.user).toBeNull()
    expect((await login('signIn', 'eve')).data.signIn.code).toBe('UNAUTHENTICATED')
    await ban(chief, 'name: "eve", isBanned: false')
    expect((await login('signIn', 'eve')).data.signIn.viewer.user).toEqual({ name: 'eve' })
    const entries = await world.database.all(
      sql`SELECT actor, action, subject FROM audit_entry WHERE subject = 'eve' ORDER BY id`,
    )
    expect(entries).toEqual([
      { actor: 'chief', action: 'banUser', subject: 'eve' },
      { actor: 'chief', action: 'unbanUser', subject: 'eve' },
    ])
  })

  it('cannot sign in to a server that is read-only, which says so', async () => {
    const reading = await world.serve({ accounts: 'OPEN', changes: 'NONE' })
    const response = await fetch(reading.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: new URL(reading.url).origin },
      body: JSON.stringify({
        query: `mutation { signIn(input: { name: "ann", password: "${PASSWORD}" }) { ${RESULT} } }`,
      }),
    })
    const { data }: Json = await response.json()
    expect(data.signIn).toEqual({
      code: 'FORBIDDEN',
      message: expect.stringMatching(/^This server is read-only .*nobody can sign in/),
    })
  })

  it.each([
    [{}, undefined],
    [{ accounts: 'OPEN' }, 'OPEN'],
    [{ accounts: 'INVITED' }, 'INVITED'],
    [{ accounts: 'OPEN', changes: 'NONE' }, 'READ_ONLY'],
  ] as const)('are known to the dashboard of a server with %o', async (options, expected) => {
    const { url } = await world.serve(options)
    const page = await (await fetch(new URL('.', url))).text()
    expect(/<meta name="accord-accounts" content="(\w+)"/.exec(page)?.[1]).toBe(expected)
  })

  it('do not exist on an open server', async () => {
    const open = await world.serve({ changes: 'ALL' })
    const { signIn } = await open.ask(
      `mutation { signIn(input: { name: "ann", password: "${PASSWORD}" }) { ... on MutationError { code } } }`,
    )
    expect(signIn.code).toBe('NOT_APPLICABLE')
    const { viewer } = await open.ask(
      '{ viewer { isServerOpen user { name } isAdministrator accessTokens { id } } }',
    )
    expect(viewer).toEqual({
      isServerOpen: true,
      user: { name: 'local' },
      isAdministrator: true,
      accessTokens: [],
    })
  })
})

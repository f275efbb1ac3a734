import { createHook } from 'node:async_hooks'
import { scryptSync } from 'node:crypto'
import { describe, expect, it, vi } from 'vitest'
import { createAccounts } from '../../../src/services/accounts/accounts.js'
import { hashSecret } from '../../../src/services/accounts/secrets.js'
import { addUser, auditLog, banUser, listUsers, resetUser } from '../../../src/services/accounts/users.js'
import { requireUser } from '../../../src/services/accounts/viewer.js'
import {
  findPasswordHash,
  insertInvitation,
  insertMember,
  insertTeam,
  insertUser,
  savePasswordHash,
} from '../../../src/store/accounts.js'
import { raw, sql } from '../../../src/store/engine/sql.js'
import { ENTITIES } from '../../../src/store/schema/entities.js'
import { setTrueCost } from '../../kit/cheap-passwords.js'
import { ENGINES } from '../../kit/databases.js'
import { initWorld } from '../../kit/seed.js'

const PASSWORD = 'correct horse 1'
const PAST = '2020-01-01T00:00:00.000Z'
const code = (code: string) => expect.objectContaining({ code })

describe.each(ENGINES)('accounts on %s', async (engine) => {
  const world = await initWorld({ engine })
  const { accord, database } = world
  const accounts = createAccounts(accord)
  let clients = 0
  const signUp = (name: string) => accounts.signUp({ name, password: PASSWORD }, `client ${++clients}`)
  const signIn = (name: string, password = PASSWORD) =>
    accounts.signIn({ name, password }, { address: `client ${++clients}` })
  const bySession = (secret: string) => accounts.identify({ kind: 'SESSION', secret })
  const byToken = (secret: string) => accounts.identify({ kind: 'TOKEN', secret })

  it('sign up, sign in and sign out', async () => {
    const session = await signUp('ann')
    expect(await bySession(session)).toMatchObject({ user: { name: 'ann' }, isAdministrator: false })
    const second = await signIn('ann')
    expect(second).not.toBe(session)
    await accounts.signOut(second)
    expect((await bySession(second)).user).toBeNull()
    expect((await bySession(session)).user?.name).toBe('ann')
    await expect(signIn('ann', 'wrong password')).rejects.toThrow(code('UNAUTHENTICATED'))
  })

  it('store no password, session or token that could be used', async () => {
    const session = await signUp('bob')
    const { secret } = await accounts.createToken(session, { name: 'laptop', scope: 'submit', days: 1 })
    const link = await resetUser(accord, 'bob')
    expect(secret).toMatch(/^accord_[\w-]{43}$/)
    const team = await accounts.createTeam(session, 'Bobs')
    const { secret: invitation } = await accounts.inviteMember(session, team.id, 'ann')
    expect(new Set([session, link, invitation].map((text) => /^[\w-]{43}$/.test(text)))).toEqual(
      new Set([true]),
    )
    const { id } = requireUser(await bySession(session))
    expect(await findPasswordHash(database, id)).toMatch(
      /^\$scrypt\$ln=15,r=8,p=3\$[A-Za-z\d+/]{22}\$[A-Za-z\d+/]{86}$/,
    )
    for (const { name } of ENTITIES) {
      const rows = JSON.stringify(await database.all(raw(`SELECT * FROM ${name}`)))
      for (const text of [session, secret, link, invitation, PASSWORD]) expect(rows).not.toContain(text)
    }
  })

  it('do not accept names that look like others', async () => {
    await signUp('Paypal')
    for (const name of [
      'paypal',
      'PAYPAL',
      'Раураl',
      'pa-y.pal',
      'pàypal',
      'ｐａｙｐａｌ',
      'paypa1',
      'paypaI',
    ])
      await expect(signUp(name), name).rejects.toThrow(code('NAME_TAKEN'))
    for (const name of [
      '',
      ' ann',
      'ann\u3164',
      '\u115f',
      'a\u202eb',
      'a\u200bb',
      'a  b',
      '<b>',
      'x'.repeat(41),
    ])
      await expect(signUp(name), name).rejects.toThrow(code('INVALID_VALUE'))
    const results = await Promise.allSettled([signUp('twin'), signUp('Twin')])
    expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    const ann = await signIn('ann')
    await accounts.createTeam(ann, 'Night Owls')
    await expect(accounts.createTeam(ann, 'night-0wls')).rejects.toThrow(code('NAME_TAKEN'))
  })

  it('do the same work for unknown names, wrong passwords and banned users', async () => {
    await signUp('carl')
    await signUp('banned one')
    await banUser(accord, 'banned one', true)
    const failures = [
      await workOf(() => signIn('carl', 'wrong password')),
      await workOf(() => signIn('nobody at all')),
      await workOf(() => signIn('banned one')),
    ]
    expect(failures.map(({ message }) => message)).toEqual(Array(3).fill('wrong name or password'))
    expect(failures.map(({ hashes }) => hashes)).toEqual([1, 1, 1])
  })

  describe('that many try to sign in to', () => {
    const from = (address: string, name: string, password = PASSWORD) =>
      accounts.signIn({ name, password }, { address })
    const codeFrom = (address: string, name: string, password = 'wrong password') =>
      from(address, name, password).then(
        () => 'accepted',
        (error) => error.code,
      )

    it('slow down after wrong passwords, then tell to wait; the right one signs in', async () => {
      await signUp('dora')
      const waits: number[] = []
      const patient = createAccounts(accord, false, async (milliseconds) => void waits.push(milliseconds))
      const attempt = (password: string) =>
        patient.signIn({ name: 'dora', password }, { address: 'a stranger' }).catch(({ code }) => code)
      const codes: string[] = []
      for (let count = 0; count < 60; count++) codes.push(await attempt('wrong password'))
      expect(codes).toEqual([...Array(50).fill('UNAUTHENTICATED'), ...Array(10).fill('TOO_MANY_ATTEMPTS')])
      expect(waits.slice(0, 18)).toEqual([...Array(10).fill(0), 100, 200, 400, 800, 1600, 3000, 3000, 3000])
      expect((await bySession(await attempt(PASSWORD))).user?.name).toBe('dora')
      // A success is a new start.
      expect(await attempt('wrong password')).toBe('UNAUTHENTICATED')
      expect(waits.at(-1)).toBe(0)
    })

    it('lock out nobody else at the address, whatever names were tried', async () => {
      for (let name = 0; name < 60; name++)
        expect(await codeFrom('an office', `nobody ${name}`)).toBe('UNAUTHENTICATED')
      expect(await from('an office', 'ann')).toBeTruthy()
    })

    it('let twenty of a client wait at the same time, and others come in between', async () => {
      const many = Array.from({ length: 30 }, (_, index) => codeFrom('a flood', `somebody ${index}`))
      expect(await from('elsewhere', 'ann')).toBeTruthy()
      const codes = await Promise.all(many)
      expect(codes.filter((one) => one === 'UNAUTHENTICATED')).toHaveLength(20)
      expect(codes.filter((one) => one === 'TOO_MANY_ATTEMPTS')).toHaveLength(10)
      // The places are free again.
      expect(await codeFrom('a flood', 'somebody')).toBe('UNAUTHENTICATED')
    })

    it('do no work for clients that are gone', async () => {
      const gone = AbortSignal.abort(new Error('gone'))
      const attempt = () =>
        accounts.signIn({ name: 'ann', password: PASSWORD }, { address: 'gone', signal: gone })
      const { message, hashes } = await workOf(attempt)
      expect(hashes).toBe(0)
      expect(message).toMatch(/gone|aborted/)
    })
  })

  it('end the session that a browser has when it signs in again', async () => {
    const first = await signIn('ann')
    const again = await accounts.signIn(
      { name: 'ann', password: PASSWORD },
      { address: 'home', session: first },
    )
    expect((await bySession(first)).user).toBeNull()
    expect((await bySession(again)).user?.name).toBe('ann')
  })

  it('hash a password anew that was stored at another cost', async () => {
    await signUp('old timer')
    const [user] = (await listUsers(accord)).filter(({ name }) => name === 'old timer')
    const salt = Buffer.alloc(16, 1)
    const key = scryptSync(PASSWORD, salt, 64, { N: 1024, r: 8, p: 1 })
    const [saltText, keyText] = [salt, key].map((bytes) => bytes.toString('base64').replaceAll('=', ''))
    setTrueCost(true)
    await savePasswordHash(database, user.id, `$scrypt$ln=10,r=8,p=1$${saltText}$${keyText}`)
    expect(await signIn('old timer')).toBeTruthy()
    const renewed = await findPasswordHash(database, user.id)
    expect(renewed).toMatch(/^\$scrypt\$ln=15,r=8,p=3\$/)
    expect(await signIn('old timer')).toBeTruthy()
    expect(await findPasswordHash(database, user.id)).toBe(renewed)
    setTrueCost(false)
  })

  it('refuse passwords that are the name, or that people use most', async () => {
    const invalid = (expected: string) =>
      code('INVALID_VALUE') && expect.objectContaining({ message: expect.stringContaining(expected) })
    const signUpWith = (password: string) => accounts.signUp({ name: 'Long Name 7', password }, 'new client')
    for (const password of ['long-name-7', 'Long Name 7'])
      await expect(signUpWith(password)).rejects.toThrow(invalid('not the name'))
    await expect(signUpWith('Password123')).rejects.toThrow(invalid('10,000'))
    const session = await accounts.signUp({ name: 'Long Name 7', password: PASSWORD }, 'new client')
    await expect(accounts.changePassword(session, PASSWORD, 'qwertyuiop')).rejects.toThrow(invalid('10,000'))
    const link = await resetUser(accord, 'Long Name 7')
    await expect(accounts.resetPassword(link, 'long name 7', 'new client')).rejects.toThrow(
      invalid('not the name'),
    )
    // The link is still good.
    await accounts.resetPassword(link, 'another good one', 'new client')
    expect(await signIn('Long Name 7', 'another good one')).toBeTruthy()
  })

  it('limit how often a user creates teams and tokens, and sends and accepts invitations', async () => {
    const first = await signUp('max')
    // What succeeds counts too: hashing takes time.
    const session = await accounts.changePassword(first, PASSWORD, PASSWORD)
    const acts = [
      () => accounts.createTeam(session, '<b>'),
      () => accounts.createToken(session, { name: 't', scope: 'read', days: 0 }),
      () => accounts.inviteMember(session, 'guessed', '<b>'),
      () => accounts.acceptInvitation(session, 'guessed'),
    ]
    const outcomes = []
    for (let i = 0; i < 53; i++) outcomes.push((await acts[i % 4]().catch((error) => error)).code)
    expect(new Set(outcomes.slice(0, 49))).toEqual(new Set(['INVALID_VALUE', 'OUT_OF_RANGE', 'FORBIDDEN']))
    expect(outcomes.slice(49)).toEqual(Array(4).fill('TOO_MANY_ATTEMPTS'))
  })

  it('read no long names and passwords: composing many accents takes time that grows with their square', async () => {
    const long = `a${'\u0301\u0316'.repeat(500_000)}`
    const read: number[] = []
    const { normalize } = String.prototype
    const spy = vi.spyOn(String.prototype, 'normalize').mockImplementation(function (this: string, form) {
      read.push(this.length)
      return normalize.call(this, form)
    })
    try {
      const ann = await signIn('ann')
      const failures = [
        [() => signIn(long), 'UNAUTHENTICATED'],
        [() => signIn('ann', long), 'INVALID_VALUE'],
        [() => signUp(long), 'INVALID_VALUE'],
        [() => accounts.signUp({ name: 'long', password: long }, 'c'), 'INVALID_VALUE'],
        [() => accounts.createTeam(ann, long), 'INVALID_VALUE'],
        [() => accounts.inviteMember(ann, 'guessed', long), 'INVALID_VALUE'],
        [() => accounts.createToken(ann, { name: long, scope: 'read', days: 1 }), 'INVALID_VALUE'],
        [() => accounts.changePassword(ann, long, long), 'INVALID_VALUE'],
        [() => accounts.deleteAccount(ann, long), 'INVALID_VALUE'],
        [() => accounts.resetPassword('guessed', long, 'c'), 'INVALID_VALUE'],
      ] as const
      for (const [act, expected] of failures) await expect(act()).rejects.toThrow(code(expected))
    } finally {
      spy.mockRestore()
    }
    expect(Math.max(...read)).toBeLessThan(200)
  })

  it('have tokens with a scope, which expire and are revoked', async () => {
    const session = await signUp('emil')
    const { token, secret } = await accounts.createToken(session, { name: 'ci', scope: 'read', days: 30 })
    const viewer = await byToken(secret)
    expect([viewer.user?.name, ...viewer.scopes]).toEqual(['emil', 'read'])
    const [stored] = await accounts.tokens(viewer)
    expect(stored).toMatchObject({ name: 'ci', scope: 'read', start: secret.slice(0, 11) })
    expect(stored.usedAt).toBe(new Date(stored.usedAt as string).toISOString())
    await expect(accounts.createToken(session, { name: 'x', scope: 'host', days: 30 })).rejects.toThrow(
      code('FORBIDDEN'),
    )
    await expect(accounts.createToken(secret, { name: 'x', scope: 'read', days: 30 })).rejects.toThrow(
      code('UNAUTHENTICATED'),
    )
    const other = await signIn('ann')
    await expect(accounts.revokeToken(other, token.id)).rejects.toThrow(code('UNKNOWN_TOKEN'))
    await accounts.revokeToken(session, token.id)
    await expect(byToken(secret)).rejects.toThrow(code('UNAUTHENTICATED'))

    const { secret: old } = await accounts.createToken(session, { name: 'old', scope: 'read', days: 1 })
    await database.run(sql`UPDATE access_token SET expires_at = ${PAST} WHERE hash = ${hashSecret(old)}`)
    await expect(byToken(old)).rejects.toThrow(code('UNAUTHENTICATED'))
    await database.run(
      sql`UPDATE account_session SET expires_at = ${PAST} WHERE hash = ${hashSecret(session)}`,
    )
    // Another server has not seen the session before.
    const elsewhere = createAccounts(accord)
    expect((await elsewhere.identify({ kind: 'SESSION', secret: session })).user).toBeNull()
    for (const days of [0, 366])
      await expect(accounts.createToken(other, { name: 'x', scope: 'read', days })).rejects.toThrow(
        code('OUT_OF_RANGE'),
      )
  })

  it('have teams, which users are invited to', async () => {
    const [fay, gus, hal] = [await signUp('fay'), await signUp('gus'), await signUp('hal')]
    const team = await accounts.createTeam(fay, 'Falcons')
    const { secret: id } = await accounts.inviteMember(fay, team.id, 'GUS')
    await expect(accounts.acceptInvitation(hal, id)).rejects.toThrow(code('FORBIDDEN'))
    await expect(accounts.acceptInvitation(hal, 'guessed')).rejects.toThrow(code('FORBIDDEN'))
    expect((await bySession(gus)).teams).toEqual([])
    await accounts.acceptInvitation(gus, id)
    expect((await bySession(gus)).teams).toEqual([team])
    await expect(accounts.acceptInvitation(gus, id)).rejects.toThrow(code('FORBIDDEN'))
    for (const session of [gus, hal])
      await expect(accounts.inviteMember(session, team.id, 'ann')).rejects.toThrow(code('FORBIDDEN'))
    await expect(accounts.inviteMember(hal, 'no-such-team', 'ann')).rejects.toThrow(code('FORBIDDEN'))
  })

  it('admit only those who are invited, where that is required', async () => {
    const closed = createAccounts(accord, true)
    const login = { name: 'ida', password: PASSWORD }
    await expect(closed.signUp(login, 'c')).rejects.toThrow(code('FORBIDDEN'))
    const ann = await signIn('ann')
    const team = await accounts.createTeam(ann, 'Guests')
    const { secret: id } = await accounts.inviteMember(ann, team.id, 'ida')
    await expect(closed.signUp({ ...login, name: 'eve' }, 'c', id)).rejects.toThrow(code('FORBIDDEN'))
    const session = await closed.signUp(login, 'c', id)
    expect((await bySession(session)).teams).toEqual([team])
  })

  it('change and reset passwords, which ends sessions', async () => {
    const [first, second] = [await signUp('jim'), await signIn('jim')]
    await expect(accounts.changePassword(first, 'wrong password', 'another horse 2')).rejects.toThrow(
      code('UNAUTHENTICATED'),
    )
    await expect(accounts.changePassword(first, PASSWORD, 'short')).rejects.toThrow(code('INVALID_VALUE'))
    const third = await accounts.changePassword(first, PASSWORD, 'another horse 2')
    expect((await bySession(second)).user).toBeNull()
    const { secret } = await accounts.createToken(third, { name: 't', scope: 'read', days: 1 })

    const link = await resetUser(accord, 'jim')
    await accounts.resetPassword(link, 'a third horse 3', 'c')
    expect((await bySession(third)).user).toBeNull()
    await expect(byToken(secret)).rejects.toThrow(code('UNAUTHENTICATED'))
    await expect(accounts.resetPassword(link, 'a fourth horse 4', 'c')).rejects.toThrow(code('FORBIDDEN'))
    await expect(accounts.resetPassword('guessed', 'a fourth horse 4', 'c')).rejects.toThrow(
      code('FORBIDDEN'),
    )
    expect(await signIn('jim', 'a third horse 3')).toBeTruthy()
    await expect(resetUser(accord, 'nobody at all')).rejects.toThrow(code('UNKNOWN_USER'))
  })

  it('have sessions that expire, are ended and end with a ban, for which no request writes anything', async () => {
    const rows = () =>
      database.all<{ hash: string }>(sql`
      SELECT hash FROM account_session JOIN account_user ON account_user.id = user_id WHERE name = 'nora' ORDER BY hash`)
    const seenBy = async (secret: string) =>
      (await createAccounts(accord).identify({ kind: 'SESSION', secret })).user?.name ?? null
    const [first, second] = [await signUp('nora'), await signIn('nora')]
    const before = await rows()
    expect(before.map(({ hash }) => hash)).toEqual([first, second].map(hashSecret).toSorted())
    expect([await seenBy(first), await seenBy(second), await seenBy('guessed')]).toEqual([
      'nora',
      'nora',
      null,
    ])
    // What is stored is of no use by itself.
    expect(await seenBy(before[0].hash)).toBeNull()
    expect(await rows()).toEqual(before)

    await database.run(sql`UPDATE account_session SET expires_at = ${PAST} WHERE hash = ${hashSecret(first)}`)
    expect(await seenBy(first)).toBeNull()
    await expect(createAccounts(accord).createTeam(first, 'Late')).rejects.toThrow(code('UNAUTHENTICATED'))
    const third = await signIn('nora')
    // Expired sessions go when the user signs in.
    expect((await rows()).map(({ hash }) => hash)).toEqual([second, third].map(hashSecret).toSorted())

    await accounts.signOut(second)
    expect([await seenBy(second), await seenBy(third)]).toEqual([null, 'nora'])
    const fourth = await signIn('nora')
    await accounts.signOut(third, true)
    expect([await seenBy(third), await seenBy(fourth)]).toEqual([null, null])

    const fifth = await signIn('nora')
    await banUser(accord, 'nora', true)
    expect([await seenBy(fifth), await rows()]).toEqual([null, []])
    await expect(signIn('nora')).rejects.toThrow('wrong name or password')
    await banUser(accord, 'nora', false)
    expect(await seenBy(fifth)).toBeNull()
    expect(await seenBy(await signIn('nora'))).toBe('nora')
  })

  it('reset a password once, within a day, by the newest link', async () => {
    await signUp('pia')
    const links = [await resetUser(accord, 'pia'), await resetUser(accord, 'pia')]
    const reset = (link: string, password = 'a reset horse 1') =>
      accounts.resetPassword(link, password, `client ${++clients}`)
    await expect(reset(links[0])).rejects.toThrow(code('FORBIDDEN'))
    await expect(reset(hashSecret(links[1]))).rejects.toThrow(code('FORBIDDEN'))
    await expect(reset(links[1], 'short')).rejects.toThrow(code('INVALID_VALUE'))
    const results = await Promise.allSettled(
      ['a reset horse 1', 'a reset horse 2'].map((one) => reset(links[1], one)),
    )
    expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    expect(results.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { code: 'FORBIDDEN' },
    })
    await expect(reset(links[1])).rejects.toThrow(/^token: the link is not valid$/)
    const late = await resetUser(accord, 'pia')
    await database.run(sql`UPDATE account_reset SET expires_at = ${PAST} WHERE hash = ${hashSecret(late)}`)
    await expect(reset(late)).rejects.toThrow(code('FORBIDDEN'))
  })

  it('use an invitation once, within 14 days', async () => {
    const [quin, rosa] = [await signUp('quin'), await signUp('rosa')]
    const team = await accounts.createTeam(quin, 'Quails')
    const invite = () => accounts.inviteMember(quin, team.id, 'rosa')
    const { secret: late, expiresAt } = await invite()
    expect(Date.parse(expiresAt) - Date.now()).toBeGreaterThan(13.99 * 24 * 3600_000)
    expect(Date.parse(expiresAt) - Date.now()).toBeLessThanOrEqual(14 * 24 * 3600_000)
    await expect(invite()).rejects.toThrow('the user is invited already')
    await database.run(sql`UPDATE team_invitation SET expires_at = ${PAST} WHERE hash = ${hashSecret(late)}`)
    await expect(accounts.acceptInvitation(rosa, late)).rejects.toThrow(code('FORBIDDEN'))
    await expect(accounts.signUp({ name: 'rosa two', password: PASSWORD }, 'c', late)).rejects.toThrow(
      'the invitation is not valid',
    )
    const { secret } = await invite()
    await expect(accounts.acceptInvitation(rosa, hashSecret(secret))).rejects.toThrow(code('FORBIDDEN'))
    const both = await Promise.allSettled([secret, secret].map((one) => accounts.acceptInvitation(rosa, one)))
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    await expect(invite()).rejects.toThrow('the user is a member of the team')
    expect((await bySession(rosa)).teams).toEqual([team])
  })

  it('have limits of teams of a user, and of members and invitations of a team', async () => {
    const { id } = requireUser(await bySession(await signUp('sven')))
    const createdAt = PAST
    const session = await signIn('sven')
    const first = await accounts.createTeam(session, 'Swans 0')
    for (let i = 1; i < 50; i++) {
      const teamId = `swans ${i}`
      await insertTeam(database, { id: teamId, name: teamId, nameKey: teamId, createdAt })
      await insertMember(database, { teamId, userId: id, role: 'owner', createdAt })
    }
    await expect(accounts.createTeam(session, 'Swans 50')).rejects.toMatchObject({
      code: 'NOT_APPLICABLE',
      message: 'the user has too many teams: expected at most 50',
    })
    const { secret } = await accounts.inviteMember(session, first.id, 'tess')
    for (let i = 1; i < 100; i++) {
      const name = `swan ${i}`
      await insertInvitation(database, {
        hash: name,
        teamId: first.id,
        nameKey: name,
        inviterId: id,
        expiresAt: '9999',
      })
      await insertUser(database, { id: name, name, nameKey: name, role: 'user', isBanned: false, createdAt })
      await insertMember(database, { teamId: first.id, userId: name, role: 'member', createdAt })
    }
    await expect(accounts.inviteMember(session, first.id, 'uwe')).rejects.toThrow(
      'the team has too many invitations',
    )
    await database.run(sql`UPDATE team_invitation SET expires_at = ${PAST} WHERE hash = 'swan 7'`)
    await accounts.inviteMember(session, first.id, 'uwe')
    // A user who cannot join has no account either, and can use the invitation later.
    const tess = { name: 'tess', password: PASSWORD }
    await expect(accounts.signUp(tess, 'c', secret)).rejects.toThrow('the team has too many members')
    await database.run(sql`DELETE FROM account_user WHERE id = 'swan 8'`)
    expect((await bySession(await accounts.signUp(tess, 'c', secret))).teams).toEqual([first])
  })

  it('are deleted with everything but the teams that others are in', async () => {
    const [kim, lea] = [await signUp('kim'), await signUp('lea')]
    const [alone, shared] = [
      await accounts.createTeam(kim, 'Alone'),
      await accounts.createTeam(kim, 'Shared'),
    ]
    const { secret: id } = await accounts.inviteMember(kim, shared.id, 'lea')
    await accounts.acceptInvitation(lea, id)
    const { secret } = await accounts.createToken(kim, { name: 't', scope: 'read', days: 1 })
    await expect(accounts.deleteAccount(kim, 'wrong password')).rejects.toThrow(code('UNAUTHENTICATED'))
    await accounts.deleteAccount(kim, PASSWORD)
    expect((await bySession(kim)).user).toBeNull()
    await expect(byToken(secret)).rejects.toThrow(code('UNAUTHENTICATED'))
    await expect(signIn('kim')).rejects.toThrow(code('UNAUTHENTICATED'))
    const teams = await database.all(
      sql`SELECT name FROM team WHERE id IN (${alone.id}, ${shared.id}) ORDER BY name`,
    )
    expect(teams).toEqual([{ name: 'Shared' }, { name: 'deleted' }])
    await signUp('kim')
  })

  it('are banned and given roles by commands on the server, which the audit log keeps', async () => {
    await addUser(accord, { name: 'root', password: PASSWORD }, 'admin')
    const root = await signIn('root')
    expect(await bySession(root)).toMatchObject({ isAdministrator: true })
    const { secret } = await accounts.createToken(root, { name: 't', scope: 'submit', days: 1 })
    const viewer = await byToken(secret)
    expect([viewer.isAdministrator, ...viewer.scopes]).toEqual([false, 'read', 'submit'])
    await banUser(accord, 'root', true)
    await expect(createAccounts(accord).identify({ kind: 'TOKEN', secret })).rejects.toThrow(
      code('UNAUTHENTICATED'),
    )
    expect((await createAccounts(accord).identify({ kind: 'SESSION', secret: root })).user).toBeNull()
    await banUser(accord, 'root', false)
    expect(await signIn('root')).toBeTruthy()
    expect((await listUsers(accord)).map(({ name, role }) => `${name} ${role}`)).toContain('root admin')
    const entries = []
    for await (const { actor, action, subject } of auditLog(accord)) entries.push({ actor, action, subject })
    expect(entries.slice(-3)).toEqual(
      ['addUser', 'banUser', 'unbanUser'].map((action) => ({ actor: null, action, subject: 'root' })),
    )
  })
})

/** The message of a failure, and how many passwords were hashed until then. */
async function workOf(act: () => Promise<unknown>): Promise<{ message: string; hashes: number }> {
  let hashes = 0
  const hook = createHook({
    init(_id, type) {
      if (type === 'SCRYPTREQUEST') hashes++
    },
  }).enable()
  try {
    await act()
    return { message: 'accepted', hashes }
  } catch (error) {
    return { message: (error as Error).message, hashes }
  } finally {
    hook.disable()
  }
}

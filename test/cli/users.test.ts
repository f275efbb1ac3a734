import { chmodSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { beforeAll, describe, expect, it } from 'vitest'
import { toGlobalId } from '../../src/api/shared/ids.js'
import { storedToken } from '../../src/cli/stored-tokens.js'
import { initWorld } from '../kit/seed.js'
import { type Outcome, runHere } from './kit.js'

const PASSWORD = 'correct horse 1'
const world = await initWorld()
const api = await world.serve({ accounts: 'INVITED' })
const server = new URL('.', api.url).href
const environment = { XDG_CONFIG_HOME: join(world.folder, 'config'), ACCORD_DATABASE: world.location }

/** Runs a command whose standard input is a text. */
async function run(args: string, input = ''): Promise<Outcome> {
  const stdin = Object.getOwnPropertyDescriptor(process, 'stdin') as PropertyDescriptor
  const typed = new PassThrough()
  typed.end(input)
  Object.defineProperty(process, 'stdin', { configurable: true, get: () => typed })
  try {
    return await runHere(args, environment)
  } finally {
    Object.defineProperty(process, 'stdin', stdin)
  }
}

describe('accord users', () => {
  beforeAll(async () => {
    expect(await run('users add root --admin', `${PASSWORD}\n`)).toMatchObject({
      code: 0,
      stdout: 'Added root (admin)\n',
    })
  })

  it('adds users with a password of the standard input, never with a default one', async () => {
    expect(await run('users add ann', `${PASSWORD}\n`)).toMatchObject({
      code: 0,
      stdout: 'Added ann (user)\n',
    })
    const none = await run('users add ben')
    expect([none.code, none.stderr]).toEqual([
      2,
      'accord: standard input: no password: expected a password in its first line\n',
    ])
    const short = await run('users add ben', 'short\n')
    expect(short.stderr).toBe('accord: password: invalid password: expected 10 to 128 characters\n')
    expect((await run('users add Ann', `${PASSWORD}\n`)).stderr).toMatch(
      /^accord: name: a user has this name/,
    )
    expect((await run('users add ben --admin --host', PASSWORD)).code).toBe(2)
    expect((await run('users list')).stdout).toBe('ann\tuser\nroot\tadmin\n')
  })

  it('changes roles, bans and resets, and notes it', async () => {
    await run('users role ann host')
    expect((await run('users ban ann')).stdout).toBe('Banned ann\n')
    expect((await run('users list')).stdout).toBe('ann\thost\tbanned\nroot\tadmin\n')
    await run('users unban ann')
    const { stdout: token, stderr } = await run('users reset ann')
    expect(stderr).toBe(`ann opens /reset#${token.trim()} of the server in a browser\n`)
    const { resetPassword } = await api.ask(
      'mutation ($input: ResetPasswordInput!) { resetPassword(input: $input) { __typename } }',
      { input: { token: token.trim(), newPassword: 'another horse 2' } },
    )
    expect(resetPassword.__typename).toBe('ViewerSuccess')
    expect((await run('users ban nobody')).stderr).toBe('accord: unknown user: found "nobody"\n')
    const log = (await run('users log')).stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(log.slice(-4).map(({ actor, action, subject }) => [actor, action, subject])).toEqual([
      [null, 'setRole', 'ann'],
      [null, 'banUser', 'ann'],
      [null, 'unbanUser', 'ann'],
      [null, 'resetUser', 'ann'],
    ])
    expect(log.at(-4).detail).toEqual({ role: expect.stringMatching(/^(user|host|admin)$/) })
  })

  it('sign in, which stores a token that only they can read', async () => {
    const wrong = await run(`login --server ${server} --name root`, 'wrong password\n')
    expect([wrong.code, wrong.stderr]).toEqual([1, `accord: ${server}: wrong name or password\n`])
    const { code, stdout, stderr } = await run(
      `login --server ${server} --name root --scope host`,
      `${PASSWORD}\n`,
    )
    expect([code, stderr]).toEqual([0, ''])
    const file = join(environment.XDG_CONFIG_HOME, 'accord', 'tokens.json')
    expect(stdout).toBe(`Signed in to ${server} as root; the token is in ${file}\n`)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const token = JSON.parse(readFileSync(file, 'utf8'))[server]
    expect(token).toMatch(/^accord_/)
    const answer = await api.post(JSON.stringify({ query: '{ viewer { user { name } scopes } }' }), {
      authorization: `Bearer ${token}`,
    })
    expect(answer.data.viewer).toEqual({ user: { name: 'root' }, scopes: ['READ', 'SUBMIT', 'HOST'] })
    chmodSync(file, 0o644)
    await run(`logout --server ${server}`)
    expect([readFileSync(file, 'utf8'), statSync(file).mode & 0o777]).toEqual(['{}\n', 0o600])
    const none = await run('login --server http://127.0.0.1:9/ --name root', `${PASSWORD}\n`)
    expect(none.stderr).toMatch(
      /^accord: http:\/\/127\.0\.0\.1:9\/: the server does not answer as accord serve does/,
    )
    expect(() => storedToken('nonsense')).toThrow('expected an address')
  })
})

describe('accord teams', () => {
  it('creates teams of users and invites others, who join by the printed page', async () => {
    expect((await run('teams create reds --owner nobody')).code).toBe(2)
    const created = await run('teams create Reds --owner root')
    expect(created).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\S+\n$/), stderr: '' })
    const id = created.stdout.trim()
    expect((await run('teams create reds --owner root')).stderr).toMatch(/a team has this name/)
    expect((await run('teams invite blues cleo')).stderr).toBe(
      'accord: team: unknown team: expected one of Reds, found "blues"\n',
    )
    expect((await run('teams invite reds root')).stderr).toContain('the user is a member of the team')
    const former = await run('teams invite reds cleo')
    const { stdout: page } = await run(`teams invite ${id} cleo`)
    expect(page).toMatch(/^sign-up\?invitation=[\w-]+&name=cleo\n$/)
    const join = (path: string) =>
      api.ask(
        'mutation ($input: SignUpInput!) { signUp(input: $input) { ... on ViewerSuccess { viewer { teams { id name } } } ... on MutationError { code } } }',
        {
          input: {
            name: 'cleo',
            password: PASSWORD,
            invitation: new URLSearchParams(path.trim().split('?')[1]).get('invitation'),
          },
        },
      )
    expect((await join(former.stdout)).signUp).toEqual({ code: 'FORBIDDEN' })
    expect((await join(page)).signUp).toEqual({
      viewer: { teams: [{ id: toGlobalId('Team', id), name: 'Reds' }] },
    })
    expect((await run('teams list')).stdout).toBe(`Reds\t${id}\tcleo, root\n`)
    const { stdout: log } = await run('users log')
    expect(log).toMatch(/"action":"createTeam","subject":"Reds".*"detail":\{"owner":"root"\}/)
  })
})

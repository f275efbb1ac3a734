import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { beforeAll, describe, expect, it } from 'vitest'
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
      1,
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
  })

  it('sign in, which stores a token that only they can read', async () => {
    const wrong = await run(`login --server ${server} --name root`, 'wrong password\n')
    expect([wrong.code, wrong.stderr]).toEqual([1, `accord: ${server}: wrong name or password\n`])
    const { code, stdout, stderr } = await run(
      `login --server ${server} --name root --scope host`,
      `${PASSWORD}\n`,
    )
    expect([code, stderr]).toEqual([0, `Next: accord submit RESULTS --challenge NAME --server ${server}\n`])
    const file = join(environment.XDG_CONFIG_HOME, 'accord', 'tokens.json')
    expect(stdout).toBe(`Signed in to ${server} as root; the token is in ${file}\n`)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const token = JSON.parse(readFileSync(file, 'utf8'))[server]
    expect(token).toMatch(/^accord_/)
    const answer = await api.post(JSON.stringify({ query: '{ viewer { user { name } scopes } }' }), {
      authorization: `Bearer ${token}`,
    })
    expect(answer.data.viewer).toEqual({ user: { name: 'root' }, scopes: ['READ', 'SUBMIT', 'HOST'] })
    await run(`logout --server ${server}`)
    expect(readFileSync(file, 'utf8')).toBe('{}\n')
    const none = await run('login --server http://127.0.0.1:9/ --name root', `${PASSWORD}\n`)
    expect(none.stderr).toMatch(
      /^accord: http:\/\/127\.0\.0\.1:9\/: the server does not answer as accord serve does/,
    )
    expect(() => storedToken('nonsense')).toThrow('expected an address')
  })
})

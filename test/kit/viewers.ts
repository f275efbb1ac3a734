import { createAccounts } from '../../src/services/accounts/accounts.js'
import { addUser } from '../../src/services/accounts/users.js'
import type { Accord } from '../../src/services/shared/accord.js'
import type { Api } from './seed.js'

/** Viewers of a server with accounts: nobody, two users with a team each, two hosts and an administrator. */
export const VIEWERS = ['anonymous', 'rival', 'member', 'host', 'otherHost', 'administrator'] as const

export type ViewerName = (typeof VIEWERS)[number]

/** Adds the users of {@link VIEWERS}. @returns their sessions, and the headers with which each sends requests */
export async function signInViewers(accord: Accord, { url }: Pick<Api, 'url'>) {
  const accounts = createAccounts(accord)
  const login = { password: 'correct horse 1' }
  await addUser(accord, { ...login, name: 'hanna' }, 'host')
  await addUser(accord, { ...login, name: 'oscar' }, 'host')
  await addUser(accord, { ...login, name: 'adam' }, 'admin')
  const sessions = {
    rival: await accounts.signUp({ ...login, name: 'rita' }, 'a'),
    member: await accounts.signUp({ ...login, name: 'mary' }, 'a'),
    host: await accounts.signIn({ ...login, name: 'hanna' }, { address: 'a' }),
    otherHost: await accounts.signIn({ ...login, name: 'oscar' }, { address: 'a' }),
    administrator: await accounts.signIn({ ...login, name: 'adam' }, { address: 'a' }),
  }
  await accounts.createTeam(sessions.rival, 'Rivals')
  await accounts.createTeam(sessions.member, 'Members')
  const { origin } = new URL(url)
  const signedIn = (session: string) => ({ cookie: `accord_session=${session}`, origin })
  const headers: Record<ViewerName, Record<string, string>> = {
    anonymous: {},
    rival: signedIn(sessions.rival),
    member: signedIn(sessions.member),
    host: signedIn(sessions.host),
    otherHost: signedIn(sessions.otherHost),
    administrator: signedIn(sessions.administrator),
  }
  return { accounts, sessions, headers }
}

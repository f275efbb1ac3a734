import { createHash, randomBytes } from 'node:crypto'
import { AccordError } from '../../errors.js'
import {
  type AccountRow,
  type Condition,
  countAccountRows,
  deleteAccountRows,
  findAccountRows,
  insertAccountRow,
  updateAccountRows,
} from '../../store/account-rows.js'
import { deleteAccessTokens } from '../../store/accounts.js'
import type { Database, Session } from '../../store/engine/session.js'
import { createMemory } from '../shared/memory.js'

/**
 * better-auth on our tables: passwords, sessions, teams and invitations. It is called as a library; requests reach it only by the
 * services. What it would store as it is, the secrets of sessions and of resets, is hashed.
 */

/** Days after which a browser signs in again. */
export const SESSION_DAYS = 7

/** Characters of a password. */
const PASSWORD_LENGTH = { min: 10, max: 128 } as const

const DAY = 24 * 3600

/** Seconds in which an administrator's link can be used, and an invitation. */
const RESET_SECONDS = DAY
const INVITATION_SECONDS = 14 * DAY

/** Teams of a user. */
const MAX_TEAMS = 50

/** The hash by which a secret of 128 or more random bits is stored. */
export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex')
}

/** What better-auth does for us. @throws APIError of better-auth: see {@link translated} */
export type Auth = Awaited<ReturnType<typeof createAuth>>

const authOf = createMemory<Promise<Auth>>(1)

/** better-auth on a database, loaded when it is first used. */
export function openAuth(database: Database): Promise<Auth> {
  const known = authOf(database)
  const auth = known.get('auth') ?? createAuth(database)
  known.set('auth', auth)
  return auth
}

async function createAuth(database: Database) {
  const [{ betterAuth }, { createAdapterFactory }, { admin }, { bearer }, { organization }] =
    await Promise.all([
      import('better-auth/minimal'),
      import('better-auth/adapters'),
      import('better-auth/plugins/admin'),
      import('better-auth/plugins/bearer'),
      import('better-auth/plugins/organization'),
    ])
  type Options = Parameters<typeof betterAuth>[0]
  type Adapter = ReturnType<ReturnType<typeof createAdapterFactory>>
  const adapterOn = (session: Session, options: Options): Adapter =>
    createAdapterFactory({
      config: {
        adapterId: 'accord',
        supportsBooleans: false,
        supportsDates: false,
        transaction: (work) => session.transaction((inner) => work(adapterOn(inner, options))),
      },
      adapter: () => adapter(session),
    })(options)

  const resetTokens = new Map<string, string>()
  const auth = betterAuth({
    baseURL: 'http://localhost',
    // Signs what stays within this process: sessions are known by the hashes of their secrets.
    secret: randomBytes(32).toString('hex'),
    database: (options: Options) => adapterOn(database, options),
    emailAndPassword: {
      enabled: true,
      minPasswordLength: PASSWORD_LENGTH.min,
      maxPasswordLength: PASSWORD_LENGTH.max,
      resetPasswordTokenExpiresIn: RESET_SECONDS,
      revokeSessionsOnPasswordReset: true,
      sendResetPassword: async ({ user, token }) => {
        resetTokens.set(user.email, token)
      },
      onPasswordReset: ({ user }) => deleteAccessTokens(database, user.id),
    },
    session: { expiresIn: SESSION_DAYS * DAY, disableSessionRefresh: true },
    verification: { storeIdentifier: 'hashed' },
    advanced: { ipAddress: { disableIpTracking: true } },
    rateLimit: { enabled: false },
    telemetry: { enabled: false },
    logger: { disabled: true },
    plugins: [
      admin(),
      bearer(),
      organization({ invitationExpiresIn: INVITATION_SECONDS, organizationLimit: MAX_TEAMS }),
    ],
  })
  return {
    api: auth.api,
    /** What an administrator gives a user to set a new password. */
    async resetTokenOf(email: string): Promise<string | undefined> {
      await auth.api.requestPasswordReset({ body: { email } })
      const token = resetTokens.get(email)
      resetTokens.delete(email)
      return token
    },
  }
}

/** The operations of better-auth on the tables of accounts. */
function adapter(session: Session) {
  const first = async (model: string, where: readonly Condition[]) =>
    revealed(where, (await findAccountRows(session, model, { where: hidden(model, where), limit: 1 }))[0])
  return {
    async create<Row extends object>({ model, data }: { model: string; data: Row }): Promise<Row> {
      await insertAccountRow(session, model, withHash(model, data as AccountRow))
      return data
    },
    async findOne<Row>({ model, where }: { model: string; where: Condition[] }) {
      return (await first(model, where)) as Row | null
    },
    async findMany<Row>({ model, where = [], ...page }: { model: string; where?: Condition[] }) {
      return (await findAccountRows(session, model, { ...page, where: hidden(model, where) })) as Row[]
    },
    async update<Row>({ model, where, update }: { model: string; where: Condition[]; update: Row }) {
      await updateAccountRows(session, model, hidden(model, where), withHash(model, update as AccountRow))
      return (await first(model, where)) as Row | null
    },
    updateMany({ model, where, update }: { model: string; where: Condition[]; update: AccountRow }) {
      return updateAccountRows(session, model, hidden(model, where), withHash(model, update))
    },
    async delete({ model, where }: { model: string; where: Condition[] }): Promise<void> {
      await deleteAccountRows(session, model, hidden(model, where))
    },
    deleteMany({ model, where }: { model: string; where: Condition[] }) {
      return deleteAccountRows(session, model, hidden(model, where))
    },
    count({ model, where = [] }: { model: string; where?: Condition[] }) {
      return countAccountRows(session, model, hidden(model, where))
    },
  }
}

const isSecret = (model: string, property: string) => model === 'session' && property === 'token'

/** The row as it is stored: secrets are hashed. */
function withHash(model: string, row: AccountRow): AccountRow {
  if (model !== 'session' || row.token === undefined) return row
  return { ...row, token: hashSecret(row.token as string) }
}

/** Conditions on what is stored. */
function hidden(model: string, where: readonly Condition[]): Condition[] {
  return where.map((condition) => {
    if (!isSecret(model, condition.field)) return condition
    const { value } = condition
    const hash = Array.isArray(value) ? value.map(hashSecret) : hashSecret(value as string)
    return { ...condition, value: hash }
  })
}

/** A row that was found by a secret, with the secret. */
function revealed(where: readonly Condition[], row: AccountRow | undefined): AccountRow | null {
  if (row === undefined) return null
  const secret = where.find(({ field }) => field === 'token')
  return secret ? { ...row, token: secret.value } : row
}

/** Calls better-auth. @throws AccordError for a refusal */
export async function translated<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work
  } catch (error) {
    const code = (error as { body?: { code?: string } }).body?.code
    const refusal = code === undefined ? undefined : REFUSALS[code]
    if (!refusal) throw error
    throw refusal()
  }
}

const wrongPassword = () => new AccordError('UNAUTHENTICATED', 'wrong name or password')
const wrongLength = () =>
  new AccordError('INVALID_VALUE', 'invalid password', {
    source: 'password',
    expected: `${PASSWORD_LENGTH.min} to ${PASSWORD_LENGTH.max} characters`,
  })
const userNameTaken = () =>
  new AccordError('NAME_TAKEN', 'a user has this name, or one like it', { source: 'name' })
const unknownInvitation = () =>
  new AccordError('FORBIDDEN', 'the invitation is not valid', { source: 'invitation' })

/** Errors for what better-auth refuses, by its codes. */
const REFUSALS: Readonly<Record<string, () => AccordError>> = {
  INVALID_EMAIL_OR_PASSWORD: wrongPassword,
  INVALID_PASSWORD: wrongPassword,
  // The same answer as for a wrong password: nobody else learns of the ban.
  BANNED_USER: wrongPassword,
  PASSWORD_TOO_SHORT: wrongLength,
  PASSWORD_TOO_LONG: wrongLength,
  INVALID_TOKEN: () => new AccordError('FORBIDDEN', 'the link is not valid', { source: 'token' }),
  UNAUTHORIZED: () => new AccordError('UNAUTHENTICATED', 'sign in'),
  INVITATION_NOT_FOUND: unknownInvitation,
  YOU_ARE_NOT_THE_RECIPIENT_OF_THE_INVITATION: unknownInvitation,
  MEMBER_NOT_FOUND: () =>
    new AccordError('FORBIDDEN', 'this is not allowed', { expected: 'a member of the team' }),
  YOU_ARE_NOT_ALLOWED_TO_INVITE_USERS_TO_THIS_ORGANIZATION: () =>
    new AccordError('FORBIDDEN', 'this is not allowed', { expected: 'the user who created the team' }),
  USER_IS_ALREADY_A_MEMBER_OF_THIS_ORGANIZATION: () =>
    new AccordError('NOT_APPLICABLE', 'the user is a member of the team'),
  USER_IS_ALREADY_INVITED_TO_THIS_ORGANIZATION: () =>
    new AccordError('NOT_APPLICABLE', 'the user is invited already'),
  YOU_HAVE_REACHED_THE_MAXIMUM_NUMBER_OF_ORGANIZATIONS: () =>
    new AccordError('NOT_APPLICABLE', 'the user has too many teams', { expected: `at most ${MAX_TEAMS}` }),
  INVITATION_LIMIT_REACHED: () => new AccordError('NOT_APPLICABLE', 'the team has too many invitations'),
  ORGANIZATION_ALREADY_EXISTS: () =>
    new AccordError('NAME_TAKEN', 'a team has this name, or one like it', { source: 'name' }),
  USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL: userNameTaken,
  // Another request has added the same name.
  FAILED_TO_CREATE_USER: userNameTaken,
  ORGANIZATION_MEMBERSHIP_LIMIT_REACHED: () =>
    new AccordError('NOT_APPLICABLE', 'the team has too many members'),
}

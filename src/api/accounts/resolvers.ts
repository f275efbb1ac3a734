import { AccordError } from '../../errors.js'
import type { Scope as StoredScope } from '../../store/schema/account-tables.js'
import { loadMembers } from '../loaders/challenges.js'
import type { AccountOfRequest, Context } from '../shared/context.js'
import { textKeyOf, toGlobalId } from '../shared/ids.js'
import { asData } from '../shared/mutation-error.js'
import type * as schema from '../shared/schema-types.js'
import type { Scope } from '../shared/schema-types.js'

export const Query: schema.QueryResolvers = { viewer: (_parent, _args, { viewer }) => viewer }

export const Viewer: schema.ViewerResolvers = {
  isServerOpen: (_viewer, _args, { account }) => account === null,
  scopes: ({ scopes }) => [...scopes].map(fromScope),
  accessTokens: (viewer, _args, { account }) => account?.accounts.tokens(viewer) ?? [],
}

export const Team: schema.TeamResolvers = {
  id: ({ id }) => toGlobalId('Team', id),
  members({ id }, _args, context) {
    const { account, viewer } = context
    if (!viewer.isAdministrator && !viewer.teams.some((team) => team.id === id)) return null
    return account === null ? [{ name: viewer.user?.name ?? '' }] : loadMembers(context, id)
  },
}

export const Token: schema.TokenResolvers = {
  id: ({ id }) => toGlobalId('Token', id),
  scope: ({ scope }) => fromScope(scope),
}

export const Mutation: schema.MutationResolvers = {
  signUp: (_parent, { input }, context) =>
    changeSession(context, ({ accounts, address }) =>
      accounts.signUp(input, address, input.invitation ?? undefined),
    ),

  signIn: (_parent, { input }, context) =>
    changeSession(context, ({ accounts, address, session }) =>
      accounts.signIn(input, { address, session, signal: context.client.signal }),
    ),

  signOut: (_parent, { input }, context) =>
    changeSession(context, async ({ accounts, session }) => {
      await accounts.signOut(session, input.isEverywhere === true)
      return null
    }),

  changePassword: (_parent, { input }, context) =>
    changeSession(context, ({ accounts, session }) =>
      accounts.changePassword(
        session,
        input.currentPassword,
        input.newPassword,
        input.isRevokingTokens === true,
      ),
    ),

  resetPassword: (_parent, { input }, context) =>
    changeSession(context, async ({ accounts, address }) => {
      await accounts.resetPassword(input.token, input.newPassword, address)
      return null
    }),

  deleteAccount: (_parent, { input }, context) =>
    changeSession(context, async ({ accounts, session }) => {
      await accounts.deleteAccount(session, input.password)
      return null
    }),

  createTeam: (_parent, { input }, context) =>
    change(context, ({ accounts, session }) => accounts.createTeam(session, input.name)),

  inviteMember: (_parent, { input }, context) =>
    asData('InviteMemberSuccess', async () => {
      const { accounts, session } = requireAccounts(context)
      const { secret, expiresAt } = await accounts.inviteMember(
        session,
        textKeyOf('Team', input.team),
        input.name,
      )
      return { invitation: secret, expiresAt }
    }),

  acceptInvitation: (_parent, { input }, context) =>
    change(context, ({ accounts, session }) => accounts.acceptInvitation(session, input.invitation)),

  createToken: (_parent, { input }, context) =>
    asData('CreateTokenSuccess', () => {
      const { accounts, session } = requireAccounts(context)
      const { name, scope, expiresInDays } = input
      return accounts.createToken(session, { name, scope: toScope(scope), days: expiresInDays as number })
    }),

  revokeToken: (_parent, { input }, context) =>
    changeSession(
      context,
      async ({ accounts, session }) => {
        await accounts.revokeToken(session, textKeyOf('Token', input.id))
        return session
      },
      input.id,
    ),

  banUser: (_parent, { input: { name, isBanned } }, context) =>
    asData('BanUserSuccess', async () => {
      await requireAccounts(context).accounts.ban(context.viewer, name, isBanned as boolean)
      return { user: { name } }
    }),
}

/**
 * Changes an account.
 *
 * @param act returns the secret of the session, null after its end
 * @param removedId the opaque id of what it removes
 */
function changeSession(
  context: Context,
  act: (account: AccountOfRequest) => Promise<string | null>,
  removedId: string | null = null,
) {
  return asData('ViewerSuccess', async () => {
    const account = requireAccounts(context)
    const session = await act(account)
    if (session !== account.session) account.keep(session)
    const credential = session === null ? null : ({ kind: 'SESSION', secret: session } as const)
    return { viewer: await account.accounts.identify(credential), removedId }
  })
}

/** The same, within the session. */
function change(context: Context, act: (account: AccountOfRequest) => Promise<unknown>) {
  return changeSession(context, async (account) => {
    await act(account)
    return account.session
  })
}

function requireAccounts({ account }: Context): AccountOfRequest {
  if (account) return account
  throw new AccordError('NOT_APPLICABLE', 'the server has no accounts', {
    expected: '`accord serve --accounts`',
  })
}

function fromScope(scope: StoredScope): Scope {
  return scope.toUpperCase() as Scope
}

function toScope(scope: Scope): StoredScope {
  return scope.toLowerCase() as StoredScope
}

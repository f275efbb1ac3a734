/** Users, their passwords and sessions, teams and invitations. Ids are random texts. */
import * as t from '../engine/columns.js'

const { entity, entities } = t.tableList()

/** Each after those that it refers to. */
export const ACCOUNT_TABLES = entities

/** A person with an account. */
export const UserEntity = entity('account_user', [], {
  id: t.key(t.text()),
  name: t.text(),
  /** Equal for names that cannot be told apart. */
  nameKey: t.distinct(t.text()),
  role: t.text<UserRole>(),
  /** Whether the user may not sign in. */
  isBanned: t.boolean(),
  createdAt: t.time(),
})
export type UserRole = 'user' | 'host' | 'admin'
export type User = t.Row<typeof UserEntity>

/** The password of a user, apart from what is read of users elsewhere. */
export const PasswordEntity = entity('account_password', [], {
  userId: t.key(t.textReference('account_user')),
  /** By scrypt, with its parameters and salt. */
  hash: t.text(),
})

/** A browser that has signed in. */
export const SessionEntity = entity('account_session', [], {
  /** SHA-256 of what the cookie contains. */
  hash: t.key(t.text()),
  userId: t.indexed(t.textReference('account_user')),
  expiresAt: t.time(),
})
export type StoredSession = t.Row<typeof SessionEntity>

/** What proves once that a user may set a new password. */
export const PasswordResetEntity = entity('account_reset', [], {
  userId: t.key(t.textReference('account_user')),
  /** SHA-256 of what was given to the user. */
  hash: t.distinct(t.text()),
  expiresAt: t.time(),
})
export type PasswordReset = t.Row<typeof PasswordResetEntity>

/** Users who submit together. */
export const TeamEntity = entity('team', [], {
  id: t.key(t.text()),
  name: t.text(),
  /** Equal for names that cannot be told apart. */
  nameKey: t.distinct(t.text()),
  createdAt: t.time(),
})
export type Team = t.Row<typeof TeamEntity>

/** A user in a team. */
export const TeamMemberEntity = entity('team_member', [], {
  teamId: t.key(t.textReference('team')),
  userId: t.key(t.indexed(t.textReference('account_user'))),
  role: t.text<TeamRole>(),
  createdAt: t.time(),
})
/** The owner has created the team, and invites others. */
export type TeamRole = 'owner' | 'member'
export type TeamMember = t.Row<typeof TeamMemberEntity>

/** An invitation to a team, for the user of a name, who may not have an account yet. */
export const TeamInvitationEntity = entity('team_invitation', [t.unique('teamId', 'nameKey')], {
  /** SHA-256 of what was given to the user. */
  hash: t.key(t.text()),
  teamId: t.textReference('team'),
  /** That of the name of the user. */
  nameKey: t.indexed(t.text()),
  inviterId: t.indexed(t.textReference('account_user')),
  expiresAt: t.time(),
})
export type TeamInvitation = t.Row<typeof TeamInvitationEntity>

/** What programs send instead of a password. */
export const AccessTokenEntity = entity('access_token', [], {
  id: t.key(t.text()),
  userId: t.indexed(t.textReference('account_user')),
  /** By which the user tells it from others. */
  name: t.text(),
  /** SHA-256 of the token, which is not stored. */
  hash: t.distinct(t.text()),
  /** Its first characters. */
  start: t.text(),
  scope: t.text<Scope>(),
  expiresAt: t.time(),
  /** The last use, to the minute; null for none. */
  usedAt: t.optional(t.time()),
  createdAt: t.time(),
})
/**
 * What a token or a user may do: read, submit captions of a team to challenges, or host: import, evaluate and remove. Each
 * includes those before it.
 */
export type Scope = 'read' | 'submit' | 'host'
export type AccessToken = t.Row<typeof AccessTokenEntity>

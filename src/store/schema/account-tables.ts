/** Users, their passwords and sessions, teams and invitations. Ids are random texts. */
import {
  boolean,
  distinct,
  indexed,
  key,
  optional,
  type Row,
  tableList,
  text,
  textReference,
  time,
  unique,
} from '../engine/columns.js'

const tables = tableList()
const { entity } = tables

/** Each after those that it refers to. */
export const ACCOUNT_TABLES = tables.entities

/** A person with an account. */
export const UserEntity = entity('account_user', [], {
  id: key(text()),
  name: text(),
  /** Equal for names that cannot be told apart. */
  nameKey: distinct(text()),
  role: text<UserRole>(),
  /** Whether the user may not sign in. */
  isBanned: boolean(),
  createdAt: time(),
})
export type UserRole = 'user' | 'host' | 'admin'
export type User = Row<typeof UserEntity>

/** The password of a user, apart from what is read of users elsewhere. */
export const PasswordEntity = entity('account_password', [], {
  userId: key(textReference('account_user')),
  /** By scrypt, with its parameters and salt. */
  hash: text(),
})

/** A browser that has signed in. */
export const SessionEntity = entity('account_session', [], {
  /** SHA-256 of what the cookie contains. */
  hash: key(text()),
  userId: indexed(textReference('account_user')),
  expiresAt: time(),
})
export type StoredSession = Row<typeof SessionEntity>

/** What proves once that a user may set a new password. */
export const PasswordResetEntity = entity('account_reset', [], {
  userId: key(textReference('account_user')),
  /** SHA-256 of what was given to the user. */
  hash: distinct(text()),
  expiresAt: time(),
})
export type PasswordReset = Row<typeof PasswordResetEntity>

/** Users who submit together. */
export const TeamEntity = entity('team', [], {
  id: key(text()),
  name: text(),
  /** Equal for names that cannot be told apart. */
  nameKey: distinct(text()),
  createdAt: time(),
})
export type Team = Row<typeof TeamEntity>

/** A user in a team. */
export const TeamMemberEntity = entity('team_member', [], {
  teamId: key(textReference('team')),
  userId: key(indexed(textReference('account_user'))),
  role: text<TeamRole>(),
  createdAt: time(),
})
/** The owner has created the team, and invites others. */
export type TeamRole = 'owner' | 'member'
export type TeamMember = Row<typeof TeamMemberEntity>

/** An invitation to a team, for the user of a name, who may not have an account yet. */
export const TeamInvitationEntity = entity('team_invitation', [unique('teamId', 'nameKey')], {
  /** SHA-256 of what was given to the user. */
  hash: key(text()),
  teamId: textReference('team'),
  /** That of the name of the user. */
  nameKey: indexed(text()),
  inviterId: indexed(textReference('account_user')),
  expiresAt: time(),
})
export type TeamInvitation = Row<typeof TeamInvitationEntity>

/** What programs send instead of a password. */
export const AccessTokenEntity = entity('access_token', [], {
  id: key(text()),
  userId: indexed(textReference('account_user')),
  /** By which the user tells it from others. */
  name: text(),
  /** SHA-256 of the token, which is not stored. */
  hash: distinct(text()),
  /** Its first characters. */
  start: text(),
  scope: text<Scope>(),
  expiresAt: time(),
  /** The last use, to the minute; null for none. */
  usedAt: optional(time()),
  createdAt: time(),
})
/**
 * What a token or a user may do: read, submit captions of a team to challenges, or host: import, evaluate and remove. Each
 * includes those before it.
 */
export type Scope = 'read' | 'submit' | 'host'
export type AccessToken = Row<typeof AccessTokenEntity>

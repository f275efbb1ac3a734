import { usersById } from '../../services/accounts/users.js'
import type { User } from '../../store/schema/entities.js'
import type { AccountOfRequest } from '../execution/context.js'
import { defineLoader } from '../execution/loader.js'

/** The members of a team of a server with accounts, by name. */
export const loadMembers = defineLoader<string, string, readonly { readonly name: string }[]>({
  part: (id) => id,
  read: (_accord, ids, _keys, { account }) => (account as AccountOfRequest).accounts.members(ids),
  absent: [],
})

/** A user by id; null after the account was deleted. */
export const loadUser = defineLoader<string, string, User | null>({
  part: (id) => id,
  read: (accord, ids) => usersById(accord, ids),
  absent: null,
})

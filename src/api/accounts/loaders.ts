import type { AccountOfRequest } from '../execution/context.js'
import { defineLoader } from '../execution/loader.js'

/** The members of a team of a server with accounts, by name. */
export const loadMembers = defineLoader<string, string, readonly { readonly name: string }[]>({
  part: (id) => id,
  read: (_accord, ids, _keys, { account }) => (account as AccountOfRequest).accounts.members(ids),
  absent: [],
})

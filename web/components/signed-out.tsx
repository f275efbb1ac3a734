import type { ComponentChildren } from 'preact'
import { accounts } from '../app/accounts'
import { useQuery } from '../app/client'
import { href, Link } from '../app/router'
import { WhoDocument } from '../generated/documents'
import { Awaited, NotFound } from './states'

/** What is shown to those who have not signed in, or `other` to those who have; where nobody can sign in, why. */
export function SignedOut({
  children,
  other,
}: {
  readonly children: ComponentChildren
  readonly other: (name: string) => ComponentChildren
}) {
  const answer = useQuery(WhoDocument, accounts ? {} : null)
  if (!accounts) return <NoAccounts />
  return (
    <Awaited answer={answer} height={300}>
      {({ viewer: { user } }) =>
        user ? (
          other(user.name)
        ) : accounts === 'READ_ONLY' ? (
          <NotFound title="Nobody can sign in at the moment.">
            This server is read-only, and a session would have to be stored. What is public can be read
            without one. <Link to={href()}>All datasets</Link>
          </NotFound>
        ) : (
          children
        )
      }
    </Awaited>
  )
}

/** What an open server has in place of the pages of accounts. */
export function NoAccounts() {
  return (
    <NotFound title="This server has no accounts.">
      Its single user may do everything. <Link to={href()}>All datasets</Link>
    </NotFound>
  )
}

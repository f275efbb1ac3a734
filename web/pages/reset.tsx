import { useState } from 'preact/hooks'
import { accounts } from '../app/accounts'
import { change } from '../app/change'
import { href, Link } from '../app/router'
import { Form, NewPassword, textIn } from '../components/form'
import { NoAccounts } from '../components/signed-out'
import { NotFound } from '../components/states'
import { ResetPasswordDocument } from '../generated/documents'

/** A new password by an administrator's link. What it contains is behind `#`, which browsers do not send. */
export default function Reset() {
  const [token] = useState(() => window.location.hash.slice(1))
  const [isDone, setDone] = useState(false)
  if (!accounts) return <NoAccounts />
  const signIn = <Link to={href('sign-in')}>Sign in</Link>
  if (isDone) return <NotFound title="The new password is set.">{signIn}</NotFound>
  if (token === '') {
    return (
      <NotFound title="The link is not complete.">Ask an administrator for another one, or {signIn}</NotFound>
    )
  }
  const send = async (values: FormData) => {
    await change(ResetPasswordDocument, { input: { token, newPassword: textIn(values, 'newPassword') } })
    setDone(true)
    return undefined
  }
  return (
    <>
      <h1>Set a new password</h1>
      <p class="lede">The link works once, within a day. All your sessions and tokens end.</p>
      <Form action="Set the password" send={send}>
        <NewPassword label="New password" />
      </Form>
    </>
  )
}

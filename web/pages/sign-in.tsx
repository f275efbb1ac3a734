import { accounts } from '../app/accounts'
import { change } from '../app/change'
import { href, Link, useLocation } from '../app/router'
import { safeAddress } from '../app/safe-address'
import { Field, Form, Password, textIn } from '../components/form'
import { SignedOut } from '../components/signed-out'
import { NotFound } from '../components/states'
import { SignInDocument } from '../generated/documents'

/** A name and a password; then the page that `next` in the address names. */
export default function SignIn() {
  const { search } = useLocation()
  const next = safeAddress(search.get('next'))
  const send = async (values: FormData) => {
    const input = { name: textIn(values, 'name'), password: textIn(values, 'password') }
    await change(SignInDocument, { input })
    // Answers that were given to nobody are not kept.
    window.location.assign(next)
    return 'Welcome.'
  }
  const signUp = href('sign-up') + (search.has('next') ? `?next=${encodeURIComponent(next)}` : '')
  return (
    <SignedOut
      other={(name) => (
        <NotFound title={`You have signed in as ${name}.`}>
          <a href={next}>Go on</a> or see <Link to={href('account')}>your account</Link>
        </NotFound>
      )}
    >
      <h1>Sign in</h1>
      <Form action="Sign in" send={send}>
        <Field label="Name" name="name" autocomplete="username" autocapitalize="none" required autofocus />
        <Password />
      </Form>
      <p class="note">
        {accounts === 'OPEN' ? (
          <>
            You have no account? <Link to={signUp}>Create one</Link>
          </>
        ) : (
          'Those whom a member of a team invites can create an account, by the link that they get.'
        )}
      </p>
      <p class="note">
        You have forgotten your password? No mail is sent: ask an administrator for a link that sets a new
        one.
      </p>
    </SignedOut>
  )
}

import { accounts } from '../app/accounts'
import { change } from '../app/change'
import { href, Link, useLocation } from '../app/router'
import { safeAddress } from '../app/safe-address'
import { signInAddress } from '../app/sign-in-address'
import { Field, Form, NewPassword, textIn } from '../components/form'
import { SignedOut } from '../components/signed-out'
import { NotFound } from '../components/states'
import { AcceptInvitationDocument, SignUpDocument } from '../generated/documents'

/** A new account; by the link of an invitation, in the team. Who has an account accepts the invitation here. */
export default function SignUp() {
  const { search } = useLocation()
  const invitation = search.get('invitation') ?? undefined
  const send = async (values: FormData) => {
    const input = { name: textIn(values, 'name'), password: textIn(values, 'newPassword'), invitation }
    await change(SignUpDocument, { input })
    window.location.assign(invitation ? href('account') : safeAddress(search.get('next')))
    return 'Welcome.'
  }
  return (
    <SignedOut other={(name) => <Invited name={name} invitation={invitation} />}>
      <h1>{invitation ? 'Join the team that has invited you' : 'Create an account'}</h1>
      <p class="lede">
        {accounts === 'INVITED' && !invitation
          ? 'This server admits those whom a member of a team has invited: open the link that you got.'
          : 'A name and a password are all that is stored of you. Others see the name.'}
      </p>
      <Form action="Create the account" send={send}>
        <Field
          label="Name"
          name="name"
          autocomplete="username"
          autocapitalize="none"
          maxLength={40}
          required
          autofocus
          defaultValue={search.get('name') ?? ''}
          hint={
            invitation
              ? 'The name that was invited: the invitation is for nobody else.'
              : 'Letters and digits, with single spaces, dots, hyphens or underscores between them.'
          }
        />
        <NewPassword />
      </Form>
      <p class="note">
        You have an account? <Link to={signInAddress()}>Sign in</Link>
      </p>
    </SignedOut>
  )
}

function Invited({ name, invitation }: { readonly name: string; readonly invitation: string | undefined }) {
  if (!invitation) {
    return (
      <NotFound title={`You have signed in as ${name}.`}>
        <Link to={href('account')}>Your account</Link>
      </NotFound>
    )
  }
  const accept = async () => {
    await change(AcceptInvitationDocument, { input: { invitation } })
    window.location.assign(href('account'))
    return 'Welcome.'
  }
  return (
    <>
      <h1>Join the team that has invited you</h1>
      <p class="lede">You have signed in as {name}. Its members see your name, and you submit together.</p>
      <Form action="Join the team" send={accept} />
    </>
  )
}

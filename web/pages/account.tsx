import { useState } from 'preact/hooks'
import { grouped } from '../../src/shared/numbers'
import { accounts } from '../app/accounts'
import { change } from '../app/change'
import { type Answer, useQuery } from '../app/client'
import { fileSize, time } from '../app/format'
import { href, Link } from '../app/router'
import { signInAddress } from '../app/sign-in-address'
import { Field, Form, NewPassword, Password, textIn } from '../components/form'
import { NoAccounts } from '../components/signed-out'
import { Awaited, Command, NotFound } from '../components/states'
import {
  AccountDocument,
  type AccountQuery,
  ChangePasswordDocument,
  CreateTeamDocument,
  CreateTokenDocument,
  DeleteAccountDocument,
  InviteMemberDocument,
  RemoveUploadDocument,
  RevokeTokenDocument,
  type Scope,
  SignOutDocument,
  UploadsDocument,
} from '../generated/documents'

type Viewer = AccountQuery['viewer']
type Team = Viewer['teams'][number]
type Token = Viewer['accessTokens'][number]

/** The account of the viewer: teams, tokens, password, sessions. */
export default function Account() {
  const answer = useQuery(AccountDocument, accounts ? {} : null)
  if (!accounts) return <NoAccounts />
  return (
    <Awaited answer={answer} height={700}>
      {({ viewer }) =>
        viewer.user ? (
          <Shown name={viewer.user.name} viewer={viewer} reload={answer.reload} />
        ) : (
          <NotFound title="You have not signed in.">
            <Link to={signInAddress()}>Sign in</Link>
          </NotFound>
        )
      }
    </Awaited>
  )
}

interface ShownProps extends Pick<Answer<unknown>, 'reload'> {
  readonly name: string
  readonly viewer: Viewer
}

function Shown({ name, viewer, reload }: ShownProps) {
  const { isAdministrator, scopes, teams, accessTokens } = viewer
  return (
    <>
      <h1>{name}</h1>
      <p class="lede">
        {isAdministrator
          ? 'You are an administrator: you may do everything.'
          : scopes.includes('HOST')
            ? 'You are a host: you import datasets, run challenges and read private datasets.'
            : 'You read what is public, and submit to challenges in a team.'}
      </p>
      <h2>Teams</h2>
      {teams.length === 0 && <p>You are in no team. Submissions to challenges are those of a team.</p>}
      <ul class="cards wide">
        {teams.map((team) => (
          <li key={team.id}>
            <TeamCard team={team} />
          </li>
        ))}
      </ul>
      <Form
        action="Create a team"
        isRow
        send={async (values) => {
          await change(CreateTeamDocument, { input: { name: textIn(values, 'team') } })
          reload()
          return undefined
        }}
      >
        <Field label="Name of a new team" name="team" maxLength={40} required autocomplete="off" />
      </Form>
      <h2>Tokens</h2>
      <Tokens tokens={accessTokens} scopes={scopes} reload={reload} />
      <Files isAdministrator={isAdministrator} />
      <h2>Password</h2>
      <Form action="Change the password" send={changePassword}>
        <input hidden name="name" autocomplete="username" value={name} readOnly />
        <Password label="Current password" />
        <NewPassword label="New password" />
        <label class="check">
          <input type="checkbox" name="isRevokingTokens" /> Revoke all tokens too
        </label>
      </Form>
      <h2>Sessions</h2>
      <p class="note">A browser stays signed in for 7 days.</p>
      <div class="controls">
        <Form action="Sign out" send={() => leave(false)} isRow />
        <Form action="Sign out everywhere" send={() => leave(true)} isRow />
      </div>
      <DeleteAccount name={name} />
    </>
  )
}

async function changePassword(values: FormData): Promise<string> {
  const isRevokingTokens = values.has('isRevokingTokens')
  const passwords = {
    currentPassword: textIn(values, 'password'),
    newPassword: textIn(values, 'newPassword'),
  }
  await change(ChangePasswordDocument, { input: { ...passwords, isRevokingTokens } })
  return `The password is changed. Your other sessions ${isRevokingTokens ? 'and your tokens ' : ''}have ended.`
}

async function leave(isEverywhere: boolean): Promise<undefined> {
  await change(SignOutDocument, { input: { isEverywhere } })
  // What the viewer alone may see is not kept.
  window.location.assign(href())
}

function TeamCard({ team: { id, name, members } }: { readonly team: Team }) {
  const [invited, setInvited] = useState<{ link: string; name: string; until: string }>()
  const invite = async (values: FormData) => {
    const member = textIn(values, 'member')
    const input = { team: id, name: member }
    const { invitation, expiresAt } = await change(InviteMemberDocument, { input })
    const link = new URL(href('sign-up'), window.location.href)
    link.search = String(new URLSearchParams({ invitation, name: member }))
    setInvited({ link: link.href, name: member, until: expiresAt })
    return undefined
  }
  return (
    <>
      <h3>{name}</h3>
      <dl class="facts">
        <div>
          <dt>members</dt>
          <dd>{members?.map((member) => member.name).join(', ')}</dd>
        </div>
        <div>
          <dt>id</dt>
          <dd>
            <code>{id}</code>
          </dd>
        </div>
      </dl>
      <Form action="Invite" send={invite} isRow>
        <Field label={`User to invite to ${name}`} name="member" maxLength={40} required autocomplete="off" />
      </Form>
      {invited && (
        <>
          <p class="note">
            Send {invited.name} this link, which works until {time(invited.until)}, with or without an
            account:
          </p>
          <Command text={invited.link} what="link" />
        </>
      )}
    </>
  )
}

const SCOPES: Readonly<Record<Scope, string>> = {
  READ: 'read',
  SUBMIT: 'read and submit',
  HOST: 'everything that you may do',
}

interface TokensProps extends Pick<Answer<unknown>, 'reload'> {
  readonly tokens: readonly Token[]
  readonly scopes: readonly Scope[]
}

function Tokens({ tokens, scopes, reload }: TokensProps) {
  const [secret, setSecret] = useState<string>()
  const create = async (values: FormData) => {
    const input = {
      name: textIn(values, 'token'),
      scope: textIn(values, 'scope') as Scope,
      expiresInDays: Number(textIn(values, 'days')),
    }
    const result = await change(CreateTokenDocument, { input })
    setSecret(result.secret)
    reload()
    return undefined
  }
  return (
    <>
      <p class="note">
        Programs send a token in place of a password; the command line reads it from <code>ACCORD_TOKEN</code>
        .
      </p>
      {secret && (
        <div role="status">
          <p class="verdict">This is the token. It is not shown again.</p>
          <Command text={secret} what="token" />
        </div>
      )}
      <ul class="jobs">
        {tokens.map((token) => (
          <li key={token.id} class="job">
            <p>
              <strong>{token.name}</strong> <code>{token.prefix}…</code> {SCOPES[token.scope]}{' '}
              <small>
                {Date.parse(token.expiresAt) > Date.now() ? 'until' : 'expired'} {time(token.expiresAt)},{' '}
                {token.usedAt ? `last used ${time(token.usedAt)}` : 'never used'}
              </small>
            </p>
            <Form
              action={`Revoke ${token.name}`}
              isRow
              send={async () => {
                await change(RevokeTokenDocument, { input: { id: token.id } })
                reload()
                return undefined
              }}
            />
          </li>
        ))}
      </ul>
      <Form action="Create a token" send={create} isRow>
        <Field label="Name of a new token" name="token" maxLength={40} required autocomplete="off" />
        <label>
          It may
          <select name="scope">
            {scopes.map((scope) => (
              <option key={scope} value={scope}>
                {SCOPES[scope]}
              </option>
            ))}
          </select>
        </label>
        <Field label="Days" name="days" type="number" min={1} max={365} defaultValue="90" required />
      </Form>
    </>
  )
}

/** Files that are not imported yet; nothing without any. */
function Files({ isAdministrator }: Pick<Viewer, 'isAdministrator'>) {
  const { data, reload } = useQuery(UploadsDocument, {})
  const { nodes = [], totalCount = 0 } = data?.uploads ?? {}
  if (nodes.length === 0) return null
  return (
    <>
      <h2>Files</h2>
      <p class="note">
        {isAdministrator ? 'Files of all users' : 'Your files'} that were sent and are not imported yet, the
        largest first. Each is removed a day after it has arrived.
        {totalCount > nodes.length && ` The first ${nodes.length} of ${grouped(totalCount)} are shown.`}
      </p>
      <ul class="jobs">
        {nodes.map(({ id, fileName, bytes, isComplete, isImporting, user, expiresAt }) => (
          <li key={id} class="job">
            <p>
              <strong>{fileName}</strong> {fileSize(bytes)}{' '}
              <small>
                {isAdministrator && user && `of ${user.name}, `}
                {isImporting ? 'is being imported' : isComplete ? `until ${time(expiresAt)}` : 'is arriving'}
              </small>
            </p>
            {!isImporting && (
              <Form
                action={`Remove ${fileName}`}
                isRow
                send={async () => {
                  await change(RemoveUploadDocument, { input: { upload: id } })
                  reload()
                  return undefined
                }}
              />
            )}
          </li>
        ))}
      </ul>
    </>
  )
}

function DeleteAccount({ name }: { readonly name: string }) {
  const send = async (values: FormData) => {
    await change(DeleteAccountDocument, { input: { password: textIn(values, 'password') } })
    window.location.assign(href())
    return undefined
  }
  return (
    <details class="more">
      <summary>Delete the account</summary>
      <p class="note">
        Your name, password, sessions and tokens are removed, and submissions no longer say who sent them. A
        team without other members stays as “deleted”. This cannot be undone.
      </p>
      <Form action={`Delete ${name}`} send={send}>
        <input hidden name="name" autocomplete="username" value={name} readOnly />
        <Password />
      </Form>
    </details>
  )
}

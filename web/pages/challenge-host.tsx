import { useState } from 'preact/hooks'
import { counted } from '../../src/shared/numbers'
import { shellWord } from '../../src/shared/shell-word'
import { accounts } from '../app/accounts'
import { change } from '../app/change'
import { useQuery } from '../app/client'
import { time, withDecimals } from '../app/format'
import { isUnfinished, useLookAgain } from '../app/look-again'
import { href, Link, navigate, type Parameters, useSetting } from '../app/router'
import { signInAddress } from '../app/sign-in-address'
import { type Column, measured } from '../components/columns'
import { Field, Form, textIn } from '../components/form'
import { MarkdownField } from '../components/markdown-field'
import { NewPhaseFields, newPhaseIn, PhaseForm } from '../components/phase-form'
import { Remove } from '../components/remove'
import { Stage } from '../components/stage'
import { Awaited, Command, NotFound, Unknown } from '../components/states'
import { Table } from '../components/table'
import {
  BanUserDocument,
  CancelSubmissionDocument,
  ChallengeAuditDocument,
  type ChallengeAuditQuery,
  ChallengeHostDocument,
  type ChallengeHostQuery,
  GrantSubmissionsDocument,
  HostSubmissionsDocument,
  type HostSubmissionsQuery,
  RemoveChallengeDocument,
  RerunChallengeDocument,
  UpdateChallengeDocument,
} from '../generated/documents'

type Challenge = NonNullable<ChallengeHostQuery['challenge']>
type Phase = NonNullable<NonNullable<HostSubmissionsQuery['challenge']>['phase']>
type Submission = NonNullable<Phase['submissions']>['nodes'][number]
type AuditEntry = NonNullable<NonNullable<ChallengeAuditQuery['challenge']>['auditLog']>['nodes'][number]

/** A challenge as its hosts see and change it. */
export default function ChallengeHost({ challenge: name }: Parameters) {
  const answer = useQuery(ChallengeHostDocument, { name }, 'cache-and-network')
  return (
    <Awaited answer={answer} height={900}>
      {(data) =>
        !data.challenge ? (
          <Unknown kind="challenge" name={name} />
        ) : !data.challenge.isHosted || !data.viewer.scopes.includes('HOST') ? (
          <NotFound title={`You do not host ${name}.`}>
            {accounts && !data.viewer.user && <Link to={signInAddress()}>Sign in</Link>}{' '}
            <Link to={href('challenges', name)}>Rules</Link>
          </NotFound>
        ) : (
          <Hosted name={name} challenge={data.challenge} data={data} reload={answer.reload} />
        )
      }
    </Awaited>
  )
}

interface HostedProps {
  readonly name: string
  readonly challenge: Challenge
  readonly data: ChallengeHostQuery
  readonly reload: () => void
}

function Hosted({ name, challenge, data, reload }: HostedProps) {
  const { title, isPaused, isDraft, phases } = challenge
  const { viewer, metrics, datasets } = data
  const [isAudited, setAudited] = useState(false)
  const update = (changes: { readonly isPaused: boolean } | { readonly isDraft: false }) => async () => {
    await change(UpdateChallengeDocument, { input: { challenge: name, ...changes } })
    reload()
    return undefined
  }
  return (
    <>
      <h1>Host “{title}”</h1>
      <div class="controls">
        <Link to={href('challenges', name)}>Rules, as others {isDraft ? 'will see' : 'see'} them</Link>
        {!isPaused && !isDraft && <Form action="Pause" send={update({ isPaused: true })} isRow />}
      </div>
      {isDraft ? (
        <Draft challenge={challenge} open={update({ isDraft: false })} />
      ) : (
        isPaused && (
          <div class="draft">
            <p>
              <strong>It is paused: it accepts no submissions.</strong>
            </p>
            <Form action="Resume" send={update({ isPaused: false })} isRow />
          </div>
        )
      )}
      {phases.length > 0 && <Submissions name={name} challenge={challenge} />}
      <h2>Phases</h2>
      {phases.map((phase) => (
        <details key={phase.name} class="more" open={isDraft && phases.length === 1}>
          <summary>
            {phase.name} on {phase.dataset?.name}, <Stage {...phase} />
          </summary>
          <PhaseForm
            challenge={name}
            phase={phase}
            metrics={(metrics?.nodes ?? []).map((metric) => metric.name)}
            reload={reload}
          />
        </details>
      ))}
      <p class="note">
        Where metrics or references change, all submissions are evaluated again; their former scores stay.
      </p>
      <details class="more">
        <summary>Add a phase</summary>
        <Form
          action="Add the phase"
          send={async (values) => {
            await change(UpdateChallengeDocument, {
              input: { challenge: name, phases: [newPhaseIn(values)] },
            })
            reload()
            return undefined
          }}
        >
          <NewPhaseFields datasets={(datasets?.nodes ?? []).map((dataset) => dataset.name)} phase="" />
        </Form>
      </details>
      <h2>Description</h2>
      <Description name={name} challenge={challenge} reload={reload} />
      <h2>What was done</h2>
      <details class="more" onToggle={({ currentTarget }) => setAudited(currentTarget.open)}>
        <summary>The audit log</summary>
        {isAudited && <Audit name={name} />}
      </details>
      {viewer.isAdministrator && !viewer.isServerOpen && <Ban />}
      <h2>All submissions again</h2>
      <p class="note">
        After a metric has changed: what this version computes in another way is evaluated again, and former
        scores stay under their signatures. Failed submissions are run again, also after the end of their
        phases.
      </p>
      <Form
        action="Evaluate again"
        isRow
        send={async () => {
          const input = { challenge: name }
          const { evaluationCount, submissionCount } = await change(RerunChallengeDocument, { input })
          return `${counted(evaluationCount, 'evaluation')} started, and ${counted(submissionCount, 'failed submission')} again.`
        }}
      />
      <Remove
        what="challenge"
        name={name}
        note="With all its submissions and scores. This cannot be undone."
        remove={async () => {
          await change(RemoveChallengeDocument, { input: { challenge: name } })
          navigate(href('challenges'))
        }}
      />
    </>
  )
}

interface DraftProps {
  readonly challenge: Challenge
  readonly open: () => Promise<undefined>
}

/** That a challenge is a draft, what it lacks, and what to look at before it opens. */
function Draft({ challenge: { phases, description }, open }: DraftProps) {
  const over = phases.filter(({ closesAt }) => Date.parse(closesAt) <= Date.now())
  const lacks = [
    phases.length === 0 && 'It has no phase: add one below.',
    ...over.map((phase) => `The phase ${phase.name} has ended already: set when it closes.`),
  ].filter((text) => text !== false)
  const named = (those: readonly { readonly name: string }[]) => those.map((phase) => phase.name).join(', ')
  const [unlimited, bare] = [
    phases.filter(({ limits: { perDay, total } }) => perDay === null && total === null),
    phases.filter(({ baselineNames }) => baselineNames.length === 0),
  ]
  const hints = [
    description.trim() === '' && 'The description is empty: what is the task, and what may be used for it?',
    ...phases.map(
      ({ name, rankedBy, references }) =>
        `${name} ranks by ${rankedBy.name}, against ${references === null ? 'all captions' : counted(references, 'reference')}.`,
    ),
    unlimited.length > 0 && `Teams may submit as often as they like to ${named(unlimited)}.`,
    bare.length > 0 && `The board of ${named(bare)} has no baseline beside people.`,
  ].filter((text) => text !== false)
  return (
    <div class="draft">
      <p>
        <strong>It is a draft: only its hosts see it, and it accepts no submissions.</strong>
      </p>
      {lacks.length > 0 && (
        <>
          <p>Before it can open:</p>
          <ul>
            {lacks.map((text) => (
              <li key={text}>{text}</li>
            ))}
          </ul>
        </>
      )}
      <p>Look at this first:</p>
      <ul>
        {hints.map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
      {lacks.length === 0 && <Form action="Open it for everybody" send={open} isRow />}
      <p class="note">Once it is open it can be paused, and does not become a draft again.</p>
    </div>
  )
}

interface DescriptionProps extends Pick<HostedProps, 'name' | 'reload'> {
  readonly challenge: Challenge
}

function Description({ name, challenge, reload }: DescriptionProps) {
  const { title, timeZone, description, descriptionHtml } = challenge
  const send = async (values: FormData) => {
    const wanted = {
      title: textIn(values, 'title'),
      timeZone: textIn(values, 'timeZone'),
      // Fields have two characters at the end of a line.
      description: textIn(values, 'description').replaceAll('\r\n', '\n'),
    }
    await change(UpdateChallengeDocument, { input: { challenge: name, ...wanted } })
    reload()
    return 'Saved.'
  }
  return (
    <Form action="Save the description" send={send} isWide isKept>
      <div class="fields">
        <Field label="Title" name="title" maxLength={200} defaultValue={title} required />
        <Field
          label="Time zone in which days begin"
          name="timeZone"
          defaultValue={timeZone}
          required
          hint="A name such as Europe/Berlin."
        />
      </div>
      <MarkdownField label="Description" name="description" text={description} html={descriptionHtml} />
    </Form>
  )
}

/** Submissions that are shown at first. */
const SHOWN = 20

/** Height of the table of so many submissions, in pixels. */
const heightOf = (rows: number): number => (rows === 0 ? 56 : 76 + 33 * rows)

function Submissions({
  name,
  challenge: { phases },
}: {
  readonly name: string
  readonly challenge: Challenge
}) {
  const [wanted, setPhase] = useSetting('phase', phases[0].name)
  const phase = phases.some((one) => one.name === wanted) ? wanted : phases[0].name
  const [count, setCount] = useState(100)
  const answer = useQuery(HostSubmissionsDocument, { name, phase, count }, 'cache-and-network')
  const nodes = answer.data?.challenge?.phase?.submissions?.nodes ?? []
  useLookAgain(
    answer,
    nodes.some(({ job }) => isUnfinished(job)),
  )
  const submitted = phases.find((one) => one.name === phase)?.submissions?.totalCount ?? 0
  const shownCount = Math.min(submitted, SHOWN)
  const teams = [...new Set(nodes.map(({ teamName }) => teamName))]
  const grant = async (values: FormData) => {
    const team = textIn(values, 'team')
    const input = { challenge: name, phase, team, submissionCount: Number(textIn(values, 'count')) }
    const { quota } = await change(GrantSubmissionsDocument, { input })
    return `${team} has ${quota.leftGrantCount} left of what hosts have granted.`
  }
  return (
    <>
      <h2>Submissions</h2>
      {phases.length > 1 && (
        <p class="controls">
          <label>
            Phase{' '}
            <select value={phase} onChange={({ currentTarget }) => setPhase(currentTarget.value)}>
              {phases.map((one) => (
                <option key={one.name}>{one.name}</option>
              ))}
            </select>
          </label>
        </p>
      )}
      <Awaited answer={answer} height={heightOf(shownCount)}>
        {({ challenge }) =>
          challenge?.phase?.submissions && nodes.length > 0 ? (
            <>
              <Table
                label={`Submissions to ${phase}`}
                columns={columnsOf(challenge.phase, answer.reload)}
                rows={challenge.phase.submissions.nodes.toReversed()}
                shown={SHOWN}
              />
              {challenge.phase.submissions.totalCount > nodes.length && count < 1000 && (
                <button type="button" onClick={() => setCount(1000)}>
                  The newest 1,000 of {counted(challenge.phase.submissions.totalCount, 'submission')}
                </button>
              )}
            </>
          ) : (
            <p>Nobody has submitted yet.</p>
          )
        }
      </Awaited>
      <p class="note">With their captions, and all scores that are stored, as JSON Lines:</p>
      <Command text={`accord challenge export ${shellWord(name)} > submissions.jsonl`} />
      <Form action="Grant" send={grant} isRow>
        <Field
          label="Submissions beyond the limits"
          name="count"
          type="number"
          min={1}
          max={1000}
          defaultValue="1"
          required
        />
        <Field label="Name of the team" name="team" list="teams" required autocomplete="off" />
        <datalist id="teams">
          {teams.map((team) => (
            <option key={team} value={team} />
          ))}
        </datalist>
      </Form>
    </>
  )
}

function columnsOf({ metrics, decimals }: Phase, reload: () => void): readonly Column<Submission>[] {
  const cancel = (id: string) => async () => {
    await change(CancelSubmissionDocument, { id })
    reload()
    return undefined
  }
  return [
    { title: 'team', value: ({ teamName }) => teamName },
    { title: 'team id', value: ({ team }) => team.id, isHidden: true },
    { title: 'sent by', value: ({ submitter }) => submitter?.name },
    { title: 'file', value: ({ fileName }) => fileName },
    {
      title: 'accepted',
      value: ({ acceptedAt }) => acceptedAt,
      text: ({ acceptedAt }) => time(acceptedAt),
      class: 'whole',
    },
    { title: 'day', value: ({ day }) => day, isHidden: true },
    {
      title: 'state',
      value: ({ job }) => job.status.toLowerCase(),
      show: (row) => <State submission={row} cancel={cancel(row.id)} />,
    },
    { title: 'charged', value: ({ isCharged }) => (isCharged ? 'yes' : 'no') },
    { title: 'entry', value: entryOf },
    ...metrics.flatMap(({ name }) =>
      measured<Submission>(name, ({ scores }) => scores.find(({ metric }) => metric.name === name), {
        show: (value, interval) => withDecimals(value, interval, decimals),
      }),
    ),
  ]
}

function entryOf({ isWithdrawn, isChosen, isAnonymous }: Submission): string {
  const words = [isWithdrawn && 'withdrawn', isChosen && 'chosen', isAnonymous && 'anonymous']
  return words.filter(Boolean).join(', ')
}

interface StateProps {
  readonly submission: Submission
  readonly cancel: () => Promise<undefined>
}

function State({ submission: { job, queuedBeforeCount, teamName }, cancel }: StateProps) {
  const { status, progress, failure } = job
  return (
    <>
      {status.toLowerCase()}
      {status === 'RUNNING' && `, ${Math.round(100 * progress)} %`}
      {status === 'QUEUED' &&
        queuedBeforeCount !== null &&
        `, ${counted(queuedBeforeCount, 'job')} before it`}
      {failure && <small> {failure.message}</small>}
      {isUnfinished(job) && <Form action={`Cancel ${teamName}`} send={cancel} isRow />}
    </>
  )
}

function Audit({ name }: { readonly name: string }) {
  const [count, setCount] = useState(100)
  const answer = useQuery(ChallengeAuditDocument, { name, count }, 'cache-and-network')
  const columns: readonly Column<AuditEntry>[] = [
    { title: 'when', value: ({ createdAt }) => createdAt, text: ({ createdAt }) => time(createdAt) },
    { title: 'who', value: ({ actor }) => actor },
    { title: 'what', value: ({ action }) => action },
    { title: 'with', value: ({ detail }) => detail, class: 'detail' },
  ]
  return (
    <Awaited answer={answer} height={200}>
      {({ challenge }) => {
        const log = challenge?.auditLog
        if (!log || log.totalCount === 0) return <p>Nothing yet.</p>
        return (
          <>
            <Table
              label={`Audit log of ${name}`}
              columns={columns}
              rows={log.nodes.toReversed()}
              shown={10}
            />
            {log.totalCount > log.nodes.length && count < 1000 && (
              <button type="button" onClick={() => setCount(1000)}>
                The newest 1,000 of {counted(log.totalCount, 'entry', 'entries')}
              </button>
            )}
          </>
        )
      }}
    </Awaited>
  )
}

/** What administrators do about users who break the rules. */
function Ban() {
  const send = async (values: FormData) => {
    const isBanned = textIn(values, 'isBanned') === 'true'
    const { user } = await change(BanUserDocument, { input: { name: textIn(values, 'user'), isBanned } })
    return isBanned ? `${user.name} is banned.` : `${user.name} can sign in again.`
  }
  return (
    <>
      <h2>Ban a user</h2>
      <p class="note">Sessions and tokens end at once, everywhere on this server. Submissions stay.</p>
      <Form action="Apply" send={send} isRow>
        <Field label="Name of the user" name="user" required autocomplete="off" />
        <label>
          The user
          <select name="isBanned">
            <option value="true">cannot sign in any more</option>
            <option value="false">can sign in again</option>
          </select>
        </label>
      </Form>
    </>
  )
}

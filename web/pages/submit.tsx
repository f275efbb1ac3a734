import { useState } from 'preact/hooks'
import { grouped as count, counted } from '../../src/shared/numbers'
import { shellWord } from '../../src/shared/shell-word'
import { PEOPLE } from '../../src/shared/verdict'
import { change } from '../app/change'
import { useQuery } from '../app/client'
import { time, withDecimals } from '../app/format'
import { isUnfinished, useLookAgain } from '../app/look-again'
import { href, Link, type Parameters, useSetting } from '../app/router'
import { signInAddress } from '../app/sign-in-address'
import { isPeople } from '../app/subject'
import { ComparedImages, type ShownPair } from '../components/compared-images'
import { Distances } from '../components/distances'
import { Moment, Stage } from '../components/stage'
import { Awaited, Command, Unknown } from '../components/states'
import { DropField, type FileFailure, RefusedFile, Sent, uploadFile } from '../components/upload'
import {
  CancelSubmissionDocument,
  ChooseEntryDocument,
  LostImagesDocument,
  RerunSubmissionDocument,
  SubmissionImagesDocument,
  type SubmissionRowFragment,
  SubmissionsDocument,
  type SubmissionsQuery,
  SubmitDocument,
  SubmitterDocument,
  type SubmitterQuery,
  WithdrawSubmissionDocument,
} from '../generated/documents'

type Phase = NonNullable<SubmissionsQuery['challenge']>['phases'][number]
type Team = SubmitterQuery['viewer']['teams'][number]

/** Sends a file to a challenge, and shows what a team has sent. */
export default function Submit({ challenge: name }: Parameters) {
  const answer = useQuery(SubmitterDocument, { challenge: name })
  return (
    <Awaited answer={answer} height={700}>
      {({ viewer, challenge }) =>
        !challenge ? (
          <Unknown kind="challenge" name={name} />
        ) : (
          <>
            <h1>Submit to “{challenge.title}”</h1>
            <p class="controls">
              <Link to={href('challenges', name)}>Rules</Link>
            </p>
            {viewer.teams.length > 0 ? (
              <OfTeam name={name} teams={viewer.teams} />
            ) : viewer.user ? (
              <p>
                Teams submit. <Link to={href('account')}>Create one, or accept an invitation.</Link>
              </p>
            ) : (
              <p>
                <Link to={signInAddress()} class="button primary">
                  Sign in to submit
                </Link>
              </p>
            )}
          </>
        )
      }
    </Awaited>
  )
}

function OfTeam({ name, teams }: { readonly name: string; readonly teams: readonly Team[] }) {
  const [chosen, setTeam] = useSetting('team', teams[0].id)
  const team = teams.find(({ id }) => id === chosen) ?? teams[0]
  const answer = useQuery(SubmissionsDocument, { challenge: name, team: team.id }, 'cache-and-network')
  const phases = answer.data?.challenge?.phases ?? []
  const submissions = phases.flatMap((phase) => phase.submissions?.nodes ?? [])
  useLookAgain(
    answer,
    submissions.some(({ job }) => isUnfinished(job)),
  )
  return (
    <>
      {teams.length > 1 && (
        <p class="controls">
          <label>
            Team{' '}
            <select value={team.id} onChange={({ currentTarget }) => setTeam(currentTarget.value)}>
              {teams.map((one) => (
                <option key={one.id} value={one.id}>
                  {one.name}
                </option>
              ))}
            </select>
          </label>
        </p>
      )}
      <Awaited answer={answer} height={600}>
        {() => (
          <>
            <div class="two">
              <Form key={team.id} name={name} team={team.id} phases={phases} reload={answer.reload} />
              <div>
                <h2>Submissions left</h2>
                <Quotas phases={phases} />
                <h2>Without the browser</h2>
                <Command
                  text={`accord submit captions.json --challenge ${shellWord(name)} --server ${new URL('.', document.baseURI)}`}
                />
              </div>
            </div>
            <List name={name} phases={phases} reload={answer.reload} />
          </>
        )}
      </Awaited>
    </>
  )
}

interface FormProps {
  readonly name: string
  readonly team: string
  readonly phases: readonly Phase[]
  readonly reload: () => void
}

function Form({ name, team, phases, reload }: FormProps) {
  const open = phases.filter(({ stage }) => stage === 'OPEN')
  const [phase, setPhase] = useState(open.at(0)?.name ?? '')
  const [file, setFile] = useState<File>()
  const [method, setMethod] = useState('')
  const [links, setLinks] = useState('')
  const [isAnonymous, setAnonymous] = useState(false)
  const [share, setShare] = useState<number>()
  const [failure, setFailure] = useState<FileFailure>()
  const [isRepeated, setRepeated] = useState(false)
  const known = new Set(phases.flatMap((one) => one.submissions?.nodes.map(({ id }) => id) ?? []))
  if (open.length === 0) return <p>No phase accepts submissions at the moment.</p>
  const send = async (event: Event) => {
    event.preventDefault()
    if (!file) return
    setFailure(undefined)
    setRepeated(false)
    setShare(0)
    try {
      const { id: upload, sha256 } = await uploadFile(file, setShare)
      const described = {
        ...{ method, isAnonymous },
        phaseNames: phase === '' ? open.map((one) => one.name) : [phase],
        links: links.split(/\s+/).filter(Boolean),
      }
      // Where the answer was lost, the same can be sent again.
      const idempotencyKey = JSON.stringify([sha256, described])
      const input = { ...described, challenge: name, team, upload, idempotencyKey }
      const { submissions } = await change(SubmitDocument, { input })
      setRepeated(submissions.every(({ id }) => known.has(id)))
      reload()
    } catch (error) {
      setFailure(error as Error)
    } finally {
      setShare(undefined)
    }
  }
  const example = open.find((one) => one.name === phase)?.dataset
  const id = example?.images?.nodes.at(0)?.externalId ?? '42'
  return (
    <form class="import" onSubmit={send}>
      <DropField name={file?.name} choose={([first]) => setFile(first)} />
      <p class="note">
        A caption of each {example ? `of the ${counted(example.imageCount, 'image')}` : 'image'}, such as{' '}
        <code>{`[{"image_id": ${/^\d+$/.test(id) ? id : JSON.stringify(id)}, "caption": "…"}, …]`}</code>, or
        in any other format of captions, also compressed; or a zip file with a file for each phase. A file
        with an error costs nothing.
      </p>
      {open.length > 1 && (
        <label>
          Phase{' '}
          <select value={phase} onChange={({ currentTarget }) => setPhase(currentTarget.value)}>
            {open.map((one) => (
              <option key={one.name}>{one.name}</option>
            ))}
            <option value="">all that are open, by a zip file</option>
          </select>
        </label>
      )}
      <details class="about">
        <summary>Method, links, anonymity</summary>
        <label>
          Method, in Markdown
          <textarea rows={4} value={method} onInput={({ currentTarget }) => setMethod(currentTarget.value)} />
        </label>
        <label>
          Links, one a line
          <textarea rows={2} value={links} onInput={({ currentTarget }) => setLinks(currentTarget.value)} />
        </label>
        <label>
          <input
            type="checkbox"
            checked={isAnonymous}
            onChange={({ currentTarget }) => setAnonymous(currentTarget.checked)}
          />{' '}
          Others do not see the team before the end of the phase
        </label>
      </details>
      <button type="submit" class="primary" disabled={!file || share !== undefined}>
        Submit
      </button>
      <Sent share={share} />
      {share === 1 && <p class="note">The server checks the file …</p>}
      {isRepeated && <p class="note">The same was submitted before. It is not charged again.</p>}
      {failure && <RefusedFile failure={failure} losesFiles />}
    </form>
  )
}

/** What a team has left in the phases that have begun and not ended. */
function Quotas({ phases }: { readonly phases: readonly Phase[] }) {
  const shown = phases.filter(({ stage }) => stage === 'OPEN' || stage === 'PAUSED')
  const daily = shown.find(({ quota }) => quota && quota.limits.perDay !== null)?.quota
  return (
    <>
      {shown.map((phase) => (
        <Quota key={phase.name} phase={phase} isNamed={phases.length > 1} />
      ))}
      {daily && (
        <p class="note">
          The next day begins at midnight in {daily.timeZone}: <Moment at={daily.resetsAt} />.
        </p>
      )}
    </>
  )
}

interface QuotaProps {
  readonly phase: Phase
  readonly isNamed: boolean
}

function Quota({ phase: { name, quota, ...stage }, isNamed }: QuotaProps) {
  if (!quota) return null
  const { limits, unfinishedCount, attemptCount, leftGrantCount } = quota
  const rest = (limit: number | null, used: number) => limit !== null && Math.max(0, limit - used)
  const rows = [
    { term: 'today', left: quota.leftTodayCount ?? 'no limit', limit: limits.perDay },
    { term: 'in all', left: quota.leftInTotalCount ?? 'no limit', limit: limits.total },
    { term: 'at the same time', left: rest(limits.concurrent, unfinishedCount), limit: limits.concurrent },
    {
      term: 'attempts, with failed and cancelled ones',
      left: rest(limits.attempts, attemptCount),
      limit: limits.attempts,
    },
    { term: 'granted by hosts', left: leftGrantCount > 0 && leftGrantCount, limit: null },
  ]
  return (
    <>
      {isNamed && <h3>{name}</h3>}
      <Stage {...stage} />
      <dl class="facts quota">
        {rows.map(
          ({ term, left, limit }) =>
            left !== false && (
              <div key={term}>
                <dt>{term}</dt>
                <dd>{limit === null ? left : `${left} of ${limit}`}</dd>
              </div>
            ),
        )}
      </dl>
      {quota.whyNone && <p class="failure">No submission is left now: {quota.whyNone}.</p>}
    </>
  )
}

interface ListProps {
  readonly name: string
  readonly phases: readonly Phase[]
  readonly reload: () => void
}

/** What the team has sent, the newest first. */
function List({ name, phases, reload }: ListProps) {
  const rows = phases
    .flatMap((phase) => (phase.submissions?.nodes ?? []).map((submission) => ({ phase, submission })))
    .sort((a, b) => b.submission.acceptedAt.localeCompare(a.submission.acceptedAt))
  const total = phases.reduce((sum, { submissions }) => sum + (submissions?.totalCount ?? 0), 0)
  const newest = rows.at(0)?.submission
  return (
    <>
      <h2>My submissions</h2>
      <p class={newest ? 'unseen' : 'readout'} role="status">
        {newest ? `${newest.fileName}: ${newest.job.status.toLowerCase()}` : 'There are none yet.'}
      </p>
      <ul class="jobs">
        {rows.map(({ phase, submission }) => (
          <Item key={submission.id} name={name} phase={phase} submission={submission} reload={reload} />
        ))}
      </ul>
      {rows.length < total && (
        <p class="note">
          The newest {count(rows.length)} of {count(total)}.
        </p>
      )}
    </>
  )
}

interface ItemProps {
  readonly name: string
  readonly phase: Phase
  readonly submission: SubmissionRowFragment
  readonly reload: () => void
}

function Item({ name, phase, submission, reload }: ItemProps) {
  const { id, fileName, job, isCharged, isWithdrawn, isChosen, isAnonymous } = submission
  const [refusal, setRefusal] = useState<FileFailure>()
  const [isLosing, setLosing] = useState(false)
  const send = async (changing: Promise<unknown>) => {
    setRefusal(undefined)
    await changing.catch((error: Error) => setRefusal(error))
    reload()
  }
  const withdraw = () => {
    if (window.confirm(`Withdraw ${fileName} from the board for good? It stays charged.`))
      void send(change(WithdrawSubmissionDocument, { id }))
  }
  return (
    <li class={`job ${job.status.toLowerCase()}`}>
      <p>
        <strong>{fileName}</strong> <span class="status">{job.status.toLowerCase()}</span>{' '}
        <small>
          {[
            phase.name,
            time(submission.acceptedAt),
            isCharged ? `charged to ${submission.day}` : 'not charged',
            isAnonymous && 'anonymous',
            isWithdrawn && 'withdrawn',
            isChosen && 'chosen for the board',
          ]
            .filter(Boolean)
            .join(', ')}
        </small>
      </p>
      <Progress submission={submission} />
      {job.status === 'FAILED' && (
        <RefusedFile failure={job.failure ?? { message: 'The evaluation failed. Hosts see why.' }} />
      )}
      {job.status === 'DONE' && (
        <p class="note">
          {submission.scores
            .map(({ metric, value, interval }) =>
              value === null
                ? `${metric.name} –`
                : `${metric.name} ${withDecimals(value, interval, phase.decimals)}`,
            )
            .join(', ')}
        </p>
      )}
      <p class="tools">
        {isUnfinished(job) && (
          <button type="button" onClick={() => send(change(CancelSubmissionDocument, { id }))}>
            Cancel
          </button>
        )}
        {job.status === 'FAILED' && !isWithdrawn && (
          <button
            type="button"
            title="Without regard to the quota, and also after the end of the phase. It is charged as if it had not failed."
            onClick={() => send(change(RerunSubmissionDocument, { id }))}
          >
            Run again
          </button>
        )}
        {job.status === 'DONE' && (
          <>
            {!isWithdrawn && (
              <>
                <button
                  type="button"
                  onClick={() => send(change(ChooseEntryDocument, { id, isChosen: !isChosen }))}
                >
                  {isChosen ? 'Let the best one be the entry' : 'Choose as entry'}
                </button>
                <button type="button" onClick={withdraw}>
                  Withdraw
                </button>
              </>
            )}
            <Link to={href('challenges', name, phase.name)}>Board of {phase.name}</Link>
          </>
        )}
      </p>
      {refusal && <RefusedFile failure={refusal} />}
      {job.status === 'DONE' && phase.isImageScoreShown && phase.dataset && (
        <details onToggle={({ currentTarget }) => setLosing(currentTarget.open)}>
          <summary>How far it is from people and baselines, and where it lost most</summary>
          {isLosing && (
            <Lost submission={id} fileName={fileName} dataset={phase.dataset.name} phase={phase} />
          )}
        </details>
      )}
    </li>
  )
}

interface LostProps {
  readonly submission: string
  readonly fileName: string
  readonly dataset: string
  readonly phase: Pick<Phase, 'rankedBy' | 'references' | 'baselineNames'>
}

/** Images that are shown of those on which a submission lost most. */
const LOST = 6

/**
 * How far a submission is from people and baselines on the same images, and the images on which its score is farthest below that of
 * people, or lowest where people have none, with what it says, what people say, and the best baseline.
 */
function Lost({ submission, fileName, dataset, phase }: LostProps) {
  const { references, baselineNames } = phase
  const metric = phase.rankedBy.name
  const asked = { submission, dataset, metric, references }
  const answer = useQuery(SubmissionImagesDocument, asked)
  const { node, dataset: data } = answer.data ?? {}
  const sent = node?.__typename === 'Submission' ? node : undefined
  const own = sent?.system?.score?.vector
  const people = references === null ? null : data?.humanAgreement?.score?.vector
  const ofPeople = new Map(people?.externalIds.map((id, index) => [id, people.values?.[index]]))
  const lost = (own?.externalIds ?? [])
    .map(
      (id, index): ShownPair => ({ id, first: own?.values?.[index] ?? 0, second: ofPeople.get(id) ?? null }),
    )
    .sort((a, b) => a.first - (a.second ?? 0) - (b.first - (b.second ?? 0)))
    .slice(0, LOST)
  const ids = lost.map(({ id }) => id)
  const distances = sent?.comparisons ?? []
  const best = distances
    .filter((row) => row.metric?.name === metric && !isPeople(row.first) && row.difference !== null)
    .sort((a, b) => (b.difference ?? 0) - (a.difference ?? 0))
    .flatMap(({ first }) => first.name)
    .slice(0, 1)
  const images = useQuery(
    LostImagesDocument,
    ids.length > 0 ? { submission, dataset, systems: baselineNames, ids } : null,
  )
  const found = images.data?.node?.__typename === 'Submission' ? images.data.node : undefined
  const captions = new Map(found?.system?.captions?.nodes.map(({ image, text }) => [image.externalId, text]))
  return (
    <Awaited answer={answer} height={700}>
      {() => (
        <>
          {distances.length > 0 && (
            <Distances
              of={fileName}
              dataset={dataset}
              distances={distances}
              query={SubmissionImagesDocument}
              variables={asked}
            />
          )}
          {lost.length === 0 ? (
            <p>There are no scores of single images.</p>
          ) : (
            <Awaited answer={images} height={500}>
              {() => (
                <ComparedImages
                  dataset={dataset}
                  metric={metric}
                  sides={[fileName, PEOPLE]}
                  pairs={lost}
                  images={images.data?.dataset?.images?.nodes ?? []}
                  captions={captions}
                  others={best}
                />
              )}
            </Awaited>
          )}
        </>
      )}
    </Awaited>
  )
}

/** The place in the queue, or how far it is. */
function Progress({ submission }: { readonly submission: SubmissionRowFragment }) {
  const { job, queuedBeforeCount, expectedWait } = submission
  if (!isUnfinished(job)) return null
  return (
    <p class="note">
      <progress value={job.progress} max={1} aria-label={`Progress of ${submission.fileName}`} />{' '}
      {job.status === 'QUEUED'
        ? [
            queuedBeforeCount !== null && `${counted(queuedBeforeCount, 'job')} before it`,
            expectedWait !== null && `about ${Math.max(1, Math.round(expectedWait))} s to wait`,
          ]
            .filter(Boolean)
            .join(', ')
        : `${Math.round(100 * job.progress)} %`}
    </p>
  )
}

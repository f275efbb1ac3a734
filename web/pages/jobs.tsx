import { useEffect, useState } from 'preact/hooks'
import { counted } from '../../src/shared/numbers'
import { change } from '../app/change'
import { client, forgetAnswers, useQuery } from '../app/client'
import { time } from '../app/format'
import { watchJob } from '../app/jobs'
import { isUnfinished } from '../app/look-again'
import { href, Link, useSetting } from '../app/router'
import { isRecorded } from '../app/transport'
import { Awaited, Empty } from '../components/states'
import {
  CancelJobDocument,
  JobChangesDocument,
  type JobListFragment,
  type JobRowFragment,
  JobsDocument,
  type JobsQueryVariables,
  UndoImportDocument,
} from '../generated/documents'

/** Time until a stream that has ended is opened again. */
const RETRY_MS = 5000

/** Everything that runs, waits or has ended, followed live. */
export default function Jobs() {
  const [first, setFirst] = useState(30)
  const [shown, setShown] = useSetting('queries', '')
  const isQuery = shown === '' ? false : null
  const answer = useQuery(JobsDocument, { first, isQuery })
  const jobs = useChanges({ first, isQuery }, answer.data?.jobs)
  return (
    <>
      <h1>What is the server doing?</h1>
      <p class="controls">
        <label>
          <input
            type="checkbox"
            checked={shown !== ''}
            onChange={({ currentTarget }) => setShown(currentTarget.checked ? 'shown' : '')}
          />{' '}
          with computations that pages asked for
        </label>
      </p>
      <Awaited answer={answer} height={600}>
        {() =>
          !jobs ? (
            <Empty>Hosts see what this server does; teams see their submissions.</Empty>
          ) : jobs.nodes.length === 0 ? (
            <Empty upload="captions" command="accord import captions captions.json --dataset mine">
              Nothing runs, and nothing has run.
            </Empty>
          ) : (
            <>
              <ul class="jobs">
                {jobs.nodes.map((job) => (
                  <Job key={job.id} job={job} />
                ))}
              </ul>
              {jobs.totalCount > jobs.nodes.length && (
                <button type="button" onClick={() => setFirst(first + 50)}>
                  More of {counted(jobs.totalCount, 'job')}
                </button>
              )}
            </>
          )
        }
      </Awaited>
    </>
  )
}

/** The list of jobs as it changes, from its first state on. Who sees none gets no changes. */
function useChanges(variables: JobsQueryVariables, known: JobListFragment | null | undefined) {
  const key = JSON.stringify(variables)
  const [changed, set] = useState<{ readonly key: string; readonly jobs: JobListFragment }>()
  const [attempt, setAttempt] = useState(0)
  const isSeen = known != null
  useEffect(() => {
    if (!isSeen || isRecorded) return
    let timer: ReturnType<typeof setTimeout> | undefined
    const { unsubscribe } = client
      .subscription(JobChangesDocument.toString(), variables)
      .subscribe(({ data, error }) => {
        if (data?.jobs) set({ key, jobs: data.jobs })
        if (error) timer = setTimeout(() => setAttempt(attempt + 1), RETRY_MS)
      })
    return () => {
      clearTimeout(timer)
      unsubscribe()
    }
  }, [key, isSeen, attempt])
  return changed?.key === key ? changed.jobs : known
}

/** Follows a job. @param onRefused called where the viewer sees no such job, with the reason */
export function useJob(
  id: string | undefined,
  onRefused?: (error: Error & { readonly code?: string }) => void,
): JobRowFragment | undefined {
  const [job, set] = useState<JobRowFragment>()
  useEffect(() => {
    set(undefined)
    return id === undefined ? undefined : watchJob(id, set, onRefused)
  }, [id])
  return job
}

function Job({ job }: { readonly job: JobRowFragment }) {
  const isActive = isUnfinished(job)
  return (
    <li class={`job ${job.status.toLowerCase()}`}>
      <p>
        <strong>{titleOf(job.kind)}</strong> <Subject job={job} />{' '}
        <span class="status">{job.status.toLowerCase()}</span>{' '}
        <small>
          {time(job.createdAt)}
          {job.startedAt && job.endedAt && `, ${secondsOf(job.startedAt, job.endedAt)}`}
        </small>
      </p>
      <JobState job={job} />
      {isActive ? <CancelButton id={job.id} /> : <Outcome job={job} />}
    </li>
  )
}

export function CancelButton({ id }: { readonly id: string }) {
  return (
    <button type="button" onClick={() => client.mutation(CancelJobDocument.toString(), { id }).toPromise()}>
      Cancel
    </button>
  )
}

/** What files hold that can make systems. Those of descriptions can also add to one that exists. */
const OF_SYSTEMS = ['RESULTS', 'WORD_SCORES', 'DESCRIPTIONS']

/** Where an import of files that has ended leads, and a button that removes what it has made, unless it replaced something. */
export function Outcome({ job: { id, result, input } }: { readonly job: JobRowFragment }) {
  const [failure, setFailure] = useState<Error>()
  if (result?.__typename !== 'FilesResult' || !result.page) return null
  const { isNewDataset, page } = result
  const isReplacement = input.some(({ name, text }) => name === 'isReplaced' && text === 'true')
  const contents = input.filter(({ name }) => name.endsWith('.content')).map(({ text }) => text)
  const hasSystems = contents.some((content) => OF_SYSTEMS.includes(content))
  const undo = async () => {
    const isAll = contents.every((content) => content !== 'DESCRIPTIONS' && OF_SYSTEMS.includes(content))
    const rest = isAll ? '' : ' What else it has added stays.'
    const what = isNewDataset ? 'the dataset with all its systems?' : `the systems that it has added?${rest}`
    if (!window.confirm(`Remove ${what}`)) return
    await change(UndoImportDocument, { id }).catch(setFailure)
    forgetAnswers()
  }
  return (
    <p class="controls">
      <Link to={href() + page}>See the answer</Link>
      {!isReplacement && (isNewDataset || hasSystems) && (
        <button type="button" class="quiet" onClick={undo}>
          Undo
        </button>
      )}
      {failure && <span class="failure">{failure.message}</span>}
    </p>
  )
}

/** How far a job is, what it did, or why it failed. */
export function JobState({ job }: { readonly job: JobRowFragment }) {
  const { progress, message, summary, failure } = job
  if (failure) {
    return (
      <>
        <p class="failure">
          <code>{failure.code}</code> {failure.message}
          {failure.place && ` at ${failure.place}`}
          {failure.expected && `: expected ${failure.expected}`}
          {failure.found && `, found ${failure.found}`}
        </p>
        {summary && <p class="note">{summary}</p>}
      </>
    )
  }
  if (!isUnfinished(job)) return <p class="note">{summary}</p>
  return (
    <p class="note">
      <progress value={progress} max={1} aria-label="Progress" /> {Math.round(100 * progress)} % {message}
    </p>
  )
}

/** What a job is about: systems, dataset, and what was asked. */
function Subject({ job: { subject, comparedSystems, result, input } }: { readonly job: JobRowFragment }) {
  const made = result?.__typename === 'ImportResult' ? result.system : null
  const system = subject?.__typename === 'System' ? subject : made
  const dataset = subject?.__typename === 'System' ? subject.dataset.name : subject?.name
  const systems = system ? [system] : (comparedSystems ?? [])
  return (
    <>
      {dataset &&
        systems.map(({ name }, index) => (
          <span key={name}>
            {index > 0 && (index + 1 < systems.length ? ', ' : ' and ')}
            <Link to={href('d', dataset, 'systems', name)}>{name}</Link>
          </span>
        ))}
      {dataset && systems.length > 0 && (isWithPeople(input) ? ' and people on ' : ' on ')}
      {dataset ? (
        <Link to={href('d', dataset)}>{dataset}</Link>
      ) : (
        // That of a job which has not made it yet.
        input.find(({ name }) => name === 'dataset')?.text
      )}{' '}
      {askedOf(
        input,
        systems.map(({ name }) => name),
      )}
    </>
  )
}

type Input = JobRowFragment['input']

/** Whether people are compared as well. */
const isWithPeople = (input: Input): boolean =>
  input.some(({ name, text }) => name === 'people' && text === 'true')

/** What was asked, in words: the metrics, the references, the names of what is new, but for those that are told already. */
function askedOf(input: Input, told: readonly string[]): string {
  const textsOf = (...names: readonly string[]) => [
    ...new Set(
      input.filter(({ name }) => names.includes(name.split('.').at(-1) ?? '')).map(({ text }) => text),
    ),
  ]
  const figures = textsOf('metrics', 'metric')
  const kinds = textsOf('kind').map((kind) => (kind === 'PHR' ? kind : titleOf(kind).toLowerCase()))
  const references = textsOf('references').map((k) => counted(Number(k), 'reference'))
  const names = textsOf('name', 'system').filter((name) => !told.includes(name))
  const texts = [figures.length > 0 ? figures : kinds, references, names]
  return texts
    .filter((list) => list.length > 0)
    .map((list) => list.join(', '))
    .join('; ')
}

const titleOf = (kind: string): string => {
  const text = kind.toLowerCase().replaceAll('_', ' ')
  return text[0].toUpperCase() + text.slice(1)
}

function secondsOf(start: string, end: string): string {
  const seconds = (Date.parse(end) - Date.parse(start)) / 1000
  return `${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s`
}

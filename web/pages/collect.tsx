import { useEffect, useRef, useState } from 'preact/hooks'
import { client, useQuery } from '../app/client'
import { href, Link, type Parameters } from '../app/router'
import { PhotographConsent, Picture, usePhotographs } from '../components/picture'
import { Awaited, Command, Empty, NotFound } from '../components/states'
import {
  CaptionProblemsDocument,
  type CaptionProblemsQuery,
  CollectionDocument,
  type CollectionQuery,
  ReportTaskDocument,
  SkipTaskDocument,
  SubmitCaptionDocument,
  TakeTaskDocument,
  type TaskFragment,
} from '../generated/documents'

type Collection = NonNullable<CollectionQuery['collection']>
type Problem = NonNullable<CaptionProblemsQuery['captionProblems']>[number]

/** Time without a key after which a caption is checked, in milliseconds. */
const CHECK_MS = 300

/** The task of COCO Captions, figure 2: a picture, seven instructions and a field. It needs no mouse. */
export default function Collect({ name }: Parameters) {
  const answer = useQuery(CollectionDocument, { name })
  return (
    <Awaited answer={answer} height={700}>
      {({ viewer, collection, collections }) =>
        collection ? (
          <>
            <Task collection={collection} />
            {viewer.scopes.includes('HOST') && (
              <p class="controls">
                <Link to={href('collect', name, 'host')}>For hosts: agreement so far, and annotators</Link>
              </p>
            )}
          </>
        ) : (
          <NotFound title={`There is no collection ${name}.`}>
            {(collections?.nodes ?? []).map((other) => (
              <Link key={other.name} to={href('collect', other.name)}>
                {other.name}{' '}
              </Link>
            ))}
            <Command text={`accord collect create --dataset ${name} --images images.csv`} />
          </NotFound>
        )
      }
    </Awaited>
  )
}

/** Where an annotator stands. */
interface Turn {
  /** Null if there is nothing left for the annotator. */
  readonly task: TaskFragment | null
  readonly ownCaptionCount: number
  readonly captionCount: number
  readonly wantedCaptionCount: number
}

function Task({ collection }: { readonly collection: Collection }) {
  const { name, state, instructions, exampleCaptions } = collection
  const [annotator] = useState(annotatorOfBrowser)
  const [turn, setTurn] = useState<Turn>()
  const [failure, setFailure] = useState<string>()
  const [said, say] = useState('')
  const take = async () => {
    const { data, error } = await client
      .mutation(TakeTaskDocument.toString(), { input: { collection: name, annotator } })
      .toPromise()
    const result = data?.takeTask
    setFailure(error?.message ?? (result?.__typename === 'TakeTaskSuccess' ? undefined : result?.message))
    if (result?.__typename === 'TakeTaskSuccess') {
      setTurn({ task: result.task, ownCaptionCount: result.ownCaptionCount, ...result.collection.state })
    }
  }
  useEffect(() => void take(), [name])
  const next = async (text: string) => {
    await take()
    say(text)
  }
  const { captionCount, wantedCaptionCount } = turn ?? state
  return (
    <>
      <h1>What is in this picture?</h1>
      <p class="lede">
        Describe it in one sentence, as you would for somebody who does not see it.{' '}
        <progress value={captionCount} max={Math.max(1, wantedCaptionCount)} aria-label="Captions" />{' '}
        {captionCount} of {wantedCaptionCount} captions
        {turn && turn.ownCaptionCount > 0 && `, ${turn.ownCaptionCount} by you`}
      </p>
      {failure && (
        <div class="failure" role="alert">
          <p>{failure}</p>
          <button type="button" onClick={() => void take()}>
            Try again
          </button>
        </div>
      )}
      <p class="readout" role="status">
        {said}
      </p>
      {turn?.task === null && (
        <Empty>
          There is nothing left for you to describe. Thank you for {turn.ownCaptionCount}{' '}
          {turn.ownCaptionCount === 1 ? 'caption' : 'captions'}.
        </Empty>
      )}
      {turn?.task && (
        <div class="two task">
          <Shown image={turn.task.collectionImage} />
          <div>
            <h2>Instructions</h2>
            <ul class="instructions">
              {instructions.map((instruction) => (
                <li key={instruction}>{instruction}</li>
              ))}
            </ul>
            <details class="note">
              <summary>Examples</summary>
              {exampleCaptions.map((caption) => (
                <p key={caption}>“{caption}”</p>
              ))}
            </details>
            <Field key={turn.task.id} task={turn.task.id} annotator={annotator} next={next} />
          </div>
        </div>
      )}
    </>
  )
}

/** The picture. Captions of others are not shown. */
function Shown({ image: { datasetImage, ...image } }: { readonly image: TaskFragment['collectionImage'] }) {
  const [isAllowed] = usePhotographs()
  const isHidden = image.url !== null && !isAllowed
  const shown = {
    ...image,
    width: image.width ?? datasetImage?.width ?? null,
    height: image.height ?? datasetImage?.height ?? null,
    boxes: datasetImage?.boxes ?? [],
    captions: [{ text: isHidden ? 'Allow the photograph below to see it.' : 'The picture to describe' }],
  }
  return (
    <div>
      <Picture image={shown} isLarge />
      <PhotographConsent urls={[image.url]} />
    </div>
  )
}

interface FieldProps {
  readonly task: string
  readonly annotator: string
  /** Goes on to the next picture. @param said what the annotator is told */
  readonly next: (said: string) => Promise<void>
}

/** What a mutation that ends a task answers. */
interface Ended {
  readonly result: { readonly __typename: string; readonly message?: string }
}

function Field({ task, annotator, next }: FieldProps) {
  const [caption, setCaption] = useState('')
  const [problems, setProblems] = useState<readonly Problem[]>([])
  const [isRefused, setRefused] = useState(false)
  const [remark, setRemark] = useState<string>()
  const [failure, setFailure] = useState<string>()
  const field = useRef<HTMLTextAreaElement>(null)
  useEffect(() => field.current?.focus(), [])
  useEffect(() => {
    if (caption.trim() === '') return setProblems([])
    const timer = setTimeout(async () => {
      const { data } = await client
        .query(
          CaptionProblemsDocument.toString(),
          { task, annotator, caption },
          { requestPolicy: 'network-only' },
        )
        .toPromise()
      if (data?.captionProblems) setProblems(data.captionProblems)
    }, CHECK_MS)
    return () => clearTimeout(timer)
  }, [caption, task, annotator])

  const submit = async () => {
    const { data, error } = await client
      .mutation(SubmitCaptionDocument.toString(), { input: { task, annotator, caption } })
      .toPromise()
    const result = data?.result
    if (result?.__typename !== 'SubmitCaptionSuccess') {
      setFailure(error?.message ?? result?.message)
    } else if (result.isStored) {
      await next('Your caption is stored. Here is the next picture.')
    } else {
      setProblems(result.problems)
      setRefused(true)
    }
  }
  const end = async (document: { toString(): string }, said: string, more: object = {}) => {
    const { data, error } = await client
      .mutation<Ended>(document.toString(), { input: { task, annotator, ...more } })
      .toPromise()
    const message = error?.message ?? data?.result.message
    if (message) setFailure(message)
    else await next(said)
  }
  const skip = () => end(SkipTaskDocument, 'Skipped. Here is another picture.')
  const report = () => end(ReportTaskDocument, 'Reported. Here is another picture.', { remark })
  const press = (event: KeyboardEvent) => {
    if (!event.altKey || event.ctrlKey || event.metaKey) return
    if (event.code === 'KeyS') void skip()
    else if (event.code === 'KeyR') setRemark('')
    else return
    event.preventDefault()
  }
  useEffect(() => {
    window.addEventListener('keydown', press)
    return () => window.removeEventListener('keydown', press)
  })
  return (
    <form
      class="caption"
      onSubmit={(event) => {
        event.preventDefault()
        void submit()
      }}
    >
      <label for="caption">Your description</label>
      <textarea
        id="caption"
        ref={field}
        rows={3}
        lang="en"
        spellcheck
        value={caption}
        aria-describedby="checks"
        aria-invalid={isRefused && problems.length > 0}
        onInput={({ currentTarget }) => {
          setCaption(currentTarget.value)
          setRefused(false)
        }}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
          event.preventDefault()
          void submit()
        }}
      />
      <ul id="checks" class={isRefused ? 'checks refused' : 'checks'} aria-live="polite">
        {problems.map(({ problem, message }) => (
          <li key={problem}>{message}</li>
        ))}
      </ul>
      {failure && (
        <div class="failure" role="alert">
          <p>{failure}</p>
          <button type="button" onClick={() => void next('')}>
            Next picture
          </button>
        </div>
      )}
      <div class="controls">
        <button type="submit" class="primary">
          Submit <kbd>Enter</kbd>
        </button>
        <button type="button" onClick={skip}>
          Skip <kbd>Alt+S</kbd>
        </button>
        <button type="button" onClick={() => setRemark('')} aria-expanded={remark !== undefined}>
          Report <kbd>Alt+R</kbd>
        </button>
      </div>
      {remark !== undefined && (
        <Report
          remark={remark}
          change={setRemark}
          send={report}
          close={() => {
            setRemark(undefined)
            field.current?.focus()
          }}
        />
      )}
    </form>
  )
}

interface ReportProps {
  readonly remark: string
  readonly change: (remark: string) => void
  readonly send: () => void
  readonly close: () => void
}

function Report({ remark, change, send, close }: ReportProps) {
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => field.current?.focus(), [])
  return (
    <div class="controls">
      <label>
        What is wrong with the picture?{' '}
        <input
          ref={field}
          maxLength={200}
          value={remark}
          onInput={({ currentTarget }) => change(currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'Escape') close()
            if (event.key !== 'Enter') return
            event.preventDefault()
            send()
          }}
        />
      </label>
      <button type="button" onClick={send}>
        Send the report
      </button>
      <button type="button" onClick={close}>
        Cancel
      </button>
    </div>
  )
}

const KEY = 'accord annotator'

/** A random id that this browser keeps: on an open server it tells annotators apart. */
function annotatorOfBrowser(): string {
  const known = localStorage.getItem(KEY)
  if (known) return known
  const digits = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  )
  localStorage.setItem(KEY, digits.join(''))
  return digits.join('')
}

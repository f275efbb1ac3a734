import { useEffect, useRef, useState } from 'preact/hooks'
import { shellWord } from '../../src/shared/shell-word'
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
            <Command text={`accord collect create --dataset ${shellWord(name)} --images images.csv`} />
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
  const task = turn?.task
  /** What is known of the picture of a task: whether it is there, or cannot be loaded. */
  const [shown, setShown] = useState<{ readonly task: string; readonly isShown: boolean }>()
  const isShown = shown && shown.task === task?.id ? shown.isShown : undefined
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
          <Shown
            key={turn.task.id}
            image={turn.task.collectionImage}
            hasFailed={isShown === false}
            onShown={(isShown) => task && setShown({ task: task.id, isShown })}
          />
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
            <Field
              key={turn.task.id}
              task={turn.task.id}
              annotator={annotator}
              isShown={isShown}
              next={next}
            />
          </div>
        </div>
      )}
    </>
  )
}

interface ShownProps {
  readonly image: TaskFragment['collectionImage']
  readonly hasFailed: boolean
  readonly onShown: (isShown: boolean) => void
}

/** The picture. Captions of others are not shown. */
function Shown({ image: { datasetImage, ...image }, hasFailed, onShown }: ShownProps) {
  const [isAllowed] = usePhotographs()
  const isHidden = image.url !== null && !isAllowed && !image.picture
  const shown = {
    ...image,
    width: image.width ?? datasetImage?.width ?? null,
    height: image.height ?? datasetImage?.height ?? null,
    fileName: null,
    boxes: datasetImage?.boxes ?? [],
    captions: [{ text: 'The picture to describe' }],
    dataset: { language: 'en' },
  }
  const isAbsent = !shown.url && !shown.picture
  const [said] = [
    isAbsent && 'There is no picture of this image.',
    hasFailed && 'This picture cannot be loaded.',
    isHidden && 'Allow the photograph below to see it.',
  ].filter((text) => text !== false)
  useEffect(() => {
    if (isAbsent) onShown(false)
  }, [isAbsent])
  if (said !== undefined) shown.captions = [{ text: said }]
  return (
    <div>
      <Picture image={shown} isLarge onShown={onShown} />
      <PhotographConsent images={[shown]} />
    </div>
  )
}

interface FieldProps {
  readonly task: string
  readonly annotator: string
  /** Whether the annotator sees the picture; undefined as long as it is loading. */
  readonly isShown: boolean | undefined
  /** Goes on to the next picture. @param said what the annotator is told */
  readonly next: (said: string) => Promise<void>
}

/** What a mutation that ends a task answers. */
interface Ended {
  readonly result: { readonly __typename: string; readonly message?: string }
}

function Field({ task, annotator, isShown, next }: FieldProps) {
  const [caption, setCaption] = useState('')
  const [problems, setProblems] = useState<readonly Problem[]>([])
  const [isRefused, setRefused] = useState(false)
  /** Whether a caption was to be sent before the picture was there. */
  const [isEarly, setEarly] = useState(false)
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
    if (!isShown) return setEarly(true)
    const { data, error } = await client
      .mutation(SubmitCaptionDocument.toString(), { input: { task, annotator, caption } })
      .toPromise()
    const result = data?.result
    if (result?.__typename !== 'TaskSuccess') {
      setFailure(error?.message ?? result?.message)
    } else if (result.problems.length === 0) {
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
      {isEarly && !isShown && (
        <p class="failure" role="alert">
          {isShown === false
            ? 'A picture that cannot be seen cannot be described: skip it, or report it.'
            : 'The picture is not there yet: a caption can be sent when you see it.'}
        </p>
      )}
      {failure && (
        <div class="failure" role="alert">
          <p>{failure}</p>
          <button type="button" onClick={() => void next('')}>
            Next picture
          </button>
        </div>
      )}
      <div class="controls">
        <button type="submit" class="primary" aria-disabled={!isShown}>
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

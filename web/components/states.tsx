import type { CombinedError } from '@urql/core'
import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { nearNames } from '../../src/shared/near-names'
import { accounts } from '../app/accounts'
import { type Answer, useQuery } from '../app/client'
import { href, Link } from '../app/router'
import { signInAddress } from '../app/sign-in-address'
import { NamesDocument } from '../generated/documents'

/** Time after which a page says that it waits for a computation. */
const SLOW_MS = 2000

interface AnswerProps<Data> {
  readonly answer: Answer<Data>
  /** Height of the skeleton, that of what it stands for: in pixels. */
  readonly height: number
  /** The same on a telephone. Default: `height`. */
  readonly narrow?: number
  readonly children: (data: Data) => ComponentChildren
}

/** What is asked for: as a skeleton of its size until it is there, and with what failed in its place. */
export function Awaited<Data>({ answer, height, narrow, children }: AnswerProps<Data>) {
  const { data, error, isLoading, isCancelled, reload } = answer
  // What failed as a whole is no empty answer.
  const hasData = data && !(error && Object.values(data).every((value) => value === null))
  return (
    <>
      {error && <Failure error={error} retry={reload} />}
      {isCancelled && (
        <p class="empty">
          Cancelled.{' '}
          <button type="button" onClick={reload}>
            Compute it
          </button>
        </p>
      )}
      {hasData ? (
        <div aria-busy={isLoading} class={isLoading ? 'answer stale' : 'answer'}>
          {isLoading && <Pending answer={answer} />}
          {children(data)}
        </div>
      ) : (
        isLoading && (
          <Skeleton height={height} narrow={narrow}>
            <Pending answer={answer} />
          </Skeleton>
        )
      )}
    </>
  )
}

/** A quiet area of the final size. */
export function Skeleton({
  height,
  narrow = height,
  children,
}: {
  readonly height: number
  readonly narrow?: number
  readonly children?: ComponentChildren
}) {
  return (
    <div class="skeleton" style={{ '--height': `${height}px`, '--narrow': `${narrow}px` }}>
      {children}
    </div>
  )
}

/** After two seconds: that something is computed, and a way to give it up. */
export function Pending({ answer: { cancel } }: { readonly answer: Pick<Answer<unknown>, 'cancel'> }) {
  const [isSlow, setSlow] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), SLOW_MS)
    return () => clearTimeout(timer)
  }, [])
  return (
    <p class="pending" role="status">
      {isSlow && (
        <>
          Computing …{' '}
          <button type="button" onClick={cancel}>
            Cancel
          </button>
        </>
      )}
    </p>
  )
}

/** Time between two questions whether a server answers again. */
const HEALTH_MS = 3000

/** Calls back when the server, which did not answer, does. */
export function useRecovery(isGone: boolean, recovered: () => void): void {
  useEffect(() => {
    if (!isGone) return
    const timer = setInterval(async () => {
      const answer = await fetch(new URL('health', document.baseURI)).catch(() => undefined)
      if (answer?.ok) recovered()
    }, HEALTH_MS)
    return () => clearInterval(timer)
  }, [isGone])
}

/** What a viewer may not see: where to sign in. */
const CLOSED: Readonly<Record<string, string>> = {
  UNAUTHENTICATED: 'Sign in to see this.',
  FORBIDDEN: 'Your account may not see this.',
}

/** What is more than a server computes for one page. The messages are for those who write queries. */
const TOO_MUCH = 'This is more than the server computes for one page. The command line has no such limit.'

const MESSAGES: Readonly<Record<string, string>> = {
  TIMEOUT: TOO_MUCH,
  TOO_COSTLY: TOO_MUCH,
  TOO_MANY_OBJECTS: TOO_MUCH,
}

/** Whether something was refused because it is more than the server computes for one page. */
export function isTooMuch({ graphQLErrors }: CombinedError): boolean {
  return graphQLErrors.some(({ extensions }) => MESSAGES[String(extensions.code)] === TOO_MUCH)
}

/**
 * Code and message of what failed, and a way to try it again, which happens by itself when a server answers again. The rest of
 * the page stays.
 */
export function Failure({ error, retry }: { readonly error: CombinedError; readonly retry: () => void }) {
  useRecovery(error.networkError !== undefined, retry)
  const closed = error.graphQLErrors.map(({ extensions }) => CLOSED[String(extensions.code)]).find(Boolean)
  if (closed) {
    return (
      <p class="empty">
        {closed} {accounts && <Link to={signInAddress()}>Sign in</Link>}
      </p>
    )
  }
  const failures = error.networkError
    ? [
        {
          code: 'NO_ANSWER',
          message: `The server does not answer: ${error.networkError.message}. The page looks again by itself.`,
        },
      ]
    : error.graphQLErrors.map(({ message, extensions }) => {
        const code = String(extensions.code ?? 'ERROR')
        return { code, message: MESSAGES[code] ?? message }
      })
  const distinct = [...new Map(failures.map((failure) => [failure.message, failure])).values()]
  return (
    <div class="failure" role="alert">
      {distinct.slice(0, 3).map(({ code, message }) => (
        <p key={message}>
          <code>{code}</code> {message}
        </p>
      ))}
      <button type="button" onClick={retry}>
        Try again
      </button>
    </div>
  )
}

/** What to do where nothing is shown yet: the command that changes it, and where a file is uploaded. */
export function Empty({
  children,
  command,
  upload,
}: {
  readonly children: ComponentChildren
  readonly command?: string
  /** The kind of file that changes it, as the page of imports names it. */
  readonly upload?: string
}) {
  return (
    <div class="empty">
      <div>{children}</div>
      {command && <Command text={command} />}
      {upload && (
        <p>
          <Link to={`${href('import')}?kind=${upload}`} class="button">
            Upload a file
          </Link>
        </p>
      )}
    </div>
  )
}

/** A page that has nothing to show: what there is not, and where else to look. */
export function NotFound({
  title,
  children,
}: {
  readonly title: string
  readonly children?: ComponentChildren
}) {
  return (
    <div class="empty">
      <h1>{title}</h1>
      <p>{children}</p>
    </div>
  )
}

interface UnknownProps {
  readonly kind: 'dataset' | 'challenge' | 'system' | 'word' | 'image'
  /** Of systems, words and images. */
  readonly dataset?: string
  readonly name: string
}

/** Where names of each kind lead. */
const ADDRESSES = {
  dataset: (_dataset: string, name: string) => href('d', name),
  challenge: (_dataset: string, name: string) => href('challenges', name),
  system: (dataset: string, name: string) => href('d', dataset, 'systems', name),
  word: (dataset: string, name: string) => href('d', dataset, 'words', name),
  image: (dataset: string, name: string) => href('d', dataset, 'images', name),
}

/** A name that nothing has, and the nearest ones that something has. */
export function Unknown({ kind, dataset = '', name }: UnknownProps) {
  const variables = {
    dataset,
    isDataset: kind === 'dataset',
    isSystem: kind === 'system',
    isWord: kind === 'word',
    isImage: kind === 'image',
    isChallenge: kind === 'challenge',
  }
  const { data } = useQuery(NamesDocument, variables)
  const { systems, words, images } = data?.dataset ?? {}
  const names = [
    ...(data?.datasets?.nodes ?? []).map((node) => node.name),
    ...(data?.challenges?.nodes ?? []).map((node) => node.name),
    ...(systems?.nodes ?? []).map((node) => node.name),
    ...(words?.columns?.texts ?? []),
    ...(images?.nodes ?? []).map(({ externalId }) => externalId),
  ]
  const near = nearNames(name, names).slice(0, 3)
  return (
    <NotFound title={dataset === '' ? `There is no ${kind} ${name}.` : `${dataset} has no ${kind} ${name}.`}>
      {near.length > 0 && 'Did you mean '}
      {near.map((other, index) => (
        <span key={other}>
          {index > 0 && ', '}
          <Link to={ADDRESSES[kind](dataset, other)}>{other}</Link>
        </span>
      ))}
      {near.length > 0 && '? '}
      {kind === 'challenge' ? (
        <Link to={href('challenges')}>All challenges</Link>
      ) : (
        <Link to={kind === 'dataset' ? href() : href('d', dataset)}>
          {kind === 'dataset' ? 'All datasets' : dataset}
        </Link>
      )}
    </NotFound>
  )
}

/** A command line or another text to copy, with a button that does. */
export function Command({ text, what = 'command' }: { readonly text: string; readonly what?: string }) {
  return (
    <p class="command">
      <code>{text}</code>
      <CopyButton text={text} what={what} />
    </p>
  )
}

/** Browsers give the clipboard to pages of https and of this machine alone; to others the old command still works. */
async function writeClipboard(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text)
  const field = document.createElement('textarea')
  field.value = text
  field.style.position = 'fixed'
  document.body.append(field)
  field.select()
  document.execCommand('copy')
  field.remove()
}

export function CopyButton({ text, what }: { readonly text: string; readonly what: string }) {
  const [isCopied, setCopied] = useState(false)
  const copy = async () => {
    await writeClipboard(text)
    setCopied(true)
    setTimeout(() => setCopied(false), SLOW_MS)
  }
  return (
    <button type="button" class="copy" onClick={copy} aria-label={`Copy the ${what}`}>
      {isCopied ? 'copied' : 'copy'}
    </button>
  )
}

import type { CombinedError } from '@urql/core'
import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { Answer } from '../app/client'

/** Time after which a page says that it waits for a computation. */
const SLOW_MS = 2000

interface AnswerProps<Data> {
  readonly answer: Answer<Data>
  /** Height of the skeleton, that of what it stands for: in pixels. */
  readonly height: number
  readonly children: (data: Data) => ComponentChildren
}

/** What is asked for: as a skeleton of its size until it is there, and with what failed in its place. */
export function Awaited<Data>({ answer, height, children }: AnswerProps<Data>) {
  const { data, error, isLoading, reload } = answer
  return (
    <>
      {error && <Failure error={error} retry={reload} />}
      {data ? (
        <div aria-busy={isLoading} class={isLoading ? 'stale' : undefined}>
          {children(data)}
        </div>
      ) : (
        !error && <Skeleton height={height} />
      )}
    </>
  )
}

/** A quiet area of the final size; after two seconds it says that something is computed. */
export function Skeleton({ height }: { readonly height: number }) {
  const [isSlow, setSlow] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), SLOW_MS)
    return () => clearTimeout(timer)
  }, [])
  return (
    <div class="skeleton" style={{ height: `${height}px` }} role="status">
      {isSlow && 'Computing …'}
    </div>
  )
}

/** Code and message of what failed, and a way to try it again. The rest of the page stays. */
export function Failure({ error, retry }: { readonly error: CombinedError; readonly retry: () => void }) {
  const failures = error.networkError
    ? [{ code: 'NO_ANSWER', message: `The server does not answer: ${error.networkError.message}` }]
    : error.graphQLErrors.map(({ message, extensions, path }) => ({
        code: String(extensions.code ?? 'ERROR'),
        message: path ? `${message} (${path.join('.')})` : message,
      }))
  return (
    <div class="failure" role="alert">
      {failures.slice(0, 3).map(({ code, message }) => (
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

/** What to do where nothing is shown yet: the command that changes it. */
export function Empty({
  children,
  command,
}: {
  readonly children: ComponentChildren
  readonly command?: string
}) {
  return (
    <div class="empty">
      <p>{children}</p>
      {command && <Command text={command} />}
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

/** A command line, with a button that copies it. */
export function Command({ text }: { readonly text: string }) {
  return (
    <p class="command">
      <code>{text}</code>
      <CopyButton text={text} what="command" />
    </p>
  )
}

export function CopyButton({ text, what }: { readonly text: string; readonly what: string }) {
  const [isCopied, setCopied] = useState(false)
  const copy = async () => {
    await navigator.clipboard.writeText(text)
    setCopied(true)
    setTimeout(() => setCopied(false), SLOW_MS)
  }
  return (
    <button type="button" class="copy" onClick={copy} aria-label={`Copy the ${what}`}>
      {isCopied ? 'copied' : 'copy'}
    </button>
  )
}

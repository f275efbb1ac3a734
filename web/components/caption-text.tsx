import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'

/** What somebody wrote in a language (BCP 47): fonts and voices follow it, and the direction is that of its letters. */
export function Said({
  language,
  children,
}: {
  readonly language: string
  readonly children: ComponentChildren
}) {
  return (
    <bdi lang={language} dir="auto">
      {children}
    </bdi>
  )
}

/** Letters of three lines. */
const LONG = 180

/** A long text is folded after three lines, until all of it is asked for. */
export function Folded({ text, children }: { readonly text: string; readonly children: ComponentChildren }) {
  const [isOpen, setOpen] = useState(false)
  if (text.length <= LONG) return <>{children}</>
  return (
    <>
      <div class={isOpen ? 'unfolded' : 'folded'}>{children}</div>
      <button type="button" class="plain more-text" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {isOpen ? 'show less' : 'show all'}
      </button>
    </>
  )
}

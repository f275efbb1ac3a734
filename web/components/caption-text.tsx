import type { ComponentChildren } from 'preact'

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

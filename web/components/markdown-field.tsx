import { useEffect, useState } from 'preact/hooks'
import { useQuery } from '../app/client'
import { MarkdownPreviewDocument } from '../generated/documents'

/** Time without a key after which the text is shown as others will see it, in milliseconds. */
const SHOW_MS = 400

interface MarkdownFieldProps {
  readonly label: string
  readonly name: string
  readonly text: string
  /** The text as others see it. */
  readonly html: string
}

/** A text in Markdown, and how others see it: the server renders it as it does theirs, without HTML and scripts of its own. */
export function MarkdownField({ label, name, text: first, html: firstHtml }: MarkdownFieldProps) {
  const [text, setText] = useState(first)
  const [shown, show] = useState(first)
  useEffect(() => {
    const timer = setTimeout(() => show(text), SHOW_MS)
    return () => clearTimeout(timer)
  }, [text])
  const isChanged = shown !== first
  const { data } = useQuery(MarkdownPreviewDocument, isChanged ? { text: shown } : null)
  const html = isChanged ? (data?.markdownHtml ?? '') : firstHtml
  return (
    <div class="two">
      <label>
        {label}
        <textarea
          name={name}
          rows={12}
          maxLength={10_000}
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
        <small>Markdown; HTML is shown as text, and pictures as links.</small>
      </label>
      <section aria-label="Preview">
        <small>Preview</small>
        <div class="prose preview" dangerouslySetInnerHTML={{ __html: html }} />
      </section>
    </div>
  )
}

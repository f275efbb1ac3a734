import type { ComponentChildren, JSX } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'

interface FormProps {
  /** What its button says. */
  readonly action: string
  /** Sends what was filled in. @returns what the viewer is told then @throws Error whose message is shown in its place */
  readonly send: (values: FormData) => Promise<string | undefined>
  readonly children?: ComponentChildren
  /** Whether its button and fields are in a row. */
  readonly isRow?: boolean
  readonly isWide?: boolean
  /** Whether fields keep what was sent. */
  readonly isKept?: boolean
}

/** Fields with a button. What is wrong is said between the two. */
export function Form({ action, send, children, isRow = false, isWide = false, isKept = false }: FormProps) {
  const [failure, setFailure] = useState<string>()
  const [said, say] = useState<string>()
  const isSending = useRef(false)
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => form.current?.querySelector<HTMLInputElement>('[autofocus]')?.focus(), [])
  const submit = async (event: SubmitEvent) => {
    event.preventDefault()
    if (isSending.current) return
    isSending.current = true
    setFailure(undefined)
    say(undefined)
    try {
      say(await send(new FormData(event.currentTarget as HTMLFormElement)))
      if (!isKept) form.current?.reset()
    } catch (error) {
      setFailure((error as Error).message)
    } finally {
      isSending.current = false
    }
  }
  return (
    <form ref={form} class={`form${isRow ? ' row' : isWide ? ' wide' : ''}`} onSubmit={submit}>
      {children}
      {failure && (
        <p class="failure" role="alert">
          {failure}
        </p>
      )}
      <button type="submit" class={isRow ? undefined : 'primary'}>
        {action}
      </button>
      <p class="readout" role="status">
        {said}
      </p>
    </form>
  )
}

type FieldProps = JSX.IntrinsicElements['input'] & {
  readonly label: string
  readonly name: string
  readonly hint?: string
}

/** A field with what it holds above it, and what is expected below it. */
export function Field({ label, hint, ...input }: FieldProps) {
  return (
    <label>
      {label}
      <input {...input} />
      {hint && <small>{hint}</small>}
    </label>
  )
}

/** A field for a new password, with its limits. */
export function NewPassword({ label = 'Password' }: { readonly label?: string }) {
  return (
    <Field
      label={label}
      name="newPassword"
      type="password"
      autocomplete="new-password"
      minLength={10}
      maxLength={128}
      required
      hint="10 to 128 characters."
    />
  )
}

/** A field for the password of the viewer. */
export function Password({ label = 'Password' }: { readonly label?: string }) {
  return <Field label={label} name="password" type="password" autocomplete="current-password" required />
}

/** The text of a field. */
export const textIn = (values: FormData, name: string): string => String(values.get(name) ?? '')

import { Field, Form, textIn } from './form'

interface RemoveProps {
  readonly what: string
  readonly name: string
  /** What is lost with it. */
  readonly note: string
  readonly remove: () => Promise<void>
}

/** Removes what has a name, which has to be written. */
export function Remove({ what, name, note, remove }: RemoveProps) {
  const send = async (values: FormData) => {
    if (textIn(values, 'name') !== name) throw new Error(`Write ${name} to remove it.`)
    await remove()
    return undefined
  }
  return (
    <details class="more">
      <summary>Remove the {what}</summary>
      <p class="note">{note}</p>
      <Form action="Remove it" send={send} isRow>
        <Field label="Its name, to be sure" name="name" required autocomplete="off" />
      </Form>
    </details>
  )
}

import { useEffect, useRef } from 'preact/hooks'

/** What the keys do: `?` opens it. */
export function Help() {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const press = ({ key, target }: KeyboardEvent) => {
      if (key === '?' && !/INPUT|TEXTAREA/.test((target as HTMLElement).tagName)) dialog.current?.showModal()
    }
    window.addEventListener('keydown', press)
    return () => window.removeEventListener('keydown', press)
  }, [])
  return (
    <dialog ref={dialog} aria-label="Keys">
      <h2>Keys</h2>
      <dl>
        <dt>
          <kbd>/</kbd>
        </dt>
        <dd>search</dd>
        <dt>
          <kbd>?</kbd>
        </dt>
        <dd>this list</dd>
        <dt>
          <kbd>←</kbd> <kbd>→</kbd> <kbd>↑</kbd> <kbd>↓</kbd>
        </dt>
        <dd>in a plane of words: the next word in this direction; in the table of images: the next row</dd>
        <dt>
          <kbd>j</kbd> <kbd>k</kbd>
        </dt>
        <dd>in the table of images: the next row, the row before</dd>
        <dt>
          <kbd>Enter</kbd>
        </dt>
        <dd>opens what has the focus</dd>
      </dl>
      <form method="dialog">
        <button type="submit">Close</button>
      </form>
    </dialog>
  )
}

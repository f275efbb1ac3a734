import { useEffect, useRef, useState } from 'preact/hooks'
import { counted } from '../../src/shared/numbers'
import { type Column, csvHeader, csvLines } from './columns'
import { StageBar } from './compute'
import { fileNameOf, saveBlob } from './save'

interface SaveAllProps<Row> {
  readonly name: string
  readonly columns: readonly Column<Row>[]
  /** Number of all rows. */
  readonly count: number
  /** What a row is: `image`. */
  readonly what: string
  /** All rows, part by part. @throws Error for what failed; the reason of the signal */
  readonly read: (signal: AbortSignal) => AsyncIterable<readonly Row[]>
}

/** Saves all rows of a table as CSV, of which a server has sent some: part by part, with progress, until it is cancelled. */
export function SaveAll<Row>({ name, columns, count, what, read }: SaveAllProps<Row>) {
  const [done, setDone] = useState<number>()
  const [failure, setFailure] = useState<string>()
  const reading = useRef<AbortController | undefined>(undefined)
  useEffect(() => () => reading.current?.abort(), [])
  const all = counted(count, what)
  const save = async () => {
    const controller = new AbortController()
    const { signal } = controller
    reading.current = controller
    setFailure(undefined)
    setDone(0)
    try {
      const parts = [csvHeader(columns)]
      let rowCount = 0
      for await (const rows of read(signal)) {
        parts.push(csvLines(columns, rows))
        rowCount += rows.length
        setDone(rowCount)
      }
      saveBlob(new Blob(parts, { type: 'text/csv' }), `${fileNameOf(name)}.csv`)
    } catch (error) {
      if (!signal.aborted) setFailure((error as Error).message)
    } finally {
      setDone(undefined)
    }
  }
  if (done === undefined)
    return (
      <>
        <button type="button" onClick={save}>
          CSV of all {all}
        </button>
        {failure && <p role="alert">The file was not written: {failure}</p>}
      </>
    )
  return (
    <>
      <StageBar stage={{ share: done / count, text: `Reading ${all}` }} />
      <button type="button" onClick={() => reading.current?.abort()}>
        Cancel
      </button>
    </>
  )
}

import type { ComponentChildren } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { EXPLORER } from '../app/client'
import { saveCsv, savePng, saveSvg } from './save'
import { Command, CopyButton } from './states'
import { type Column, Table } from './table'

/** How the figures of a chart came about. */
export interface Provenance {
  /** Signatures of the figures, each once. */
  readonly signatures: readonly (string | null | undefined)[]
  /** The command that prints the same figures. */
  readonly command: string
  /** The query, and its variables. */
  readonly query: { toString(): string }
  readonly variables: object
}

interface FigureProps<Row> {
  /** What the chart shows, in one line: also its name for those who do not see it. */
  readonly title: string
  /** The plotted rows: for the table and for CSV. */
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly provenance: Provenance
  readonly notes?: readonly string[]
  readonly children: ComponentChildren
}

/** A chart with its table, its files, its notes, and how its figures were computed. */
export function Figure<Row>({ title, columns, rows, provenance, notes = [], children }: FigureProps<Row>) {
  const [isTable, setTable] = useState(false)
  const chart = useRef<HTMLDivElement>(null)
  const name = title
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
  const save = (write: typeof saveSvg) => () => {
    const svg = chart.current?.querySelector('svg')
    if (svg) void write(svg, name)
  }
  return (
    <figure>
      <figcaption>{title}</figcaption>
      {isTable ? <Table label={title} columns={columns} rows={rows} /> : <div ref={chart}>{children}</div>}
      {notes.map((note) => (
        <p key={note} class="note">
          {note}
        </p>
      ))}
      <div class="tools">
        <button type="button" aria-pressed={isTable} onClick={() => setTable(!isTable)}>
          {isTable ? 'chart' : 'table'}
        </button>
        {!isTable && (
          <>
            <button type="button" onClick={save(saveSvg)}>
              SVG
            </button>
            <button type="button" onClick={save(savePng)}>
              PNG
            </button>
          </>
        )}
        <button type="button" onClick={() => saveCsv(columns, rows, name)}>
          CSV
        </button>
        <HowComputed {...provenance} />
      </div>
    </figure>
  )
}

/** Signatures as lists of terms, the command line, and the query. */
export function HowComputed({ signatures, command, query, variables }: Provenance) {
  const distinct = [...new Set(signatures.filter((signature) => signature))] as string[]
  const parameters = new URLSearchParams({
    query: query.toString().trim(),
    variables: JSON.stringify(variables),
  })
  return (
    <details class="how">
      <summary>How computed</summary>
      {distinct.map((signature) => (
        <div key={signature}>
          <dl>
            {signature.split('|').map((part) => {
              const colon = part.indexOf(':')
              return colon < 0 ? (
                <div key={part}>
                  <dt>metric</dt>
                  <dd>{part}</dd>
                </div>
              ) : (
                <div key={part}>
                  <dt>{part.slice(0, colon)}</dt>
                  <dd>{part.slice(colon + 1)}</dd>
                </div>
              )
            })}
          </dl>
          <CopyButton text={signature} what="signature" />
        </div>
      ))}
      <Command text={command} />
      {EXPLORER && (
        <p>
          <a href={`${EXPLORER}?${parameters}`}>The query in the explorer</a>
        </p>
      )}
    </details>
  )
}

import type { ComponentChildren } from 'preact'
import { useRef, useState } from 'preact/hooks'
import type { Column } from './columns'
import { HowComputed, type Provenance } from './how-computed'
import { savePng, saveSvg } from './save'
import { SaveTable, Table } from './table'
import { WholeNames } from './whole-names'

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

/** What a saved picture says of where its figures come from: the dataset, and signatures as far as they are few. */
function sourcesOf({ signatures, variables }: Provenance): string[] {
  const distinct = [...new Set(signatures.filter((signature) => signature))] as string[]
  const { dataset } = variables as { readonly dataset?: unknown }
  return [
    ...(typeof dataset === 'string' ? [`Dataset ${dataset}`] : []),
    ...distinct.slice(0, MOST_SIGNATURES),
    ...(distinct.length > MOST_SIGNATURES
      ? [`and ${distinct.length - MOST_SIGNATURES} more signatures, which the CSV file has`]
      : []),
  ]
}

const MOST_SIGNATURES = 4

/** A chart with its table, its files, its notes, and how its figures were computed. */
export function Figure<Row>({ title, columns, rows, provenance, notes = [], children }: FigureProps<Row>) {
  const [isTable, setTable] = useState(false)
  const chart = useRef<HTMLDivElement>(null)
  const save = (write: typeof saveSvg) => () => {
    if (chart.current) void write(chart.current, { title, sources: sourcesOf(provenance) })
  }
  return (
    <figure>
      <figcaption>
        <WholeNames text={title} />
      </figcaption>
      {isTable ? (
        <Table label={title} columns={columns} rows={rows} shown={50} />
      ) : (
        <div ref={chart}>{children}</div>
      )}
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
            <SaveTable name={title} columns={columns} rows={rows} formatCount={1} />
          </>
        )}
        <HowComputed {...provenance} />
      </div>
    </figure>
  )
}

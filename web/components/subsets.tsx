import { counted } from '../../src/shared/numbers'
import { shellWord } from '../../src/shared/shell-word'
import { PEOPLE } from '../../src/shared/verdict'
import type { Answer } from '../app/client'
import { href, useSetting } from '../app/router'
import { DotPlot } from '../charts/dot-plot'
import { extent } from '../charts/ticks'
import type { SubsetFragment, SystemSubsetsFragment } from '../generated/documents'
import { type Column, measured } from './columns'
import { Figure } from './figure'
import { Awaited } from './states'

/** What the fields that every dataset can have are called. */
const TITLES: Readonly<Record<string, string>> = { objects: 'number of objects' }

/** The field of the images that divides scores: a setting of the page. Empty: none. */
export function useSubsetField(fields: readonly string[]): [string, (field: string) => void] {
  const [field, setField] = useSetting('by', '')
  return [fields.includes(field) ? field : '', setField]
}

interface ChoiceProps {
  readonly fields: readonly string[]
  readonly field: string
  readonly setField: (field: string) => void
}

/** Lets the viewer divide the images by a field, where they have one. */
export function SubsetChoice({ fields, field, setField }: ChoiceProps) {
  if (fields.length === 0) return null
  return (
    <label>
      Images by{' '}
      <select value={field} onChange={({ currentTarget }) => setField(currentTarget.value)}>
        <option value="">no property: all together</option>
        {fields.map((name) => (
          <option key={name} value={name}>
            {TITLES[name] ?? name}
          </option>
        ))}
      </select>
    </label>
  )
}

/** Scores of a side by subset. Null stands for people. */
interface Side {
  readonly system: string | null
  readonly signature: string | null
  readonly subsets: readonly SubsetFragment[]
}

/** The sides that have scores: systems, then people. */
export function sidesOf(
  systems: readonly (SystemSubsetsFragment | null | undefined)[],
  people:
    | { readonly signature: string; readonly subsets: readonly SubsetFragment[] | null }
    | null
    | undefined,
): Side[] {
  const found = systems.flatMap((system): Side[] =>
    system?.score?.subsets
      ? [{ system: system.name, signature: system.score.signature, subsets: system.score.subsets }]
      : [],
  )
  return people?.subsets
    ? [...found, { system: null, signature: people.signature, subsets: people.subsets }]
    : found
}

interface SubsetsProps<Data> {
  readonly dataset: string
  readonly metric: string
  readonly field: string
  readonly answer: Answer<Data>
  readonly sidesIn: (data: Data) => Side[]
  readonly query: { toString(): string }
  readonly variables: object
}

type Row = SubsetFragment & { readonly side: Side }

/** Scores on the images of each value of a field, on one axis. */
export function Subsets<Data>(props: SubsetsProps<Data>) {
  const { dataset, metric, field, answer, sidesIn, query, variables } = props
  const title = TITLES[field] ?? field
  return (
    <Awaited answer={answer} height={700}>
      {(data) => {
        const rows = sidesIn(data).flatMap((side) => side.subsets.map((subset): Row => ({ ...subset, side })))
        const defined = rows.filter(({ value }) => value !== null)
        if (defined.length === 0) return <p>No scores by {metric} are computed for these images.</p>
        const range = extent(
          defined.flatMap(({ value, interval }) => [value, interval?.lower, interval?.upper]),
          0.06,
        )
        const subsets = [...new Map(rows.map((row) => [row.subset, row.imageCount]))]
        return (
          <Figure
            title={`${metric} by ${title}`}
            columns={COLUMNS(metric, title)}
            rows={rows}
            notes={[
              'Images of one kind, scored alone; differences between kinds also come from how alike people describe them.',
            ]}
            provenance={{
              signatures: rows.map(({ side }) => side.signature),
              command: `accord evaluate --dataset ${shellWord(dataset)} --metrics ${shellWord(metric)} --by ${shellWord(field)}`,
              query,
              variables,
            }}
          >
            <div class="grid">
              {subsets.map(([subset, imageCount]) => (
                <div key={subset}>
                  <p>
                    <strong>
                      {title} {subset}
                    </strong>{' '}
                    <small class="note">{counted(imageCount, 'image')}</small>
                  </p>
                  <DotPlot
                    label={`${metric} where ${title} is ${subset}`}
                    xTitle={metric}
                    range={range}
                    rows={defined
                      .filter((row) => row.subset === subset)
                      .sort((a, b) => (b.value ?? 0) - (a.value ?? 0))
                      .map(({ side, value, interval }) => ({
                        name: side.system ?? PEOPLE,
                        isHuman: side.system === null,
                        value: value as number,
                        interval,
                        address:
                          side.system === null ? undefined : href('d', dataset, 'systems', side.system),
                      }))}
                  />
                </div>
              ))}
            </div>
          </Figure>
        )
      }}
    </Awaited>
  )
}

const COLUMNS = (metric: string, title: string): readonly Column<Row>[] => [
  { title, value: ({ subset }) => subset },
  { title: 'system', value: ({ side }) => side.system ?? PEOPLE },
  { title: 'images', value: ({ imageCount }) => imageCount },
  ...measured<Row>(metric, ({ value, interval, undefinedReason, side }) => ({
    ...{ value, interval, undefinedReason, signature: side.signature },
  })),
]

import { useMemo } from 'preact/hooks'
import { useQuery } from '../app/client'
import { counted, decimalsOf, number, reasonText, signed } from '../app/format'
import { href, Link, navigate, type Parameters, useSetting } from '../app/router'
import { Scatter } from '../charts/scatter'
import { Figure } from '../components/figure'
import { Awaited, Empty } from '../components/states'
import { Table } from '../components/table'
import { CompareDocument, type CompareQuery, DifferenceDocument } from '../generated/documents'

type Data = NonNullable<CompareQuery['dataset']>

/** Images in the table of those that differ most. */
const LISTED = 30

/** Two systems: the difference with its interval above the scatter of images. */
export default function Compare({ dataset, first, second }: Parameters) {
  const [metric, setMetric] = useSetting('metric', 'CIDEr-D')
  const variables = { dataset, first, second, metric }
  const answer = useQuery(CompareDocument, variables)
  return (
    <>
      <h1>
        Is {first} better than {second}?
      </h1>
      <Difference dataset={dataset} systems={[first, second]} metric={metric} />
      <Awaited answer={answer} height={700}>
        {({ dataset: data }) =>
          data?.one && data.other ? (
            <Content dataset={dataset} data={data} variables={variables} setMetric={setMetric} />
          ) : (
            <Empty>
              {dataset} has no system {data?.one ? second : first}.{' '}
              <Link to={href('d', dataset)}>All systems</Link>
            </Empty>
          )
        }
      </Awaited>
    </>
  )
}

interface DifferenceProps {
  readonly dataset: string
  readonly systems: readonly [string, string]
  readonly metric: string
}

/** The answer in one sentence. */
function Difference({ dataset, systems, metric }: DifferenceProps) {
  const answer = useQuery(DifferenceDocument, { dataset, systems: [...systems], metric })
  return (
    <Awaited answer={answer} height={72}>
      {({ dataset: data }) => {
        const comparison = data?.comparisons?.[0]
        if (!comparison) return <p class="lede">Both need scores by {metric}.</p>
        const { first, second, difference, interval, pValue, imageCount, undefinedReason, notes } = comparison
        if (difference === null)
          return <p class="lede">The difference is undefined: {reasonText(undefinedReason)}.</p>
        const decimals = decimalsOf(interval)
        const isTold = interval && (interval.lower > 0 || interval.upper < 0)
        return (
          <>
            <p class="verdict">
              {isTold
                ? `Yes, by ${metric}: ${(difference > 0 ? first : second)?.name} scores higher.`.replace(
                    /^Yes/,
                    difference > 0 ? 'Yes' : 'No',
                  )
                : `By ${metric} the two cannot be told apart.`}
            </p>
            <p class="lede">
              {first?.name} − {second?.name} = <strong>{signed(difference, decimals)}</strong>
              {interval && ` [${signed(interval.lower, decimals)}, ${signed(interval.upper, decimals)}]`}
              {pValue !== null && `, p ${pValue < 0.001 ? '< .001' : `= ${number(pValue)}`}`}, paired over{' '}
              {counted(imageCount, 'image')}.
            </p>
            {notes.map((note) => (
              <p key={note} class="note">
                {note}
              </p>
            ))}
          </>
        )
      }}
    </Awaited>
  )
}

interface ContentProps {
  readonly dataset: string
  readonly data: Data
  readonly variables: { readonly first: string; readonly second: string; readonly metric: string }
  readonly setMetric: (metric: string) => void
}

function Content({ dataset, data, variables, setMetric }: ContentProps) {
  const { first, second, metric } = variables
  const rows = useMemo(() => pairScores(data), [data])
  const byDifference = useMemo(
    () => [...rows].sort((a, b) => Math.abs(b.first - b.second) - Math.abs(a.first - a.second)),
    [rows],
  )
  const columns = [
    {
      title: 'image',
      value: ({ id }: Pair) => id,
      show: ({ id }: Pair) => <Link to={href('d', dataset, 'images', id)}>{id}</Link>,
    },
    { title: first, value: (row: Pair) => row.first, show: (row: Pair) => number(row.first) },
    { title: second, value: (row: Pair) => row.second, show: (row: Pair) => number(row.second) },
    {
      title: 'difference',
      value: (row: Pair) => row.first - row.second,
      show: (row: Pair) => signed(row.first - row.second),
    },
  ]
  const names = (data.systems?.nodes ?? []).filter(({ kind }) => kind === 'CAPTIONS').map(({ name }) => name)
  return (
    <>
      <p class="controls">
        <label>
          Metric{' '}
          <select value={metric} onChange={({ currentTarget }) => setMetric(currentTarget.value)}>
            {(data.one?.scores ?? []).map((score) => (
              <option key={score.metric.name}>{score.metric.name}</option>
            ))}
          </select>
        </label>
        <label>
          Other system{' '}
          <select
            value={second}
            onChange={({ currentTarget }) =>
              navigate(href('d', dataset, 'compare', first, currentTarget.value))
            }
          >
            {names
              .filter((name) => name !== first)
              .map((name) => (
                <option key={name}>{name}</option>
              ))}
          </select>
        </label>
        <Link to={href('d', dataset, 'compare', second, first)}>Swap</Link>
      </p>
      {rows.length === 0 ? (
        <Empty command={`accord evaluate --dataset ${dataset} --system ${first} --metrics ${metric}`}>
          There are no images that both have scores for by {metric}.
        </Empty>
      ) : (
        <Figure
          title={`${metric} of ${counted(rows.length, 'image')}: above the diagonal ${first} is higher`}
          columns={columns}
          rows={rows}
          provenance={{
            signatures: [],
            command: `accord compare --dataset ${dataset} --system ${first} ${second} --metrics ${metric}`,
            query: CompareDocument,
            variables,
          }}
        >
          <Scatter
            label={`${metric} of each image: ${first} against ${second}`}
            xTitle={second}
            yTitle={first}
            ids={rows.map(({ id }) => id)}
            xs={rows.map((row) => row.second)}
            ys={rows.map((row) => row.first)}
            addressOf={(id) => href('d', dataset, 'images', id)}
          />
        </Figure>
      )}
      <h2>Images that differ most</h2>
      <Table label="Images that differ most" columns={columns} rows={byDifference.slice(0, LISTED)} />
    </>
  )
}

interface Pair {
  readonly id: string
  readonly first: number
  readonly second: number
}

/** The scores of images that both have, by the id of the image. */
function pairScores({ one, other }: Data): Pair[] {
  const [firsts, seconds] = [one?.score?.vector, other?.score?.vector]
  if (!firsts?.values || !seconds?.values) return []
  const { values } = seconds
  const second = new Map(seconds.externalIds.map((id, index) => [id, values[index]]))
  return firsts.values.flatMap((value, index) => {
    const id = firsts.externalIds[index]
    const match = second.get(id)
    return match === undefined ? [] : [{ id, first: value, second: match }]
  })
}

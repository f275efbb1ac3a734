import { useMemo } from 'preact/hooks'
import { useQuery } from '../app/client'
import { counted, number, reasonText, signed, signedWithInterval } from '../app/format'
import { PEOPLE } from '../app/names'
import { href, Link, navigate, type Parameters, useSetting } from '../app/router'
import { Scatter } from '../charts/scatter'
import { Figure } from '../components/figure'
import { Awaited, Empty, Unknown } from '../components/states'
import { Table } from '../components/table'
import {
  CompareDocument,
  type CompareQuery,
  DifferenceDocument,
  type DifferenceQuery,
  type ScoresFragment,
} from '../generated/documents'

type Data = NonNullable<CompareQuery['dataset']>

/** The metric that is shown at first. */
export const STANDARD_METRIC = 'CIDEr-D'

/** Images in the table of those that differ most. */
const LISTED = 30

/** Two systems, or a system and people: the difference with its interval above the scatter of images. */
export default function Compare({ dataset, first, second }: Parameters) {
  const [metric, setMetric] = useSetting('metric', STANDARD_METRIC)
  const [references, setReferences] = useSetting('references', 'equal')
  const isWithPeople = second === PEOPLE
  const isAsPeople = isWithPeople || references === 'equal'
  const variables = { dataset, first, second, metric, isAsPeople, isWithPeople }
  const answer = useQuery(CompareDocument, variables)
  const systems = isWithPeople ? [first] : [first, second]
  // With people among them, all have as many references as people have.
  const difference = useQuery(DifferenceDocument, { dataset, systems, metric, isHumanIncluded: isAsPeople })
  const isMeant = (pair: Comparison) =>
    [pair.first, pair.second].map(nameOf).sort().join() === [first, second].sort().join()
  const comparison = difference.data?.dataset?.comparisons?.find(isMeant)
  return (
    <>
      <h1>
        Is {first} better than {second}?
      </h1>
      <Awaited answer={difference} height={84}>
        {() =>
          comparison ? (
            <Verdict sides={[first, second]} comparison={comparison} metric={metric} />
          ) : (
            <p class="lede">Both need scores by {metric}.</p>
          )
        }
      </Awaited>
      <Awaited answer={answer} height={700}>
        {({ dataset: data }) =>
          data?.one && (data.other || isWithPeople) ? (
            <Content
              data={data}
              variables={variables}
              notes={comparison?.notes}
              setMetric={setMetric}
              setReferences={isWithPeople ? undefined : setReferences}
            />
          ) : (
            <Unknown
              kind={data ? 'system' : 'dataset'}
              dataset={dataset}
              name={!data ? dataset : data.one ? second : first}
            />
          )
        }
      </Awaited>
    </>
  )
}

interface Variables {
  readonly dataset: string
  readonly first: string
  readonly second: string
  readonly metric: string
  readonly isAsPeople: boolean
  readonly isWithPeople: boolean
}

type Comparison = NonNullable<NonNullable<DifferenceQuery['dataset']>['comparisons']>[number]

const nameOf = (side: { readonly name: string } | null): string => side?.name ?? PEOPLE

interface VerdictProps {
  readonly sides: readonly [string, string]
  readonly comparison: Comparison
  readonly metric: string
}

/** The answer in one sentence. */
function Verdict({ sides: [first, second], comparison, metric }: VerdictProps) {
  const { interval, pValue, imageCount, undefinedReason } = comparison
  if (comparison.difference === null)
    return <p class="lede">The difference is undefined: {reasonText(undefinedReason)}.</p>
  const sign = nameOf(comparison.first) === first ? 1 : -1
  const difference = sign * comparison.difference
  const ends = interval && [sign * interval.lower, sign * interval.upper].sort((a, b) => a - b)
  const isTold = ends && (ends[0] > 0 || ends[1] < 0)
  return (
    <>
      <p class="verdict">
        {isTold
          ? `${difference > 0 ? 'Yes' : 'No'}, by ${metric}: ${difference > 0 ? first : second} scores higher.`
          : `By ${metric} the two cannot be told apart.`}
      </p>
      <p class="lede">
        {first} − {second} ={' '}
        <strong>{signedWithInterval(difference, ends && { lower: ends[0], upper: ends[1] })}</strong>
        {pValue !== null && `, p ${pValue < 0.001 ? '< .001' : `= ${number(pValue)}`}`}, paired over{' '}
        {counted(imageCount, 'image')}.
      </p>
    </>
  )
}

interface ContentProps {
  readonly data: Data
  readonly variables: Variables
  readonly notes: readonly string[] | undefined
  readonly setMetric: (metric: string) => void
  readonly setReferences: ((references: string) => void) | undefined
}

function Content({ data, variables, notes, setMetric, setReferences }: ContentProps) {
  const { dataset, first, second, metric, isAsPeople, isWithPeople } = variables
  const [one, other] = [data.one?.score, isWithPeople ? data.humanAgreement?.score : data.other?.score]
  const rows = useMemo(() => pairScores(one?.vector, other?.vector), [one, other])
  const byDifference = useMemo(
    () => [...rows].sort((a, b) => Math.abs(b.first - b.second) - Math.abs(a.first - a.second)),
    [rows],
  )
  const columns = [
    {
      title: 'image',
      value: ({ id }: Pair) => id,
      address: ({ id }: Pair) => href('d', dataset, 'images', id),
    },
    { title: first, value: (row: Pair) => row.first, text: (row: Pair) => number(row.first) },
    { title: second, value: (row: Pair) => row.second, text: (row: Pair) => number(row.second) },
    {
      title: 'difference',
      value: (row: Pair) => row.first - row.second,
      text: (row: Pair) => signed(row.first - row.second),
    },
  ]
  const command = `accord compare --dataset ${dataset} --system ${isWithPeople ? `${first} --people` : `${first} ${second}`} --metrics ${metric}`
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
          Compare with{' '}
          <select
            value={second}
            onChange={({ currentTarget }) =>
              navigate(href('d', dataset, 'compare', first, currentTarget.value))
            }
          >
            <option>{PEOPLE}</option>
            {names
              .filter((name) => name !== first)
              .map((name) => (
                <option key={name}>{name}</option>
              ))}
          </select>
        </label>
        {setReferences && (
          <>
            <label>
              References{' '}
              <select
                value={isAsPeople ? 'equal' : 'all'}
                onChange={({ currentTarget }) => setReferences(currentTarget.value)}
              >
                <option value="equal">as many as people have</option>
                <option value="all">all captions of each image</option>
              </select>
            </label>
            <Link to={href('d', dataset, 'compare', second, first)}>Swap</Link>
          </>
        )}
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
          notes={notes}
          provenance={{
            signatures: [one?.signature, other?.signature],
            command,
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

export interface Pair {
  readonly id: string
  readonly first: number
  readonly second: number
}

type Vector = ScoresFragment | null | undefined

/** The scores of images that both have, by the id of the image. */
export function pairScores(one: Vector, other: Vector): Pair[] {
  const [firsts, seconds] = [one?.values, other?.values]
  if (!one || !other || !firsts || !seconds) return []
  const second = new Map(other.externalIds.map((id, index) => [id, seconds[index]]))
  return firsts.flatMap((value, index) => {
    const id = one.externalIds[index]
    const match = second.get(id)
    return match === undefined ? [] : [{ id, first: value, second: match }]
  })
}

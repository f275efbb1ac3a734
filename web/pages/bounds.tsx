import { useQuery } from '../app/client'
import { atomsText, counted, number } from '../app/format'
import { type Parameters, useSetting } from '../app/router'
import { type Level, type Line, Lines } from '../charts/lines'
import { BARE, type Column, measured } from '../components/columns'
import { Figure } from '../components/figure'
import { Awaited, Empty, Unknown } from '../components/states'
import { Table } from '../components/table'
import { BoundsDocument, type BoundsQuery } from '../generated/documents'

type Figures = NonNullable<NonNullable<BoundsQuery['dataset']>['boundFigures']>
type Point = Figures['points'][number]
type Capacity = Figures['capacities'][number]

const METRICS = ['CIDEr', 'CIDEr-D', 'BLEU-4', 'METEOR']

/** Scores of captions that were generated from atoms, and what the scores of systems are worth in atoms. */
export default function Bounds({ dataset }: Parameters) {
  const [metric, setMetric] = useSetting('metric', METRICS[0])
  const variables = { dataset, metric }
  const answer = useQuery(BoundsDocument, variables)
  return (
    <>
      <h1>How good could a captioner be?</h1>
      <p class="lede">
        A language model that is told the first atoms of a human caption, such as objects, actions and
        attributes, writes captions. Their scores are what a system could reach if it knew so many atoms.
      </p>
      <p class="controls">
        <label>
          Metric{' '}
          <select value={metric} onChange={({ currentTarget }) => setMetric(currentTarget.value)}>
            {METRICS.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
      </p>
      <Awaited answer={answer} height={700}>
        {({ dataset: data }) =>
          !data ? (
            <Unknown kind="dataset" name={dataset} />
          ) : data.boundFigures ? (
            <Content name={dataset} figures={data.boundFigures} variables={variables} />
          ) : (
            <Empty upload="bound" command={`accord bounds run --dataset ${dataset} --atoms 0 50 200`}>
              No bound is trained on {dataset}. A training takes minutes to hours.
            </Empty>
          )
        }
      </Awaited>
    </>
  )
}

interface ContentProps {
  readonly name: string
  readonly figures: Figures
  readonly variables: { readonly metric: string }
}

function Content({ name, figures, variables }: ContentProps) {
  const { points, capacities, retrieval, split, notes } = figures
  const defined = points.filter(({ value }) => value !== null)
  const nameOf = ({ bound: { kind, replaced, isVisualOnly } }: Point) =>
    [kind.toLowerCase(), isVisualOnly && 'visual', replaced > 0 && `${number(replaced, 2)} replaced`]
      .filter(Boolean)
      .join(', ')
  const names = [...new Set(defined.map(nameOf))]
  const lines = names.map<Line>((line, index) => ({
    name: line,
    tone: String(index % 6),
    points: defined
      .filter((point) => nameOf(point) === line)
      .map(({ bound, value, interval }) => ({ x: bound.atomCount, y: value as number, interval }))
      .sort((a, b) => a.x - b.x),
  }))
  const systems = new Map(capacities.map(({ system, value }) => [system.name, value]))
  const levels: Level[] = [
    ...[...systems].map(([system, y]) => ({ name: system, y, tone: 'system' })),
    ...(retrieval ? [{ name: 'retrieval', y: retrieval.value, tone: 'quiet' }] : []),
  ]
  const provenance = {
    signatures: [],
    command: `accord bounds --dataset ${name} --metric ${variables.metric}`,
    query: BoundsDocument,
    variables,
  }
  const columns: readonly Column<Point>[] = [
    { title: 'kind', value: nameOf },
    { title: 'atoms', value: ({ bound }) => bound.atomCount },
    ...measured<Point>(variables.metric, (point) => point, { hasSignature: false }),
    ...measured<Point>('perplexity', ({ bound }) => ({ value: bound.perplexity }), {
      ...BARE,
      show: (value) => value.toFixed(1),
    }),
  ]
  return (
    <>
      <Figure
        title={`${variables.metric} by the number of atoms, ${counted(split.testImageCount, 'test image')} of ${name}`}
        columns={columns}
        rows={points}
        notes={notes}
        provenance={provenance}
      >
        <Lines
          label={`${variables.metric} of bounds by the number of atoms on ${name}`}
          xTitle="atoms"
          yTitle={variables.metric}
          lines={lines}
          levels={levels}
          height={420}
        />
      </Figure>
      {capacities.length > 0 && (
        <>
          <h2>What the scores of systems are worth</h2>
          <Table label="Capacities" columns={CAPACITY_COLUMNS} rows={capacities} provenance={provenance} />
        </>
      )}
    </>
  )
}

const CAPACITY_COLUMNS: readonly Column<Capacity>[] = [
  { title: 'system', value: ({ system }) => system.name },
  { title: 'kind', value: ({ kind }) => kind.toLowerCase() },
  ...measured<Capacity>('score', ({ value }) => ({ value }), BARE),
  { title: 'atoms', value: ({ atomCount, endAtomCount }) => atomCount ?? endAtomCount, text: atomsText },
  { title: 'lower', value: ({ interval }) => interval?.lower, isHidden: true },
  { title: 'upper', value: ({ interval }) => interval?.upper, isHidden: true },
]

import { counted, fixed as number } from '../../src/shared/numbers'
import { shellWord } from '../../src/shared/shell-word'
import { PEOPLE } from '../../src/shared/verdict'
import { type Answer, useQuery } from '../app/client'
import { atomsText, fromNow, withInterval } from '../app/format'
import { startJob } from '../app/jobs'
import { isUnfinished, useLookAgain } from '../app/look-again'
import { href, Link, type Parameters, useSetting } from '../app/router'
import { type Level, type Line, Lines } from '../charts/lines'
import { BARE, type Column, measured } from '../components/columns'
import { type Stage, WorkButton } from '../components/compute'
import { Figure } from '../components/figure'
import { Awaited, Empty, Unknown } from '../components/states'
import { Table } from '../components/table'
import { BoundsDocument, type BoundsQuery, TrainBoundDocument } from '../generated/documents'

type Bound = NonNullable<NonNullable<BoundsQuery['dataset']>['bounds']>['nodes'][number]
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
        A language model that is told which frequent objects, actions and attributes people name in an image,
        its atoms, writes captions. Their scores are what a system could reach if it knew so many atoms.
      </p>
      <Awaited answer={answer} height={700}>
        {({ dataset: data }) =>
          !data ? (
            <Unknown kind="dataset" name={dataset} />
          ) : (
            <>
              <Trainings dataset={dataset} bounds={data.bounds?.nodes ?? []} answer={answer} />
              {data.boundFigures && (
                <>
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
                  <Content name={dataset} figures={data.boundFigures} variables={variables} />
                </>
              )}
            </>
          )
        }
      </Awaited>
    </>
  )
}

/** Numbers of atoms of each kind that the models of a first curve are told. */
const FIRST_ATOMS = [0, 50, 200]

interface TrainingsProps {
  readonly dataset: string
  readonly bounds: readonly Bound[]
  readonly answer: Answer<BoundsQuery>
}

/** Models that are being trained, or have failed; where there is no model, what one is and how to train it. */
function Trainings({ dataset, bounds, answer }: TrainingsProps) {
  const running = bounds.filter(({ isTrained, job }) => !isTrained && job && isUnfinished(job))
  const failed = bounds.filter(({ isTrained, job }) => !isTrained && job?.failure)
  useLookAgain(answer, running.length > 0)
  const start = async (onStage: (stage: Stage) => void) => {
    for (const [index, atomCount] of FIRST_ATOMS.entries()) {
      onStage({
        share: index / FIRST_ATOMS.length,
        text: `Starting the model that is told ${atomCount} atoms`,
      })
      await startJob(TrainBoundDocument, { input: { dataset, atomCount } })
    }
  }
  const isEmpty = bounds.every(({ isTrained }) => !isTrained)
  return (
    <>
      {running.length > 0 && (
        <div class="empty" role="status">
          <p>
            {counted(running.length, 'model')} in training. The page shows the curve as it grows; the training
            goes on without it.
          </p>
          <ul>
            {running.map(({ kind, atomCount, job, trainingProgress }) => (
              <li key={`${kind} ${atomCount}`}>
                {atomCount} atoms{kind !== 'ALL' && ` (${kind.toLowerCase()})`}:{' '}
                <progress value={job?.progress} max={1} aria-label={`Training with ${atomCount} atoms`} />{' '}
                {job?.status === 'QUEUED'
                  ? 'waits for the one before it'
                  : trainingProgress && `ready at the latest ${fromNow(trainingProgress.expectedEnd)}`}
              </li>
            ))}
          </ul>
          <Link to={href('jobs')}>All jobs</Link>
        </div>
      )}
      {failed.map(({ kind, atomCount, job }) => (
        <p key={`${kind} ${atomCount}`} class="failure">
          The model that is told {atomCount} atoms was not trained: {job?.failure?.message}
          {job?.failure?.expected && `: expected ${job.failure.expected}`}
        </p>
      ))}
      {isEmpty && running.length === 0 && (
        <Empty upload="bound">
          <p>
            No model is trained on {dataset}, and without one nothing is known here. Three are enough for a
            curve:
          </p>
          <ol>
            <li>one that is told nothing and writes what captions usually say,</li>
            <li>
              one that is told which of the 50 most frequent objects, actions and attributes people name,
            </li>
            <li>one that is told which of the 200 most frequent ones.</li>
          </ol>
          <p>
            Each is trained on a part of the images and writes captions of the others, which are scored as
            those of systems are. The score of a system then lies at some place of the curve: so many atoms is
            it worth. Training takes minutes on a few hundred images and hours on COCO, goes on where it was
            interrupted, and a model that was trained elsewhere can be uploaded.
          </p>
          <WorkButton
            title="Train the three models"
            commands={[`accord bounds run --dataset ${shellWord(dataset)} --atoms ${FIRST_ATOMS.join(' ')}`]}
            work={start}
            onDone={answer.reload}
          />
        </Empty>
      )}
    </>
  )
}

interface ContentProps {
  readonly name: string
  readonly figures: Figures
  readonly variables: { readonly metric: string }
}

function Content({ name, figures, variables }: ContentProps) {
  const { points, capacities, retrieval, people, humanReferenceCount, split, notes } = figures
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
    ...levelOf(PEOPLE, people, 'people'),
    ...[...systems].map(([system, y]) => ({ name: system, y, tone: 'system' })),
    ...levelOf('retrieval', retrieval && { value: retrieval.value }, 'quiet'),
  ]
  const provenance = {
    signatures: [],
    command: `accord bounds --dataset ${shellWord(name)} --metric ${variables.metric}`,
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
        notes={[
          ...(people && people.value !== null
            ? [
                `People: ${withInterval(people.value, people.interval)}, each caption scored against the ${humanReferenceCount} others of its image. Models and systems are scored against one caption more, which raises scores a little.`,
              ]
            : []),
          ...notes,
        ]}
        provenance={provenance}
      >
        <Lines
          label={`${variables.metric} of bounds by the number of atoms on ${name}`}
          xTitle="atoms"
          yTitle={variables.metric}
          lines={lines}
          levels={levels}
          xRange={[0, 1.02 * Math.max(1, ...points.map(({ bound }) => bound.atomCount))]}
          height={420}
        />
      </Figure>
      {capacities.length > 0 && (
        <>
          <h2>What the scores of systems are worth</h2>
          <Table
            label="Capacities"
            columns={capacityColumns(name)}
            rows={capacities}
            provenance={provenance}
          />
        </>
      )}
    </>
  )
}

/** A figure as a level of the chart, where it has a value. */
function levelOf(
  name: string,
  figure: (Pick<Level, 'interval'> & { readonly value: number | null }) | null,
  tone: string,
): Level[] {
  return figure === null || figure.value === null
    ? []
    : [{ name, y: figure.value, tone, interval: figure.interval }]
}

const capacityColumns = (dataset: string): readonly Column<Capacity>[] => [
  {
    title: 'system',
    value: ({ system }) => system.name,
    address: ({ system }) => href('d', dataset, 'systems', system.name),
  },
  { title: 'kind', value: ({ kind }) => kind.toLowerCase() },
  ...measured<Capacity>('score', ({ value }) => ({ value }), BARE),
  { title: 'atoms', value: ({ atomCount, endAtomCount }) => atomCount ?? endAtomCount, text: atomsText },
  { title: 'lower', value: ({ interval }) => interval?.lower, isHidden: true },
  { title: 'upper', value: ({ interval }) => interval?.upper, isHidden: true },
]

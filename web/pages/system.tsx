import { useQuery } from '../app/client'
import { counted, decimalsOf, number, signed, withInterval } from '../app/format'
import { href, Link, navigate, type Parameters, useSetting } from '../app/router'
import { Histogram } from '../charts/histogram'
import { Figure } from '../components/figure'
import { ImageGrid } from '../components/picture'
import { Awaited, Empty, NotFound } from '../components/states'
import { type Column, Table } from '../components/table'
import {
  type ScoredImageFragment,
  SystemDocument,
  SystemGapsDocument,
  type SystemGapsQuery,
  type SystemQuery,
  type SystemScoreFragment,
} from '../generated/documents'

type Data = NonNullable<SystemQuery['dataset']>
type System = NonNullable<Data['system']>
type WordResult = NonNullable<System['words']>['nodes'][number]

/** A system beside people. */
export default function SystemPage({ dataset, system }: Parameters) {
  const [metric, setMetric] = useSetting('metric', 'CIDEr-D')
  const variables = { dataset, system, metric }
  const answer = useQuery(SystemDocument, variables)
  return (
    <Awaited answer={answer} height={1000}>
      {({ dataset: data }) =>
        data?.system ? (
          <Content
            dataset={dataset}
            data={data}
            system={data.system}
            variables={variables}
            setMetric={setMetric}
          />
        ) : (
          <NotFound title={`${dataset} has no system ${system}.`}>
            <Link to={href('d', dataset)}>All systems</Link>
          </NotFound>
        )
      }
    </Awaited>
  )
}

interface ContentProps {
  readonly dataset: string
  readonly data: Data
  readonly system: System
  readonly variables: { readonly metric: string }
  readonly setMetric: (metric: string) => void
}

function Content({ dataset, data, system, variables, setMetric }: ContentProps) {
  const { name, imageCount, missingImageCount } = system
  const others = (data.systems?.nodes ?? []).filter(
    (other) => other.kind === system.kind && other.name !== name,
  )
  const scores = system.scores ?? []
  const words = system.words?.nodes ?? []
  return (
    <>
      <h1>How does {name} compare with people?</h1>
      <p class="lede">
        {counted(imageCount, 'image')} of {dataset}
        {missingImageCount > 0 && `; ${counted(missingImageCount, 'image')} missing`}.
      </p>
      {others.length > 0 && system.kind === 'CAPTIONS' && (
        <p class="controls">
          <label>
            Compare with{' '}
            <select
              value=""
              onChange={({ currentTarget }) =>
                navigate(href('d', dataset, 'compare', name, currentTarget.value))
              }
            >
              <option value="" disabled>
                another system
              </option>
              {others.map((other) => (
                <option key={other.name}>{other.name}</option>
              ))}
            </select>
          </label>
        </p>
      )}
      {scores.length > 0 && (
        <>
          <h2>Scores, against as many references as people have</h2>
          <Scores dataset={dataset} system={name} scores={scores} />
          <Distribution
            dataset={dataset}
            system={system}
            metrics={scores.map((score) => score.metric.name)}
            variables={variables}
            setMetric={setMetric}
          />
        </>
      )}
      {system.kind === 'CAPTIONS' && scores.length === 0 && (
        <Empty
          command={`accord evaluate --dataset ${dataset} --system ${name} --references ${data.captionsPerImage - 1}`}
        >
          It was not scored against as many references as people have.
        </Empty>
      )}
      {words.length > 0 && (
        <>
          <h2>Words that are furthest below people</h2>
          <p class="note">Of the words of the vocabulary that people use in 50 images or more.</p>
          <Table label={`Words of ${name}`} columns={wordColumns(dataset)} rows={words} />
        </>
      )}
    </>
  )
}

interface ScoresProps {
  readonly dataset: string
  readonly system: string
  readonly scores: readonly SystemScoreFragment[]
}

/** Scores beside those of people. The differences with their intervals follow: they are paired, image by image. */
function Scores({ dataset, system, scores }: ScoresProps) {
  const metrics = scores.map(({ metric }) => metric.name)
  const { data } = useQuery(SystemGapsDocument, { dataset, system, metrics })
  const gaps = new Map((data?.dataset?.comparisons ?? []).map((gap) => [gap.metric?.name, gap]))
  const columns = [...SCORE_COLUMNS, gapColumn(gaps)]
  return <Table label={`Scores of ${system}`} columns={columns} rows={scores} />
}

type Gap = NonNullable<NonNullable<SystemGapsQuery['dataset']>['comparisons']>[number]

function gapColumn(gaps: ReadonlyMap<string | undefined, Gap>): Column<SystemScoreFragment> {
  const gapOf = ({ metric }: SystemScoreFragment) => gaps.get(metric.name)
  return {
    title: 'system − people',
    // People are always the other side.
    value: (score) => gapOf(score)?.difference,
    show: (score) => {
      const { difference, interval } = gapOf(score) ?? {}
      if (typeof difference !== 'number') return '…'
      const decimals = decimalsOf(interval)
      return (
        <>
          {signed(difference, decimals)}
          {interval && ` [${signed(interval.lower, decimals)}, ${signed(interval.upper, decimals)}]`}
        </>
      )
    },
  }
}

const SCORE_COLUMNS: readonly Column<SystemScoreFragment>[] = [
  { title: 'metric', value: ({ metric }) => metric.name },
  {
    title: 'score',
    value: ({ value }) => value,
    show: ({ value, interval }) => (value === null ? '–' : withInterval(value, interval)),
  },
  {
    title: 'people',
    value: ({ humanScore }) => humanScore?.mean,
    show: ({ humanScore }) =>
      humanScore ? (
        <span class="people-text">{withInterval(humanScore.mean, humanScore.interval)}</span>
      ) : (
        '–'
      ),
  },
]

interface DistributionProps {
  readonly dataset: string
  readonly system: System
  readonly metrics: readonly string[]
  readonly variables: { readonly metric: string }
  readonly setMetric: (metric: string) => void
}

function Distribution({ dataset, system, metrics, variables, setMetric }: DistributionProps) {
  const { metric } = variables
  const { score } = system
  const bins = score?.distribution?.bins ?? []
  const signature = system.scores?.find((candidate) => candidate.metric.name === metric)?.signature
  return (
    <>
      <h2>Images</h2>
      <p class="controls">
        <label>
          Metric{' '}
          <select value={metric} onChange={({ currentTarget }) => setMetric(currentTarget.value)}>
            {metrics.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
      </p>
      {bins.length > 0 && (
        <Figure
          title={`${metric} of the images of ${system.name}`}
          columns={[
            { title: 'from', value: ({ from }) => from, show: ({ from }) => number(from) },
            { title: 'to', value: ({ to }) => to, show: ({ to }) => number(to) },
            { title: 'images', value: ({ imageCount }) => imageCount },
          ]}
          rows={bins}
          provenance={{
            signatures: [signature],
            command: `accord export scores --dataset ${dataset} --system ${system.name}`,
            query: SystemDocument,
            variables,
          }}
        >
          <Histogram
            label={`Distribution of ${metric} over the images of ${system.name}`}
            xTitle={metric}
            yTitle="images"
            bars={bins.map(({ from, to, imageCount }) => ({ from, to, value: imageCount }))}
            tone="system"
            height={260}
          />
        </Figure>
      )}
      <Extremes title={`Lowest by ${metric}`} dataset={dataset} images={score?.worst?.nodes ?? []} />
      <Extremes title={`Highest by ${metric}`} dataset={dataset} images={score?.best?.nodes ?? []} />
    </>
  )
}

interface ExtremesProps {
  readonly title: string
  readonly dataset: string
  readonly images: readonly ScoredImageFragment[]
}

function Extremes({ title, dataset, images }: ExtremesProps) {
  if (images.length === 0) return null
  const values = new Map(images.map(({ image, value }) => [image.externalId, value]))
  return (
    <>
      <h3>{title}</h3>
      <ImageGrid
        dataset={dataset}
        images={images.map(({ image }) => image)}
        noteOf={({ externalId }) => number(values.get(externalId) as number)}
      />
    </>
  )
}

function wordColumns(dataset: string): readonly Column<WordResult>[] {
  const figure = (value: number | null | undefined) => (typeof value === 'number' ? number(value) : '–')
  return [
    {
      title: 'word',
      value: ({ word }) => word.text,
      show: ({ word }) => <Link to={href('d', dataset, 'words', word.text)}>{word.text}</Link>,
    },
    { title: 'captions', value: ({ word }) => word.captionCount },
    {
      title: 'precision of people',
      value: ({ word }) => word.agreement?.precision,
      show: ({ word }) => <span class="people-text">{figure(word.agreement?.precision)}</span>,
    },
    {
      title: 'of the system',
      value: (row) => row.precisionAtHumanRecall ?? row.precision,
      show: (row) => figure(row.precisionAtHumanRecall ?? row.precision),
    },
    { title: 'recall of the system', value: ({ recall }) => recall, show: ({ recall }) => figure(recall) },
    {
      title: 'system − people',
      value: ({ estimates }) => estimates.gapToPeople?.value,
      show: ({ estimates: { gapToPeople } }) =>
        typeof gapToPeople?.value === 'number' ? withInterval(gapToPeople.value, gapToPeople.interval) : '–',
    },
  ]
}

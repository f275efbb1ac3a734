import { useQuery } from '../app/client'
import { atomsText, counted, number, signedWithInterval } from '../app/format'
import { PEOPLE } from '../app/names'
import { href, Link, navigate, type Parameters, useSetting } from '../app/router'
import { type Bar, Histogram } from '../charts/histogram'
import { extent } from '../charts/scale'
import { type Column, type Measured, measured } from '../components/columns'
import { Figure } from '../components/figure'
import { ImageGrid } from '../components/picture'
import { Awaited, Empty, Failure, Pending, Unknown } from '../components/states'
import { Table } from '../components/table'
import {
  type ScoredImageFragment,
  SystemDocument,
  SystemGapsDocument,
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
          <Unknown kind={data ? 'system' : 'dataset'} dataset={dataset} name={data ? system : dataset} />
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
  const words = (system.words?.nodes ?? []).filter(({ estimates }) => (estimates.gapToPeople?.value ?? 0) < 0)
  return (
    <>
      <h1>How does {name} compare with people?</h1>
      <p class="lede">
        {counted(imageCount, 'image')} of {dataset}
        {missingImageCount > 0 && `; ${counted(missingImageCount, 'image')} missing`}.
      </p>
      {system.kind === 'CAPTIONS' && (
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
                people or a system
              </option>
              <option>{PEOPLE}</option>
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
            data={data}
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
          <h2>{system.kind === 'CAPTIONS' ? 'Overused words' : 'Words that are furthest below people'}</h2>
          <p class="lede">
            Fewer of its uses are confirmed by captions of the image than of those of people. Of the words
            that people use in 50 images or more.
          </p>
          <Table
            label={`Words of ${name}`}
            columns={wordColumns(dataset)}
            rows={words}
            provenance={{
              signatures: [],
              command: `accord words --dataset ${dataset} --system ${name}`,
              query: SystemDocument,
              variables,
            }}
          />
        </>
      )}
      <Unused dataset={dataset} words={system.unused} />
    </>
  )
}

/** Words that people use and the system never does where they do. */
function Unused({ dataset, words }: { readonly dataset: string; readonly words: System['unused'] }) {
  if (!words || words.totalCount === 0) return null
  return (
    <>
      <h2>Words it never uses where people do</h2>
      <p class="note">
        {counted(words.totalCount, 'word')} of the vocabulary, those of most images first, with the number of
        images of people.
      </p>
      <ul class="chips">
        {words.nodes.map(({ word: { text, imageCount } }) => (
          <li key={text}>
            <Link to={href('d', dataset, 'words', text)}>
              {text} <small>{imageCount}</small>
            </Link>
          </li>
        ))}
      </ul>
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
  const variables = { dataset, system, metrics }
  const answer = useQuery(SystemGapsDocument, variables)
  const gaps = new Map((answer.data?.dataset?.comparisons ?? []).map((gap) => [gap.metric?.name, gap]))
  const columns: readonly Column<SystemScoreFragment>[] = [
    { title: 'metric', value: ({ metric }) => metric.name },
    ...measured<SystemScoreFragment>('score', (score) => score),
    ...measured<SystemScoreFragment>(
      'people',
      ({ humanScore }) => humanScore && { ...humanScore, value: humanScore.mean },
      { class: 'people-text' },
    ),
    // People are always the other side.
    ...measured<SystemScoreFragment>(
      'system − people',
      ({ metric }) => {
        const gap = gaps.get(metric.name)
        return gap && { ...gap, value: gap.difference }
      },
      { show: signedWithInterval, class: 'follows' },
    ),
  ]
  const capacities = (answer.data?.dataset?.boundFigures?.capacities ?? []).filter(
    (capacity) => capacity.system.name === system,
  )
  return (
    <>
      <Table
        label={`Scores of ${system}`}
        columns={columns}
        rows={scores}
        provenance={{
          signatures: scores.map(({ signature }) => signature),
          command: `accord compare --dataset ${dataset} --system ${system} --people --metrics ${metrics.join(' ')}`,
          query: SystemGapsDocument,
          variables,
        }}
      />
      {answer.isLoading && <Pending answer={answer} />}
      {answer.error && <Failure error={answer.error} retry={answer.reload} />}
      {capacities.map((capacity) => (
        <p key={capacity.kind}>
          Its {answer.data?.dataset?.boundFigures?.metric.name} is worth{' '}
          <strong>{atomsText(capacity)}</strong> {capacity.kind.toLowerCase()} atoms of a human caption (
          <Link to={href('d', dataset, 'bounds')}>how</Link>).
        </p>
      ))}
    </>
  )
}

interface DistributionProps {
  readonly dataset: string
  readonly data: Data
  readonly system: System
  readonly metrics: readonly string[]
  readonly variables: { readonly metric: string }
  readonly setMetric: (metric: string) => void
}

/** Number of bars of the histogram. */
const BARS = 40

/** How many images have which score; people, of whom each image has the mean of its captions, as an outline. */
function Distribution({ dataset, data, system, metrics, variables, setMetric }: DistributionProps) {
  const { metric } = variables
  const { score } = system
  const people = data.humanAgreement?.score
  const own = score?.vector?.values ?? []
  const ofPeople = people?.vector.values ?? []
  const edges = edgesOf([...own, ...ofPeople])
  const [bars, outline] = [barsOf(own, edges), barsOf(ofPeople, edges)]
  const rows = bars.map((bar, index) => ({ ...bar, people: outline[index].value }))
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
      {own.length > 0 && (
        <Figure
          title={`${metric} of the images of ${system.name}, and of people`}
          columns={[
            { title: 'from', value: ({ from }) => from, text: ({ from }) => number(from) },
            { title: 'to', value: ({ to }) => to, text: ({ to }) => number(to) },
            { title: 'images', value: ({ value }) => value },
            { title: 'images of people', value: (row) => row.people },
          ]}
          rows={rows}
          notes={
            ofPeople.length > 0
              ? [
                  'Of people, an image has the mean score of its captions: means vary less than the scores of single captions.',
                ]
              : []
          }
          provenance={{
            signatures: [signature, people?.signature],
            command: `accord export scores --dataset ${dataset} --system ${system.name}`,
            query: SystemDocument,
            variables,
          }}
        >
          <Histogram
            label={`Distribution of ${metric} over the images of ${system.name}, and of people`}
            xTitle={metric}
            yTitle="images"
            bars={bars}
            tone="system"
            outlines={ofPeople.length > 0 ? [{ name: 'people', bars: outline, tone: 'people' }] : []}
            height={260}
          />
        </Figure>
      )}
      <Extremes title={`Lowest by ${metric}`} dataset={dataset} images={score?.worst?.nodes ?? []} />
      <Extremes title={`Highest by ${metric}`} dataset={dataset} images={score?.best?.nodes ?? []} />
    </>
  )
}

/** Edges of bars of one width over all values. */
function edgesOf(values: readonly number[]): number[] {
  const [from, to] = extent(values, 0)
  return Array.from({ length: BARS + 1 }, (_, index) => from + ((to - from) * index) / BARS)
}

/** The number of values between neighbouring edges. */
function barsOf(values: readonly number[], edges: readonly number[]): Bar[] {
  const counts = new Array<number>(BARS).fill(0)
  const [from, width] = [edges[0], edges[1] - edges[0]]
  for (const value of values) counts[Math.min(BARS - 1, Math.floor((value - from) / width))]++
  return counts.map((value, index) => ({ from: edges[index], to: edges[index + 1], value }))
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
  const of = (title: string, figureOf: (row: WordResult) => Measured | null | undefined) =>
    measured<WordResult>(title, (row) => ({ ...figureOf(row), signature: row.signature }))
  return [
    {
      title: 'word',
      value: ({ word }) => word.text,
      address: ({ word }) => href('d', dataset, 'words', word.text),
    },
    { title: 'captions', value: ({ word }) => word.captionCount },
    ...measured<WordResult>(
      'precision of people',
      ({ word: { agreement } }) => ({ value: agreement?.precision, interval: agreement?.precisionInterval }),
      { class: 'people-text', hasSignature: false },
    ),
    ...of('of the system', ({ estimates }) => estimates.precisionAtHumanRecall ?? estimates.precision),
    ...of('recall of the system', ({ estimates }) => estimates.recall),
    ...of('system − people', ({ estimates }) => estimates.gapToPeople),
  ]
}

import { useMemo } from 'preact/hooks'
import { grouped as count, counted, fixed as number } from '../../src/shared/numbers'
import { shellWord } from '../../src/shared/shell-word'
import { PEOPLE } from '../../src/shared/verdict'
import { useQuery } from '../app/client'
import { atomsText, percent } from '../app/format'
import { href, Link, navigate, type Parameters } from '../app/router'
import { FOREST_ROW } from '../charts/forest'
import { type Bar, Histogram } from '../charts/histogram'
import { extent } from '../charts/ticks'
import { besidePeople } from '../components/beside-people'
import { type Column, type Measured, measured } from '../components/columns'
import { ComparedImages, farthest } from '../components/compared-images'
import { ComputeButton } from '../components/compute'
import { OtherLength, ofOtherLength } from '../components/coverage'
import { comparedMetrics, Differences } from '../components/differences'
import { Figure } from '../components/figure'
import { type ImagePairs, measuresOf, useImagePairs, useMeasure } from '../components/image-shares'
import { Awaited, Empty, Unknown } from '../components/states'
import { Table } from '../components/table'
import { UnconfirmedObjects } from '../components/unconfirmed-objects'
import { WholeNames } from '../components/whole-names'
import { WithoutPairs } from '../components/without-pairs'
import {
  ImageScoresDocument,
  SystemDocument,
  SystemGapsDocument,
  type SystemQuery,
  type SystemScoreFragment,
  type WordRateFragment,
} from '../generated/documents'

type Data = NonNullable<SystemQuery['dataset']>
type System = NonNullable<Data['system']>
type WordResult = NonNullable<System['words']>['nodes'][number]

/** A system beside people. */
export default function SystemPage({ dataset, system }: Parameters) {
  const variables = { dataset, system }
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
            reload={answer.reload}
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
  readonly variables: { readonly dataset: string; readonly system: string }
  readonly reload: () => void
}

function Content({ dataset, data, system, variables, reload }: ContentProps) {
  const { name, imageCount, missingImageCount } = system
  const others = ofOtherLength(data, [system])
  const comparable = (data.systems?.nodes ?? []).filter(
    (other) => other.kind === system.kind && other.name !== name,
  )
  const scores = system.scores ?? []
  const words = system.words?.nodes ?? []
  const below = mostBelowPeople(words)
  return (
    <>
      <h1>How does {name} compare with people?</h1>
      <p class="lede">
        {counted(imageCount, 'image')} of {dataset}
        {missingImageCount > 0 && `; ${counted(missingImageCount, 'image')} missing`}.
      </p>
      {words.length > 0 && (
        <p class="verdict">
          {name} is below people on {words.length < (system.words?.totalCount ?? 0) && 'at least '}
          {count(below.length)} of the {counted(system.words?.totalCount ?? 0, 'word')} that people use in 50
          images or more, by precision at human recall.
        </p>
      )}
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
              {comparable.map((other) => (
                <option key={other.name}>{other.name}</option>
              ))}
            </select>
          </label>
        </p>
      )}
      <OtherLength dataset={dataset} weighed={data} names={others} />
      {scores.length > 0 && (
        <BesidePeople
          dataset={dataset}
          data={data}
          system={system}
          scores={scores}
          isOther={others.length > 0}
        />
      )}
      {system.kind === 'CAPTIONS' && scores.length === 0 && (
        <Empty>
          It was not scored against as many references as people have.
          <ComputeButton dataset={dataset} systems={[name]} onDone={reload} />
        </Empty>
      )}
      {below.length > 0 && (
        <>
          <h2>Words on which it is most certainly below people</h2>
          <p class="lede">By the upper end of the interval of the difference, 95 % for each word.</p>
          <Table
            label={`Words of ${name}`}
            columns={wordColumns(dataset)}
            rows={below.slice(0, SHOWN_WORDS)}
            provenance={{
              signatures: [],
              command: `accord words --dataset ${shellWord(dataset)} --system ${shellWord(name)}`,
              query: SystemDocument,
              variables,
            }}
          />
        </>
      )}
      <Rates
        title="Overused words"
        dataset={dataset}
        system={system}
        words={system.overused}
        variables={variables}
      />
      <Rates
        title="Words it uses less often than people, or never"
        dataset={dataset}
        system={system}
        words={system.underused}
        variables={variables}
      />
    </>
  )
}

interface RatesProps {
  readonly title: string
  readonly dataset: string
  readonly system: System
  readonly words: System['overused']
  readonly variables: ContentProps['variables']
}

/** Words that a system uses more or less often than people in the same images. */
function Rates({ title, dataset, system, words, variables }: RatesProps) {
  if (!words || words.totalCount === 0) return null
  return (
    <>
      <h2>{title}</h2>
      <p class="note">
        {counted(words.totalCount, 'word')} of the {counted(system.rated?.totalCount ?? 0, 'word')} that it or
        people use in 20 images or more: shares of its captions, and of those of people for the same images.
        The intervals of all these words hold together with 95 %.
      </p>
      <Table
        label={`${title} of ${system.name}`}
        columns={rateColumns(dataset)}
        rows={words.nodes}
        provenance={{
          signatures: [],
          command: `accord words --dataset ${shellWord(dataset)} --system ${shellWord(system.name)}`,
          query: SystemDocument,
          variables,
        }}
      />
    </>
  )
}

function rateColumns(dataset: string): readonly Column<WordRateFragment>[] {
  return [
    {
      title: 'word',
      value: ({ word }) => word.text,
      address: ({ word }) => href('d', dataset, 'words', word.text),
    },
    { title: 'captions', value: ({ captionCount }) => captionCount },
    { title: 'share of its captions', value: ({ rate }) => rate, text: ({ rate }) => percent(rate) },
    {
      title: 'share of people’s captions',
      value: ({ humanRate }) => humanRate,
      text: ({ humanRate }) => percent(humanRate),
      class: 'people-text',
    },
    { title: 'captions of people', value: ({ humanCaptionCount }) => humanCaptionCount, isHidden: true },
    ...measured<WordRateFragment>('system / people', ({ ratio, interval }) => ({ value: ratio, interval }), {
      hasSignature: false,
    }),
  ]
}

interface BesideProps {
  readonly dataset: string
  readonly data: Data
  readonly system: System
  readonly scores: readonly SystemScoreFragment[]
  /** Whether its captions have another length than those of people. */
  readonly isOther: boolean
}

/** Words that are shown. */
const SHOWN_WORDS = 20

/** Images that are shown on which a system is farthest below people, and above them. */
const SHOWN = 4

/** A system beside people: in a sentence, by every metric, and on the images where both differ most. */
function BesidePeople({ dataset, data, system, scores, isOther }: BesideProps) {
  const { name } = system
  const { chosen, choose, metric } = useMeasure()
  const sides = { dataset, weighed: data, first: name, second: PEOPLE, metric, against: 'AS_PEOPLE' } as const
  const beside = useImagePairs({ ...sides, chosen, isOther })
  const { share, pairs } = beside
  const by = share ?? metric
  const extremes = useMemo(() => farthest(pairs, SHOWN), [pairs])
  const metrics = scores.map((score) => score.metric.name)
  const variables = {
    dataset,
    system: name,
    systems: [name],
    metrics: comparedMetrics(metrics, metric),
    images: [...extremes.below, ...extremes.above].map(({ id }) => id),
  }
  const answer = useQuery(SystemGapsDocument, beside.isLoading ? null : variables)
  const { comparisons, images, boundFigures, system: said } = answer.data?.dataset ?? {}
  const unconfirmed = said?.unconfirmedObjects?.nodes ?? []
  const gaps = comparisons ?? []
  const columns: readonly Column<SystemScoreFragment>[] = [
    { title: 'metric', value: (score) => score.metric.name },
    ...measured<SystemScoreFragment>('score', (score) => score),
    ...measured<SystemScoreFragment>(
      'people',
      ({ humanScore }) => humanScore && { ...humanScore, value: humanScore.mean },
      { class: 'people-text' },
    ),
  ]
  const command = `accord compare --dataset ${shellWord(dataset)} --system ${shellWord(name)} --people --metrics ${metrics.map(shellWord).join(' ')}`
  const capacities = (boundFigures?.capacities ?? []).filter((capacity) => capacity.system.name === name)
  const rowsHeight = FOREST_ROW * variables.metrics.length
  const shown = { dataset, metric: by, sides: [name, PEOPLE] as const, images: images?.nodes ?? [] }
  return (
    <>
      <Awaited
        answer={{ ...answer, isLoading: answer.isLoading || beside.isLoading }}
        height={315 + rowsHeight}
        narrow={525 + rowsHeight}
      >
        {() => (
          <>
            <p class="verdict">
              <WholeNames text={besidePeople(gaps, [name])} />
            </p>
            {capacities.map((capacity) => (
              <p key={capacity.kind}>
                Its {boundFigures?.metric.name} is worth <strong>{atomsText(capacity)}</strong>{' '}
                {capacity.kind.toLowerCase()} atoms of a human caption (
                <Link to={href('d', dataset, 'bounds')}>how</Link>).
              </p>
            ))}
            <Differences
              dataset={dataset}
              title={`${name} beside people, by metric`}
              rows={gaps}
              notes={[...new Set(gaps.flatMap(({ notes }) => notes))]}
              provenance={{
                signatures: gaps.map(({ signature }) => signature),
                command,
                query: SystemGapsDocument,
                variables,
              }}
            />
          </>
        )}
      </Awaited>
      <h2>Scores, against as many references as people have</h2>
      <Table
        label={`Scores of ${name}`}
        columns={columns}
        rows={scores}
        provenance={{
          signatures: scores.map(({ signature }) => signature),
          command,
          query: SystemGapsDocument,
          variables,
        }}
      />
      <p class="controls">
        <label>
          Images by{' '}
          <select value={by} onChange={({ currentTarget }) => choose(currentTarget.value)}>
            {measuresOf(metrics, by).map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        </label>
      </p>
      <WithoutPairs of={beside} metric={by} references={data.captionsPerImage - 1} />
      {shown.images.length > 0 && (
        <>
          {extremes.below.length > 0 && <h2>Images on which it is farthest below people</h2>}
          <ComparedImages {...shown} pairs={extremes.below} order={share ? undefined : 'ASC'} />
          {extremes.above.length > 0 && <h2>Images on which it is farthest above people</h2>}
          <ComparedImages {...shown} pairs={extremes.above} order={share ? undefined : 'DESC'} />
          <p class="note">
            Words that no person says of an image are underlined.{' '}
            {share
              ? 'The share of people is that of one person beside others, over all people in turn.'
              : 'Of people, an image has the mean score of its captions, each against the others.'}
          </p>
        </>
      )}
      <UnconfirmedObjects
        dataset={dataset}
        system={name}
        objects={unconfirmed}
        provenance={{
          signatures: [],
          command: `accord coverage --dataset ${shellWord(dataset)} --system ${shellWord(name)} --units objects`,
          query: SystemGapsDocument,
          variables,
        }}
      />
      <Distribution system={system} of={beside} />
    </>
  )
}

interface DistributionProps {
  readonly system: System
  readonly of: ImagePairs
}

/** Number of bars of the histogram. */
const BARS = 40

/** How many images have which score; people, of whom each image has the mean of its captions, as an outline. */
function Distribution({ system, of }: DistributionProps) {
  const variables = of.asked.scores
  const { dataset, metric } = variables
  const [own, ofPeople] = of.scores
  const edges = edgesOf([...own, ...ofPeople])
  const [bars, outline] = [barsOf(own, edges), barsOf(ofPeople, edges)]
  const rows = bars.map((bar, index) => ({ ...bar, people: outline[index].value }))
  const signature = system.scores?.find((candidate) => candidate.metric.name === metric)?.signature
  return (
    <>
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
            signatures: [signature, of.share === null ? of.signatures[1] : undefined],
            command: `accord export scores --dataset ${shellWord(dataset)} --system ${shellWord(system.name)}`,
            query: ImageScoresDocument,
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

/** Words whose difference from people has an interval, those with the lowest upper end first: an estimate alone is of chance. */
function mostBelowPeople(words: readonly WordResult[]): readonly WordResult[] {
  const upperOf = ({ estimates }: WordResult) => estimates.gapToPeople?.interval?.upper ?? 0
  return words.filter((word) => upperOf(word) < 0).sort((one, other) => upperOf(one) - upperOf(other))
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
    ...of('of the system', ({ estimates }) => estimates.precisionAtHumanRecall),
    ...of('system − people', ({ estimates }) => estimates.gapToPeople),
  ]
}

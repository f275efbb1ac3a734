import { useMemo } from 'preact/hooks'
import { counted, scored, signed } from '../../src/shared/numbers'
import { shellWord } from '../../src/shared/shell-word'
import { MAIN_METRIC, PEOPLE } from '../../src/shared/verdict'
import { useQuery } from '../app/client'
import { href, Link, navigate, type Parameters, useSetting } from '../app/router'
import { Scatter } from '../charts/scatter'
import { besidePeople, listed } from '../components/beside-people'
import { ComparedImages, farthest, type Pair } from '../components/compared-images'
import { ComputeButton } from '../components/compute'
import { coverageCommand, OtherLength, ofOtherLength } from '../components/coverage'
import { comparedMetrics, Differences } from '../components/differences'
import { Figure } from '../components/figure'
import { type ImagePairs, measuresOf, useImagePairs, useMeasure } from '../components/image-shares'
import { Awaited, Empty, Skeleton, Unknown } from '../components/states'
import { SubsetChoice, Subsets, sidesOf, useSubsetField } from '../components/subsets'
import { Table } from '../components/table'
import { WholeNames } from '../components/whole-names'
import { WithoutPairs } from '../components/without-pairs'
import { WordUse } from '../components/word-use'
import {
  CompareDocument,
  type CompareQuery,
  type DifferenceFragment,
  ImageCoverageDocument,
  ImageScoresDocument,
  PairSubsetsDocument,
  VerdictDocument,
  type VerdictQuery,
} from '../generated/documents'

type Data = NonNullable<CompareQuery['dataset']>
type Details = NonNullable<VerdictQuery['dataset']>

/** Images that are shown on which each side is better. */
const SHOWN = 4

/** Images in the table of those that differ most. */
const LISTED = 30

/** Two systems, or a system and people: which is better, by what, on which images, and with which words. */
export default function Compare({ dataset, first, second }: Parameters) {
  const { metric } = useMeasure()
  const [references, setReferences] = useSetting('references', 'equal')
  const isWithPeople = second === PEOPLE
  const against = isWithPeople || references === 'equal' ? 'AS_PEOPLE' : 'ALL'
  const variables = { dataset, first, second, metric, against, isWithPeople } as const
  const answer = useQuery(CompareDocument, { dataset, first, second, against, isWithPeople })
  return (
    <>
      <h1>
        Is {first} better than {second}?
      </h1>
      <Awaited answer={answer} height={1600}>
        {({ dataset: data }) =>
          data?.one && (data.other || isWithPeople) ? (
            <Content
              data={data}
              variables={variables}
              setReferences={isWithPeople ? undefined : setReferences}
              reload={answer.reload}
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
  readonly against: 'ALL' | 'AS_PEOPLE'
  readonly isWithPeople: boolean
}

interface ContentProps {
  readonly data: Data
  readonly variables: Variables
  readonly setReferences: ((references: string) => void) | undefined
  readonly reload: () => void
}

/** The metrics by which both sides have scores. */
function sharedMetrics({ one, other, humanAgreement }: Data, isWithPeople: boolean): string[] {
  const namesOf = (scores: readonly { readonly metric: { readonly name: string } }[] | null | undefined) =>
    (scores ?? []).map((score) => score.metric.name)
  const ofSecond = new Set(namesOf(isWithPeople ? humanAgreement?.scores : other?.scores))
  return namesOf(one?.scores).filter((name) => ofSecond.has(name))
}

function Content({ data, variables, setReferences, reload }: ContentProps) {
  const { dataset, first, second, metric, against, isWithPeople } = variables
  const isAsPeople = against === 'AS_PEOPLE'
  const systems = [first, ...(isWithPeople ? [] : [second])]
  const others = ofOtherLength(data, [data.one, data.other])
  const { chosen, choose } = useMeasure()
  const beside = useImagePairs({ ...variables, weighed: data, chosen, isOther: others.length > 0 })
  const { pairs } = beside
  const by = beside.share ?? metric
  const extremes = useMemo(() => farthest(pairs, SHOWN), [pairs])
  const metrics = sharedMetrics(data, isWithPeople)
  const hasPeople = isAsPeople && (data.humanAgreement?.scores ?? []).length > 0
  const asked = {
    dataset,
    first,
    second,
    isWithPeople,
    systems: isWithPeople ? [first] : [first, second],
    metrics: comparedMetrics(metrics, metric),
    isHumanIncluded: hasPeople,
    references: isAsPeople ? data.captionsPerImage - 1 : null,
    images: [...extremes.above, ...extremes.below].map(({ id }) => id),
  }
  const details = useQuery(VerdictDocument, metrics.length === 0 || beside.isLoading ? null : asked)
  const names = (data.systems?.nodes ?? []).filter(({ kind }) => kind === 'CAPTIONS').map(({ name }) => name)
  const isMissing = !metrics.includes(metric)
  return (
    <>
      <OtherLength dataset={dataset} weighed={data} names={others} />
      {isMissing ? (
        <Empty>
          <span class="lede">
            No image has scores of both by {metric}
            {isAsPeople && ', against as many references as people have'}.
          </span>
          {systems.every((name) => names.includes(name)) && (
            <ComputeButton
              dataset={dataset}
              systems={systems}
              isAsPeople={isAsPeople}
              metrics={metric === MAIN_METRIC ? undefined : [metric]}
              onDone={reload}
            />
          )}
        </Empty>
      ) : beside.isLoading ? (
        <Skeleton height={680} />
      ) : (
        <Awaited answer={details} height={680}>
          {({ dataset: found }) => <Verdict found={found} asked={asked} variables={variables} />}
        </Awaited>
      )}
      <p class="controls">
        <label>
          Metric{' '}
          <select value={by} onChange={({ currentTarget }) => choose(currentTarget.value)}>
            {measuresOf(metrics, by).map((name) => (
              <option key={name}>{name}</option>
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
      {!isMissing && <BySubset fields={data.imageFields} variables={variables} />}
      <WithoutPairs of={beside} metric={by} references={isAsPeople ? data.captionsPerImage - 1 : 0} />
      {pairs.length > 0 && (
        <Evidence extremes={extremes} details={details.data?.dataset} beside={beside} variables={variables} />
      )}
      {details.data?.dataset && (
        <>
          <h2>Words</h2>
          <div class="two">
            {[details.data.dataset.one, details.data.dataset.other].map(
              (system) => system && <WordUse key={system.name} dataset={dataset} use={system} />,
            )}
          </div>
        </>
      )}
      {pairs.length > 0 && <Images beside={beside} variables={variables} />}
    </>
  )
}

interface BySubsetProps {
  readonly fields: readonly string[]
  readonly variables: Variables
}

/** Both sides on kinds of images, by a field that the viewer chooses. */
function BySubset({ fields, variables }: BySubsetProps) {
  const [field, setField] = useSubsetField(fields)
  const asked = { ...variables, by: field, isAsPeople: variables.against === 'AS_PEOPLE' }
  const answer = useQuery(PairSubsetsDocument, field === '' ? null : asked)
  return (
    <>
      <p class="controls">
        <SubsetChoice fields={fields} field={field} setField={setField} />
      </p>
      {field !== '' && (
        <Subsets
          dataset={variables.dataset}
          metric={variables.metric}
          field={field}
          answer={answer}
          sidesIn={({ dataset: found }) => sidesOf([found?.one, found?.other], found?.humanAgreement?.score)}
          query={PairSubsetsDocument}
          variables={asked}
        />
      )}
    </>
  )
}

interface VerdictProps {
  /** The variables of the query. */
  readonly asked: object
  readonly found: Details | null
  readonly variables: Variables
}

/** The answer in sentences: what tests have shown, by the chosen metric and by the others, and beside people. */
function Verdict({ found, asked, variables }: VerdictProps) {
  const { first, second, metric, isWithPeople } = variables
  const comparisons = found?.comparisons ?? []
  const direct = comparisons.filter((row) => row.first.name === first && row.second.name === second)
  const chosen = direct.find((row) => row.metric?.name === metric)
  if (!chosen) return null
  const others = othersOf(direct, chosen, [first, second])
  return (
    <>
      <p class="verdict">
        <WholeNames text={chosen.conclusion} />
      </p>
      {others !== '' && (
        <p class="lede">
          <WholeNames text={others} />
        </p>
      )}
      {!isWithPeople && (
        <p class="beside-people">
          <WholeNames text={besidePeople(comparisons, [first, second])} />
        </p>
      )}
      <Differences
        dataset={variables.dataset}
        title={`Differences by metric: ${first}, ${second}${isWithPeople ? '' : ' and people'}`}
        rows={comparisons}
        notes={chosen.notes}
        provenance={{
          signatures: comparisons.map(({ signature }) => signature),
          command: commandOf(
            variables,
            // The metric that is named first is the question.
            [chosen, ...direct.filter((row) => row !== chosen)].map((row) => row.metric?.name ?? ''),
          ),
          query: VerdictDocument,
          variables: asked,
        }}
      />
    </>
  )
}

const areOrIs = (name: string): string => (name === PEOPLE ? 'are' : 'is')

/** What the other metrics say, as they stand in the table. */
function othersOf(
  rows: readonly DifferenceFragment[],
  chosen: DifferenceFragment,
  [first, second]: readonly [string, string],
): string {
  const others = rows.filter((row) => row !== chosen && row.difference !== null)
  const by = (better: DifferenceFragment['together']['better']) =>
    listed(others.filter((row) => row.together.better === better).map((row) => row.metric?.name ?? ''))
  const sentences = [
    by('FIRST') && `${first} ${areOrIs(first)} better by ${by('FIRST')}.`,
    by('SECOND') && `${second} ${areOrIs(second)} better by ${by('SECOND')}.`,
    by(null) && `No difference is shown by ${by(null)}.`,
  ].filter(Boolean)
  return sentences.length === 0 ? '' : `Of the other metrics: ${sentences.join(' ')}`
}

function commandOf(
  { dataset, first, second, isWithPeople, against }: Variables,
  metrics: readonly string[],
): string {
  const sides = isWithPeople ? `${shellWord(first)} --people` : `${shellWord(first)} ${shellWord(second)}`
  return `accord compare --dataset ${shellWord(dataset)} --system ${sides} --metrics ${metrics.map(shellWord).join(' ')}${against === 'AS_PEOPLE' && !isWithPeople ? ' --people' : ''}`
}

interface EvidenceProps {
  readonly beside: ImagePairs
  readonly extremes: ReturnType<typeof farthest>
  readonly details: Details | null | undefined
  readonly variables: Variables
}

/** The images that decide. */
function Evidence({ extremes, details, beside: { share }, variables }: EvidenceProps) {
  const { dataset, first, second, metric, against } = variables
  const references = against === 'ALL' ? 'all' : 'equal'
  const images = details?.images?.nodes ?? []
  const common = { dataset, metric: share ?? metric, sides: [first, second] as const, images }
  if (images.length === 0) return null
  return (
    <>
      {extremes.above.length > 0 && <h2>{whereBetter(first, share)}</h2>}
      <ComparedImages
        {...common}
        pairs={extremes.above}
        references={references}
        order={share ? undefined : 'DESC'}
      />
      {extremes.below.length > 0 && <h2>{whereBetter(second, share)}</h2>}
      <ComparedImages
        {...common}
        pairs={extremes.below}
        references={references}
        order={share ? undefined : 'ASC'}
      />
      <p class="note">Words that no person says of an image are underlined.</p>
    </>
  )
}

/** More coverage, or a higher confirmed share, is not better in every respect. */
function whereBetter(name: string, share: string | null): string {
  if (share !== null) return `Where ${name} ${name === PEOPLE ? 'have' : 'has'} the higher ${share}`
  return `Where ${name} ${areOrIs(name)} better`
}

interface ImagesProps {
  readonly beside: ImagePairs
  readonly variables: Variables
}

/** All images: a point each, and those that differ most as a table. */
function Images({ beside: { share, asked, pairs, signatures }, variables }: ImagesProps) {
  const { dataset, first, second } = variables
  const by = share ?? variables.metric
  const byDifference = useMemo(
    () => [...pairs].sort((a, b) => Math.abs(b.first - b.second) - Math.abs(a.first - a.second)),
    [pairs],
  )
  const columns = [
    {
      title: 'image',
      value: ({ id }: Pair) => id,
      address: ({ id }: Pair) => href('d', dataset, 'images', id),
    },
    { title: first, value: (row: Pair) => row.first, text: (row: Pair) => scored(row.first) },
    { title: second, value: (row: Pair) => row.second, text: (row: Pair) => scored(row.second) },
    {
      title: 'difference',
      value: (row: Pair) => row.first - row.second,
      text: (row: Pair) => signed(row.first - row.second),
    },
  ]
  return (
    <>
      <h2>All images</h2>
      <Figure
        title={`${by} of ${counted(pairs.length, 'image')}: above the diagonal ${first} is higher`}
        columns={columns}
        rows={pairs}
        provenance={{
          signatures,
          ...(share
            ? {
                command: coverageCommand(dataset, asked.shares.documents),
                query: ImageCoverageDocument,
                variables: asked.shares,
              }
            : { command: commandOf(variables, [by]), query: ImageScoresDocument, variables: asked.scores }),
        }}
      >
        <Scatter
          label={`${by} of each image: ${first} against ${second}`}
          xTitle={second}
          yTitle={first}
          ids={pairs.map(({ id }) => id)}
          xs={pairs.map((row) => row.second)}
          ys={pairs.map((row) => row.first)}
          addressOf={(id) => href('d', dataset, 'images', id)}
        />
      </Figure>
      <details class="more">
        <summary>The {Math.min(LISTED, pairs.length)} images that differ most</summary>
        <Table label="Images that differ most" columns={columns} rows={byDifference.slice(0, LISTED)} />
      </details>
    </>
  )
}

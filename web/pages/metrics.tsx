import { counted, fixed as number } from '../../src/shared/numbers'
import { shellWord } from '../../src/shared/shell-word'
import { useQuery } from '../app/client'
import { useSetting } from '../app/router'
import { DotPlot } from '../charts/dot-plot'
import { Slopes } from '../charts/slopes'
import { type Column, measured } from '../components/columns'
import { Figure } from '../components/figure'
import type { Provenance } from '../components/how-computed'
import { Awaited, Empty } from '../components/states'
import { Table } from '../components/table'
import { WholeNames } from '../components/whole-names'
import {
  JudgingDocument,
  type JudgingQuery,
  MetricsDocument,
  type MetricsQuery,
} from '../generated/documents'

type Metric = NonNullable<MetricsQuery['metrics']>['nodes'][number]
type Evaluation = NonNullable<
  NonNullable<NonNullable<JudgingQuery['dataset']>['judgements']>['metaEvaluation']
>
type Row = Evaluation['rows'][number]

/** Which metric to believe: how metrics agree with the judgements of people. */
export default function Metrics() {
  const answer = useQuery(MetricsDocument, {})
  return (
    <>
      <h1>Which metric should you believe?</h1>
      <Awaited answer={answer} height={900}>
        {({ datasets, metrics }) => {
          const judged = (datasets?.nodes ?? []).filter(({ judgements }) => judgements)
          return (
            <>
              {judged.length > 0 ? (
                <Judged names={judged.map(({ name }) => name)} />
              ) : (
                <Empty
                  upload="judgements"
                  command="accord import judgements judgements.jsonl --dataset judged"
                >
                  No dataset has judgements of people, by which metrics are judged.
                </Empty>
              )}
              <h2>All metrics</h2>
              <Table
                label="Metrics"
                columns={METRIC_COLUMNS}
                rows={metrics?.nodes ?? []}
                isSortable={false}
                isStacked
              />
            </>
          )
        }}
      </Awaited>
    </>
  )
}

const METRIC_COLUMNS: readonly Column<Metric>[] = [
  { title: 'metric', value: ({ name }) => name, class: 'strong' },
  { title: 'what it measures', value: ({ description }) => description },
  { title: 'citation', value: ({ citation }) => citation, class: 'small' },
]

function Judged({ names }: { readonly names: readonly string[] }) {
  const [dataset, setDataset] = useSetting('judgements', names[0])
  const variables = { dataset }
  const answer = useQuery(JudgingDocument, variables)
  return (
    <>
      {names.length > 1 && (
        <p class="controls">
          <label>
            Judgements{' '}
            <select value={dataset} onChange={({ currentTarget }) => setDataset(currentTarget.value)}>
              {names.map((name) => (
                <option key={name}>{name}</option>
              ))}
            </select>
          </label>
        </p>
      )}
      <Awaited answer={answer} height={1450}>
        {({ dataset: data }) => {
          const evaluation = data?.judgements?.metaEvaluation
          return evaluation ? <Content name={dataset} evaluation={evaluation} variables={variables} /> : null
        }}
      </Awaited>
    </>
  )
}

interface ContentProps {
  readonly name: string
  readonly evaluation: Evaluation
  readonly variables: object
}

function Content({ name, evaluation, variables }: ContentProps) {
  const { rows, raters, conclusion, imageCount, notes } = evaluation
  const figureOf = ({ ratings, preferences }: Row) =>
    ratings
      ? { value: ratings.tauC, interval: ratings.interval }
      : { value: preferences?.mean ?? null, interval: preferences?.interval }
  const dots = rows.flatMap((row) => {
    const { value, interval } = figureOf(row)
    const name = row.isChosenByJudgements ? `${row.metric.name} ${CHOSEN}` : row.metric.name
    return value === null ? [] : [{ name, isHuman: false, value, interval }]
  })
  for (const [name, figures] of [
    ['rater by another', raters?.another],
    ['rater by the others', raters?.others],
  ] as const) {
    if (typeof figures?.tauC !== 'number') continue
    dots.push({ name, isHuman: true, value: figures.tauC, interval: figures.interval })
  }
  const provenance = {
    signatures: rows.map(({ signature }) => signature),
    command: `accord judge --dataset ${shellWord(name)}`,
    query: JudgingDocument,
    variables,
  }
  const isRated = rows.some(({ ratings }) => ratings)
  return (
    <>
      <p class="verdict">
        <WholeNames text={conclusion} />
      </p>
      <Figure
        title={`${isRated ? 'Kendall’s τ-c of scores and ratings' : 'Share of pairs that are ordered as people do'}: ${counted(imageCount, 'image')} of ${name}`}
        columns={columnsOf(rows)}
        rows={rows}
        provenance={provenance}
      >
        {dots.length > 0 ? (
          <DotPlot
            label={`Agreement of metrics with people on ${name}`}
            xTitle="τ"
            rows={dots.sort((a, b) => b.value - a.value)}
          />
        ) : (
          <p class="empty">No metric has a figure on these judgements. The table has the reason of each.</p>
        )}
      </Figure>
      <details class="more">
        <summary>How to read these figures</summary>
        {[...new Set(notes)].map((note) => (
          <p key={note} class="note">
            {note}
          </p>
        ))}
      </details>
      <Inversion rows={rows} provenance={provenance} />
    </>
  )
}

/** Marks metrics that these judgements chose, which no test compares with others. */
const CHOSEN = '(trained on these judgements)'

function columnsOf(rows: readonly Row[]): readonly Column<Row>[] {
  const hasRatings = rows.some(({ ratings }) => ratings)
  return [
    { title: 'cluster', value: ({ cluster }) => cluster?.rank ?? null },
    {
      title: 'metric',
      value: ({ metric, isChosenByJudgements }) =>
        isChosenByJudgements ? `${metric.name} ${CHOSEN}` : metric.name,
    },
    ...measured<Row>(hasRatings ? 'τ-c' : 'accuracy', ({ ratings, preferences, signature }) =>
      ratings
        ? {
            value: ratings.tauC,
            interval: ratings.interval,
            undefinedReason: ratings.undefinedReason,
            signature,
          }
        : { value: preferences?.mean, interval: preferences?.interval, signature },
    ),
  ]
}

interface InversionProps {
  readonly rows: readonly Row[]
  readonly provenance: Provenance
}

/** Where a metric puts people among systems: people themselves put people first. */
function Inversion({ rows, provenance }: InversionProps) {
  const judged = rows.flatMap(({ metric, signature, contest, contestWithoutPeople }) => {
    const { systemLevel } = contest ?? {}
    if (!systemLevel) return []
    const byRating = [...systemLevel.systems].sort((a, b) => b.rating - a.rating)
    const byScore = [...systemLevel.systems].sort((a, b) => b.value - a.value)
    const favourite = byRating[0].name
    return [
      {
        metric: metric.name,
        signature,
        favourite,
        place: byScore.findIndex((system) => system.name === favourite) + 1,
        of: byScore.length,
        pearson: systemLevel.pearson,
        without: contestWithoutPeople?.systemLevel?.pearson ?? null,
        accuracy: systemLevel.pairwiseAccuracy,
        accuracyWithout: contestWithoutPeople?.systemLevel?.pairwiseAccuracy ?? null,
      },
    ]
  })
  if (judged.length === 0) return null
  const figure = (value: number | null) => (value === null ? '–' : number(value, 2))
  return (
    <>
      <h2>Does it rank systems as people do?</h2>
      <p class="lede">
        People rate {judged[0].favourite} highest. The place that a metric gives to {judged[0].favourite}{' '}
        among {judged[0].of} contestants says whether it can be believed near the level of people.
      </p>
      <Figure
        title="Correlation of a metric with the ratings of systems, without people among them and with people"
        columns={[
          { title: 'metric', value: (row) => row.metric },
          { title: `place of ${judged[0].favourite}`, value: (row) => row.place },
          { title: 'r, without people', value: (row) => row.without, text: (row) => figure(row.without) },
          { title: 'r, with people', value: (row) => row.pearson, text: (row) => figure(row.pearson) },
          {
            title: 'pairs right, without',
            value: (row) => row.accuracyWithout,
            text: (row) => figure(row.accuracyWithout),
          },
          { title: 'pairs right, with', value: (row) => row.accuracy, text: (row) => figure(row.accuracy) },
          { title: 'signature', value: (row) => row.signature, isHidden: true },
        ]}
        rows={judged}
        provenance={provenance}
      >
        <Slopes
          label="Correlation of metrics with the ratings of systems, without people and with people"
          yTitle="Pearson’s r"
          ends={['without people', 'with people']}
          rows={judged.flatMap(({ metric, without, pearson }) =>
            without === null || pearson === null ? [] : [{ name: metric, from: without, to: pearson }],
          )}
        />
      </Figure>
    </>
  )
}

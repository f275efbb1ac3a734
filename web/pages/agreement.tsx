import { counted, fixed as number } from '../../src/shared/numbers'
import { shellWord } from '../../src/shared/shell-word'
import { useQuery } from '../app/client'
import { reasonText, withInterval } from '../app/format'
import type { Parameters } from '../app/router'
import { type Line, Lines, type Mark } from '../charts/lines'
import { listed } from '../components/beside-people'
import { measured } from '../components/columns'
import { ComputeButton } from '../components/compute'
import { Figure } from '../components/figure'
import { Awaited, Empty, Unknown } from '../components/states'
import { Table } from '../components/table'
import { AgreementDocument, type AgreementQuery } from '../generated/documents'

type Data = NonNullable<AgreementQuery['dataset']>
type Published = NonNullable<Data['publishedAgreement']['rows']>[number]

/** Metrics of the sentence that leads. */
const LEADING = ['CIDEr-D', 'METEOR', 'SPICE']

/** People against each other: scores of held-out captions, and how they rise with the number of references. */
export default function Agreement({ dataset }: Parameters) {
  const variables = { dataset }
  const answer = useQuery(AgreementDocument, variables)
  return (
    <>
      <h1>How well do people agree?</h1>
      <p class="lede">
        Each caption in turn is scored as if a system had written it, against the others of its image. That is
        what a system can be compared with.
      </p>
      <Awaited answer={answer} height={900}>
        {({ dataset: data }) =>
          data ? (
            <Content name={dataset} data={data} variables={variables} reload={answer.reload} />
          ) : (
            <Unknown kind="dataset" name={dataset} />
          )
        }
      </Awaited>
    </>
  )
}

interface ContentProps {
  readonly name: string
  readonly data: Data
  readonly variables: object
  readonly reload: () => void
}

function Content({ name, data, variables, reload }: ContentProps) {
  const { humanAgreement, publishedAgreement, captionsPerImage } = data
  const scores = humanAgreement?.scores ?? []
  const command = `accord agreement --dataset ${shellWord(name)}`
  if (scores.length === 0) {
    return (
      <Empty>
        Not computed: {reasonText(humanAgreement?.undefinedReason)}.
        {captionsPerImage > 1 && <ComputeButton dataset={name} isCurve onDone={reload} />}
      </Empty>
    )
  }
  const curves = (publishedAgreement.rows ?? []).filter(({ curve }) => curve.length > 0)
  const isShort = captionsPerImage > 2 && curves.some(({ curve }) => curve.length < captionsPerImage - 1)
  const leading = LEADING.flatMap((name) => scores.find(({ metric }) => metric.name === name) ?? [])
  return (
    <>
      {leading.length > 0 && (
        <p class="verdict">
          Against {counted(humanAgreement?.referenceCount ?? 0, 'other person', 'other people')}, a person
          scores{' '}
          {listed(
            leading.map(({ metric, mean, interval }) => `${metric.name} ${withInterval(mean, interval)}`),
          )}
          .
        </p>
      )}
      {curves.length > 0 && (
        <>
          <h2>Against the number of references</h2>
          <p class="lede">
            Published figures are for 5 and 40 references (Chen et al. 2015); dashed lines continue ours to
            what they suggest.
          </p>
          {isShort && (
            <ComputeButton
              dataset={name}
              metrics={curves.map(({ score }) => score.metric.name)}
              isCurve
              title="Compute the whole curves"
              onDone={reload}
            />
          )}
          <div class="grid">
            {curves.map((row) => (
              <Curve key={row.score.metric.name} row={row} command={command} variables={variables} />
            ))}
          </div>
        </>
      )}
      <h2>By metric</h2>
      <Table
        label="Human agreement"
        columns={[
          { title: 'metric', value: ({ metric }) => metric.name },
          ...measured<(typeof scores)[number]>(
            `people, ${humanAgreement?.referenceCount} references`,
            ({ mean, interval, signature }) => ({ value: mean, interval, signature }),
            { class: 'people-text' },
          ),
          {
            title: 'spread over folds',
            value: ({ standardDeviation }) => standardDeviation,
            text: ({ standardDeviation }) => number(standardDeviation, 4),
          },
        ]}
        rows={scores}
        provenance={{
          signatures: scores.map(({ signature }) => signature),
          command,
          query: AgreementDocument,
          variables,
        }}
      />
      <p class="note">Over {counted(humanAgreement?.imageCount ?? 0, 'image')}.</p>
    </>
  )
}

interface CurveProps {
  readonly row: Published
  readonly command: string
  readonly variables: object
}

function Curve({ row, command, variables }: CurveProps) {
  const { score, curve, extrapolation, publishedC5, publishedC40, differences } = row
  const { metric, signature } = score
  const points = curve.map(({ referenceCount, mean, interval }) => ({ x: referenceCount, y: mean, interval }))
  const last = points.at(-1)
  const lines: Line[] = [{ name: 'people', points, tone: 'people' }]
  if (extrapolation && last) {
    const end = { x: extrapolation.referenceCount, y: extrapolation.value }
    lines.push({ name: 'extrapolated', points: [last, end], tone: 'quiet', isDashed: true })
  }
  const marks: Mark[] = [
    { name: 'published, 5 references', x: 5, y: publishedC5, tone: '0' },
    { name: 'published, 40 references', x: 40, y: publishedC40, tone: '0' },
  ]
  return (
    <Figure
      title={metric.name}
      columns={[
        { title: 'references', value: ({ x }) => x },
        ...measured<(typeof points)[number]>(metric.name, ({ y, interval }) => ({
          ...{ value: y, interval, signature },
        })),
      ]}
      rows={points}
      notes={[
        `Published (blue): ${number(publishedC5)} and ${number(publishedC40)}.`,
        ...(differences.length > 0
          ? [
              `They differ from ours by ${differences.map((name) => name.toLowerCase().replaceAll('_', ' ')).join(', ')}.`,
            ]
          : []),
        ...(extrapolation
          ? [
              `${extrapolation.method}; by the last measured point it is wrong by ${number(extrapolation.error)}.`,
            ]
          : []),
      ]}
      provenance={{ signatures: [signature], command, query: AgreementDocument, variables }}
    >
      <Lines
        label={`${metric.name} of people against the number of references`}
        xTitle="references"
        yTitle={metric.name}
        lines={lines}
        marks={marks}
        xRange={[0, 42]}
        xTicks={[1, 5, 10, 20, 30, 40]}
        height={260}
      />
    </Figure>
  )
}

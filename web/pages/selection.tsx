import { counted } from '../../src/shared/numbers'
import { shellWord } from '../../src/shared/shell-word'
import { PEOPLE } from '../../src/shared/verdict'
import { useQuery } from '../app/client'
import { percent } from '../app/format'
import { href, type Parameters } from '../app/router'
import { Bars } from '../charts/bars'
import { type Level, type Line, Lines } from '../charts/lines'
import { measured } from '../components/columns'
import { Figure } from '../components/figure'
import type { Provenance } from '../components/how-computed'
import { Awaited, Empty, Unknown } from '../components/states'
import { Table } from '../components/table'
import { SelectionDocument, type SelectionQuery } from '../generated/documents'

type Selection = NonNullable<NonNullable<SelectionQuery['dataset']>['contentSelection']>

/** Which objects people mention, beside rules that know only the boxes, and beside systems. */
export default function SelectionPage({ dataset }: Parameters) {
  const variables = { dataset }
  const answer = useQuery(SelectionDocument, variables)
  return (
    <>
      <h1>Which objects do people mention?</h1>
      <p class="lede">
        F of the boxes that a selector names and those that people name. A rule takes the first boxes of an
        order; people are measured against each other.
      </p>
      <Awaited answer={answer} height={800}>
        {({ dataset: data }) =>
          !data ? (
            <Unknown kind="dataset" name={dataset} />
          ) : data.contentSelection ? (
            <Content name={dataset} selection={data.contentSelection} variables={variables} />
          ) : (
            <Empty upload="boxes" command={`accord import boxes boxes.json --dataset ${shellWord(dataset)}`}>
              No image of {dataset} has boxes.
            </Empty>
          )
        }
      </Awaited>
    </>
  )
}

interface ContentProps {
  readonly name: string
  readonly selection: Selection
  readonly variables: object
}

function Content({ name, selection, variables }: ContentProps) {
  const { imageCount, baselines, humanBound, systems, concepts, notes, signature } = selection
  const lines = baselines
    .flatMap(({ baseline, points }) => (points ? [{ baseline, points }] : []))
    .map<Line>(({ baseline, points }, index) => ({
      name: ruleName(baseline),
      tone: String(index % 6),
      points: points.flatMap(({ boxCount, fMean: { value, interval } }) =>
        boxCount === null || value === null ? [] : [{ x: boxCount, y: value, interval }],
      ),
    }))
  const levels: Level[] = [
    ...(humanBound.fMean.value === null
      ? []
      : [{ name: PEOPLE, y: humanBound.fMean.value, tone: 'people', interval: humanBound.fMean.interval }]),
    ...(systems?.nodes ?? []).flatMap(({ system, figures }) =>
      figures.fMean.value === null ? [] : [{ name: system.name, y: figures.fMean.value, tone: 'system' }],
    ),
  ]
  const rows = baselines.flatMap(({ baseline, points }) =>
    (points ?? []).map(({ boxCount, fMean }) => ({ selector: ruleName(baseline), boxes: boxCount, fMean })),
  )
  const provenance = {
    signatures: [signature],
    command: `accord selection --dataset ${shellWord(name)}`,
    query: SelectionDocument,
    variables,
  }
  const named = [
    { name: PEOPLE, figures: humanBound },
    ...(systems?.nodes ?? []).map(({ system, figures }) => ({ name: system.name, figures })),
  ]
  const addressOf = (row: { readonly name: string }) =>
    row.name === PEOPLE ? undefined : href('d', name, 'systems', row.name)
  return (
    <>
      <Figure
        title={`F by the number of boxes, ${counted(imageCount, 'image')} of ${name}`}
        columns={[
          { title: 'rule', value: ({ selector }) => selector },
          { title: 'boxes', value: ({ boxes }) => boxes },
          ...measured<(typeof rows)[number]>('F', ({ fMean }) => ({ ...fMean, signature })),
        ]}
        rows={rows}
        notes={notes}
        provenance={provenance}
      >
        <Lines
          label={`F of selections by the number of boxes on ${name}`}
          xTitle="boxes"
          yTitle="F"
          lines={lines}
          levels={levels}
          height={420}
        />
      </Figure>
      <h2>People and systems</h2>
      <Table
        label="Selection by people and systems"
        columns={[
          { title: 'selector', value: (row) => row.name, address: addressOf },
          ...(['precisionMean', 'recallMean', 'fMean'] as const).flatMap((key) =>
            measured<(typeof named)[number]>(
              { precisionMean: 'precision', recallMean: 'recall', fMean: 'F' }[key],
              ({ figures }) => ({ ...figures[key], signature }),
            ),
          ),
        ]}
        rows={named}
        provenance={provenance}
        rowClass={(row) => (row.name === PEOPLE ? 'people-row' : undefined)}
      />
      <Mentioned name={name} concepts={concepts?.nodes ?? []} provenance={provenance} />
    </>
  )
}

/** Concepts with a bar. */
const SHOWN = 20

interface MentionedProps {
  readonly name: string
  readonly concepts: NonNullable<Selection['concepts']>['nodes']
  readonly provenance: Provenance
}

/** How often people mention an object that is in the image. */
function Mentioned({ name, concepts, provenance }: MentionedProps) {
  const rows = concepts.filter(({ importance }) => importance !== null)
  if (rows.length === 0) return null
  return (
    <Figure
      title="What people mention when it is in the image: share of descriptions"
      columns={[
        {
          title: 'concept',
          value: ({ label }) => label,
          address: ({ label }) => href('d', name, 'words', label),
        },
        { title: 'images', value: (row) => row.imageCount },
        { title: 'share of descriptions that mention it', value: ({ importance }) => importance },
      ]}
      rows={rows}
      provenance={provenance}
    >
      <Bars
        label="Share of the descriptions that mention a concept, of the images that have it"
        rows={rows
          .slice(0, SHOWN)
          .map(({ label, importance, imageCount }) => ({
            name: label,
            value: importance as number,
            text: `${percent(importance as number)} in ${counted(imageCount, 'image')}`,
            address: href('d', name, 'words', label),
          }))}
      />
    </Figure>
  )
}

const ruleName = (baseline: string): string => baseline.toLowerCase().replaceAll('_', ' + ')

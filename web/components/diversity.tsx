import { nameOfPeople } from '../../src/shared/coverage-sentence'
import { grouped, fixed as number } from '../../src/shared/numbers'
import { shellWord } from '../../src/shared/shell-word'
import { href } from '../app/router'
import { CoverageDocument, type CoverageQuery, type DiversityFragment } from '../generated/documents'
import { type Column, measured } from './columns'
import { Table } from './table'

type Diversity = NonNullable<NonNullable<CoverageQuery['dataset']>['diversity']>

interface Row {
  readonly name: string
  readonly isHuman: boolean
  readonly figures: DiversityFragment
  readonly signature: string
}

/** Local recall is shown for as many of the other people. */
const SHOWN_PEOPLE = 4

interface DiversityTableProps {
  readonly dataset: string
  readonly diversity: Diversity
  readonly variables: object
}

/** How long and how varied captions of systems are beside those of a person. */
export function DiversityTable({ dataset, diversity, variables }: DiversityTableProps) {
  const rows: readonly Row[] = [
    { name: nameOfPeople(1), isHuman: true, figures: diversity.people, signature: diversity.signature },
    ...(diversity.systems?.nodes ?? []).map(({ system, ...row }) => ({
      ...row,
      name: system.name,
      isHuman: false,
    })),
  ]
  return (
    <details class="more">
      <summary>How long and how varied captions are</summary>
      <Table
        label={`Length and diversity of captions on ${dataset}`}
        columns={columnsOf(dataset, diversity.people.localRecall.length)}
        rows={rows}
        rowClass={({ isHuman }) => (isHuman ? 'people-row' : undefined)}
        provenance={{
          signatures: rows.map(({ signature }) => signature),
          command: `accord diversity --dataset ${shellWord(dataset)}`,
          query: CoverageDocument,
          variables,
        }}
      />
      {diversity.notes.map((note) => (
        <p key={note} class="note">
          {note}
        </p>
      ))}
    </details>
  )
}

function columnsOf(dataset: string, others: number): readonly Column<Row>[] {
  const figure = (
    title: string,
    figureOf: (figures: DiversityFragment) => DiversityFragment['types'] | undefined,
    show: (value: number) => string = (value) => number(value),
  ) =>
    measured<Row>(title, ({ figures }) => figureOf(figures), {
      show,
      hasInterval: false,
      hasSignature: false,
    })
  const short = (value: number) => number(value, 1)
  return [
    {
      title: 'system',
      value: ({ name }) => name,
      address: ({ name, isHuman }) => (isHuman ? undefined : href('d', dataset, 'systems', name)),
    },
    ...figure('words', ({ meanLength }) => meanLength, short),
    ...figure('their deviation', ({ lengthDeviation }) => lengthDeviation, short),
    ...figure(
      'types',
      ({ types }) => types,
      (value) => grouped(Math.round(value)),
    ),
    ...figure('type-token ratio', ({ wordTypeTokenRatio }) => wordTypeTokenRatio),
    ...figure('of bigrams', ({ bigramTypeTokenRatio }) => bigramTypeTokenRatio),
    ...figure('distinct', ({ distinctShare }) => distinctShare),
    ...figure('vocabulary', ({ vocabularyShare }) => vocabularyShare),
    ...Array.from({ length: Math.min(SHOWN_PEOPLE, others) }, (_, index) =>
      figure(`local recall at ${index + 1}`, ({ localRecall }) => localRecall[index]),
    ).flat(),
    { title: 'signature', value: ({ signature }) => signature, isHidden: true },
  ]
}

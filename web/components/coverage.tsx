import { nameOfPeople, showPeopleEquivalent } from '../../src/shared/coverage-sentence'
import { lengthNotes } from '../../src/shared/length-notes'
import { counted, type Interval, fixed as number, signedWithInterval } from '../../src/shared/numbers'
import { shellWord } from '../../src/shared/shell-word'
import { useQuery } from '../app/client'
import { reasonText } from '../app/format'
import { href } from '../app/router'
import { CoveragePlane } from '../charts/coverage-plane'
import { CoverageDocument, type CoverageQuery } from '../generated/documents'
import { type Column, type Measured, measured } from './columns'
import { Figure } from './figure'
import { Awaited } from './states'
import { Table } from './table'

type Coverage = NonNullable<NonNullable<CoverageQuery['dataset']>['coverage']>
type System = NonNullable<Coverage['systems']>['nodes'][number]

/** A system, or several people as one. */
interface Row {
  readonly name: string
  /** Null for systems. */
  readonly people: number | null
  readonly wordsPerCaption: number | null
  readonly coverage: Measured
  readonly consensusCoverage: Measured
  readonly confirmedShare: Measured
  /** Null for people. */
  readonly peopleEquivalent: System['peopleEquivalent'] | null
  readonly confirmedShareBesidePeople: Measured | null
  readonly signature: string
}

/** A score of a metric that the table has beside. */
export interface BesideScores {
  readonly title: string
  /** @param system null for people */
  readonly scoreOf: (system: string | null) => Measured | null | undefined
}

interface CoverageFigureProps {
  readonly dataset: string
  /** Metrics whose scores stand in the table. */
  readonly scores: readonly BesideScores[]
}

/** What captions of any length say beside people, and what of it others confirm: a sentence, the picture and the table. */
export function CoverageFigure({ dataset, scores }: CoverageFigureProps) {
  const variables = { dataset }
  const answer = useQuery(CoverageDocument, variables)
  return (
    <Awaited answer={answer} height={700}>
      {({ dataset: data }) =>
        data?.coverage ? <Content dataset={dataset} scores={scores} coverage={data.coverage} /> : null
      }
    </Awaited>
  )
}

function Content({ dataset, scores, coverage }: CoverageFigureProps & { readonly coverage: Coverage }) {
  const rows = rowsOf(coverage)
  const isShown = ({ coverage, confirmedShare }: Row) =>
    typeof coverage.value === 'number' && typeof confirmedShare.value === 'number'
  const marks = rows
    .filter(isShown)
    .map(({ name, people, coverage, confirmedShare }) => ({
      name,
      people,
      address: href('d', dataset, 'systems', name),
      coverage: coverage.value as number,
      coverageInterval: coverage.interval ?? null,
      confirmedShare: confirmedShare.value as number,
      confirmedShareInterval: confirmedShare.interval ?? null,
    }))
  const label = `Coverage and confirmed share of systems and people on ${dataset}`
  const provenance = {
    signatures: rows.map(({ signature }) => signature),
    command: `accord coverage --dataset ${shellWord(dataset)}`,
    query: CoverageDocument,
    variables: { dataset },
  }
  return (
    <>
      {coverage.summary && <p class="verdict">{coverage.summary}</p>}
      <Figure
        title={`What captions say, and how much of it others confirm, on ${dataset}`}
        columns={columnsOf(dataset, coverage)}
        rows={rows}
        provenance={provenance}
        notes={notesOf(coverage, scores)}
      >
        <CoveragePlane
          label={label}
          people={marks.flatMap(({ people, ...mark }) => (people === null ? [] : { ...mark, people }))}
          systems={marks.filter(({ people }) => people === null)}
        />
      </Figure>
      <Table
        label={label}
        columns={[
          ...columnsOf(dataset, coverage).filter(({ title }) => TABLE.includes(title)),
          ...scores.flatMap(({ title, scoreOf }) =>
            measured<Row>(title, ({ name, people }) =>
              people === null ? scoreOf(name) : people === 1 ? scoreOf(null) : null,
            ).map((column) => ({
              ...column,
              text: (row: Row, all: readonly Row[]) =>
                (row.people ?? 1) > 1 ? '' : (column.text?.(row, all) ?? ''),
            })),
          ),
        ]}
        rows={rows}
        rowClass={({ people }) => (people === null ? undefined : 'people-row')}
        provenance={provenance}
      />
    </>
  )
}

function rowsOf({ people, systems, signature }: Coverage): Row[] {
  return [
    ...people.map(({ peopleCount, ...point }) => ({
      ...point,
      name: nameOfPeople(peopleCount),
      people: peopleCount,
      peopleEquivalent: null,
      confirmedShareBesidePeople: null,
      signature,
    })),
    ...(systems?.nodes ?? []).map(({ system, ...row }) => ({
      ...row,
      name: system.name,
      people: null,
      wordsPerCaption: row.wordsPerCaption ?? null,
    })),
  ]
}

/** Columns of the table below the picture. */
const TABLE = ['system', 'words per caption', 'people equivalent', 'confirmed share beside people']

function columnsOf(dataset: string, { people }: Coverage): readonly Column<Row>[] {
  const show = (value: number, interval: Interval | null | undefined, decimals: number) =>
    signedWithInterval(value, interval, decimals)
  return [
    {
      title: 'system',
      value: ({ name }) => name,
      address: (row) => (row.people === null ? href('d', dataset, 'systems', row.name) : undefined),
    },
    {
      title: 'words per caption',
      value: ({ wordsPerCaption }) => wordsPerCaption,
      text: ({ wordsPerCaption }) => (wordsPerCaption === null ? '–' : number(wordsPerCaption, 1)),
    },
    ...measured<Row>('coverage', ({ coverage }) => coverage, { hasSignature: false }),
    ...measured<Row>('consensus coverage', ({ consensusCoverage }) => consensusCoverage, {
      hasSignature: false,
    }),
    ...measured<Row>('confirmed share', ({ confirmedShare }) => confirmedShare, { hasSignature: false }),
    {
      title: 'people equivalent',
      value: ({ peopleEquivalent }) => peopleEquivalent?.value,
      text: ({ peopleEquivalent: found }) => (found ? equivalentText(found, people.length) : ''),
    },
    ...measured<Row>('confirmed share beside people', (row) => row.confirmedShareBesidePeople, {
      show,
      hasSignature: false,
    }).map((column) => ({
      ...column,
      text: (row: Row, rows: readonly Row[]) =>
        row.confirmedShareBesidePeople?.value == null ? '' : (column.text?.(row, rows) ?? ''),
    })),
    { title: 'signature', value: ({ signature }) => signature, isHidden: true },
  ]
}

function equivalentText(
  { value, interval, undefinedReason }: System['peopleEquivalent'],
  mostPeople: number,
): string {
  const text = showPeopleEquivalent({ value, undefinedReason }, mostPeople)
  if (text === '–') return reasonText(undefinedReason)
  return value !== null && interval
    ? `${text} [${number(interval.lower, 1)}, ${number(interval.upper, 1)}]`
    : text
}

function notesOf(coverage: Coverage, scores: readonly BesideScores[]): string[] {
  const { referenceCount, imageCount, people, systems, notes } = coverage
  const lengths = {
    references: people.at(0)?.wordsPerCaption ?? null,
    systems: (systems?.nodes ?? []).flatMap(({ system, wordsPerCaption: words }) =>
      words == null ? [] : [{ system: system.name, words }],
    ),
  }
  return [
    `A dot is a system, or several people as one, beside ${counted(referenceCount, 'other person', 'other people')}, over ${counted(imageCount, 'image')}; lines are 95 % intervals. Counted are distinct words; rare ones weigh more.`,
    ...lengthNotes(
      lengths,
      scores.map(({ title }) => title),
      'this picture',
    ),
    ...notes,
  ]
}

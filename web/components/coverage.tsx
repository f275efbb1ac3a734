import { coverageSentence, nameOfPeople, showPeopleEquivalent } from '../../src/shared/coverage-sentence'
import { type CaptionLengths, isOtherLength, lengthNotes } from '../../src/shared/length-notes'
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

interface OtherLengthProps {
  readonly dataset: string
  /** Names. */
  readonly systems: readonly string[]
}

/**
 * What systems say beside people, and what of it others confirm, where the captions of one have another length than those of
 * people: metrics then say little. Nothing where all are about as long.
 */
export function OtherLength({ dataset, systems: names }: OtherLengthProps) {
  const { data } = useQuery(CoverageDocument, { dataset })
  const coverage = data?.dataset?.coverage
  if (!coverage) return null
  const lengths = lengthsOf(coverage)
  const chosen = names.flatMap(
    (name) => (coverage.systems?.nodes ?? []).find(({ system }) => system.name === name) ?? [],
  )
  const isOther = ({ wordsPerCaption: words }: System) =>
    words != null && isOtherLength(words, lengths.references)
  if (!chosen.some(isOther)) return null
  const systems = lengths.systems.filter(({ system }) => names.includes(system))
  const sentences = chosen.map(({ system, ...row }) =>
    coverageSentence(coverage.people, [{ ...row, system: system.name }]),
  )
  const marks = marksOf(
    dataset,
    rowsOf(coverage).filter(({ name, people }) => people !== null || names.includes(name)),
  )
  return (
    <>
      <p class="verdict other-length">{sentences.join(' ')}</p>
      <Plane dataset={dataset} marks={marks} />
      <p class="note">
        {lengthNotes({ ...lengths, systems }, [], '').join(' ')} Metrics that compare words with references,
        such as CIDEr-D and METEOR, depend on length where captions are this much longer or shorter; the
        picture puts what is said beside people who say as much.
      </p>
    </>
  )
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
        <Plane dataset={dataset} marks={marksOf(dataset, rows)} />
      </Figure>
      <Table
        label={labelOf(dataset)}
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

const labelOf = (dataset: string) => `Coverage and confirmed share of systems and people on ${dataset}`

/** The marks of rows whose figures are defined. */
function marksOf(dataset: string, rows: readonly Row[]) {
  return rows.flatMap(({ name, people, coverage, confirmedShare }) =>
    typeof coverage.value === 'number' && typeof confirmedShare.value === 'number'
      ? {
          name,
          people,
          address: href('d', dataset, 'systems', name),
          coverage: coverage.value,
          coverageInterval: coverage.interval ?? null,
          confirmedShare: confirmedShare.value,
          confirmedShareInterval: confirmedShare.interval ?? null,
        }
      : [],
  )
}

interface PlaneProps {
  readonly dataset: string
  readonly marks: ReturnType<typeof marksOf>
}

function Plane({ dataset, marks }: PlaneProps) {
  return (
    <CoveragePlane
      label={labelOf(dataset)}
      people={marks.flatMap(({ people, ...mark }) => (people === null ? [] : { ...mark, people }))}
      systems={marks.filter(({ people }) => people === null)}
    />
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

function lengthsOf({ people, systems }: Coverage): CaptionLengths {
  return {
    references: people.at(0)?.wordsPerCaption ?? null,
    systems: (systems?.nodes ?? []).flatMap(({ system, wordsPerCaption: words }) =>
      words == null ? [] : [{ system: system.name, words }],
    ),
  }
}

function notesOf(coverage: Coverage, scores: readonly BesideScores[]): string[] {
  const { referenceCount, imageCount, notes } = coverage
  return [
    `A dot is a system, or several people as one, beside ${counted(referenceCount, 'other person', 'other people')}, over ${counted(imageCount, 'image')}; lines are 95 % intervals. Counted are distinct words; rare ones weigh more.`,
    ...lengthNotes(
      lengthsOf(coverage),
      scores.map(({ title }) => title),
      'this picture',
    ),
    ...notes,
  ]
}

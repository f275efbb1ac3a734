import type { ComponentChildren } from 'preact'
import {
  amountOfPeople,
  COVERAGE_FIGURES,
  coverageSentence,
  nameOfPeople,
  showPeopleEquivalent,
} from '../../src/shared/coverage-sentence'
import { type CaptionLengths, isOtherLength, lengthNotes } from '../../src/shared/length-notes'
import { counted, type Interval, fixed as number, showP, signedWithInterval } from '../../src/shared/numbers'
import { shellWord } from '../../src/shared/shell-word'
import { describeCorrection } from '../../src/shared/verdict'
import { useQuery } from '../app/client'
import { reasonText } from '../app/format'
import { href, useSetting } from '../app/router'
import { CoveragePlane } from '../charts/coverage-plane'
import { CoverageDocument, type CoverageQuery, type WeighedFragment } from '../generated/documents'
import { type Column, type Measured, measured, textOf } from './columns'
import { DiversityTable } from './diversity'
import { Figure } from './figure'
import type { Provenance } from './how-computed'
import { Awaited } from './states'
import { Table } from './table'

type Coverage = NonNullable<NonNullable<CoverageQuery['dataset']>['coverage']>
type System = NonNullable<Coverage['systems']>['nodes'][number]
type Difference = ReturnType<typeof differencesOf>[number]

/** Figures by their name in an answer. */
const FIGURES = {
  COVERAGE: 'coverage',
  CONSENSUS_COVERAGE: 'consensusCoverage',
  CONFIRMED_SHARE: 'confirmedShare',
} as const

/** The differences of a system from people; none if all captions are references. */
function differencesOf({ besidePeople }: Pick<System, 'besidePeople'>) {
  return (besidePeople ?? []).map(({ figure, peopleCount, ...difference }) => ({
    ...difference,
    figure: FIGURES[figure],
    people: peopleCount ?? null,
  }))
}

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
  /** None for people. */
  readonly differences: readonly Difference[]
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
  readonly weighed: WeighedFragment
  /** Metrics whose scores stand in the table. */
  readonly scores: readonly BesideScores[]
}

/**
 * By which document frequencies words weigh: by the built-in ones, since those of the measured images leave no interval and no test.
 * Null where only these are of the same language and tokens.
 */
export function usualDocuments({ language, tokenizer }: WeighedFragment): 'coco' | null {
  return /^en\b/.test(language) && tokenizer.startsWith('ptb') ? 'coco' : null
}

/** The command that has the figures of the pages. */
export function coverageCommand(dataset: string, documents: string | null): string {
  return `accord coverage --dataset ${shellWord(dataset)}${documents === null ? '' : ` --document-frequencies ${documents}`}`
}

/** A captioning system with the length of its captions. */
interface WithLength {
  readonly name: string
  readonly wordsPerCaption: number | null
}

/**
 * The names of these systems if one of them has captions of another length than those of people, so that metrics say little; none
 * where all captions are about as long.
 */
export function ofOtherLength(
  { wordsPerCaption: references }: WeighedFragment,
  systems: readonly (WithLength | null | undefined)[],
): readonly string[] {
  const present = systems.filter((system) => system != null)
  const isOther = ({ wordsPerCaption: words }: WithLength) =>
    words !== null && isOtherLength(words, references)
  return present.some(isOther) ? present.map(({ name }) => name) : []
}

interface OtherLengthProps {
  readonly dataset: string
  readonly weighed: WeighedFragment
  /** None: nothing is asked or shown. */
  readonly names: readonly string[]
}

/** What systems of another length say beside people, and what of it others confirm. */
export function OtherLength({ dataset, weighed, names }: OtherLengthProps) {
  const documents = usualDocuments(weighed)
  const answer = useQuery(
    CoverageDocument,
    names.length === 0 ? null : { dataset, documents, hasDiversity: false },
  )
  return (
    <Awaited answer={answer} height={660}>
      {({ dataset: data }) =>
        data?.coverage ? (
          <BesideCurve dataset={dataset} coverage={data.coverage} names={names} documents={documents} />
        ) : null
      }
    </Awaited>
  )
}

interface CurveProps extends Omit<OtherLengthProps, 'weighed'> {
  readonly coverage: Coverage
  readonly documents: string | null
}

function BesideCurve({ dataset, coverage, names, documents }: CurveProps) {
  const lengths = lengthsOf(coverage)
  const sentences = names.flatMap((name) =>
    (coverage.systems?.nodes ?? [])
      .filter(({ system }) => system.name === name)
      .map((row) =>
        coverageSentence(coverage.people ?? [], [{ ...row, system: name, differences: differencesOf(row) }]),
      ),
  )
  const marks = marksOf(
    dataset,
    rowsOf(coverage).filter(({ name, people }) => people !== null || names.includes(name)),
  )
  const shown = { ...lengths, systems: lengths.systems.filter(({ system }) => names.includes(system)) }
  return (
    <>
      <p class="verdict other-length">{sentences.join(' ')}</p>
      <Plane dataset={dataset} marks={marks} />
      <p class="note">
        {lengthNotes(shown, [], '').join(' ')} Metrics that compare words with references, such as CIDEr-D and
        METEOR, depend on length where captions are this much longer or shorter; the picture puts what is said
        beside people who say as much. Distinct words count; one weighs more the fewer images of{' '}
        {documents === null ? dataset : 'COCO'} it is used for.
      </p>
    </>
  )
}

/** What captions of any length say beside people, and what of it others confirm: a sentence, the picture and the table. */
export function CoverageFigure({ dataset, weighed, scores }: CoverageFigureProps) {
  const usual = usualDocuments(weighed)
  const [chosen, choose] = useSetting('weights', usual ?? OWN)
  const documents = chosen === OWN ? null : usual
  const variables = { dataset, documents, hasDiversity: true }
  const answer = useQuery(CoverageDocument, variables)
  const weights = usual !== null && (
    <p class="controls">
      <label>
        Rare words weigh more, by how many images they are of:{' '}
        <select value={documents ?? OWN} onChange={({ currentTarget }) => choose(currentTarget.value)}>
          <option value={usual}>those of COCO, with intervals and tests</option>
          <option value={OWN}>these images, without</option>
        </select>
      </label>
    </p>
  )
  return (
    <Awaited answer={answer} height={700}>
      {({ dataset: data }) =>
        data?.coverage ? (
          <>
            <Content dataset={dataset} documents={documents} scores={scores} coverage={data.coverage}>
              {weights}
            </Content>
            {data.diversity && (
              <DiversityTable dataset={dataset} diversity={data.diversity} variables={variables} />
            )}
          </>
        ) : null
      }
    </Awaited>
  )
}

/** The document frequencies of the measured images. */
const OWN = 'own'

interface ContentProps extends Omit<CoverageFigureProps, 'weighed'> {
  readonly documents: string | null
  readonly coverage: Coverage
  /** Below the table. */
  readonly children: ComponentChildren
}

function Content({ dataset, documents, scores, coverage, children }: ContentProps) {
  const rows = rowsOf(coverage)
  const provenance = {
    signatures: rows.map(({ signature }) => signature),
    command: coverageCommand(dataset, documents),
    query: CoverageDocument,
    variables: { dataset, documents, hasDiversity: true },
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
          ...columnsOf(dataset, coverage).filter(
            (column) => TABLE.includes(column.title) && rows.some((row) => textOf(column, row, rows) !== ''),
          ),
          ...scores.flatMap(({ title, scoreOf }) =>
            measured<Row>(
              title,
              ({ name, people }) => (people === null ? scoreOf(name) : people === 1 ? scoreOf(null) : null),
              { best: { competes: ({ people }) => people === null } },
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
      {children}
      <Tests dataset={dataset} rows={rows} provenance={provenance} />
    </>
  )
}

interface TestsProps {
  readonly dataset: string
  readonly rows: readonly Row[]
  readonly provenance: Provenance
}

type DifferenceRow = Difference & { readonly system: string }

/** What tests say of systems minus people. Nothing without tests. */
function Tests({ dataset, rows, provenance }: TestsProps) {
  const tested = rows.flatMap(({ name, differences }) =>
    differences
      .filter(({ together }) => together.interval !== null)
      .map((row): DifferenceRow => ({ ...row, system: name })),
  )
  if (tested.length === 0) return null
  const correction = describeCorrection(tested[0].together)
  const share = (value: number | null | undefined) => (value == null ? '–' : number(value))
  const columns: readonly Column<DifferenceRow>[] = [
    { title: 'system', value: ({ system }) => system },
    { title: 'figure', value: ({ figure }) => COVERAGE_FIGURES[figure] },
    { title: 'beside', value: ({ people }) => (people === null ? '' : amountOfPeople(people)) },
    {
      title: 'of the system',
      value: ({ systemValue }) => systemValue,
      text: (row) => share(row.systemValue),
    },
    { title: 'of people', value: ({ peopleValue }) => peopleValue, text: (row) => share(row.peopleValue) },
    ...measured<DifferenceRow>(
      'difference',
      ({ difference, together: { interval }, undefinedReason }) => ({
        value: difference,
        interval,
        undefinedReason,
      }),
      { show: signedWithInterval, hasSignature: false },
    ),
    {
      title: 'p',
      value: ({ together }) => together.pValue,
      text: ({ together }) => showP(together.pValue ?? null),
    },
    { title: 'the system has', value: ({ together: { better } }) => AMOUNTS[better ?? 'NONE'] },
  ]
  return (
    <details class="more">
      <summary>{counted(tested.length, 'test')} of systems minus people</summary>
      <Table
        label={`Tests of systems minus people on ${dataset}`}
        columns={columns}
        rows={tested}
        provenance={provenance}
      />
      <p class="note">
        Paired tests and intervals{correction === null ? '' : `, ${correction}`}. A system that has less
        coverage than one person says less; its confirmed share is beside people with the same coverage.
      </p>
    </details>
  )
}

const AMOUNTS = { FIRST: 'more', SECOND: 'less', NONE: 'no difference shown' } as const

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
    ...(people ?? []).map(({ peopleCount, ...point }) => ({
      ...point,
      name: nameOfPeople(peopleCount),
      people: peopleCount,
      peopleEquivalent: null,
      confirmedShareBesidePeople: null,
      differences: [],
      signature,
    })),
    ...(systems?.nodes ?? []).map(({ system, ...row }) => ({
      ...row,
      name: system.name,
      people: null,
      wordsPerCaption: row.wordsPerCaption ?? null,
      differences: differencesOf(row),
    })),
  ]
}

/** Columns of the table below the picture. */
const TABLE = ['system', 'words per caption', 'people equivalent', 'confirmed share beside people']

function columnsOf(dataset: string, { people }: Coverage): readonly Column<Row>[] {
  const mostPeople = people?.length ?? 0
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
      text: ({ peopleEquivalent: found, differences }) =>
        found ? `${equivalentText(found, mostPeople)}${notShown(found, differences, mostPeople)}` : '',
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

/** That a test does not show what is outside the curve: less than one person, or more than all. */
function notShown(
  { value }: System['peopleEquivalent'],
  differences: readonly Difference[],
  mostPeople: number,
): string {
  const [one, all] = [1, mostPeople].map((count) =>
    differences.find(({ figure, people }) => figure === 'coverage' && people === count),
  )
  if (value !== null || !one?.together.interval || !all?.together.interval) return ''
  return one.together.better === 'SECOND' || all.together.better === 'FIRST' ? '' : ', not significantly'
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
    references: people?.at(0)?.wordsPerCaption ?? null,
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

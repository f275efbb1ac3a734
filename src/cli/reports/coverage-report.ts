import type { CoverageFigure, CoverageShares } from '../../core/coverage/coverage-figures.js'
import type { TestedDifference } from '../../services/coverage/beside-people.js'
import type { CoverageReport, MeasuredSystem } from '../../services/coverage/compute-coverage.js'
import type { ListedObject, listUnconfirmed } from '../../services/coverage/coverage.js'
import type { CoverageUnits } from '../../shared/choices.js'
import {
  amountOfPeople,
  BESIDE_METRICS,
  COVERAGE_FIGURES,
  coverageSentence,
  nameOfPeople,
  showPeopleEquivalent,
} from '../../shared/coverage-sentence.js'
import { counted, fixed, grouped } from '../../shared/numbers.js'
import {
  count,
  decimals,
  interval,
  type NumberStyle,
  printable,
  pValue,
  type Spread,
  score,
  share,
  showInterval,
  shown,
  showSpread,
} from '../output/formats.js'
import { type Column, type NamedTable, type Report, untitled } from '../output/report.js'
import { correctionOf, jointNotes } from './comparison-report.js'

type Beside = Pick<MeasuredSystem, 'peopleEquivalent' | 'confirmedShareBesidePeople' | 'byConsensus'>

/** A system, or several people as one. */
interface Row extends CoverageShares, Partial<Beside> {
  /** Null for people. */
  readonly system: string | null
  /** Null for systems. */
  readonly people: number | null
  readonly imageCount: number
  readonly wordsPerCaption: number | null
  /** By metric. */
  readonly scores: Readonly<Record<string, number | null>>
  readonly signature: string
}

/** By metric and by the name of a system, null for people. */
export type BesideScores = ReadonlyMap<string, ReadonlyMap<string | null, number>>

/** @param rows of the table */
const figure = (path: string, rows: readonly Row[] = [], title?: string): Column<Row>[] => [
  { path: `${path}.value`, title, format: share },
  {
    path: `${path}.interval`,
    title: title === undefined ? undefined : 'interval',
    format: interval,
    isOptional: true,
    show: (row, numbers) => {
      const of = (one: Row) => figureAt(one, path) ?? NO_FIGURE
      return showSpread(of(row), rows.map(of), numbers)
    },
  },
  { path: `${path}.standardError` },
  { path: `${path}.undefinedReason` },
  { path: `${path}.isSmall` },
]

const NO_FIGURE: Spread = { value: null, interval: null }

function figureAt(row: Row, path: string): CoverageFigure | undefined {
  return path.split('.').reduce<unknown>((value, key) => value?.[key as never], row) as
    | CoverageFigure
    | undefined
}

/** @param mostPeople K − r @param hasSystems whether there is something beside people @param rows of the table */
export function coverageColumns(
  mostPeople: number,
  hasSystems: boolean,
  rows: readonly Row[] = [],
): Column<Row>[] {
  const titled = (title: string) => (hasSystems ? title : undefined)
  const [equivalent, equivalentInterval, ...ofEquivalent] = figure('peopleEquivalent', rows, titled('people'))
  return [
    {
      path: 'system',
      title: 'system',
      show: ({ system, people }) => system ?? nameOfPeople(people as number),
    },
    ...untitled('people', 'imageCount'),
    { path: 'wordsPerCaption', title: 'words', format: decimals(1) },
    ...figure('coverage', rows, 'coverage'),
    ...figure('consensusCoverage', rows, 'consensus'),
    ...figure('confirmedShare', rows, 'confirmed'),
    {
      ...equivalent,
      show: ({ peopleEquivalent }) =>
        peopleEquivalent ? showPeopleEquivalent(peopleEquivalent, mostPeople) : '',
    },
    {
      ...equivalentInterval,
      title: titled('95 % interval'),
      show: ({ peopleEquivalent }) =>
        peopleEquivalent?.interval && peopleEquivalent.value !== null
          ? showInterval(peopleEquivalent.interval, (end) => fixed(end, 1))
          : '',
    },
    ...ofEquivalent,
    ...figure('confirmedShareBesidePeople', rows, titled('beside')).map((column, index) =>
      index === 0
        ? {
            ...column,
            show: (row: Row, numbers: NumberStyle) =>
              row.confirmedShareBesidePeople ? shown(row.confirmedShareBesidePeople.value, numbers) : '',
          }
        : column,
    ),
    ...BESIDE_METRICS.map((metric) => ({
      path: ['scores', metric],
      title: titled(metric),
      format: score,
      isOptional: true,
      show: ({ scores }: Row, numbers: NumberStyle) => {
        const value = scores[metric]
        return value == null ? '' : numbers.score(value)
      },
    })),
    ...figure('byConsensus.peopleEquivalent'),
    ...figure('byConsensus.confirmedShareBesidePeople'),
    { path: 'signature' },
  ]
}

/** Objects that systems mention and nothing confirms, beside how often people say them. */
export const unconfirmedColumns: readonly Column<ListedObject>[] = [
  { path: 'system', title: 'system' },
  { path: 'name', title: 'unconfirmed' },
  { path: 'mentionCount', title: 'mentions', format: count },
  { path: 'imageCount', title: 'images', format: count, show: ({ images }) => grouped(images.length) },
  ...untitled('captionCount', 'humanCaptionCount'),
  { path: 'rate', title: 'its captions', format: share },
  { path: 'humanRate', title: 'people’s', format: share },
  { path: 'imageIds', title: 'such as', show: ({ imageIds }) => imageIds.map(printable).join(', ') },
]

/** Unconfirmed objects of systems, and what could have confirmed them. */
type Unconfirmed = Awaited<ReturnType<typeof listUnconfirmed>>

type DifferenceRow = TestedDifference & { readonly system: string }

/** Systems minus people. */
export const COVERAGE_DIFFERENCES: readonly Column<DifferenceRow>[] = [
  { path: 'system', title: 'system', isMerged: true },
  { path: 'figure', title: 'figure', show: ({ figure }) => COVERAGE_FIGURES[figure] },
  { path: 'people', title: 'beside', show: ({ people }) => (people === null ? '' : amountOfPeople(people)) },
  { path: 'systemValue', title: 'system', format: share },
  { path: 'peopleValue', title: 'people', format: share },
  { path: 'difference', title: 'diff.', format: share },
  { path: 'together.interval', title: '95 % interval', format: interval },
  { path: 'together.pValue', title: 'p', format: pValue },
  {
    path: 'together.better',
    title: 'system has',
    show: ({ together: { better } }) => (better === null ? '' : better === 'FIRST' ? 'more' : 'less'),
  },
  ...untitled('together.tests', 'together.level'),
  { path: 'alone.interval', format: interval },
  ...untitled('alone.pValue', 'alone.better', 'undefinedReason', 'isSmall'),
]

/** What stands beside the figures. */
interface BesideFigures {
  readonly scores: BesideScores
  /** Where units are objects; otherwise null. */
  readonly unconfirmed: Unconfirmed | null
}

/** Systems beside people: several people as one, then systems. */
export function coverageReport(
  report: CoverageReport,
  notes: readonly string[],
  { scores, unconfirmed }: BesideFigures,
): Report {
  const { dataset, units, references, captionsPerImage, imageCount, excludedImageCount, people, systems } =
    report
  const scoresOf = (name: string | null | undefined) =>
    Object.fromEntries(
      BESIDE_METRICS.map((metric) => [
        metric,
        name === undefined ? null : (scores.get(metric)?.get(name) ?? null),
      ]),
    )
  const rows: Row[] = [
    ...people.map((point) => ({
      ...point,
      system: null,
      imageCount,
      scores: scoresOf(point.people === 1 ? null : undefined),
      signature: report.signature,
    })),
    ...systems.map((system) => ({ ...system, people: null, scores: scoresOf(system.system) })),
  ]
  const table: NamedTable<Row> = {
    name: 'rows',
    columns: coverageColumns(people.length, systems.length > 0, rows),
    rows,
    groupBy: ({ system }) => system === null,
  }
  const differences: NamedTable<DifferenceRow> = {
    name: 'differences',
    columns: COVERAGE_DIFFERENCES,
    rows: systems.flatMap(({ system, differences }) => differences.map((row) => ({ ...row, system }))),
    groupBy: ({ system }) => system,
    keyColumns: 3,
  }
  const tested = differences.rows.filter(({ together }) => together.interval !== null)
  const summary = coverageSentence(people, systems)
  return {
    about: { dataset, units, references, captionsPerImage, imageCount, excludedImageCount, summary, notes },
    tables: [table, differences, ...(unconfirmed === null ? [] : [unconfirmedTable(unconfirmed)])],
    parts: [
      ...(summary === null ? [] : [{ notes: [summary] }]),
      table,
      ...(tested.length === 0 ? [] : [{ ...differences, rows: tested }, { notes: testNotes(tested) }]),
      ...(unconfirmed === null || unconfirmed.objects.length === 0
        ? []
        : [unconfirmedTable(unconfirmed), { notes: [unconfirmedNote(unconfirmed)] }]),
      { notes: [...legend(report), ...notes, `Signature of people: ${report.signature}`] },
    ],
  }
}

/** By which document frequencies words weigh. */
function documentsNote({
  source,
  imageCount,
}: NonNullable<CoverageReport['record']['documentFrequencies']>): string {
  const of = source === 'own' ? 'these images' : `${counted(imageCount, 'image')} (${source})`
  return `Words weigh by the document frequencies of ${of}; --document-frequencies chooses others.`
}

function testNotes(tested: readonly DifferenceRow[]): string[] {
  return [
    `The system minus people, by a paired test${correctionOf(tested)}. A system that has less coverage than one person says less; its confirmed share is beside people with the same coverage.`,
    ...jointNotes(tested),
  ]
}

function unconfirmedTable({ objects }: Unconfirmed): NamedTable<ListedObject> {
  return {
    name: 'unconfirmed',
    columns: unconfirmedColumns,
    rows: objects.map((object) => ({ ...object, imageCount: object.images.length })),
    groupBy: ({ system }) => system,
  }
}

function unconfirmedNote({ isAnnotated }: Unconfirmed): string {
  const by = isAnnotated ? 'neither people nor annotated objects confirm' : 'no person mentions'
  return `unconfirmed: the objects that ${by}, the most frequent of each system. its captions, people’s: shares of captions of the same images that mention the object.`
}

const COUNTED: Readonly<Record<CoverageUnits, string>> = {
  words: 'distinct words, of which rare ones weigh more (ln(N/df))',
  types: 'distinct words',
  objects: 'distinct objects of COCO’s 80 categories',
  'open-objects': 'distinct objects of scene graphs, synonyms being the same',
  tuples: 'distinct tuples of scene graphs: objects, their attributes and relations',
}

function legend({
  units,
  references,
  captionsPerImage,
  imageCount,
  excludedImageCount,
  people,
  systems,
  record: { documentFrequencies: df },
}: CoverageReport): string[] {
  const all = captionsPerImage === 1 ? 'the only caption' : `all ${references} captions`
  const others = references === captionsPerImage ? all : counted(references, 'other caption')
  return [
    `Against ${others} of an image by people, over ${counted(imageCount, 'image')}; counted are ${COUNTED[units]}.`,
    ...(excludedImageCount > 0
      ? [`Excluded for having fewer captions: ${counted(excludedImageCount, 'image')}.`]
      : []),
    ...(df === null ? [] : [documentsNote(df)]),
    'coverage: of what the others say, how much is said; consensus: of what all of them say. confirmed: of what is said, how much one of the others says.',
    ...(people.length > 0 && systems.length > 0
      ? [
          'people: how many people together have the coverage of the system. beside: its confirmed share minus that of people with the same coverage.',
        ]
      : []),
    ...(people.length === 0
      ? ['All captions of an image are references: none is left for people; choose fewer with --references.']
      : []),
    ...systems
      .filter((system) => system.imageCount < imageCount)
      .map(
        ({ system, imageCount: count }) =>
          `${system} has captions of ${counted(count, 'image')} of ${counted(imageCount, 'image')}: it is beside people on these.`,
      ),
  ]
}

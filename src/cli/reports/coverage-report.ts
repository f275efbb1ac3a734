import type { CoverageFigure, CoverageShares } from '../../core/coverage/coverage-figures.js'
import type { CoverageReport, MeasuredSystem } from '../../services/coverage/compute-coverage.js'
import type { ListedObject, listUnconfirmed } from '../../services/coverage/coverage.js'
import type { CoverageUnits } from '../../shared/choices.js'
import { coverageSentence, nameOfPeople, showPeopleEquivalent } from '../../shared/coverage-sentence.js'
import { counted, fixed, grouped } from '../../shared/numbers.js'
import {
  count,
  decimals,
  interval,
  type NumberStyle,
  printable,
  share,
  shown,
  showSpread,
} from '../output/formats.js'
import type { Column, NamedTable, Report } from '../output/report.js'

type Beside = Pick<MeasuredSystem, 'peopleEquivalent' | 'confirmedShareBesidePeople' | 'byConsensus'>

/** A system, or several people as one. */
interface Row extends CoverageShares, Partial<Beside> {
  /** Null for people. */
  readonly system: string | null
  /** Null for systems. */
  readonly people: number | null
  readonly imageCount: number
  readonly wordsPerCaption: number | null
  readonly signature: string
}

const figure = (path: string, title?: string): Column<Row>[] => [
  { path: `${path}.value`, title, format: share },
  {
    path: `${path}.interval`,
    title: title === undefined ? undefined : '±',
    format: interval,
    show: (row, numbers) => {
      const found = path.split('.').reduce<unknown>((value, key) => value?.[key as never], row)
      return showUncertainty(found as CoverageFigure | undefined, numbers)
    },
  },
  { path: `${path}.standardError` },
  { path: `${path}.undefinedReason` },
  { path: `${path}.isSmall` },
]

function showUncertainty(figure: CoverageFigure | undefined, numbers: NumberStyle): string {
  if (figure?.value == null || figure.interval === null) return ''
  return showSpread(figure.value, figure.interval, numbers)
}

/** @param mostPeople K − r @param hasSystems whether there is something beside people */
export function coverageColumns(mostPeople: number, hasSystems: boolean): Column<Row>[] {
  const titled = (title: string) => (hasSystems ? title : undefined)
  const [equivalent, equivalentInterval, ...ofEquivalent] = figure('peopleEquivalent', titled('people'))
  return [
    {
      path: 'system',
      title: 'system',
      show: ({ system, people }) => system ?? nameOfPeople(people as number),
    },
    { path: 'people' },
    { path: 'imageCount' },
    { path: 'wordsPerCaption', title: 'words', format: decimals(1) },
    ...figure('coverage', 'coverage'),
    ...figure('consensusCoverage', 'consensus'),
    ...figure('confirmedShare', 'confirmed'),
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
          ? `${fixed(peopleEquivalent.interval.lower, 1)} – ${fixed(peopleEquivalent.interval.upper, 1)}`
          : '',
    },
    ...ofEquivalent,
    ...figure('confirmedShareBesidePeople', titled('beside')).map((column, index) =>
      index === 0
        ? {
            ...column,
            show: (row: Row, numbers: NumberStyle) =>
              row.confirmedShareBesidePeople ? shown(row.confirmedShareBesidePeople.value, numbers) : '',
          }
        : column,
    ),
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
  { path: 'captionCount' },
  { path: 'humanCaptionCount' },
  { path: 'rate', title: 'its captions', format: share },
  { path: 'humanRate', title: 'people’s', format: share },
  { path: 'imageIds', title: 'such as', show: ({ imageIds }) => imageIds.map(printable).join(', ') },
]

/** Unconfirmed objects of systems, and what could have confirmed them. */
type Unconfirmed = Awaited<ReturnType<typeof listUnconfirmed>>

/**
 * Systems beside people: several people as one, then systems.
 *
 * @param unconfirmed where units are objects; otherwise null
 */
export function coverageReport(
  report: CoverageReport,
  notes: readonly string[],
  unconfirmed: Unconfirmed | null,
): Report {
  const { dataset, units, references, captionsPerImage, imageCount, excludedImageCount, people, systems } =
    report
  const rows: Row[] = [
    ...people.map((point) => ({ ...point, system: null, imageCount, signature: report.signature })),
    ...systems.map((system) => ({ ...system, people: null })),
  ]
  const table: NamedTable<Row> = {
    name: 'rows',
    columns: coverageColumns(people.length, systems.length > 0),
    rows,
    groupBy: ({ system }) => system === null,
  }
  const summary = coverageSentence(people, systems)
  return {
    about: { dataset, units, references, captionsPerImage, imageCount, excludedImageCount, summary, notes },
    tables: [table, ...(unconfirmed === null ? [] : [unconfirmedTable(unconfirmed)])],
    parts: [
      ...(summary === null ? [] : [{ notes: [summary] }]),
      table,
      ...(unconfirmed === null || unconfirmed.objects.length === 0
        ? []
        : [unconfirmedTable(unconfirmed), { notes: [unconfirmedNote(unconfirmed)] }]),
      { notes: [...legend(report), ...notes, `Signature of people: ${report.signature}`] },
    ],
  }
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
}: CoverageReport): string[] {
  const all = captionsPerImage === 1 ? 'the only caption' : `all ${references} captions`
  const others = references === captionsPerImage ? all : counted(references, 'other caption')
  return [
    `Against ${others} of an image by people, over ${counted(imageCount, 'image')}; counted are ${COUNTED[units]}.`,
    ...(excludedImageCount > 0
      ? [`Excluded for having fewer captions: ${counted(excludedImageCount, 'image')}.`]
      : []),
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

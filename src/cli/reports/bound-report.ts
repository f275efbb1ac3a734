import type { Capacity } from '../../core/bounds/capacity.js'
import type {
  FigureReport,
  ReportedCapacity,
  ReportedPoint,
  UnfinishedBound,
} from '../../services/bounds/bounds.js'
import type { BoundKind } from '../../shared/choices.js'
import { counted, grouped } from '../../shared/numbers.js'
import { count, decimals, interval, NONE, type NumberStyle, showInterval } from '../output/formats.js'
import {
  type Column,
  type NamedTable,
  type Notes,
  pivot,
  type Report,
  type Table,
  untitled,
} from '../output/report.js'

/** Upper bounds, and what the scores of systems are worth. */
export async function boundReport({ dataset, unfinished, figures }: FigureReport): Promise<Report> {
  const {
    metric = null,
    images = null,
    incompleteSystems = [],
    retrieval = null,
    people = null,
  } = figures ?? {}
  const points = pointTable((figures?.points ?? []).map(toPoint))
  const capacities = capacityTable((figures?.capacities ?? []).map(toCapacity))
  return {
    about: {
      dataset: dataset.name,
      metric,
      images,
      incompleteSystems: incompleteSystems.map(({ name }) => name),
      retrieval: retrieval && { score: retrieval.value, interval: retrieval.interval },
      people: people && { score: people.value, interval: people.interval, references: people.references },
    },
    tables: [points, capacities],
    parts: [
      ...(figures
        ? [
            ...showPoints(points, figures),
            ...showCapacities(capacities),
            ...showRetrieval(retrieval),
            ...showPeople(people),
          ]
        : []),
      {
        notes: figures
          ? await describeSplit(figures)
          : ['No bound has been trained. See accord bounds run --help'],
      },
      { notes: describeUnfinished(unfinished) },
    ],
  }
}

type Figures = NonNullable<FigureReport['figures']>
type Scored = Pick<ReportedPoint, 'score' | 'interval'>

const SCORE: Column<Scored> = { path: 'score', title: 'score', show: showScore }
const INTERVAL: Column = { path: 'interval', format: interval }

function showScore({ score, interval }: Scored, { share }: NumberStyle): string {
  if (score === null) return NONE
  return interval ? `${share(score)} ${showInterval(interval, share)}` : share(score)
}

type Point = ReturnType<typeof toPoint>

function toPoint({ bound: { settings, outcome }, score, interval }: ReportedPoint) {
  const { kind, atoms, replaced, visualOnly, seed } = settings
  return { kind, atoms, replaced, visualOnly, seed, score, interval, perplexity: outcome?.perplexity ?? null }
}

const ATOMS: Column = { path: 'atoms', title: 'k', format: count }

/** The seed, for people where points have several models. */
function seedColumn(rows: readonly Point[]): Column {
  return { path: 'seed', title: new Set(rows.map(({ seed }) => seed)).size > 1 ? 'seed' : undefined }
}

/** Columns of the points of bounds. */
export function pointColumns(rows: readonly Point[]): Column<Point>[] {
  return [
    { path: 'kind', title: 'kind' },
    ATOMS,
    { path: 'replaced' },
    {
      path: 'visualOnly',
      title: rows.some(({ visualOnly }) => visualOnly) ? 'atoms' : undefined,
      show: ({ visualOnly }) => (visualOnly ? 'visual' : ''),
    },
    seedColumn(rows),
    SCORE,
    INTERVAL,
    { path: 'perplexity', title: 'perplexity', format: decimals(1) },
  ]
}

function pointTable(rows: readonly Point[]): NamedTable<Point> {
  return { name: 'points', columns: pointColumns(rows), rows, groupBy: ({ kind }) => kind }
}

/** Scores with all atoms as they are, and scores by the share of replaced atoms. */
function showPoints(points: NamedTable<Point>, { metric }: Figures): (Table | Notes)[] {
  const replaced = points.rows.filter((point) => point.replaced > 0)
  const keyOf = ({ kind, visualOnly }: Point) => `${kind}${visualOnly ? ', visual' : ''}`
  const table = pivot(
    points.rows
      .filter((point) => replaced.some((one) => keyOf(one) === keyOf(point) && one.atoms === point.atoms))
      .toSorted((one, other) => one.replaced - other.replaced),
    {
      down: [
        { title: 'kind', show: keyOf },
        ATOMS,
        ...[seedColumn(points.rows)].filter(({ title }) => title),
      ],
      across: ({ replaced: share }) => `r ${share}`,
      cells: [{ ...SCORE, title: undefined }],
    },
  )
  return [
    { notes: [`${metric} of captions that models generated from atoms, with 95 % intervals:`] },
    { ...points, rows: points.rows.filter((point) => point.replaced === 0) },
    ...(replaced.length > 0
      ? [{ notes: [`${metric} where a share r of the atoms is replaced by random ones:`] }, table]
      : []),
  ]
}

type CapacityRow = ReturnType<typeof toCapacity>

/** The ends of the interval of atoms are null beyond the curve. */
function toCapacity({ system, kind, score, interval, capacity, ends }: ReportedCapacity) {
  const atomsInterval = ends && { lower: ends.lower.atoms, upper: ends.upper.atoms }
  const isBeyond = ends?.lower.beyond != null && ends.lower.beyond === ends.upper.beyond
  const text =
    ends && !isBeyond
      ? `${showCapacity(capacity)} [${showCapacity(ends.lower)}, ${showCapacity(ends.upper)}]`
      : showCapacity(capacity)
  return { system: system.name, kind, score, interval, ...capacity, atomsInterval, text }
}

function showCapacity({ atoms, beyond, limit }: Capacity): string {
  if (atoms !== null) return grouped(Math.round(atoms))
  return `${beyond === 'BELOW' ? '<' : '>'} ${grouped(limit!)}`
}

/** Columns of the capacities of systems. */
export const CAPACITIES: readonly Column<Scored>[] = [
  ...untitled('system', 'kind'),
  SCORE,
  INTERVAL,
  { path: 'atoms' },
  { path: 'atomsInterval', format: interval },
  ...untitled('beyond', 'limit'),
]

function capacityTable(rows: readonly CapacityRow[]): NamedTable<CapacityRow> {
  return { name: 'capacities', columns: CAPACITIES, rows }
}

const HEADINGS: Readonly<Record<BoundKind, string>> = {
  entity: 'ENT',
  action: 'ACT',
  attribute: 'ATT',
  all: 'ALL',
}

function showCapacities({ rows }: NamedTable<CapacityRow>): (Table | Notes)[] {
  if (rows.length === 0) return []
  return [
    { notes: ['Semantic capacity, the number of atoms that the score of a system is worth:'] },
    pivot(rows, {
      down: [{ path: 'system', title: 'system' }, SCORE],
      across: ({ kind }) => HEADINGS[kind],
      cells: [{ path: 'text' }],
    }),
  ]
}

function showRetrieval(retrieval: Figures['retrieval']): (Table | Notes)[] {
  if (retrieval === null) return []
  const rows = [{ score: retrieval.value, interval: retrieval.interval }]
  return [
    { notes: ['Retrieval bound, the mean score of the best training caption of each test image:'] },
    { columns: [SCORE], rows },
  ]
}

function showPeople(people: Figures['people']): (Table | Notes)[] {
  if (people === null) return []
  const rows = [{ score: people.value, interval: people.interval }]
  return [
    {
      notes: [
        `People, whose held-out captions have ${counted(people.references, 'reference')}, one fewer than bounds and systems:`,
      ],
    },
    { columns: [SCORE], rows },
  ]
}

async function describeSplit({ incompleteSystems, ...figures }: Figures): Promise<string[]> {
  const { figureNotes } = await import('../../services/bounds/bound-figures.js')
  return [
    ...figureNotes(figures),
    ...(incompleteSystems.length > 0
      ? [
          `Systems without a caption for every test image: ${incompleteSystems.map(({ name }) => name).join(', ')}.`,
        ]
      : []),
  ]
}

function describeUnfinished(bounds: readonly UnfinishedBound[]): string[] {
  const waiting = bounds.filter(({ failure }) => failure === null)
  return [
    ...bounds
      .filter(({ failure }) => failure !== null)
      .map(
        ({ bound: { settings }, failure }) =>
          `${settings.kind} ${settings.atoms}: the training failed: ${failure}`,
      ),
    ...(waiting.length > 0
      ? [`Queued, being trained, or interrupted: ${counted(waiting.length, 'point')}.`]
      : []),
  ]
}

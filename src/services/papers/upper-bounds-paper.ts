/** Yao et al. 2016, Empirical performance upper bounds for image and video captioning. */

import { ATOM_KINDS, BOUND_KINDS, type BoundKind } from '../../shared/choices.js'
import { grouped } from '../../shared/numbers.js'
import { isTrained } from '../../store/bounds.js'
import type { Dataset } from '../../store/schema/dataset-tables.js'
import { boundsByDataset, type FigureReport, type ReportedPoint, reportBounds } from '../bounds/bounds.js'
import { readVotes } from '../bounds/votes.js'
import { type Accord, type Client, clientOfStep } from '../shared/accord.js'
import {
  cellOf,
  figureOf,
  type PaperCell,
  type PaperFigure,
  type PaperItem,
  type PaperTable,
  printed,
} from './paper-table.js'

const PAPER = 'Yao et al. 2016'

const ofBounds = {
  paper: PAPER,
  needs: 'trained upper bounds',
  async lacks(accord: Accord, { id }: Dataset): Promise<string | null> {
    const bounds = (await boundsByDataset(accord, [id])).get(id) ?? []
    return bounds.some(isTrained) ? null : 'no trained bound: see accord bounds run --help'
  },
}

export const UPPER_BOUNDS_ITEMS: readonly PaperItem[] = [
  {
    id: 'bounds-table-1',
    title: 'Semantic capacity of systems',
    ...ofBounds,
    compute: (accord, dataset, _options, client) => capacityTable(accord, dataset, client),
  },
  {
    id: 'bounds-table-2',
    paper: PAPER,
    title: 'Share of atoms that people call visual',
    needs: 'votes on atoms',
    async lacks(accord, dataset) {
      const { summaries } = await readVotes(accord, dataset)
      return summaries.length > 0 ? null : 'no votes: see accord import votes --help'
    },
    compute: (accord, dataset) => voteTable(accord, dataset),
  },
  {
    id: 'bounds-figure-2',
    title: 'Upper bounds by the number of atoms',
    ...ofBounds,
    compute: (accord, dataset, _options, client) => boundsByAtoms(accord, dataset, client),
  },
  {
    id: 'bounds-figure-3',
    title: 'Upper bounds by the share of wrong atoms',
    ...ofBounds,
    compute: (accord, dataset, _options, client) => boundsByPrecision(accord, dataset, client),
  },
]

type Figures = NonNullable<FigureReport['figures']>

/** Figures of several metrics. */
async function figuresOf(
  accord: Accord,
  { name: dataset }: Dataset,
  metrics: readonly string[],
  client: Client,
): Promise<Map<string, Figures>> {
  const figures = new Map<string, Figures>()
  for (const [index, metric] of metrics.entries()) {
    const step = clientOfStep(client, index, metrics.length)
    const report = await reportBounds(accord, { dataset, metric }, step)
    if (report.figures) figures.set(metric, report.figures)
  }
  return figures
}

/** Points with all atoms; of several models of a point, the one with the lowest validation loss. */
function bestPoints(figures: Figures | undefined): ReportedPoint[] {
  const best = new Map<string, ReportedPoint>()
  for (const point of figures?.points ?? []) {
    const { kind, atoms, replaced, visualOnly } = point.bound.settings
    const key = JSON.stringify([kind, atoms, replaced])
    const loss = ({ bound }: ReportedPoint) => bound.outcome?.validationLoss ?? Number.POSITIVE_INFINITY
    const other = best.get(key)
    if (!visualOnly && (!other || loss(point) < loss(other))) best.set(key, point)
  }
  return [...best.values()]
}

const settingsOf = ({ bound }: ReportedPoint) => bound.settings

/** Metrics of Table 1 by their names there. */
const METRICS: readonly (readonly [metric: string, name: string])[] = [
  ['BLEU-1', 'B1'],
  ['BLEU-4', 'B4'],
  ['METEOR', 'M'],
  ['CIDEr', 'C'],
]

const HEADINGS: Readonly<Record<BoundKind, string>> = {
  entity: 'ENT',
  action: 'ACT',
  attribute: 'ATT',
  all: 'ALL',
}

/** Score and bound by B1, B4, M and C, then capacities by ENT, ACT, ATT and ALL; `–` where the paper has none. */
const PUBLISHED_CAPACITIES: Readonly<Record<string, string>> = {
  'COCO (Wu et al. 2015)': '.74 .80 .31 .35 .26 .30 .94 1.4 ~200 ~2100 >4000 ~50',
  'YouTube2Text (Yu et al. 2015)': '.815 .88 .499 .58 .326 .40 .658 1.2 ~60 ~500 >1900 ~20',
  'LSMDC (Venugopalan et al. 2015)': '– .45 – .12 .07 .22 – – ~40 ~50 ~4000 ~10',
}

const CAPACITY_COLUMNS = [
  ...METRICS.flatMap(([, name]) => [name, `${name} bound`]),
  ...['entity', 'action', 'attribute', 'all'].map((kind) => HEADINGS[kind as BoundKind]),
]

function readPublished(text: string): PaperFigure | null {
  const value = Number(text.replace(/^[~>]/, ''))
  return Number.isNaN(value) ? null : { value, text }
}

/** The metric that capacities are read off by. */
const CAPACITY_METRIC = 'CIDEr'

/** Table 1. */
async function capacityTable(accord: Accord, dataset: Dataset, client: Client): Promise<PaperTable> {
  const metrics = METRICS.map(([metric]) => metric)
  const figures = await figuresOf(accord, dataset, metrics, client)
  const capacities = figures.get(CAPACITY_METRIC)?.capacities ?? []
  const systems = [...new Set(capacities.map(({ system }) => system.name))]
  const boundOf = (metric: string): PaperFigure | null => {
    const all = bestPoints(figures.get(metric)).filter(
      (point) => settingsOf(point).kind === 'all' && settingsOf(point).replaced === 0 && point.score !== null,
    )
    const best = all.reduce<ReportedPoint | null>(
      (found, point) => (found && found.score! >= point.score! ? found : point),
      null,
    )
    return best && { value: best.score, interval: best.interval }
  }
  const ours = systems.flatMap((row) => [
    ...METRICS.flatMap(([metric, name]) => {
      const scored = figures.get(metric)?.capacities.find(({ system }) => system.name === row)
      const bound = boundOf(metric)
      return [
        cellOf({
          row,
          column: name,
          ...figureOf(scored?.score, 'The system has no score by the metric.', {
            interval: scored?.interval,
          }),
        }),
        cellOf({
          row,
          column: `${name} bound`,
          ...(bound ? { ours: bound } : { reason: 'No bound with atoms of all kinds is trained.' }),
        }),
      ]
    }),
    ...(['entity', 'action', 'attribute', 'all'] as const).map((kind) => {
      const found = capacities.find((one) => one.system.name === row && one.kind === kind)
      const column = HEADINGS[kind]
      if (!found) return cellOf({ row, column, reason: `No two bounds with ${kind} atoms are trained.` })
      const { atoms, beyond, limit } = found.capacity
      const text =
        atoms === null ? `${beyond === 'BELOW' ? '<' : '>'}${grouped(limit!)}` : grouped(Math.round(atoms))
      return cellOf({ row, column, ours: { value: atoms, text } })
    }),
  ])
  const published = Object.entries(PUBLISHED_CAPACITIES).flatMap(([row, line]) =>
    line
      .split(' ')
      .map((text, index) =>
        cellOf({
          row,
          column: CAPACITY_COLUMNS[index],
          published: readPublished(text),
          reason: 'A system of the paper, whose captions are not published.',
        }),
      ),
  )
  return {
    decimals: 2,
    cells: [...published, ...ours],
    notes: [
      'A bound is the highest of those with atoms of all kinds. Capacities are read off by CIDEr. The first rows are published.',
    ],
  }
}

const PUBLISHED_VOTES: Readonly<Record<string, readonly [number, number, number]>> = {
  COCO: [0.92, 0.85, 0.81],
  YouTube2Text: [0.95, 0.91, 0.72],
  LSMDC: [0.83, 0.87, 0.78],
}

const VOTE_COLUMNS = { entity: 'entities', action: 'actions', attribute: 'attributes' } as const

/** Table 2. */
async function voteTable(accord: Accord, dataset: Dataset): Promise<PaperTable> {
  const { summaries } = await readVotes(accord, dataset)
  const published = Object.entries(PUBLISHED_VOTES).flatMap(([row, shares]) =>
    ATOM_KINDS.map((kind, index) =>
      cellOf({
        row: `${row}, published`,
        column: VOTE_COLUMNS[kind],
        published: printed(shares[index]),
        reason: 'Votes of the paper, unless they are imported.',
      }),
    ),
  )
  const ours = ATOM_KINDS.map((kind) =>
    cellOf({
      row: dataset.name,
      column: VOTE_COLUMNS[kind],
      ...figureOf(
        summaries.find((summary) => summary.kind === kind)?.visualShare,
        `No ${kind} atom has a majority of at least 3 votes.`,
      ),
    }),
  )
  return {
    decimals: 2,
    cells: [...published, ...ours],
    notes: ['The paper has the first 150 atoms of each kind.'],
  }
}

/** The only point of Figure 2 that the paper prints. */
const PUBLISHED_BLEU = { metric: 'BLEU-4', k: 10, figure: { value: 0.15, text: '~.15' } }

const FIGURE_METRICS = ['BLEU-1', 'BLEU-2', 'BLEU-3', 'BLEU-4', 'METEOR']

const PLOTTED = 'The paper plots the points; of COCO it prints BLEU-4 with 10 atoms alone.'

/** Figure 2. */
async function boundsByAtoms(accord: Accord, dataset: Dataset, client: Client): Promise<PaperTable> {
  const figures = await figuresOf(accord, dataset, [...FIGURE_METRICS, CAPACITY_METRIC], client)
  const pointsOf = (metric: string) =>
    bestPoints(figures.get(metric)).filter((point) => settingsOf(point).replaced === 0)
  const first = FIGURE_METRICS.flatMap((metric) => {
    const points = pointsOf(metric).filter((point) => settingsOf(point).kind === 'all')
    const counts = points.map((point) => settingsOf(point).atoms)
    const isPrinted = metric === PUBLISHED_BLEU.metric
    const shown = isPrinted && !counts.includes(PUBLISHED_BLEU.k) ? [...counts, PUBLISHED_BLEU.k] : counts
    return shown
      .toSorted((one, other) => one - other)
      .map((k) => {
        const point = points.find((one) => settingsOf(one).atoms === k)
        return cellOf({
          panel: 'atoms of all kinds',
          k,
          column: metric,
          ...scoreOf(
            point,
            point ? 'The metric is undefined for all test images.' : `No bound with ${k} atoms is trained.`,
          ),
          published: isPrinted && k === PUBLISHED_BLEU.k ? PUBLISHED_BLEU.figure : null,
        })
      })
  })
  const second = pointsOf(CAPACITY_METRIC).flatMap((point) => {
    const { kind, atoms: k } = settingsOf(point)
    return kind === 'all'
      ? []
      : cellOf({ panel: CAPACITY_METRIC, k, column: HEADINGS[kind], ...scoreOf(point) })
  })
  return {
    decimals: 3,
    counts: 'atoms',
    cells: [...first, ...second],
    notes: [PLOTTED, 'With atoms of all kinds there are as many of each.'],
  }
}

function scoreOf(
  point: ReportedPoint | undefined,
  reason = 'The metric is undefined for all test images.',
): Pick<PaperCell, 'ours' | 'reason'> {
  return figureOf(point?.score, reason, { interval: point?.interval })
}

/** Figure 3. */
async function boundsByPrecision(accord: Accord, dataset: Dataset, client: Client): Promise<PaperTable> {
  const points = bestPoints(
    (await figuresOf(accord, dataset, [CAPACITY_METRIC], client)).get(CAPACITY_METRIC),
  )
  const shares = [...new Set(points.map((point) => settingsOf(point).replaced))].sort(
    (one, other) => one - other,
  )
  const cells = BOUND_KINDS.flatMap((kind) => {
    const ofKind = points.filter((point) => settingsOf(point).kind === kind)
    const counts = [...new Set(ofKind.map((point) => settingsOf(point).atoms))]
    return counts
      .toSorted((one, other) => one - other)
      .flatMap((k) =>
        shares.map((share) => {
          const found = ofKind.find(
            (point) => settingsOf(point).atoms === k && settingsOf(point).replaced === share,
          )
          const reason =
            k === 0
              ? 'Without atoms there are none to replace.'
              : 'No bound with this share of wrong atoms is trained: see accord bounds run --help'
          return cellOf({
            panel: `${CAPACITY_METRIC}, ${HEADINGS[kind]}`,
            k,
            column: `r = ${share}`,
            ...scoreOf(found, found ? undefined : reason),
          })
        }),
      )
  })
  return {
    decimals: 3,
    counts: 'atoms',
    cells,
    notes: [
      'The paper plots the points and prints no numbers.',
      'r: share of the atoms that are replaced by random ones.',
    ],
  }
}

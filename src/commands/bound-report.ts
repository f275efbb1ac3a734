import { BOUND_KINDS, type BoundKind } from '../bounds/atoms.js'
import type { Capacity, FigureReport, ReportedCapacity, ReportedPoint } from '../services/bounds.js'
import type { Interval } from '../stats/bootstrap.js'
import {
  counted,
  grouped,
  type Renderings,
  share,
  type TextRow,
  type TextTable,
  toLines,
  toText,
} from './output.js'

/** The figures in every format. */
export function renderings({ dataset, figures }: FigureReport): Renderings {
  const points = figures?.points ?? []
  const capacities = figures?.capacities ?? []
  return {
    json: () => ({
      dataset: dataset.name,
      metric: figures?.metric ?? null,
      images: figures?.images ?? null,
      points: points.map(toJsonPoint),
      capacities: capacities.map(toJsonCapacity),
      incompleteSystems: (figures?.incompleteSystems ?? []).map(({ name }) => name),
      retrieval: figures?.retrieval && {
        score: figures.retrieval.value,
        lower: figures.retrieval.lower,
        upper: figures.retrieval.upper,
      },
    }),
    csv: () => ({
      header: ['kind', 'atoms', 'replaced', 'visualOnly', 'score', 'lower', 'upper', 'perplexity'],
      rows: points
        .map(toJsonPoint)
        .map((point) => [
          point.kind,
          point.atoms,
          point.replaced,
          String(point.visualOnly),
          point.score,
          point.lower,
          point.upper,
          point.perplexity,
        ]),
    }),
    table: async () =>
      figures ? describeFigures(figures) : toLines(['No bound is trained. See accord bounds run --help']),
  }
}

function toJsonPoint({ bound: { settings, outcome }, score, lower, upper }: ReportedPoint) {
  const { kind, atoms, replaced, visualOnly } = settings
  return { kind, atoms, replaced, visualOnly, score, lower, upper, perplexity: outcome?.perplexity ?? null }
}

/** The ends of the interval are null beyond the curve. */
function toJsonCapacity({ system, kind, score, capacity, lower, upper }: ReportedCapacity) {
  return {
    system: system.name,
    kind,
    score,
    atoms: capacity.atoms,
    lower: lower.atoms,
    upper: upper.atoms,
    beyond: capacity.beyond,
    limit: capacity.limit,
  }
}

async function describeFigures(figures: NonNullable<FigureReport['figures']>): Promise<string> {
  const { metric, images, points, capacities, incompleteSystems, retrieval } = figures
  const isReplaced = ({ bound }: ReportedPoint) => bound.settings.replaced > 0
  const parts = [
    `${metric} of captions that were written from atoms, with 95 % intervals\n${await toText(pointTable(points.filter((point) => !isReplaced(point))))}`,
  ]
  if (points.some(isReplaced)) {
    parts.push(
      `${metric} where a share r of the atoms is replaced by random others\n${await toText(replacedTable(points))}`,
    )
  }
  if (capacities.length > 0) {
    parts.push(
      `Semantic capacity: the number of atoms that the score of a system is worth\n${await toText(capacityTable(capacities))}`,
    )
  }
  parts.push(
    toLines([
      ...(retrieval
        ? [
            `Retrieval bound: the best training caption of each test image reaches ${showScore(retrieval.value, retrieval)} on average.`,
          ]
        : []),
      `All scores are those of ${counted(images.test, 'test image')}; the models were trained on ${counted(images.training, 'image')} and chosen on ${grouped(images.validation)}.`,
      ...(incompleteSystems.length > 0
        ? [`Without a caption of every test image: ${incompleteSystems.map(({ name }) => name).join(', ')}.`]
        : []),
    ]),
  )
  return parts.join('\n')
}

const showScore = (value: number, { lower, upper }: Interval) =>
  `${share(value)} [${share(lower)}, ${share(upper)}]`

function pointTable(points: readonly ReportedPoint[]): TextTable {
  const groups = BOUND_KINDS.map((kind) => points.filter(({ bound }) => bound.settings.kind === kind))
  return {
    columns: [
      { align: 'left' },
      { align: 'right' },
      { align: 'left' },
      { align: 'left' },
      { align: 'right' },
    ],
    head: [['kind', 'k', 'atoms', 'score', 'perplexity']],
    body: groups
      .filter((group) => group.length > 0)
      .map((group) =>
        group.map(({ bound: { settings, outcome }, score, lower, upper }) => [
          settings.kind,
          grouped(settings.atoms),
          settings.visualOnly ? 'visual' : '',
          showScore(score, { lower, upper }),
          (outcome?.perplexity ?? Number.NaN).toFixed(1),
        ]),
      ),
  }
}

function replacedTable(points: readonly ReportedPoint[]): TextTable {
  const settingsOf = ({ bound }: ReportedPoint) => bound.settings
  const replaced = points.filter((point) => settingsOf(point).replaced > 0)
  const keyOf = (point: ReportedPoint) => {
    const { kind, visualOnly } = settingsOf(point)
    return `${kind}${visualOnly ? ', visual' : ''}`
  }
  const shares = [0, ...new Set(replaced.map((point) => settingsOf(point).replaced))].sort((a, b) => a - b)
  const rows = [...new Set(replaced.map(keyOf))].flatMap((key) => {
    const ofKey = points.filter((point) => keyOf(point) === key)
    const ks = [
      ...new Set(replaced.filter((point) => keyOf(point) === key).map((point) => settingsOf(point).atoms)),
    ].sort((a, b) => a - b)
    return ks.map((k): TextRow => {
      const cells = shares.map((r) =>
        ofKey.find((point) => settingsOf(point).atoms === k && settingsOf(point).replaced === r),
      )
      return [key, grouped(k), ...cells.map((point) => (point ? showScore(point.score, point) : '–'))]
    })
  })
  return {
    columns: [{ align: 'left' }, { align: 'right' }, ...shares.map(() => ({ align: 'left' as const }))],
    head: [['kind', 'k', ...shares.map((r) => `r ${r}`)]],
    body: [rows],
  }
}

const HEADS: Readonly<Record<BoundKind, string>> = {
  entity: 'ENT',
  action: 'ACT',
  attribute: 'ATT',
  all: 'ALL',
}

function capacityTable(capacities: readonly ReportedCapacity[]): TextTable {
  const kinds = (Object.keys(HEADS) as BoundKind[]).filter((kind) =>
    capacities.some((capacity) => capacity.kind === kind),
  )
  const names = [...new Set(capacities.map(({ system }) => system.name))]
  const rows = names.map((name): TextRow => {
    const ofSystem = capacities.filter(({ system }) => system.name === name)
    const cells = kinds.map((kind) => {
      const { capacity, lower, upper } = ofSystem.find((one) => one.kind === kind)!
      return `${showCapacity(capacity)} [${showCapacity(lower)}, ${showCapacity(upper)}]`
    })
    return [name, showScore(ofSystem[0].score, ofSystem[0].interval), ...cells]
  })
  return {
    columns: [{ align: 'left' }, { align: 'left' }, ...kinds.map(() => ({ align: 'left' as const }))],
    head: [['system', 'score', ...kinds.map((kind) => HEADS[kind])]],
    body: [rows],
  }
}

function showCapacity({ atoms, beyond, limit }: Capacity): string {
  if (atoms !== null) return grouped(Math.round(atoms))
  return `${beyond === 'BELOW' ? '<' : '>'} ${grouped(limit!)}`
}

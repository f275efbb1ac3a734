import type { BoundKind } from '../../core/bounds/atoms.js'
import type { Capacity } from '../../core/bounds/capacity.js'
import type { Interval } from '../../core/stats/interval.js'
import type {
  FigureReport,
  ReportedCapacity,
  ReportedPoint,
  UnfinishedBound,
} from '../../services/bounds/bounds.js'
import { CHOICES } from '../../services/choices.js'
import type { Renderings } from '../output/output.js'
import {
  counted,
  type Figure,
  grouped,
  NONE,
  type ReportPart,
  type TextRow,
  type TextTable,
} from '../output/table.js'

/** The figures in every format. */
export function renderings({ dataset, unfinished, figures }: FigureReport): Renderings {
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
        lower: figures.retrieval.interval?.lower ?? null,
        upper: figures.retrieval.interval?.upper ?? null,
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
    report: () => [
      ...(figures
        ? describeFigures(figures)
        : [{ notes: ['No bound is trained. See accord bounds run --help'] }]),
      ...describeUnfinished(unfinished),
    ],
  }
}

function describeUnfinished(bounds: readonly UnfinishedBound[]): ReportPart[] {
  const waiting = bounds.filter(({ failure }) => failure === null)
  const notes = bounds
    .filter(({ failure }) => failure !== null)
    .map(
      ({ bound: { settings }, failure }) =>
        `${settings.kind} ${settings.atoms}: the training failed: ${failure}`,
    )
  if (waiting.length > 0)
    notes.push(`Queued, being trained or interrupted: ${counted(waiting.length, 'point')}.`)
  return notes.length > 0 ? [{ notes }] : []
}

function toJsonPoint({ bound: { settings, outcome }, score, interval }: ReportedPoint) {
  const { kind, atoms, replaced, visualOnly } = settings
  const { lower, upper } = interval ?? { lower: null, upper: null }
  return { kind, atoms, replaced, visualOnly, score, lower, upper, perplexity: outcome?.perplexity ?? null }
}

/** The ends of the interval are null beyond the curve. */
function toJsonCapacity({ system, kind, score, capacity, lower, upper }: ReportedCapacity) {
  return {
    system: system.name,
    kind,
    score,
    atoms: capacity.atoms,
    lower: lower?.atoms ?? null,
    upper: upper?.atoms ?? null,
    beyond: capacity.beyond,
    limit: capacity.limit,
  }
}

function describeFigures(figures: NonNullable<FigureReport['figures']>): ReportPart[] {
  const { metric, images, points, capacities, incompleteSystems, retrieval } = figures
  const isReplaced = ({ bound }: ReportedPoint) => bound.settings.replaced > 0
  const parts: ReportPart[] = [
    { notes: [`${metric} of captions that were written from atoms, with 95 % intervals:`] },
    pointTable(points.filter((point) => !isReplaced(point))),
  ]
  if (points.some(isReplaced)) {
    parts.push({ notes: [`${metric} where a share r of the atoms is replaced by random others:`] })
    parts.push(replacedTable(points))
  }
  if (capacities.length > 0) {
    parts.push({ notes: ['Semantic capacity: the number of atoms that the score of a system is worth:'] })
    parts.push(capacityTable(capacities))
  }
  if (retrieval) {
    parts.push({
      notes: ['Retrieval bound: the mean of the best scores of training captions on the test images:'],
    })
    parts.push({
      columns: [{ align: 'left' }],
      head: [['score']],
      body: [[[showScore(retrieval.value, retrieval.interval)]]],
    })
  }
  parts.push({
    notes: [
      `All scores are those of ${counted(images.test, 'test image')}; the models were trained on ${counted(images.training, 'image')} and chosen on ${grouped(images.validation)}.`,
      ...(incompleteSystems.length > 0
        ? [`Without a caption of every test image: ${incompleteSystems.map(({ name }) => name).join(', ')}.`]
        : []),
    ],
  })
  return parts
}

function showScore(value: number | null, interval: Interval | null): Figure | string {
  if (value === null) return NONE
  return {
    show: (style) =>
      interval
        ? `${style.share(value)} [${style.share(interval.lower)}, ${style.share(interval.upper)}]`
        : style.share(value),
  }
}

function pointTable(points: readonly ReportedPoint[]): TextTable {
  const hasVisual = points.some(({ bound }) => bound.settings.visualOnly)
  const whereVisual = <Part>(part: Part): Part[] => (hasVisual ? [part] : [])
  const groups = CHOICES.boundKinds.map((kind) => points.filter(({ bound }) => bound.settings.kind === kind))
  return {
    columns: [
      { align: 'left' },
      { align: 'right' },
      ...whereVisual({ align: 'left' as const }),
      { align: 'left' },
      { align: 'right' },
    ],
    head: [['kind', 'k', ...whereVisual('atoms'), 'score', 'perplexity']],
    body: groups
      .filter((group) => group.length > 0)
      .map((group) =>
        group.map(({ bound: { settings, outcome }, score, interval }) => [
          settings.kind,
          grouped(settings.atoms),
          ...whereVisual(settings.visualOnly ? 'visual' : ''),
          showScore(score, interval),
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
      return [
        key,
        grouped(k),
        ...cells.map((point) => (point ? showScore(point.score, point.interval) : NONE)),
      ]
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
      const isBeyond = lower?.beyond != null && lower.beyond === upper?.beyond
      return lower && upper && !isBeyond
        ? `${showCapacity(capacity)} [${showCapacity(lower)}, ${showCapacity(upper)}]`
        : showCapacity(capacity)
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

import { AccordError, quote } from '../../errors.js'
import type { Provenance } from '../../services/evaluations/provenance.js'
import type {
  BaselineReason,
  SelectionReport,
  SelectionResult,
} from '../../services/selection/content-selection.js'
import { baselineError, SELECTION_MEASURES } from '../../services/selection/content-selection.js'
import { selectionNotes } from '../../services/shared/notes.js'
import type { Renderings } from '../output/output.js'
import { type Cell, counted, interval, leftThenRight, share, type TextTable } from '../output/table.js'

/** Content selection on a dataset, as rows. */
export interface SelectionTable
  extends Pick<
    SelectionReport,
    | 'dataset'
    | 'priors'
    | 'priorsShare'
    | 'imageCount'
    | 'imagesWithoutReferences'
    | 'descriptionsWithoutMentions'
    | 'record'
  > {
  readonly rows: readonly SelectionRow[]
  /** Baselines that the data do not support. */
  readonly leftOut: readonly { readonly system: string; readonly reason: BaselineReason }[]
  /** What to know when reading the rows. */
  readonly notes: readonly string[]
}

export interface SelectionRow extends SelectionResult, Provenance {
  /** `human`, the name of a baseline, or the name of a system. */
  readonly system: string
  /** Number of boxes that a baseline selects; null for people and systems. */
  readonly k: number | null
}

export interface SelectionChoice {
  /** Numbers of boxes of baselines. Default: all. */
  readonly k?: readonly number[]
  /** Names of rows. Default: all. */
  readonly system?: readonly string[]
}

/**
 * The rows to show.
 *
 * @throws AccordError UNKNOWN_SYSTEM for an unknown name, NOT_APPLICABLE for a baseline that the data do not
 *   support
 */
export function chooseRows(report: SelectionReport, choice: SelectionChoice): SelectionTable {
  const rows = toRows(report).filter(({ k }) => k === null || (choice.k?.includes(k) ?? true))
  if (choice.system) checkNames(choice.system, report)
  const chosen = rows.filter(({ system }) => choice.system?.includes(system) ?? true)
  const { dataset, priors, priorsShare, imageCount, imagesWithoutReferences, descriptionsWithoutMentions } =
    report
  return {
    dataset,
    priors,
    priorsShare,
    imageCount,
    imagesWithoutReferences,
    descriptionsWithoutMentions,
    record: report.record,
    rows: chosen,
    leftOut: choice.system ? [] : leftOut(report),
    notes: selectionNotes(chosen),
  }
}

/** The rows in every format. */
export function renderings(table: SelectionTable): Renderings {
  return {
    json: () => toJson(table),
    csv: () => ({
      header: [
        'system',
        'k',
        ...SELECTION_MEASURES,
        ...SELECTION_MEASURES.map((measure) => `${measure}Sd`),
        ...SELECTION_MEASURES.flatMap((measure) =>
          ['lower', 'upper'].map((end) => `intervals.${measure}.${end}`),
        ),
        'images',
        'signature',
      ],
      rows: table.rows.map((row) => [
        row.system,
        row.k,
        ...SELECTION_MEASURES.map((measure) => row[measure]),
        ...SELECTION_MEASURES.map((measure) => row[`${measure}Sd`]),
        ...SELECTION_MEASURES.flatMap((measure) => {
          const interval = row.intervals?.[measure]
          return [interval?.lower ?? null, interval?.upper ?? null]
        }),
        row.images,
        row.signature,
      ]),
    }),
    report: () => [toTable(table), { notes: legend(table) }],
  }
}

function toJson({ rows, leftOut, record: people, ...about }: SelectionTable) {
  // Baselines have the record of people.
  const ofSystems = rows.filter(({ record }) => record !== people)
  return {
    ...about,
    provenance: {
      people,
      systems: Object.fromEntries(ofSystems.map(({ system, record }) => [system, record])),
    },
    rows: rows.map(
      ({
        system,
        k,
        images,
        imagesLeftOut,
        intervals,
        undefinedReason,
        signature,
        record: _record,
        ...means
      }) => ({
        system,
        k,
        ...means,
        intervals,
        images,
        imagesLeftOut,
        undefinedReason,
        signature,
      }),
    ),
    leftOut,
  }
}

/** The omitted baselines, one line per reason. */
export function describeLeftOut({ leftOut }: SelectionTable): string {
  const reasons = [...new Set(leftOut.map(({ reason }) => reason))]
  const lines = reasons.map((wanted) => {
    const systems = leftOut.filter(({ reason }) => reason === wanted).map(({ system }) => system)
    return `Omitted: ${systems.join(', ')} (${NEEDED[wanted]})\n`
  })
  return lines.join('')
}

const NEEDED: Readonly<Record<BaselineReason, string>> = {
  NO_PRIORS: 'requires --priors or --priors-share',
  NO_IMAGE_SIZE: 'requires the width and height of every image',
}

function toRows({ human, baselines, systems, record, signature }: SelectionReport): SelectionRow[] {
  const own = { record, signature }
  return [
    { system: 'human', k: null, ...human, ...own },
    ...baselines.flatMap(({ baseline, points }) =>
      points.map((point, index) => ({ system: baseline, k: index + 1, ...point, ...own })),
    ),
    ...systems.map((result) => ({ ...result, k: null })),
  ]
}

function checkNames(wanted: readonly string[], report: SelectionReport): void {
  const { baselines, systems, imagesWithoutSize } = report
  const names = [
    'human',
    ...baselines.map(({ baseline }) => baseline),
    ...systems.map(({ system }) => system),
  ]
  const unknown = wanted.find((name) => !names.includes(name))
  if (unknown !== undefined) {
    throw new AccordError('UNKNOWN_SYSTEM', 'unknown baseline or system', {
      source: 'system',
      expected: `one of ${names.join(', ')}`,
      found: quote(unknown),
    })
  }
  for (const { baseline, undefinedReason } of baselines) {
    if (undefinedReason === null || !wanted.includes(baseline)) continue
    throw baselineError(baseline, undefinedReason, imagesWithoutSize)
  }
}

function leftOut({ baselines }: SelectionReport): SelectionTable['leftOut'] {
  return baselines.flatMap(({ baseline, undefinedReason: reason }) =>
    reason === null ? [] : [{ system: baseline, reason }],
  )
}

function toTable({ rows }: SelectionTable): TextTable {
  const systems = [...new Set(rows.map(({ system }) => system))]
  return {
    head: [['system', 'k', 'P', '±', 'R', '±', 'F', '±', '95 % interval of F']],
    body: systems.map((name) => rows.filter(({ system }) => system === name).map(toTableRow)),
    columns: leftThenRight(9),
  }
}

function toTableRow(row: SelectionRow): Cell[] {
  return [
    row.system,
    row.k === null ? '' : String(row.k),
    ...SELECTION_MEASURES.flatMap((measure) => [share(row[measure]), share(row[`${measure}Sd`])]),
    interval(row.intervals?.f),
  ]
}

function legend(table: SelectionTable): string[] {
  const { imageCount, imagesWithoutReferences, descriptionsWithoutMentions } = table
  const omitted = [
    [imagesWithoutReferences, 'image', ' without a human description that mentions a box'],
    [descriptionsWithoutMentions, 'description', ' that does not mention a box'],
  ] as const
  const counts = omitted
    .filter(([count]) => count > 0)
    .map(([count, noun, what]) => `${counted(count, noun)}${what}`)
  const scored = `Means over ${counted(imageCount, 'image')} and standard deviations (±).`
  const excluded = counts.length > 0 ? `${scored} Excluded: ${counts.join(', ')}.` : scored
  return [excluded, ...table.notes]
}

import { AccordError, quote } from '../errors.js'
import {
  type BaselineReason,
  baselineError,
  computeSelection,
  SELECTION_MEASURES,
  type SelectionInput,
  type SelectionReport,
  type SelectionResult,
} from '../jobs/content-selection.js'
import type { Progress } from '../jobs/progress.js'
import type { Interval } from '../stats/bootstrap.js'
import type { Database } from '../store/database.js'
import { counted, type Renderings, share, toText } from './output.js'

/** Content selection on a data set, as rows. */
export interface SelectionTable
  extends Pick<
    SelectionReport,
    | 'dataset'
    | 'priors'
    | 'priorsShare'
    | 'imageCount'
    | 'imagesWithoutReferences'
    | 'descriptionsWithoutMentions'
  > {
  readonly rows: readonly SelectionRow[]
  /** Baselines that the data does not allow. */
  readonly leftOut: readonly { readonly system: string; readonly reason: BaselineReason }[]
}

export interface SelectionRow extends SelectionResult {
  /** `human`, the name of a baseline, or the name of a system. */
  readonly system: string
  /** Boxes that a baseline takes; null for people and systems. */
  readonly k: number | null
}

export interface SelectionChoice {
  /** Numbers of boxes of baselines; all where absent. */
  readonly k?: readonly number[]
  /** Names of rows; all that there are where absent. */
  readonly system?: readonly string[]
}

/**
 * Computes content selection and chooses rows.
 *
 * @throws AccordError UNKNOWN_SYSTEM where a name is that of no row, NOT_APPLICABLE where it is that of a baseline
 *   which the data does not allow; and what `computeSelection` throws
 */
export async function reportSelection(
  database: Database,
  input: SelectionInput,
  choice: SelectionChoice,
  progress: Progress,
): Promise<SelectionTable> {
  const report = await computeSelection(database, input, progress)
  const rows = toRows(report).filter(({ k }) => k === null || (choice.k?.includes(k) ?? true))
  if (choice.system) checkNames(choice.system, report)
  const { dataset, priors, priorsShare, imageCount, imagesWithoutReferences, descriptionsWithoutMentions } =
    report
  return {
    dataset,
    priors,
    priorsShare,
    imageCount,
    imagesWithoutReferences,
    descriptionsWithoutMentions,
    rows: rows.filter(({ system }) => choice.system?.includes(system) ?? true),
    leftOut: choice.system ? [] : leftOut(report),
  }
}

/** The rows in every format. */
export function renderings(table: SelectionTable): Renderings {
  return {
    json: () => ({
      ...table,
      rows: table.rows.map(({ system, k, images, imagesLeftOut, intervals, undefinedReason, ...means }) => ({
        system,
        k,
        ...means,
        intervals,
        images,
        imagesLeftOut,
        undefinedReason,
      })),
    }),
    csv: () => ({
      header: [
        'system',
        'k',
        ...SELECTION_MEASURES,
        ...SELECTION_MEASURES.map((measure) => `${measure}_sd`),
        ...SELECTION_MEASURES.flatMap((measure) => [`${measure}_lower`, `${measure}_upper`]),
        'images',
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
      ]),
    }),
    table: async () => `${await toTable(table)}\n${legend(table)}\n`,
  }
}

/** Which baselines the data does not allow and why, a line for each reason. */
export function describeLeftOut({ leftOut }: SelectionTable): string {
  const reasons = [...new Set(leftOut.map(({ reason }) => reason))]
  const lines = reasons.map((wanted) => {
    const systems = leftOut.filter(({ reason }) => reason === wanted).map(({ system }) => system)
    return `Left out: ${systems.join(', ')} (${NEEDED[wanted]})\n`
  })
  return lines.join('')
}

const NEEDED: Readonly<Record<BaselineReason, string>> = {
  NO_PRIORS: '--priors or --priors-share says what to learn from',
  NO_IMAGE_SIZE: 'the width and height of every image are needed',
}

function toRows({ human, baselines, systems }: SelectionReport): SelectionRow[] {
  return [
    { system: 'human', k: null, ...human },
    ...baselines.flatMap(({ baseline, points }) =>
      points.map((point, index) => ({ system: baseline, k: index + 1, ...point })),
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
    throw new AccordError('UNKNOWN_SYSTEM', 'there is no baseline of this name, nor a system with boxes', {
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

function toTable({ rows }: SelectionTable): Promise<string> {
  const systems = [...new Set(rows.map(({ system }) => system))]
  return toText({
    head: [['system', 'k', 'P', '±', 'R', '±', 'F', '±', '95 % interval of F']],
    body: systems.map((name) => rows.filter(({ system }) => system === name).map(toTableRow)),
    columns: Array.from({ length: 9 }, (_, column) => ({ align: column === 0 ? 'left' : 'right' })),
  })
}

function toTableRow(row: SelectionRow): string[] {
  return [
    row.system,
    row.k === null ? '' : String(row.k),
    ...SELECTION_MEASURES.flatMap((measure) => [share(row[measure]), share(row[`${measure}Sd`])]),
    row.intervals === null ? '–' : showInterval(row.intervals.f),
  ]
}

function showInterval({ lower, upper }: Interval): string {
  return `${share(lower)} – ${share(upper)}`
}

function legend(table: SelectionTable): string {
  const { imageCount, imagesWithoutReferences, descriptionsWithoutMentions } = table
  const omitted = [
    [imagesWithoutReferences, 'image', ' that nobody describes by a box'],
    [descriptionsWithoutMentions, 'description', ' that names none'],
  ] as const
  const counts = omitted
    .filter(([count]) => count > 0)
    .map(([count, noun, what]) => `${counted(count, noun)}${what}`)
  const scored = `Means over ${counted(imageCount, 'image')} and standard deviations (±).`
  return counts.length > 0 ? `${scored} Left out: ${counts.join(', ')}.` : scored
}

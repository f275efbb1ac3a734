import { unknownName } from '../../errors.js'
import type { Provenance } from '../../services/evaluations/provenance.js'
import type {
  BaselineReason,
  SelectionReport,
  SelectionResult,
} from '../../services/selection/content-selection.js'
import { baselineError, SELECTION_MEASURES } from '../../services/selection/content-selection.js'
import { selectionNotes } from '../../services/selection/selection.js'
import { counted, interval, NONE, ordinal, share } from '../output/formats.js'
import type { NamedTable, Report } from '../output/report.js'

interface Row extends SelectionResult, Provenance {
  /** `human`, the name of a baseline, or the name of a system. */
  readonly system: string
  /** Number of boxes that a baseline selects; null for people and systems. */
  readonly k: number | null
}

/** The rows that are shown. */
interface RowChoice {
  /** Numbers of boxes of baselines. Default: all. */
  readonly k?: readonly number[]
  /** Names of rows. Default: all. */
  readonly system?: readonly string[]
}

/**
 * Means of people, baselines and systems.
 *
 * @throws AccordError UNKNOWN_SYSTEM for an unknown name, NOT_APPLICABLE for a baseline that the data do not
 *   support
 */
export function selectionReport(report: SelectionReport, choice: RowChoice): Report {
  const { dataset, priors, priorsShare, imageCount, record: people } = report
  const { imagesWithoutReferences, descriptionsWithoutMentions } = report
  const rows = chooseRows(report, choice)
  const notes = selectionNotes(rows)
  const leftOut = choice.system ? [] : leftOutOf(report)
  const titles = { precision: 'P', recall: 'R', f: 'F' } as const
  const table: NamedTable<Row> = {
    name: 'rows',
    columns: [
      { path: 'system', title: 'system' },
      { path: 'k', title: 'k', format: ordinal },
      ...SELECTION_MEASURES.flatMap((measure) => [
        { path: measure, title: titles[measure], format: share },
        { path: `${measure}Sd`, title: '±', format: share },
      ]),
      { path: 'intervals.precision', format: interval },
      { path: 'intervals.recall', format: interval },
      {
        path: 'intervals.f',
        title: '95 % interval of F',
        format: interval,
        show: ({ intervals }, numbers) => (intervals?.f ? interval.show(intervals.f, numbers) : NONE),
      },
      { path: 'isSmall' },
      { path: 'images' },
      { path: 'imagesLeftOut' },
      { path: 'undefinedReason' },
      { path: 'signature' },
    ],
    rows,
    groupBy: ({ system }) => system,
  }
  // Baselines have the record of people.
  const ofSystems = rows.filter(({ record }) => record !== people)
  const systems = Object.fromEntries(ofSystems.map(({ system, record }) => [system, record]))
  return {
    about: {
      dataset,
      priors,
      priorsShare,
      imageCount,
      imagesWithoutReferences,
      descriptionsWithoutMentions,
      notes,
      provenance: { people, systems },
      leftOut,
    },
    tables: [table],
    parts: [table, { notes: [describeImages(report), ...notes] }],
    warnings: describeLeftOut(leftOut),
  }
}

function chooseRows(report: SelectionReport, { k: counts, system: names }: RowChoice): Row[] {
  const { human, baselines, systems, record, signature } = report
  if (names) checkNames(names, report)
  const own = { record, signature }
  const rows: Row[] = [
    { system: 'human', k: null, ...human, ...own },
    ...baselines.flatMap(({ baseline, points }) =>
      points.map((point, index) => ({ system: baseline, k: index + 1, ...point, ...own })),
    ),
    ...systems.map((result) => ({ ...result, k: null })),
  ]
  const ordered = names?.flatMap((name) => rows.filter(({ system }) => system === name)) ?? rows
  return ordered.filter(({ k }) => k === null || (counts?.includes(k) ?? true))
}

/** The omitted baselines, one line per reason. */
function describeLeftOut(leftOut: ReturnType<typeof leftOutOf>): string[] {
  return [...new Set(leftOut.map(({ reason }) => reason))].map((wanted) => {
    const systems = leftOut.filter(({ reason }) => reason === wanted).map(({ system }) => system)
    return `Omitted: ${systems.join(', ')} (${NEEDED[wanted]})`
  })
}

const NEEDED: Readonly<Record<BaselineReason, string>> = {
  NO_PRIORS: 'requires --priors or --priors-share',
  NO_IMAGE_SIZE: 'requires the width and height of every image',
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
    const name = { source: 'system', known: names, found: unknown }
    throw unknownName('UNKNOWN_SYSTEM', 'unknown baseline or system', name)
  }
  for (const { baseline, undefinedReason } of baselines) {
    if (undefinedReason === null || !wanted.includes(baseline)) continue
    throw baselineError(baseline, undefinedReason, imagesWithoutSize)
  }
}

/** Baselines that the data do not support. */
function leftOutOf({ baselines }: SelectionReport) {
  return baselines.flatMap(({ baseline, undefinedReason: reason }) =>
    reason === null ? [] : [{ system: baseline, reason }],
  )
}

function describeImages(report: SelectionReport): string {
  const { imageCount, imagesWithoutReferences, descriptionsWithoutMentions } = report
  const omitted = [
    [imagesWithoutReferences, 'image', ' without a human description that mentions a box'],
    [descriptionsWithoutMentions, 'description', ' without a mention of a box'],
  ] as const
  const counts = omitted
    .filter(([count]) => count > 0)
    .map(([count, noun, what]) => `${counted(count, noun)}${what}`)
  const scored = `Means over ${counted(imageCount, 'image')} and standard deviations (±).`
  return counts.length > 0 ? `${scored} Excluded: ${counts.join(', ')}.` : scored
}

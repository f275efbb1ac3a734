import type { Command } from 'commander'
import { collectList, parseText, wholeNumber } from '../../config.js'
import { unknownName } from '../../errors.js'
import type { Provenance } from '../../services/provenance/word-provenance.js'
import type {
  BaselineReason,
  SelectionReport,
  SelectionResult,
} from '../../services/selection/content-selection.js'
import { MAX_SELECTED_BOXES } from '../../shared/choices.js'
import { counted } from '../../shared/numbers.js'
import { datasetOption, priorsOption, priorsShareOption } from '../options.js'
import { interval, NONE, ordinal, share } from '../output/formats.js'
import { percentOption } from '../output/output.js'
import { withProgress } from '../output/progress.js'
import { type Column, type NamedTable, type Report, untitled } from '../output/report.js'
import { printsDatasetReport, type ReportOptions } from '../report-command.js'

interface Options extends ReportOptions {
  readonly priors?: string
  readonly priorsShare?: number
  readonly k?: readonly number[]
  readonly system?: readonly string[]
}

/** `accord selection` */
export function register(program: Command): void {
  const command = program
    .command('selection')
    .summary('which objects people mention, and whether systems mention the same ones')
    .description(
      'Compare the boxes that descriptions mention with those that people mention: precision, recall and F, 0 to 1,' +
        ' with standard deviations over images and 95 % intervals, of people (human), of baselines that select the' +
        ' first k boxes in an order, and of systems. The provenance of people in the JSON is also that of baselines.',
    )
    .addOption(datasetOption())
    .addOption(priorsOption())
    .addOption(priorsShareOption())
    .option(
      '--k <k...>',
      `numbers of boxes that baselines select, 1 to ${MAX_SELECTED_BOXES} (default: all)`,
      collectList(wholeNumber(1, MAX_SELECTED_BOXES)),
    )
    .option(
      '--system <name...>',
      'only these systems and baselines; `human` for people',
      collectList(parseText),
    )
    .addOption(percentOption())
  const help = {
    examples: ['accord selection --dataset flickr --priors flickr-dev --k 1 2 3 4 5'],
    json: {
      report:
        'dataset, priors, priorsShare, imageCount, imagesWithoutReferences, descriptionsWithoutMentions, notes,' +
        ' provenance, leftOut, rows',
      rows: SELECTION,
    },
  }
  printsDatasetReport<Options>(command, help, async (accord, { name: dataset }, options) => {
    const { priors, priorsShare, k, system } = options
    const { selectContent } = await import('../../services/selection/selection.js')
    const report = await withProgress((progress) =>
      selectContent(accord, { dataset, priors, priorsShare }, { progress }),
    )
    return selectionReport(report, { k, system })
  })
}

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

/** Columns of the agreement with the references of people. */
const SELECTION: readonly Column<Row>[] = [
  { path: 'system', title: 'system' },
  { path: 'k', title: 'k', format: ordinal },
  ...Object.entries({ precision: 'P', recall: 'R', f: 'F' }).flatMap(([measure, title]) => [
    { path: measure, title, format: share },
    { path: `${measure}Sd`, title: 'SD', format: share },
  ]),
  { path: 'intervals.precision', format: interval },
  { path: 'intervals.recall', format: interval },
  {
    path: 'intervals.f',
    title: '95 % interval of F',
    format: interval,
    show: ({ intervals }, numbers) => (intervals?.f ? interval.show(intervals.f, numbers) : NONE),
  },
  ...untitled('isSmall', 'images', 'imagesLeftOut', 'undefinedReason', 'signature'),
]

/**
 * Means of people, baselines and systems.
 *
 * @throws AccordError UNKNOWN_SYSTEM for an unknown name, NOT_APPLICABLE for a baseline that the data do not
 *   support
 */
async function selectionReport(report: SelectionReport, choice: RowChoice): Promise<Report> {
  const { selectionNotes } = await import('../../services/selection/selection.js')
  const { dataset, priors, priorsShare, imageCount, record: people } = report
  const { imagesWithoutReferences, descriptionsWithoutMentions } = report
  const rows = await chooseRows(report, choice)
  const notes = selectionNotes(rows)
  const leftOut = choice.system ? [] : leftOutOf(report)
  const table: NamedTable<Row> = { name: 'rows', columns: SELECTION, rows, groupBy: ({ system }) => system }
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

async function chooseRows(report: SelectionReport, { k: counts, system: names }: RowChoice): Promise<Row[]> {
  const { human, baselines, systems, record, signature } = report
  if (names) await checkNames(names, report)
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

async function checkNames(wanted: readonly string[], report: SelectionReport): Promise<void> {
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
    const { baselineError } = await import('../../services/selection/content-selection.js')
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
  const scored = `Means over ${counted(imageCount, 'image')} and standard deviations (SD).`
  return counts.length > 0 ? `${scored} Excluded: ${counts.join(', ')}.` : scored
}

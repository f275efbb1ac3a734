import type { Command } from 'commander'
import { embeddingsOption, meteorDataOption, wholeNumber } from '../../config.js'
import type { SampleSize } from '../../core/stats/interval.js'
import type { Progress } from '../../progress.js'
import type { AgreementOptions, AgreementReport } from '../../services/agreement/agreement.js'
import type { PublishedRow } from '../../services/agreement/published.js'
import type { Accord } from '../../services/shared/accord.js'
import { keyBy } from '../../services/shared/groups.js'
import { toInterval } from '../../services/shared/intervals.js'
import { counted, fixed } from '../../shared/numbers.js'
import { UNDEFINED_REASONS } from '../../shared/undefined-reason.js'
import {
  byOption,
  datasetOption,
  documentFrequenciesOption,
  metricModuleOption,
  metricsOption,
} from '../options.js'
import {
  interval,
  jsonOnly,
  NONE,
  type NumberStyle,
  object,
  score,
  share,
  shownScore,
} from '../output/formats.js'
import { percentOption } from '../output/output.js'
import { withProgress } from '../output/progress.js'
import { type Column, type Notes, type Report, type Table, untitled } from '../output/report.js'
import { type FilesOptions, printsDatasetOrFilesReport } from '../report-command.js'
import { builtInNotes, withBuiltIn } from '../reports/score-table.js'

interface Options extends FilesOptions {
  readonly references?: number
  readonly metrics?: readonly string[]
  readonly documentFrequencies?: string
  readonly by?: string
}

/** `accord agreement` */
export function register(program: Command): void {
  const command = program
    .command('agreement')
    .summary('how much people agree on captions, by each metric')
    .description(
      'Score each human caption of an image in turn against the others, as if it came from a system: the' +
        ' leave-one-out table, with the mean and standard deviation of the folds and a 95 % interval (jackknife over' +
        ' images). Without --references and --metrics, the scores with 1 to K - 1 references follow, beside' +
        ' those published in COCO Captions 2015 (Table I), with the reasons why they' +
        ' differ. Scores are computed once, then stored.',
    )
    .addOption(datasetOption())
    .option(
      '--references <k>',
      'references per held-out caption, 1 to K - 1 (default: K - 1)',
      wholeNumber(1),
    )
    .addOption(metricsOption('all that are stored or computed by default'))
    .addOption(metricModuleOption())
    .addOption(documentFrequenciesOption('the references of each fold'))
    .addOption(
      byOption(
        'one that images of the dataset have, such as domain or split; objects, their number of boxes; or language, that of their captions',
      ),
    )
    .addOption(meteorDataOption())
    .addOption(embeddingsOption())
    .addOption(percentOption())
    .hook('preAction', () => {
      if (command.args.length > 1)
        command.error(
          'error: agreement is that of people, without results of systems; accord compare --people has both',
        )
    })
  const help = {
    examples: ['accord agreement --dataset coco --references 4', 'accord agreement captions_val2017.json'],
    json: {
      report:
        'dataset, references, imageCount, excludedImageCount, notes, scores, published, subsets (with --by)',
      scores: scoreColumns(['']),
      published: PUBLISHED,
    },
  }
  printsDatasetOrFilesReport<Options>(
    command,
    help,
    async (accord, { name: dataset }, options) => {
      const { references, metrics, documentFrequencies, by } = options
      const { documentsOf } = await import('../../services/evaluations/document-source.js')
      const input = { dataset, references, metrics, ...documentsOf(documentFrequencies) }
      const table = await withProgress((progress) => computeTable(accord, input, progress))
      const { agreementOfSubsets } = await import('../../services/agreement/agreement.js')
      const { withSubsets } = await import('../reports/subset-report.js')
      const subsets = by === undefined ? [] : await agreementOfSubsets(accord, table, by)
      return withSubsets(agreementReport(table), by, subsets)
    },
    { ofPeople: true },
  )
}

/** The table, and beside what was published unless references or metrics are given. */
export async function computeTable(
  accord: Accord,
  options: AgreementOptions & { readonly dataset: string },
  progress: Progress,
): Promise<AgreementTable> {
  const { reportAgreement } = await import('../../services/agreement/agreement.js')
  const { comparePublished, publishedDifferences } = await import('../../services/agreement/published.js')
  const { describeAgreement } = await import('../../services/evaluations/scores.js')
  const { captionLengths } = await import('../../services/evaluations/caption-lengths.js')
  const report = await reportAgreement(accord, options, { progress })
  const { references: wordsPerCaption } = await captionLengths(accord, report.dataset, [])
  const { dataset: _dataset, ...choice } = options
  const isWhole = Object.values(choice).every((value) => value === undefined)
  const published = isWhole ? await comparePublished(accord, report.dataset, { progress }) : null
  const differences = new Set(published?.flatMap((row) => row.differences))
  const reasons = Array.from(differences, (difference) => publishedDifferences[difference])
  const { notes, statuses } = await describeAgreement(accord, report.rows)
  const isExplained = (note: string) => report.coco.length > 0 && note === UNDEFINED_REASONS.OWN_DOCUMENTS
  return {
    ...report,
    wordsPerCaption,
    published,
    reasons,
    statuses,
    notes: notes.filter((note) => !isExplained(note)),
  }
}

/** Human agreement as the command shows it. */
interface AgreementTable extends AgreementReport {
  /** Beside Table I of COCO Captions; null where one number of references was asked for. */
  readonly published: readonly PublishedRow[] | null
  /** Why figures differ from the published ones. */
  readonly reasons: readonly string[]
  /** Mean number of tokens of a caption; null without captions. */
  readonly wordsPerCaption: number | null
  /** What to know when reading the scores. */
  readonly notes: readonly string[]
  /** What to know of the interval of each row. */
  readonly statuses: readonly SampleSize[]
}

/** More folds are hard to read. JSON, CSV and TSV have all of them. */
const MAX_FOLDS_SHOWN = 7

/** Columns of the leave-one-out table. */
function scoreColumns(folds: readonly unknown[]): Column[] {
  return [
    { path: 'metric', title: 'metric' },
    ...folds.map((_, fold) => ({
      path: `folds.${fold}`,
      title: folds.length > MAX_FOLDS_SHOWN ? undefined : `fold ${fold + 1}`,
      format: score,
    })),
    { path: 'mean', title: 'mean', format: score },
    { path: 'standardDeviation', title: 'sd', format: share },
    { path: 'interval', title: '95 % interval', format: interval },
    ...untitled('undefinedReason', 'isSmall', 'signature', 'coco.mean'),
    { path: 'coco.interval', format: interval },
    { path: 'coco.signature' },
    { path: 'warnings', format: jsonOnly },
  ]
}

/** The leave-one-out table, and what was published beside it. */
export function agreementReport({
  dataset,
  references,
  rows,
  wordsPerCaption,
  coco,
  published,
  reasons,
  notes,
  statuses,
}: AgreementTable): Report {
  const { excludedImageCount } = dataset
  const [{ imageCount, folds }] = rows
  const builtIn = keyBy(
    coco.map((row) => ({ ...row, interval: toInterval(row) })),
    ({ metric }) => metric,
  )
  const scores = {
    name: 'scores',
    columns: scoreColumns(folds),
    rows: rows.map((row, index) => ({
      ...row,
      interval: toInterval(row),
      ...statuses[index],
      coco: builtIn.get(row.metric) ?? null,
    })),
  }
  const legend = [
    `One of ${folds.length} captions against ${counted(references, 'other')}, over ${counted(imageCount, 'image')}.`,
    ...(excludedImageCount > 0
      ? [`Excluded for having fewer captions: ${counted(excludedImageCount, 'image')}.`]
      : []),
    ...(wordsPerCaption === null ? [] : [`Words per caption: ${fixed(wordsPerCaption, 1)}.`]),
    ...builtInNotes(scores.rows),
    ...notes,
  ]
  return {
    about: { dataset: dataset.name, references, imageCount, excludedImageCount, notes },
    tables: [scores, { name: 'published', columns: PUBLISHED, rows: published ?? [] }],
    parts: [
      { ...scores, rows: withBuiltIn(scores.rows) },
      { notes: legend },
      ...(published?.length ? besidePublished(published, reasons) : []),
    ],
    warnings: [...new Set(rows.flatMap(({ warnings }) => warnings))],
  }
}

/** Columns of what was published, beside the same figures of the dataset. */
const PUBLISHED: readonly Column[] = [
  { path: 'metric' },
  { path: 'published', format: object('c5', 'c40') },
  ...untitled('isSameMetric', 'references', 'mean'),
  { path: 'interval', format: interval },
  { path: 'extrapolation', format: object('references', 'value', 'method', 'error') },
  ...untitled('differences', 'signature'),
  { path: 'curve', format: jsonOnly },
]

/** A published score (null for none) and the same figure of the dataset. */
interface ComparedRow {
  readonly metric: string
  readonly own?: PublishedRow
  readonly published: Readonly<Record<'c5' | 'c40', number | null>>
}

/** Curve, extrapolation and Table I. Published scores of another metric have a row of their own. */
function besidePublished(rows: readonly PublishedRow[], reasons: readonly string[]): (Table | Notes)[] {
  const curve = rows[0].curve.map(({ references }) => references).slice(-MAX_FOLDS_SHOWN)
  const none = { c5: null, c40: null }
  const same = rows.filter(({ isSameMetric }) => isSameMetric).map((own): ComparedRow => ({ ...own, own }))
  const others = rows
    .filter(({ isSameMetric }) => !isSameMetric)
    .flatMap((own): ComparedRow[] => [
      { metric: `${own.metric} without paraphrases`, own, published: none },
      { metric: `${own.metric} with paraphrases`, published: own.published },
    ])
  const table: Table<ComparedRow> = {
    columns: [
      { path: 'metric', title: 'metric' },
      ...curve.map((k) => ({
        title: String(k),
        group: 'references',
        format: share,
        show: ({ own }: ComparedRow, numbers: NumberStyle) =>
          shownScore(own?.curve.find(({ references }) => references === k)?.mean, numbers),
      })),
      {
        title: 'to 5',
        group: 'extrapolated',
        format: share,
        show: ({ own }, numbers) =>
          own?.extrapolation ? `~${numbers.share(own.extrapolation.value)}` : NONE,
      },
      { path: 'published.c5', title: '5', group: 'published', format: share },
      { path: 'published.c40', title: '40', group: 'published', format: share },
    ],
    rows: [...same, ...others],
    groupBy: (row) => same.includes(row),
  }
  const [extrapolation] = rows.flatMap((row) => row.extrapolation ?? [])
  const notes = [
    'Human scores here, and in Table I of COCO Captions 2015 (published). Reasons why they differ:',
    ...reasons.map((reason) => `- ${reason}`),
    ...(extrapolation
      ? [
          `To ${extrapolation.references} references: an extrapolation (${extrapolation.method}), not a measurement.`,
        ]
      : []),
  ]
  return [table, { notes }]
}

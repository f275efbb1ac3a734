import type { Command } from 'commander'
import { collectList, embeddingsOption, meteorDataOption, parseText, wholeNumber } from '../../config.js'
import type { Accord } from '../../services/shared/accord.js'
import type { Dataset } from '../../store/schema/dataset-tables.js'
import { withDataset } from '../accord.js'
import { withJudgements } from '../files.js'
import { datasetOption, metricsOption } from '../options.js'
import { detailsOption } from '../output/output.js'
import { withProgress } from '../output/progress.js'
import type { Report } from '../output/report.js'
import { printsReport, type ReportOptions, refuseDataset } from '../report-command.js'
import { judgeColumns, judgeReport } from '../reports/judge-report.js'

interface Options extends ReportOptions {
  readonly metrics?: readonly string[]
  readonly compare?: readonly string[]
  readonly anchor?: string
  readonly resamples?: number
  readonly details?: true
}

/** `accord judge` */
export function register(program: Command): void {
  const command = program
    .command('judge')
    .summary('how well metrics agree with human judgements')
    .description(
      'Judge metrics by the human judgements of a dataset, or of a file; the metric that agrees best with people is first.' +
        ' Ratings: Kendall’s tau-b and tau-c, Spearman and Pearson over all pairs of a caption and a rating,' +
        ' beside the agreement between raters; agreement on captions of the same image; and, if the captions' +
        ' name their systems, on systems, with and without people among them (systems called people or human).' +
        ' Preferences: the share of pairs in which the preferred caption has the higher score; a tie counts' +
        ' one half. Intervals and tests resample images.',
    )
    .argument(
      '[judgements]',
      'judgements with reference captions, read instead of a dataset; nothing is stored (see accord import judgements --help)',
      parseText,
    )
    .addOption(datasetOption())
    .addOption(
      metricsOption(
        'those of accord evaluate, WMD, SPICE, SPIDEr, those with imported scores, and composites',
      ),
    )
    .option(
      '--compare <name...>',
      'test the difference between two metrics, on the same resamples',
      collectList(parseText),
    )
    .option(
      '--anchor <system>',
      'preferences between systems: the one with the rating 1000 (default: people)',
      parseText,
    )
    .option(
      '--resamples <N>',
      'resamples of intervals and tests, 100 to 100,000 (default: 1,000)',
      wholeNumber(100, 100_000),
    )
    .addOption(meteorDataOption())
    .addOption(embeddingsOption())
    .addOption(detailsOption('all figures of agreement, on systems and on captions of an image, and notes'))
  const help = {
    examples: [
      'accord judge --dataset flickr8k',
      'accord judge thumb.jsonl.gz --metrics CIDEr-D METEOR',
      'accord judge --dataset pascal50s --compare METEOR CIDEr-D --format json',
    ],
    json: {
      report:
        'dataset, kind, judgementCount, captionCount, referenceCaptionCount, imageCount, conclusion, strengths, raters, comparison, notes, rows',
      'rows (ratings)': judgeColumns('RATINGS', []),
      'rows (preferences)': judgeColumns('PREFERENCES', ['']),
    },
  }
  printsReport<Options, [judgements?: string]>(command, help, (options, path) => {
    if (path === undefined) return withDataset(options, (...subject) => report(...subject, options, command))
    refuseDataset(command)
    return withJudgements({ ...options, path }, (...subject) => report(...subject, options, command))
  })
}

async function report(
  accord: Accord,
  { name: dataset }: Dataset,
  options: Options,
  command: Command,
): Promise<Report> {
  const { metrics, anchor, resamples } = options
  const input = { dataset, metrics, compare: toPair(options, command), anchor, resamples }
  const { judge } = await import('../../services/judgements/judgements.js')
  return judgeReport(dataset, await withProgress((progress) => judge(accord, input, { progress })), options)
}

function toPair({ compare }: Options, command: Command): [first: string, second: string] | undefined {
  if (compare === undefined) return undefined
  if (compare.length !== 2) command.error('accord: --compare requires two different metrics')
  return [compare[0], compare[1]]
}

import type { Command } from 'commander'
import { collectUnique, embeddingsOption, meteorDataOption, parseText, wholeNumber } from '../../config.js'
import type { Accord } from '../../services/accord.js'
import type { Dataset } from '../../store/schema/entities.js'
import { withDataset } from '../accord.js'
import { withJudgements } from '../files.js'
import { datasetOption, metricsOption } from '../options.js'
import { percentOption } from '../output/output.js'
import { withProgress } from '../output/progress.js'
import type { Report } from '../output/report.js'
import { printsReport, type ReportOptions } from '../report-command.js'

interface Options extends ReportOptions {
  readonly metrics?: readonly string[]
  readonly compare?: readonly string[]
  readonly anchor?: string
  readonly resamples?: number
}

/** `accord judge` */
export function registerJudge(program: Command): void {
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
      collectUnique(parseText),
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
    .addOption(percentOption())
  const help = {
    examples: [
      'accord judge --dataset flickr8k',
      'accord judge thumb.jsonl.gz --metrics CIDEr-D METEOR',
      'accord judge --dataset pascal50s --compare METEOR CIDEr-D --format json',
    ],
    json: {
      report:
        'dataset, kind, judgementCount, captionCount, imageCount, conclusion, strengths, raters, comparison, notes, rows',
      'rows (ratings)':
        'metric, cluster, tauB, tauC, interval, pValue, effectiveCount, spearman, pearson, undefinedReason, published,' +
        ' contests, baselines, unscoredCaptionCount, signature',
      'rows (preferences)':
        'metric, cluster, accuracy, mean, interval, effectiveCount, ranking, published, baselines, unscoredCaptionCount, signature',
    },
  }
  printsReport<Options, [judgements?: string]>(command, help, (options, path) => {
    if (path === undefined) return withDataset(options, (...subject) => report(...subject, options, command))
    if (options.dataset !== undefined) command.error('error: a file cannot be used with option --dataset')
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
  const { judgeReport } = await import('../reports/judge-report.js')
  return judgeReport(dataset, await withProgress((progress) => judge(accord, input, { progress })))
}

function toPair({ compare }: Options, command: Command): [first: string, second: string] | undefined {
  if (compare === undefined) return undefined
  if (compare.length !== 2) command.error('accord: --compare requires two different metrics')
  return [compare[0], compare[1]]
}

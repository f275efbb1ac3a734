import { type Command, Option } from 'commander'
import {
  collectUnique,
  embeddingsOption,
  type GlobalOptions,
  meteorDataOption,
  parseText,
  wholeNumber,
} from '../../config.js'
import { withDataset } from '../accord.js'
import { datasetOption, example } from '../options.js'
import { formatOption, type OutputOptions, percentOption, print, widthOption } from '../output/output.js'
import { withProgress } from '../output/progress.js'

interface Options extends GlobalOptions, OutputOptions {
  readonly dataset?: string
  readonly metric?: readonly string[]
  readonly compare?: readonly string[]
  readonly resamples?: number
  readonly meteorData?: string
  readonly embeddings?: string
}

/** `accord judge` */
export function registerJudge(program: Command): void {
  program
    .command('judge')
    .summary('how well metrics agree with human judgements')
    .description(
      'Judge metrics by the human judgements of a dataset. Every judged caption is scored as an image of its' +
        ' own. Ratings: Kendall’s tau-b and tau-c, Spearman and Pearson over all pairs of a caption and a rating,' +
        ' beside the agreement between raters. Preferences: the share of pairs in which the preferred caption' +
        ' has the higher score; a tie counts one half. The JSON is {dataset, kind, judgementCount, captionCount,' +
        ' raters, comparison, notes, rows}. For ratings it has {metric, tauB, tauC, interval, pValue, spearman,' +
        ' pearson, undefinedReason, published, unscoredCaptionCount, signature} for each of rows; for preferences' +
        ' {metric, accuracy, mean, interval, published, unscoredCaptionCount, signature} for each of rows.',
    )
    .addOption(datasetOption())
    .addOption(
      new Option('--metric <name...>', 'only these metrics (default: those of accord evaluate)').argParser(
        collectUnique(parseText),
      ),
    )
    .addOption(
      new Option(
        '--compare <name...>',
        'test the difference of two metrics, on the same resamples',
      ).argParser(collectUnique(parseText)),
    )
    .option(
      '--resamples <N>',
      'resamples of intervals and tests, 100 to 100,000 (default: 1,000)',
      wholeNumber(100, 100_000),
    )
    .addOption(meteorDataOption())
    .addOption(embeddingsOption())
    .addOption(formatOption())
    .addOption(widthOption())
    .addOption(percentOption())
    .addHelpText(
      'after',
      example(
        'accord judge --dataset flickr8k',
        'accord judge --dataset pascal50s --compare METEOR CIDEr-D --format json',
      ),
    )
    .action(async (_options, command: Command) => {
      const options = command.optsWithGlobals<Options>()
      const { database: location, meteorData: meteorFolder, embeddings: embeddingsFile } = options
      const compare = toPair(options, command)
      const { judge } = await import('../../services/judgements/judgements.js')
      const { judgeReport } = await import('../reports/judge-report.js')
      const judged = await withDataset(
        { location, meteorFolder, embeddingsFile },
        options.dataset,
        async (accord, { name: dataset }) => {
          const { metric: metrics, resamples } = options
          const input = { dataset, metrics, compare, resamples }
          return judgeReport(dataset, await withProgress((progress) => judge(accord, input, { progress })))
        },
      )
      await print(options, judged)
    })
}

function toPair({ compare }: Options, command: Command): [first: string, second: string] | undefined {
  if (compare === undefined) return undefined
  if (compare.length !== 2) command.error('accord: --compare requires two different metrics')
  return [compare[0], compare[1]]
}

import { Argument, type Command, Option } from 'commander'
import {
  collectUnique,
  embeddingsOption,
  type GlobalOptions,
  meteorDataOption,
  parseText,
} from '../../config.js'
import { allowMissingOption, example, metricsOption } from '../options.js'
import { formatOption, type OutputOptions, percentOption, print, widthOption } from '../output/output.js'
import { withProgress } from '../output/progress.js'

interface Options extends GlobalOptions, OutputOptions {
  readonly metrics?: readonly string[]
  readonly significance?: true
  readonly allowMissing?: true
  readonly meteorData?: string
  readonly embeddings?: string
}

/** Those of the COCO caption evaluation. */
const DEFAULT_METRICS = ['BLEU', 'ROUGE-L', 'CIDEr-D', 'METEOR']

/** `accord score` */
export function registerScore(program: Command): void {
  program
    .command('score')
    .summary('score files of captions; stores nothing')
    .description(
      'Score the captions of one or more systems against human captions, with 95 % intervals. Reads files and stores' +
        ' nothing. `-` is standard input; files with names ending in .gz are decompressed. Metrics that are not' +
        ' built in are the composite metrics of --database, which is opened only for them. The scores and signatures' +
        ' equal those of `accord evaluate`. With --significance every system is compared with the first: the' +
        ' difference, its 95 % interval, and the p-value of a permutation test before and after Holm’s correction over' +
        ' the systems. The JSON is {referencesFile, notes, scores}, with {metric, system, references, imageCount,' +
        ' missingImageCount, value, interval, undefinedReason, isSmall, signature, warnings, comparison, file} for' +
        ' each of scores.',
    )
    .addArgument(
      new Argument('<references>', 'human captions in COCO captions format (images, annotations)').argParser(
        parseText,
      ),
    )
    .addArgument(
      new Argument(
        '<results...>',
        'captions of a system in COCO results format: [{"image_id": 139, "caption": "…"}]',
      ).argParser(collectUnique(parseText)),
    )
    .addOption(metricsOption('BLEU, ROUGE-L, CIDEr-D and METEOR'))
    .addOption(new Option('--significance', 'compare every system with the first'))
    .addOption(allowMissingOption())
    .addOption(meteorDataOption())
    .addOption(embeddingsOption())
    .addOption(formatOption())
    .addOption(widthOption())
    .addOption(percentOption())
    .addHelpText(
      'after',
      example(
        'accord score captions_val2017.json mine.json baseline.json.gz --significance',
        'zcat mine.json.gz | accord score captions_val2017.json - --metrics CIDEr-D --format json',
        'accord score captions_val2017.json mine.json --metrics METEOR EvalMS --database accord.sqlite',
      ),
    )
    .action(async (references: string, results: readonly string[], _options, command: Command) => {
      const options = command.optsWithGlobals<Options>()
      const { metrics = DEFAULT_METRICS, significance = false, allowMissing = false, meteorData } = options
      const { database: location, embeddings: embeddingsFile } = options
      if ([references, ...results].filter((file) => file === '-').length > 1) {
        command.error('accord: standard input (-) can be only one of the files')
      }
      const { scoreFiles } = await import('../../services/evaluations/score-files.js')
      const resources = { meteorFolder: meteorData, embeddingsFile, location }
      const input = { references, results, metrics, significance, allowMissing, ...resources }
      const scored = await withProgress((progress) => scoreFiles(input, progress))
      const { scoreReport } = await import('../reports/score-report.js')
      await print(options, scoreReport(scored))
    })
}

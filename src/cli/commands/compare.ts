import { type Command, Option } from 'commander'
import {
  collectUnique,
  embeddingsOption,
  type GlobalOptions,
  meteorDataOption,
  parseText,
  wholeNumber,
} from '../../config.js'
import type { PartOfSpeech } from '../../core/text/part-of-speech.js'
import type { Accord } from '../../services/accord.js'
import type { ComparedFigure } from '../../services/comparisons/compare.js'
import { withDataset } from '../accord.js'
import { datasetOption, example, metricsOption, partOfSpeechOption } from '../options.js'
import { formatOption, type OutputOptions, percentOption, print, widthOption } from '../output/output.js'
import { withProgress } from '../output/progress.js'

interface Options extends GlobalOptions, OutputOptions {
  readonly dataset?: string
  readonly system: readonly string[]
  readonly people?: true
  readonly metrics?: readonly string[]
  readonly phr?: true
  readonly averagePrecision?: true
  readonly wordPrecision?: true
  readonly word?: string
  readonly partOfSpeech?: readonly PartOfSpeech[]
  readonly references?: number
  readonly resamples?: number
  readonly meteorData?: string
  readonly embeddings?: string
}

/** `accord compare` */
export function registerCompare(program: Command): void {
  program
    .command('compare')
    .summary('compare systems with each other and with people')
    .description(
      'Compare every pair of systems, and with --people every system with people, on the images that both have: the' +
        ' difference, its 95 % interval, and p-values before and after Holm’s correction over all pairs of a figure.' +
        ' The p-values of metrics are of a permutation test, those of PHR, average precision and word precision of' +
        ' Student’s t. The JSON is {dataset, comparisons}, with {figure, metric, word, first, second, firstScore,' +
        ' secondScore, difference, interval, pValue, adjustedPValue, isBound, isExact, resamples, imageCount,' +
        ' wordCount, references, isSmall, undefinedReason, signature, notes} for each of comparisons; first or second' +
        ' is null for people.',
    )
    .addOption(datasetOption())
    .addOption(
      new Option('--system <name...>', 'systems to compare, at least two without --people (required)')
        .argParser(collectUnique(parseText))
        .makeOptionMandatory(),
    )
    .addOption(new Option('--people', 'compare the systems with people as well'))
    .addOption(metricsOption('all but WMD, SPICE, SPIDEr and composite metrics'))
    .addOption(
      new Option('--phr', 'compare precision at human recall instead, of word scores').conflicts([
        'metrics',
        'averagePrecision',
        'wordPrecision',
      ]),
    )
    .addOption(
      new Option('--average-precision', 'compare average precision instead, of word scores').conflicts([
        'metrics',
        'wordPrecision',
      ]),
    )
    .addOption(
      new Option('--word-precision', 'compare the precision of words instead, of captions').conflicts(
        'metrics',
      ),
    )
    .addOption(
      new Option('--word <word>', 'the figure of this word (default: the mean over the vocabulary)')
        .argParser(parseText)
        .conflicts(['metrics', 'partOfSpeech']),
    )
    .addOption(partOfSpeechOption().conflicts('metrics'))
    .option(
      '--references <k>',
      'references per image, 1 to K - 1 (default: K - 1; all references for metrics without --people)',
      wholeNumber(1),
    )
    .option(
      '--resamples <N>',
      'random swaps of the permutation test, 100 to 100,000 (default: 1,000)',
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
        'accord compare --dataset coco --system show-and-tell mine --people --metrics METEOR CIDEr-D',
        'accord compare --dataset coco --system detector --people --phr --part-of-speech NN',
      ),
    )
    .action(async (_options, command: Command) => {
      const options = command.optsWithGlobals<Options>()
      const { database: location, meteorData: meteorFolder, embeddings: embeddingsFile } = options
      const wordFigure = toWordFigure(options)
      if (!wordFigure && (options.word !== undefined || options.partOfSpeech)) {
        command.error(
          'accord: --word and --part-of-speech require --phr, --average-precision or --word-precision',
        )
      }
      const { compareFigures } = await import('../../services/comparisons/comparisons.js')
      const { comparisonReport } = await import('../reports/comparison-report.js')
      const compared = await withDataset(
        { location, meteorFolder, embeddingsFile },
        options.dataset,
        async (accord, { name }) => {
          const figures = wordFigure ? [wordFigure] : await toMetricFigures(accord, options)
          const { system: systems, people, resamples } = options
          const input = { dataset: name, systems, people, figures, resamples }
          return comparisonReport(
            name,
            await withProgress((progress) => compareFigures(accord, input, { progress })),
          )
        },
      )
      await print(options, compared)
    })
}

/** The figure of words that is asked for; undefined for metrics. */
function toWordFigure({ word, partOfSpeech, references, ...kinds }: Options): ComparedFigure | undefined {
  const figure = { word, partOfSpeech, references }
  if (kinds.phr) return { kind: 'PHR', ...figure }
  if (kinds.averagePrecision) return { kind: 'AVERAGE_PRECISION', ...figure }
  return kinds.wordPrecision ? { kind: 'WORD_PRECISION', ...figure } : undefined
}

async function toMetricFigures(
  accord: Accord,
  { metrics: names, references }: Options,
): Promise<ComparedFigure[]> {
  const { usualMetrics } = await import('../../services/evaluations/scores.js')
  const metrics = names ?? usualMetrics(accord)
  return metrics.map((metric) => ({ kind: 'METRIC', metric, references }))
}

import { type Command, Option } from 'commander'
import { collectList, embeddingsOption, meteorDataOption, parseText, wholeNumber } from '../../config.js'
import type { ComparedFigure } from '../../services/comparisons/compare.js'
import type { ComparedOn } from '../../services/comparisons/comparisons.js'
import type { Accord } from '../../services/shared/accord.js'
import type { PartOfSpeech } from '../../shared/choices.js'
import { lengthNotes } from '../../shared/length-notes.js'
import type { Dataset } from '../../store/schema/dataset-tables.js'
import {
  byOption,
  datasetOption,
  documentFrequenciesOption,
  metricModuleOption,
  metricsOption,
  partOfSpeechOption,
  vocabularyOfOption,
} from '../options.js'
import { detailsOption, percentOption } from '../output/output.js'
import { withProgress } from '../output/progress.js'
import { type FilesOptions, printsDatasetOrFilesReport } from '../report-command.js'
import { COMPARISONS, comparisonReport } from '../reports/comparison-report.js'
import { coverageCommand } from '../reports/evaluation-report.js'

interface Options extends FilesOptions {
  readonly people?: true
  readonly metrics?: readonly string[]
  readonly phr?: true
  readonly averagePrecision?: true
  readonly wordPrecision?: true
  readonly word?: string
  readonly partOfSpeech?: readonly PartOfSpeech[]
  readonly vocabularyOf?: string
  readonly references?: number
  readonly by?: string
  readonly documentFrequencies?: string
  readonly details?: true
}

/** `accord compare` */
export function register(program: Command): void {
  const command = program
    .command('compare')
    .summary('compare systems with each other and with people')
    .description(
      'Compare every pair of systems, and with --people every system with people, on the images that both have: the' +
        ' difference, its interval and a paired test. With two sides, a sentence above the table answers which is better by' +
        ' the metric that is named first, or by CIDEr-D, from a single test at the level of 5 %. Tests in the table are corrected for' +
        ' their number: its intervals hold together with 95 %, and a side is better only where the interval excludes 0. In the JSON, first or second is null for people.',
    )
    .addOption(datasetOption())
    .option(
      '--system <name...>',
      'systems to compare, at least two without --people (default: all that have the figures)',
      collectList(parseText),
    )
    .option('--people', 'compare the systems with people as well')
    .addOption(metricsOption('all but WMD, SPICE, SPIDEr and composite metrics'))
    .addOption(metricModuleOption())
    .addOption(
      new Option('--phr', 'compare precision at human recall (of word scores) instead of metrics').conflicts([
        'metrics',
        'averagePrecision',
        'wordPrecision',
      ]),
    )
    .addOption(
      new Option(
        '--average-precision',
        'compare average precision (of word scores) instead of metrics',
      ).conflicts(['metrics', 'wordPrecision']),
    )
    .addOption(
      new Option(
        '--word-precision',
        'compare the precision of words (of captions) instead of metrics',
      ).conflicts('metrics'),
    )
    .addOption(
      new Option('--word <word>', 'compare on this word (default: on the mean over the vocabulary)')
        .argParser(parseText)
        .conflicts(['metrics', 'partOfSpeech', 'vocabularyOf']),
    )
    .addOption(partOfSpeechOption().conflicts('metrics'))
    .addOption(vocabularyOfOption().conflicts('metrics'))
    .option(
      '--references <k>',
      'references per image, 1 to K - 1 (default: K - 1; all references for metrics without --people)',
      wholeNumber(1),
    )
    .addOption(documentFrequenciesOption('the references of the system’s images, or of each fold'))
    .addOption(meteorDataOption())
    .addOption(embeddingsOption())
    .addOption(
      byOption(
        'one that images have, such as domain or split; objects, their number of boxes; or language, that of their captions',
      ).conflicts(['phr', 'averagePrecision', 'wordPrecision']),
    )
    .addOption(detailsOption('scores, intervals, p-values and notes of all comparisons'))
    .addOption(percentOption())
  const help = {
    examples: [
      'accord compare --dataset coco --system show-and-tell mine --people --metrics METEOR CIDEr-D',
      'accord compare --dataset coco --system detector --people --phr --part-of-speech NN',
      'accord compare captions_val2017.json mine.json theirs.json --people --metrics METEOR CIDEr-D',
    ],
    json: { report: 'dataset, documentFrequencies, comparisons', comparisons: COMPARISONS },
  }
  printsDatasetOrFilesReport<Options>(command, help, async (accord, row, options, areFiles) => {
    const { name: dataset } = row
    const wordFigure = toWordFigure(options)
    if (!wordFigure && (options.word ?? options.partOfSpeech ?? options.vocabularyOf) !== undefined) {
      command.error(
        'accord: --word, --part-of-speech and --vocabulary-of require --phr, --average-precision or --word-precision',
      )
    }
    if (options.system?.length === 1 && !options.people) {
      command.error(
        'error: one system is compared with people by --people; name another one to compare the two',
      )
    }
    const { compareFigures } = await import('../../services/comparisons/comparisons.js')
    const figures = wordFigure ? [wordFigure] : await toMetricFigures(accord, options)
    const { documentsOf } = await import('../../services/evaluations/document-source.js')
    const { system: systems, people, by, documentFrequencies, details } = options
    const input = { dataset, systems, people, figures, by, ...documentsOf(documentFrequencies) }
    const compared = await withProgress((progress) => compareFigures(accord, input, { progress }))
    const { firstMetric } = await import('../../services/evaluations/metrics.js')
    const named = options.metrics && (await firstMetric(accord, options.metrics))
    const lengths = await lengthsOf(
      accord,
      row,
      compared,
      areFiles ? 'accord coverage' : coverageCommand(dataset),
    )
    return comparisonReport(
      { dataset, documents: documentFrequencies, named, details, notes: lengths },
      compared,
    )
  })
}

/** How long captions are, beside comparisons by metrics. @param coverage the command that compares captions of any length */
async function lengthsOf(
  accord: Accord,
  dataset: Dataset,
  compared: readonly ComparedOn[],
  coverage: string,
): Promise<string[]> {
  const { captionLengths, comparingMetrics } = await import('../../services/evaluations/caption-lengths.js')
  const all = compared.flatMap(({ comparisons }) => comparisons)
  const names = new Set(all.flatMap(({ figure }) => (figure.kind === 'METRIC' ? [figure.metric] : [])))
  const metrics = comparingMetrics(accord, [...names])
  if (metrics.length === 0) return []
  const systems = new Map(
    all.flatMap(({ first, second }) => [first, second]).map((system) => [system?.id, system]),
  )
  const lengths = await captionLengths(
    accord,
    dataset,
    [...systems.values()].filter((system) => system !== null),
  )
  return lengthNotes(lengths, metrics, coverage)
}

/** The figure of words that is asked for; undefined for metrics. */
function toWordFigure({
  word,
  partOfSpeech,
  vocabularyOf,
  references,
  ...kinds
}: Options): ComparedFigure | undefined {
  const figure = { word, partOfSpeech, vocabularyOf, references }
  if (kinds.phr) return { kind: 'PHR', ...figure }
  if (kinds.averagePrecision) return { kind: 'AVERAGE_PRECISION', ...figure }
  return kinds.wordPrecision ? { kind: 'WORD_PRECISION', ...figure } : undefined
}

async function toMetricFigures(
  accord: Accord,
  { metrics: names, references }: Options,
): Promise<ComparedFigure[]> {
  const { resolveMetrics, usualMetrics } = await import('../../services/evaluations/metrics.js')
  const metrics = names ? await resolveMetrics(accord, names) : usualMetrics(accord)
  return metrics.map((metric) => ({ kind: 'METRIC', metric, references }))
}

import type { Command } from 'commander'
import { collectList, embeddingsOption, meteorDataOption, parseText, wholeNumber } from '../../config.js'
import { failBelowOption, failuresBelow, type Gate, readGates } from '../gates.js'
import {
  byOption,
  datasetOption,
  documentFrequenciesOption,
  layoutOption,
  metricsOption,
  signaturesOption,
} from '../options.js'
import { type OutputOptions, percentOption, print, render } from '../output/output.js'
import { checkOutput, STDOUT, writeText } from '../output/output-file.js'
import { withProgress } from '../output/progress.js'
import { printsDatasetReport, type ReportOptions } from '../report-command.js'
import { EVALUATIONS, evaluationReport, imageScoreReport } from '../reports/evaluation-report.js'
import type { ScoreLayout } from '../reports/score-table.js'

interface Options extends ReportOptions, ScoreLayout {
  readonly system?: readonly string[]
  readonly people?: true
  readonly metrics?: readonly string[]
  readonly references?: number
  readonly documentFrequencies?: string
  readonly perImage?: string
  readonly by?: string
  readonly failBelow?: readonly Gate[]
}

const CSV: OutputOptions = { format: 'csv' }

/** `accord evaluate` */
export function register(program: Command): void {
  const command = program
    .command('evaluate')
    .summary("score systems' captions against human captions")
    .description(
      'Score the captions of systems by BLEU, ROUGE, METEOR, CIDEr and CIDEr-D, with 95 % intervals (jackknife over' +
        ' images), and store the scores: against all human captions of each image, and, with --people or where human agreement is' +
        ' stored, on the K folds of K - 1 references that human captions are scored on, with human agreement beside them.' +
        ' In the JSON, scores on folds have the number of folds in references.folds.',
    )
    .addOption(datasetOption())
    .option(
      '--system <name...>',
      'systems to score (default: all captioning systems)',
      collectList(parseText),
    )
    .option('--people', 'score people as well, on the same folds of references, unless that is stored')
    .addOption(metricsOption('all but WMD, SPICE, SPIDEr and composite metrics'))
    .option(
      '--references <k>',
      'only the mean over the folds of k references, 1 to K - 1 (default: all references, and beside them K - 1)',
      wholeNumber(1),
    )
    .addOption(documentFrequenciesOption('the references of the system’s images, or of each fold'))
    .addOption(meteorDataOption())
    .addOption(embeddingsOption())
    .option(
      '--per-image <file>',
      'also write a CSV file with the scores of every image, against all references unless --references is given, with the columns system, imageId and one for each metric; `-` writes it to stdout instead of the scores',
      parseText,
    )
    .addOption(failBelowOption())
    .addOption(
      byOption(
        'one that images of the dataset have, such as domain or split; objects, their number of boxes; or language, that of their captions',
      ),
    )
    .addOption(layoutOption())
    .addOption(signaturesOption())
    .addOption(percentOption())
  const help = {
    examples: [
      'accord evaluate --dataset coco --system show-and-tell --per-image scores.csv',
      'accord evaluate --people --metrics BLEU METEOR --percent --format latex',
    ],
    json: { report: 'dataset, notes, scores, subsets (with --by)', scores: EVALUATIONS },
  }
  printsDatasetReport<Options>(command, help, async (accord, { name: dataset }, options) => {
    const { system: systems, people, metrics, references, documentFrequencies, perImage } = options
    checkOutput(perImage, options.force)
    const gates = await readGates(options.failBelow, options.percent)
    const { evaluateSystems } = await import('../../services/scoring/evaluate.js')
    const { withSubsets } = await import('../reports/subset-report.js')
    const { documentsOf } = await import('../../services/evaluations/document-source.js')
    const input = { dataset, systems, people, metrics, references, ...documentsOf(documentFrequencies) }
    const evaluations = await withProgress((progress) => evaluateSystems(accord, input, { progress }))
    if (perImage === STDOUT) {
      await print(CSV, imageScoreReport(evaluations))
      return undefined
    }
    if (perImage !== undefined) await writeText(perImage, await render(CSV, imageScoreReport(evaluations)))
    const scores = evaluations.flatMap(({ report: { system, scores } }) =>
      scores.map(({ metric, value, higherIsBetter }) => ({
        system: system.name,
        metric,
        value,
        higherIsBetter,
      })),
    )
    const { evaluateSubsets } = await import('../../services/scoring/evaluate.js')
    const subsets = options.by === undefined ? [] : await evaluateSubsets(accord, evaluations, options.by)
    const { captionLengths, comparingMetrics } = await import('../../services/evaluations/caption-lengths.js')
    const [{ report: first }] = evaluations
    const lengths = {
      ...(await captionLengths(
        accord,
        first.dataset,
        evaluations.map(({ report }) => report.system),
      )),
      metrics: comparingMetrics(accord, [...new Set(scores.map(({ metric }) => metric))]),
    }
    const report = withSubsets(evaluationReport(evaluations, options, lengths), options.by, subsets)
    return { ...report, failures: await failuresBelow(gates, scores) }
  })
}

import { Argument, type Command } from 'commander'
import { collectUnique, embeddingsOption, meteorDataOption, parseText } from '../../config.js'
import { type CaptionFileOptions, noticeSwapped, printFormat } from '../files.js'
import { failBelowOption, failuresAgainst, failuresBelow, type Gate } from '../gates.js'
import {
  allowMissingOption,
  CAPTION_FORMATS,
  documentFrequenciesOption,
  imageIdsOption,
  layoutOption,
  metricsOption,
  signaturesOption,
  splitOption,
} from '../options.js'
import { percentOption } from '../output/output.js'
import { withProgress } from '../output/progress.js'
import { printsReport, type ReportOptions } from '../report-command.js'
import type { ScoreLayout } from '../reports/score-table.js'

interface Options extends ReportOptions, CaptionFileOptions, ScoreLayout {
  readonly metrics?: readonly string[]
  readonly significance?: true
  readonly allowMissing?: true
  readonly failBelow?: readonly Gate[]
  readonly failIfWorse?: string
  readonly documentFrequencies?: string
}

/** Those of the COCO caption evaluation. */
const DEFAULT_METRICS = ['BLEU', 'ROUGE-L', 'CIDEr-D', 'METEOR']

/** `accord score` */
export function registerScore(program: Command): void {
  const command = program
    .command('score')
    .summary('score files of captions; stores nothing')
    .description(
      'Score the captions of one or more systems against human captions, with 95 % intervals. Reads files and stores' +
        ' nothing. `-` is standard input. Composite metrics, and document' +
        ' frequencies of a dataset, are read from --database, which is opened only for them. The scores and signatures equal those of `accord evaluate`.' +
        ' With --significance every system is compared with the first: the difference, its 95 % interval, and the' +
        ' p-value of a permutation test before and after Holm’s correction for the systems.',
    )
    .addArgument(new Argument('<references>', 'file of human captions').argParser(parseText))
    .addArgument(
      new Argument('<results...>', 'files of captions of systems').argParser(collectUnique(parseText)),
    )
    .addOption(metricsOption('BLEU, ROUGE-L, CIDEr-D and METEOR'))
    .option('--significance', 'compare every system with the first')
    .addOption(failBelowOption())
    .option(
      '--fail-if-worse <baseline>',
      'compare every system with this file, and exit with 3 if one is worse by a metric (p < .05)',
      parseText,
    )
    .addOption(allowMissingOption())
    .addOption(splitOption())
    .addOption(imageIdsOption('of files of captions in lines'))
    .addOption(documentFrequenciesOption('the references of the system’s images'))
    .addOption(meteorDataOption())
    .addOption(embeddingsOption())
    .addOption(layoutOption())
    .addOption(signaturesOption())
    .addOption(percentOption())
    .addHelpText('after', CAPTION_FORMATS)
  const help = {
    examples: [
      'accord score captions_val2017.json mine.json baseline.json.gz --significance',
      'zcat mine.json.gz | accord score captions_val2017.json - --metrics CIDEr-D --format json',
      'accord score captions_val2017.json mine.json --metrics METEOR EvalMS --database accord.sqlite',
      'accord score references.csv mine.tsv theirs.jsonl',
      'accord score dataset_coco.json mine.txt --split test --ids test_ids.txt',
      'accord score captions_val2017.json mine.json --fail-below CIDEr-D=.97 --fail-if-worse baseline.json',
    ],
    json: {
      report: 'referencesFile, notes, scores',
      scores:
        'metric, system, references, imageCount, missingImageCount, value, interval, undefinedReason, isSmall,' +
        ' signature, warnings, comparison, file',
    },
  }
  type Arguments = [references: string, results: readonly string[]]
  printsReport<Options, Arguments>(command, help, async (options, references, results) => {
    if ([references, ...results, options.imageIds].filter((file) => file === '-').length > 1) {
      command.error('accord: standard input (-) can be only one of the files')
    }
    const {
      metrics = DEFAULT_METRICS,
      allowMissing = false,
      failBelow,
      failIfWorse,
      documentFrequencies,
      split,
      imageIds,
    } = options
    const significance = options.significance === true || failIfWorse !== undefined
    const files = failIfWorse === undefined ? results : [failIfWorse, ...results]
    const { database: location, meteorData: meteorFolder, embeddings: embeddingsFile } = options
    const resources = { meteorFolder, embeddingsFile, location }
    const input = {
      references,
      results: files,
      metrics,
      significance,
      isMissingAllowed: allowMissing,
      documentFrequencies,
      split,
      imageIds,
      ...resources,
    }
    const { scoreFiles } = await import('../../services/evaluations/score-files.js')
    const { scoreReport } = await import('../reports/score-report.js')
    const scored = await noticeSwapped(() => withProgress((progress) => scoreFiles(input, progress)))
    for (const format of scored.formats) printFormat(format)
    const report = scoreReport(scored, options)
    const scores = scored.systems.flatMap(({ system, scores }) =>
      scores.map((score) => ({ ...score, system })),
    )
    const worse = failIfWorse === undefined ? [] : failuresAgainst(scored.systems[0].system, scores)
    return { ...report, failures: [...(await failuresBelow(failBelow, scores)), ...worse] }
  })
}

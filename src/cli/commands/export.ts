import { type Command, Option } from 'commander'
import { collectList, parseText, wholeNumber } from '../../config.js'
import type { TableFormat } from '../../services/exports/export-table.js'
import { type DatasetOptions, withDataset } from '../accord.js'
import { datasetOption, documentFrequenciesOption, example } from '../options.js'
import { printable } from '../output/formats.js'
import { commandLine, inList } from '../output/hints.js'
import { addJsonOption, choosing, outOption } from '../output/output.js'
import { checkOutput, forceOption, writeParts } from '../output/output-file.js'
import { remark } from '../output/progress.js'

interface ExportOptions extends DatasetOptions {
  readonly out?: string
  readonly force?: true
}

interface ResultsOptions extends ExportOptions {
  readonly system: string
}

interface ScoresOptions extends ExportOptions {
  readonly documentFrequencies?: string
  readonly system?: readonly string[]
  readonly references?: number
  readonly format: TableFormat
}

/** `accord export` and its commands */
export function register(program: Command): void {
  const exports = program
    .command('export')
    .description('write captions, scores of images or document frequencies to stdout or a file')
  exports
    .command('captions')
    .summary('human captions, in COCO captions format')
    .description('Write the human captions of a dataset in COCO captions format, which can be imported.')
    .addOption(datasetOption())
    .addOption(outOption())
    .addOption(forceOption())
    .addHelpText('after', example('accord export captions --dataset coco > captions.json'))
    .action(async (_options, command: Command) => {
      const options = command.optsWithGlobals<ExportOptions>()
      checkOutput(options.out, options.force)
      const { exportCaptions } = await import('../../services/exports/export.js')
      await withDataset(options, (accord, dataset) =>
        writeParts(exportCaptions(accord, dataset), options.out),
      )
    })
  exports
    .command('results')
    .summary('captions of a system, in COCO results format')
    .description('Write the captions of a system in COCO results format, which can be imported and scored.')
    .addOption(datasetOption())
    .requiredOption('--system <name>', 'name of the system (required)', parseText)
    .addOption(outOption())
    .addOption(forceOption())
    .addHelpText('after', example('accord export results --system show-and-tell | gzip > results.json.gz'))
    .action(async (_options, command: Command) => {
      const options = command.optsWithGlobals<ResultsOptions>()
      checkOutput(options.out, options.force)
      const { exportResults } = await import('../../services/exports/export.js')
      await withDataset(options, (accord, dataset) =>
        writeParts(exportResults(accord, dataset, options.system), options.out),
      )
    })
  exports
    .command('frequencies')
    .summary('document frequencies, for --document-frequencies')
    .description(
      'Write in how many images of a dataset the captions have each n-gram, as hashes: the file contains no captions. Its' +
        ' name must end in .frequencies for --document-frequencies.',
    )
    .addOption(datasetOption())
    .addOption(outOption())
    .addOption(forceOption())
    .addHelpText('after', example('accord export frequencies --dataset flickr > flickr.frequencies'))
    .action(async (_options, command: Command) => {
      const options = command.optsWithGlobals<ExportOptions>()
      checkOutput(options.out, options.force)
      const { exportFrequencies } = await import('../../services/exports/export.js')
      await withDataset(options, async (accord, dataset) =>
        writeParts([await exportFrequencies(accord, dataset)], options.out),
      )
    })
  registerExportScores(exports)
}

const FORMATS: readonly TableFormat[] = ['csv', 'tsv', 'json', 'jsonl']

function registerExportScores(exports: Command): void {
  const command = exports
    .command('scores')
    .summary('stored scores of every image')
    .description(
      'Write the stored scores of systems on every image, unrounded: columns system, imageId, one for each metric, and one for each' +
        ' signature.',
    )
    .addOption(datasetOption())
    .option(
      '--system <name...>',
      'only these systems (default: all captioning systems)',
      collectList(parseText),
    )
    .option(
      '--references <k>',
      'mean scores over the folds of k references (default: scores against all references)',
      wholeNumber(1),
    )
    .addOption(documentFrequenciesOption('the references of the system’s images, or of each fold'))
    .addOption(choosing(new Option('--format <format>', 'format of the output'), FORMATS).default('csv'))
  addJsonOption(command)
    .addOption(outOption())
    .addOption(forceOption())
    .addHelpText('after', example('accord export scores --system show-and-tell > scores.csv'))
    .action(async () => {
      const options = command.optsWithGlobals<ScoresOptions>()
      checkOutput(options.out, options.force)
      const { system: systems, references, format, documentFrequencies } = options
      const { documentsOf } = await import('../../services/evaluations/document-source.js')
      const { exportScores } = await import('../../services/exports/tables.js')
      const { writeTable } = await import('../../services/exports/export-table.js')
      await withDataset(options, async (accord, dataset) => {
        const table = await exportScores(accord, dataset, {
          systems,
          references,
          ...documentsOf(documentFrequencies),
        })
        for (const name of table.unscored) {
          const words = ['evaluate', '--dataset', dataset.name, '--system', inList(name)]
          if (references !== undefined) words.push('--references', String(references))
          remark(
            `${printable(name)} has no such stored scores; this computes them: ${commandLine(words, options)}\n`,
          )
        }
        if (table.subjectCount === 0) {
          remark(`The dataset ${printable(dataset.name)} has no captioning systems.\n`)
        }
        await writeParts(writeTable(table, format), options.out)
      })
    })
}

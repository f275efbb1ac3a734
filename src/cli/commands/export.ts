import { type Command, Option } from 'commander'
import { collectUnique, parseText, wholeNumber } from '../../config.js'
import { type DatasetOptions, withDataset } from '../accord.js'
import { datasetOption, example } from '../options.js'
import { printable } from '../output/formats.js'
import { commandLine } from '../output/hints.js'
import { toCsv, toTsv } from '../output/output.js'
import { writeParts } from '../output/parts.js'
import { type NamedTable, toCsvTable, toJsonRows } from '../output/report.js'

interface ResultsOptions extends DatasetOptions {
  readonly system: string
}

interface ScoresOptions extends DatasetOptions {
  readonly system?: readonly string[]
  readonly references?: number
  readonly format: (typeof SCORE_FORMATS)[number]
}

/** `accord export` and its commands */
export function registerExport(program: Command): void {
  const exports = program
    .command('export')
    .description('write captions, scores of images or document frequencies to stdout')
  exports
    .command('captions')
    .summary('human captions, in COCO captions format')
    .description('Write the human captions of a dataset in COCO captions format, which can be imported.')
    .addOption(datasetOption())
    .addHelpText('after', example('accord export captions --dataset coco > captions.json'))
    .action(async (_options, command: Command) => {
      const options = command.optsWithGlobals<DatasetOptions>()
      const { exportCaptions } = await import('../../services/datasets/export.js')
      await withDataset(options, (accord, dataset) => writeParts(exportCaptions(accord, dataset)))
    })
  exports
    .command('results')
    .summary('captions of a system, in COCO results format')
    .description('Write the captions of a system in COCO results format, which can be imported and scored.')
    .addOption(datasetOption())
    .requiredOption('--system <name>', 'name of the system (required)', parseText)
    .addHelpText('after', example('accord export results --system show-and-tell | gzip > results.json.gz'))
    .action(async (_options, command: Command) => {
      const options = command.optsWithGlobals<ResultsOptions>()
      const { exportResults } = await import('../../services/datasets/export.js')
      await withDataset(options, (accord, dataset) =>
        writeParts(exportResults(accord, dataset, options.system)),
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
    .addHelpText('after', example('accord export frequencies --dataset flickr > flickr.frequencies'))
    .action(async (_options, command: Command) => {
      const options = command.optsWithGlobals<DatasetOptions>()
      const { exportFrequencies } = await import('../../services/datasets/export.js')
      await withDataset(options, async (accord, dataset) =>
        writeParts([await exportFrequencies(accord, dataset)]),
      )
    })
  registerExportScores(exports)
}

const SCORE_FORMATS = ['csv', 'tsv', 'json'] as const

function registerExportScores(exports: Command): void {
  exports
    .command('scores')
    .summary('stored scores of every image')
    .description(
      'Write the stored scores of systems on every image, unrounded: columns system, imageId and one for each metric.',
    )
    .addOption(datasetOption())
    .option(
      '--system <name...>',
      'only these systems (default: all captioning systems)',
      collectUnique(parseText),
    )
    .option(
      '--references <k>',
      'mean scores over the folds of k references (default: scores against all references)',
      wholeNumber(1),
    )
    .addOption(new Option('--format <format>', 'format of the output').choices(SCORE_FORMATS).default('csv'))
    .addHelpText('after', example('accord export scores --system show-and-tell > scores.csv'))
    .action(async (_options, command: Command) => {
      const options = command.optsWithGlobals<ScoresOptions>()
      const { system: systems, references, format, database } = options
      const { exportImageScores } = await import('../../services/datasets/export.js')
      const table = await withDataset(options, async (accord, dataset) => {
        const found = await exportImageScores(accord, dataset, { systems, references })
        for (const name of found.unscored) {
          const next = commandLine(['evaluate', '--dataset', dataset.name, '--system', name], { database })
          process.stderr.write(`${printable(name)} has no stored scores. Next: ${next}\n`)
        }
        if (found.rows.length + found.unscored.length === 0) {
          process.stderr.write(`The dataset ${printable(dataset.name)} has no captioning systems.\n`)
        }
        return found
      })
      const { imageScoreTable } = await import('../reports/image-score-report.js')
      process.stdout.write(renderScores(imageScoreTable(table), format))
    })
}

function renderScores(table: NamedTable, format: ScoresOptions['format']): string {
  switch (format) {
    case 'csv':
      return toCsv(toCsvTable(table))
    case 'tsv':
      return toTsv(toCsvTable(table))
    case 'json':
      return `${JSON.stringify(toJsonRows(table))}\n`
  }
}

import { type Command, Option } from 'commander'
import { collectList, parseText, wholeNumber } from '../../config.js'
import type { TableFormat } from '../../services/exports/export-table.js'
import type { Accord } from '../../services/shared/accord.js'
import type { Dataset } from '../../store/schema/dataset-tables.js'
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
  const captions = exports
    .command('captions')
    .summary('human captions, in COCO captions format')
    .description('Write the human captions of a dataset in COCO captions format, which can be imported.')
    .addOption(datasetOption())
  const captionsTo = 'accord export captions --dataset coco > captions.json'
  writes(captions, captionsTo, async (accord, dataset) => {
    const { exportCaptions } = await import('../../services/exports/export.js')
    return exportCaptions(accord, dataset)
  })
  const results = exports
    .command('results')
    .summary('captions of a system, in COCO results format')
    .description('Write the captions of a system in COCO results format, which can be imported and scored.')
    .addOption(datasetOption())
    .requiredOption('--system <name>', 'name of the system (required)', parseText)
  const resultsTo = 'accord export results --system show-and-tell | gzip > results.json.gz'
  writes<ResultsOptions>(results, resultsTo, async (accord, dataset, { system }) => {
    const { exportResults } = await import('../../services/exports/export.js')
    return exportResults(accord, dataset, system)
  })
  const frequencies = exports
    .command('frequencies')
    .summary('document frequencies, for --document-frequencies')
    .description(
      'Write in how many images of a dataset the captions have each n-gram, as hashes: the file contains no captions. Its' +
        ' name must end in .frequencies for --document-frequencies.',
    )
    .addOption(datasetOption())
  const frequenciesTo = 'accord export frequencies --dataset flickr > flickr.frequencies'
  writes(frequencies, frequenciesTo, async (accord, dataset) => {
    const { exportFrequencies } = await import('../../services/exports/export.js')
    return [await exportFrequencies(accord, dataset)]
  })
  registerExportScores(exports)
}

/** Completes a command that writes parts of a file to stdout or a file: its options of output, its example, and the parts. */
function writes<Options extends ExportOptions>(
  command: Command,
  line: string,
  partsOf: (accord: Accord, dataset: Dataset, options: Options) => Promise<Parameters<typeof writeParts>[0]>,
): void {
  command
    .addOption(outOption())
    .addOption(forceOption())
    .addHelpText('after', example(line))
    .action(async () => {
      const options = command.optsWithGlobals<Options>()
      checkOutput(options.out, options.force)
      await withDataset(options, async (accord, dataset) =>
        writeParts(await partsOf(accord, dataset, options), options.out),
      )
    })
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
  const line = 'accord export scores --system show-and-tell > scores.csv'
  writes<ScoresOptions>(addJsonOption(command), line, async (accord, dataset, options) => {
    const { system: systems, references, format, documentFrequencies } = options
    const { documentsOf } = await import('../../services/evaluations/document-source.js')
    const { exportScores } = await import('../../services/exports/tables.js')
    const { writeTable } = await import('../../services/exports/export-table.js')
    const chosen = { systems, references, ...documentsOf(documentFrequencies) }
    const table = await exportScores(accord, dataset, chosen)
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
    return writeTable(table, format)
  })
}

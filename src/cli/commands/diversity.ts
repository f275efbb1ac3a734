import type { Command } from 'commander'
import { collectList, parseText } from '../../config.js'
import type { Accord } from '../../services/shared/accord.js'
import type { Dataset } from '../../store/schema/dataset-tables.js'
import { datasetOption } from '../options.js'
import { percentOption } from '../output/output.js'
import { withProgress } from '../output/progress.js'
import { type FilesOptions, printsDatasetOrFilesReport } from '../report-command.js'
import { diversityColumns, diversityReport } from '../reports/diversity-report.js'

interface Options extends FilesOptions {
  readonly training?: string
}

/** `accord diversity` */
export function register(program: Command): void {
  const command = program
    .command('diversity')
    .summary('how long and how varied captions are beside those of people')
    .description(
      'Compare how long and how varied captions are with those of a person: length, distinct words (types), type-token' +
        ' ratios, the share of distinct captions, the share of people’s vocabulary that is used, and local recall: of the words' +
        ' that so many other people use for an image, the share that the caption has. All are over the same images; types are' +
        ' counted in equally many tokens. Works in any language.',
    )
    .addOption(datasetOption())
    .option(
      '--system <name...>',
      'only these systems; several names, or the option several times (default: all with captions)',
      collectList(parseText),
    )
    .option(
      '--training <dataset>',
      'also the share of captions that do not occur in this dataset, with which systems were trained; with files, a file of its captions',
      parseText,
    )
    .addOption(percentOption())
  const help = {
    examples: [
      'accord diversity captions_val2017.json mine.json theirs.json',
      'accord diversity --dataset coco --system mine',
      'accord diversity captions_val2017.json mine.json --training captions_train2017.json',
    ],
    json: {
      report: 'dataset, captionsPerImage, imageCount, excludedImageCount, training, tokenCount, notes, rows',
      rows: diversityColumns(2),
    },
  }
  printsDatasetOrFilesReport<Options>(command, help, async (accord, dataset, options, areFiles) => {
    const { diversityNotes, measureDiversity } = await import('../../services/diversity/diversity.js')
    const training = areFiles ? await importTraining(accord, dataset, options) : options.training
    const report = await withProgress((progress) =>
      measureDiversity(accord, dataset, { systems: options.system, training }, { progress }),
    )
    return diversityReport(report, diversityNotes(report))
  })
}

/** Imports a file of captions of training beside the other files, in their language. @returns the name of its dataset */
async function importTraining(
  accord: Accord,
  { name, language }: Dataset,
  { training, tokenizer }: Options,
): Promise<string | undefined> {
  if (training === undefined) return undefined
  const { nameFile } = await import('../../services/scoring/caption-files.js')
  const own = nameFile(training)
  const dataset = own === name ? `${own} (training)` : own
  const input = { dataset, file: { path: training }, language, tokenizer }
  await withProgress((progress) => accord.run('importCaptions', input, { progress }))
  return dataset
}

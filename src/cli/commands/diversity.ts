import type { Command } from 'commander'
import { collectList, parseText } from '../../config.js'
import { datasetOption } from '../options.js'
import { percentOption } from '../output/output.js'
import { withProgress } from '../output/progress.js'
import { type FilesOptions, printsDatasetOrFilesReport } from '../report-command.js'
import { diversityColumns, diversityReport } from '../reports/diversity-report.js'

/** `accord diversity` */
export function registerDiversity(program: Command): void {
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
    .addOption(percentOption())
  const help = {
    examples: [
      'accord diversity captions_val2017.json mine.json theirs.json',
      'accord diversity --dataset coco --system mine',
    ],
    json: {
      report: 'dataset, captionsPerImage, imageCount, excludedImageCount, tokenCount, notes, rows',
      rows: diversityColumns(2),
    },
  }
  printsDatasetOrFilesReport<FilesOptions>(command, help, async (accord, dataset, { system: systems }) => {
    const { diversityNotes, measureDiversity } = await import('../../services/diversity/diversity.js')
    const report = await withProgress((progress) =>
      measureDiversity(accord, dataset, { systems }, { progress }),
    )
    return diversityReport(report, diversityNotes(report))
  })
}

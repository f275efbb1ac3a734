import { type Command, Option } from 'commander'
import { collectList, parseText, wholeNumber } from '../../config.js'
import { COVERAGE_UNITS, type CoverageUnits } from '../../shared/choices.js'
import { datasetOption } from '../options.js'
import { percentOption } from '../output/output.js'
import { withProgress } from '../output/progress.js'
import { type FilesOptions, printsDatasetOrFilesReport } from '../report-command.js'
import { coverageColumns, coverageReport } from '../reports/coverage-report.js'

interface Options extends FilesOptions {
  readonly units: CoverageUnits
  readonly references?: number
}

/** `accord coverage` */
export function registerCoverage(program: Command): void {
  const command = program
    .command('coverage')
    .summary('how much captions of any length say beside people, and how much of it others confirm')
    .description(
      'Compare what captions say with what people say, so that a caption of eight words, one of ninety, and one, two or' +
        ' three people stand in one table: coverage (of what other people say, how much is said), consensus coverage (of what' +
        ' all of them say), confirmed share (of what is said, how much another person says), the number of people who say as' +
        ' much together, and the confirmed share beside that of these people, all with 95 % intervals (jackknife over' +
        ' images). Works in any language.',
    )
    .addOption(datasetOption())
    .option(
      '--system <name...>',
      'only these systems; several names, or the option several times (default: all with captions)',
      collectList(parseText),
    )
    .addOption(
      new Option(
        '--units <units>',
        'what is counted: words, distinct words of which rare ones weigh more; types, distinct words alike',
      )
        .choices(COVERAGE_UNITS)
        .default('words'),
    )
    .option(
      '--references <r>',
      'captions that are compared with, 1 to K (default: 2, or 1 where images have fewer than 3)',
      wholeNumber(1),
    )
    .addOption(percentOption())
  const help = {
    examples: [
      'accord coverage captions_val2017.json mine.json theirs.json',
      'accord coverage --dataset coco --units types --references 1',
    ],
    json: {
      report:
        'dataset, units, references, captionsPerImage, imageCount, excludedImageCount, summary, notes, rows',
      rows: coverageColumns(0, true),
    },
  }
  printsDatasetOrFilesReport<Options>(command, help, async (accord, dataset, options) => {
    const { units, references, system: systems } = options
    const { coverageNotes, measureCoverage } = await import('../../services/coverage/coverage.js')
    const report = await withProgress((progress) =>
      measureCoverage(accord, dataset, { units, references, systems }, { progress }),
    )
    return coverageReport(report, coverageNotes(report))
  })
}

import { type Command, InvalidArgumentError, Option } from 'commander'
import { eachOnce, type GlobalOptions, parseText, wholeNumber } from '../config.js'
import { LARGEST_K } from '../selection/baselines.js'
import { withDatabase } from './database.js'
import { datasetOption, example } from './options.js'
import { type Format, formatOption, print } from './output.js'
import { withProgress } from './progress.js'

interface Options extends GlobalOptions {
  readonly dataset: string
  readonly priors?: string
  readonly priorsShare?: number
  readonly k?: readonly number[]
  readonly system?: readonly string[]
  readonly format: Format
}

/** `accord selection` */
export function registerSelection(program: Command): void {
  program
    .command('selection')
    .summary('which objects people mention, and whether systems pick the same')
    .description(
      'Hold the boxes that descriptions name against those that people name: precision, recall and F, with their' +
        ' deviations over images and 95 % intervals, of people themselves (human), of baselines that take the' +
        ' first k boxes of an order, and of systems. All 0 to 1.',
    )
    .addOption(datasetOption())
    .option(
      '--priors <name>',
      'data set from whose descriptions unigram and bigram learn what people name',
      parseText,
    )
    .addOption(
      new Option(
        '--priors-share <share>',
        'learn from this share of the images of the data set instead, and score the others',
      )
        .argParser(parseShare)
        .conflicts('priors'),
    )
    .addOption(
      new Option('--k <k...>', `boxes that baselines take, 1 to ${LARGEST_K} (default: each)`).argParser(
        eachOnce(wholeNumber(1, LARGEST_K)),
      ),
    )
    .addOption(
      new Option('--system <name...>', 'only these systems and baselines; human for people').argParser(
        eachOnce(parseText),
      ),
    )
    .addOption(formatOption())
    .addHelpText('after', example('accord selection --dataset flickr --priors flickr-dev --k 1 2 3 4 5'))
    .action(async (_options, command: Command) => {
      const {
        database: path,
        dataset,
        priors,
        priorsShare,
        format,
        ...choice
      } = command.optsWithGlobals<Options>()
      const { describeLeftOut, reportSelection, renderings } = await import('./selection-report.js')
      const report = await withDatabase(path, { mustExist: true }, (database) =>
        withProgress((progress) =>
          reportSelection(database, { dataset, priors, priorsShare }, choice, progress),
        ),
      )
      await print(format, renderings(report))
      process.stderr.write(describeLeftOut(report))
    })
}

function parseShare(text: string): number {
  const share = /^\d*\.?\d+$/.test(text) ? Number(text) : Number.NaN
  if (share > 0 && share < 1) return share
  throw new InvalidArgumentError('Expected a number between 0 and 1, such as 0.5.')
}

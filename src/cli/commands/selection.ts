import { type Command, InvalidArgumentError, Option } from 'commander'
import { collectUnique, type GlobalOptions, parseText, wholeNumber } from '../../config.js'
import { CHOICES } from '../../services/choices.js'
import { withDataset } from '../accord.js'
import { datasetOption, example } from '../options.js'
import { formatOption, type OutputOptions, percentOption, print, widthOption } from '../output/output.js'
import { withProgress } from '../output/progress.js'

interface Options extends GlobalOptions, OutputOptions {
  readonly dataset?: string
  readonly priors?: string
  readonly priorsShare?: number
  readonly k?: readonly number[]
  readonly system?: readonly string[]
}

/** `accord selection` */
export function registerSelection(program: Command): void {
  program
    .command('selection')
    .summary('which objects people mention, and whether systems mention the same')
    .description(
      'Compare the boxes that descriptions mention with those that people mention: precision, recall and F, 0 to 1,' +
        ' with standard deviations over images and 95 % intervals, of people (human), of baselines that select the' +
        ' first k boxes in an order, and of systems. The JSON is {dataset, priors, priorsShare, imageCount,' +
        ' imagesWithoutReferences, descriptionsWithoutMentions, notes, provenance, leftOut, rows}, with {system, k,' +
        ' precision, precisionSd, recall, recallSd, f, fSd, intervals, isSmall, images, imagesLeftOut,' +
        ' undefinedReason, signature} for each of rows. The provenance of people is also that of baselines.',
    )
    .addOption(datasetOption())
    .option('--priors <name>', 'development dataset for the baselines unigram and bigram', parseText)
    .addOption(
      new Option(
        '--priors-share <share>',
        'learn from this share of the images of the dataset instead, and score the others',
      )
        .argParser(parseShare)
        .conflicts('priors'),
    )
    .addOption(
      new Option(
        '--k <k...>',
        `numbers of boxes that baselines select, 1 to ${CHOICES.maxBoxes} (default: all)`,
      ).argParser(collectUnique(wholeNumber(1, CHOICES.maxBoxes))),
    )
    .addOption(
      new Option('--system <name...>', 'only these systems and baselines; `human` for people').argParser(
        collectUnique(parseText),
      ),
    )
    .addOption(formatOption())
    .addOption(widthOption())
    .addOption(percentOption())
    .addHelpText('after', example('accord selection --dataset flickr --priors flickr-dev --k 1 2 3 4 5'))
    .action(async (_options, command: Command) => {
      const options = command.optsWithGlobals<Options>()
      const { database: location, priors, priorsShare, k, system } = options
      const { selectContent } = await import('../../services/selection/selection.js')
      const report = await withDataset({ location }, options.dataset, (accord, { name }) =>
        withProgress((progress) =>
          selectContent(accord, { dataset: name, priors, priorsShare }, { progress }),
        ),
      )
      const { chooseRows, selectionReport } = await import('../reports/selection-report.js')
      await print(options, selectionReport(chooseRows(report, { k, system })))
    })
}

function parseShare(text: string): number {
  const share = /^\d*\.?\d+$/.test(text) ? Number(text) : Number.NaN
  if (share > 0 && share < 1) return share
  throw new InvalidArgumentError('Expected a number above 0 and below 1, such as 0.5.')
}

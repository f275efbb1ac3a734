import { type Command, InvalidArgumentError, Option } from 'commander'
import { collectUnique, parseText, wholeNumber } from '../../config.js'
import { CHOICES } from '../../services/choices.js'
import { datasetOption } from '../options.js'
import { percentOption } from '../output/output.js'
import { withProgress } from '../output/progress.js'
import { printsDatasetReport, type ReportOptions } from '../report-command.js'

interface Options extends ReportOptions {
  readonly priors?: string
  readonly priorsShare?: number
  readonly k?: readonly number[]
  readonly system?: readonly string[]
}

/** `accord selection` */
export function registerSelection(program: Command): void {
  const command = program
    .command('selection')
    .summary('which objects people mention, and whether systems mention the same ones')
    .description(
      'Compare the boxes that descriptions mention with those that people mention: precision, recall and F, 0 to 1,' +
        ' with standard deviations over images and 95 % intervals, of people (human), of baselines that select the' +
        ' first k boxes in an order, and of systems. The provenance of people in the JSON is also that of baselines.',
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
    .option(
      '--k <k...>',
      `numbers of boxes that baselines select, 1 to ${CHOICES.maxBoxes} (default: all)`,
      collectUnique(wholeNumber(1, CHOICES.maxBoxes)),
    )
    .option(
      '--system <name...>',
      'only these systems and baselines; `human` for people',
      collectUnique(parseText),
    )
    .addOption(percentOption())
  const help = {
    examples: ['accord selection --dataset flickr --priors flickr-dev --k 1 2 3 4 5'],
    json: {
      report:
        'dataset, priors, priorsShare, imageCount, imagesWithoutReferences, descriptionsWithoutMentions, notes,' +
        ' provenance, leftOut, rows',
      rows:
        'system, k, precision, precisionSd, recall, recallSd, f, fSd, intervals, isSmall, images, imagesLeftOut,' +
        ' undefinedReason, signature',
    },
  }
  printsDatasetReport<Options>(command, help, async (accord, { name: dataset }, options) => {
    const { priors, priorsShare, k, system } = options
    const { selectContent } = await import('../../services/selection/selection.js')
    const { selectionReport } = await import('../reports/selection-report.js')
    const report = await withProgress((progress) =>
      selectContent(accord, { dataset, priors, priorsShare }, { progress }),
    )
    return selectionReport(report, { k, system })
  })
}

function parseShare(text: string): number {
  const share = /^\d*\.?\d+$/.test(text) ? Number(text) : Number.NaN
  if (share > 0 && share < 1) return share
  throw new InvalidArgumentError('Expected a number above 0 and below 1, such as 0.5.')
}

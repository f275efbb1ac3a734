import type { Command } from 'commander'
import { embeddingsOption, type GlobalOptions, meteorDataOption, wholeNumber } from '../../config.js'
import type { Progress } from '../../progress.js'
import type { Accord } from '../../services/accord.js'
import { withDataset } from '../accord.js'
import { datasetOption, example, metricsOption } from '../options.js'
import { formatOption, type OutputOptions, percentOption, print, widthOption } from '../output/output.js'
import { withProgress } from '../output/progress.js'
import type { AgreementTable } from '../reports/agreement-report.js'

interface Options extends GlobalOptions, OutputOptions {
  readonly dataset?: string
  readonly references?: number
  readonly metrics?: readonly string[]
  readonly meteorData?: string
  readonly embeddings?: string
}

/** `accord agreement` */
export function registerAgreement(program: Command): void {
  program
    .command('agreement')
    .summary('how much people agree on captions, by each metric')
    .description(
      'Score each human caption of an image in turn against the others, as if it came from a system: the' +
        ' leave-one-out table, with the mean and standard deviation of the folds and a 95 % interval (jackknife over' +
        ' images). Without --references and --metrics also the scores with 1 to K - 1 references beside those' +
        ' published in COCO Captions 2015 (Table I), and why they' +
        ' differ. Scores are computed once, then stored. The JSON is {dataset, references, imageCount,' +
        ' excludedImageCount, notes, scores, published}, with {metric, folds, mean, standardDeviation, interval,' +
        ' undefinedReason, isSmall, signature, warnings} for each of scores and {metric, published, isSameMetric,' +
        ' references, mean, interval, extrapolation, differences, signature, curve} for each of published.',
    )
    .addOption(datasetOption())
    .option(
      '--references <k>',
      'references per held-out caption, 1 to K - 1 (default: K - 1)',
      wholeNumber(1),
    )
    .addOption(metricsOption('all that are stored or computed by default'))
    .addOption(meteorDataOption())
    .addOption(embeddingsOption())
    .addOption(formatOption())
    .addOption(widthOption())
    .addOption(percentOption())
    .addHelpText('after', example('accord agreement --dataset coco --references 4'))
    .action(async (_options, command: Command) => {
      const options = command.optsWithGlobals<Options>()
      const { database: location, references, metrics } = options
      const resources = { meteorFolder: options.meteorData, embeddingsFile: options.embeddings }
      const report = await withDataset({ location, ...resources }, options.dataset, (accord, { name }) =>
        withProgress((progress) => computeTable(accord, { dataset: name, references, metrics }, progress)),
      )
      const { agreementReport } = await import('../reports/agreement-report.js')
      await print(options, agreementReport(report))
    })
}

/** The table, and beside what was published unless references or metrics are given. */
export async function computeTable(
  accord: Accord,
  options: { readonly dataset: string; readonly references?: number; readonly metrics?: readonly string[] },
  progress: Progress,
): Promise<AgreementTable> {
  const { reportAgreement } = await import('../../services/agreement/agreement.js')
  const { comparePublished } = await import('../../services/agreement/published.js')
  const { scoreNotes } = await import('../../services/evaluations/scores.js')
  const report = await reportAgreement(accord, options, { progress })
  const isWhole = options.references === undefined && options.metrics === undefined
  const published = isWhole ? await comparePublished(accord, report.dataset, { progress }) : null
  const notes = new Set(report.rows.flatMap((row) => scoreNotes(accord, row, row.imageCount)))
  return { ...report, published, notes: [...notes] }
}

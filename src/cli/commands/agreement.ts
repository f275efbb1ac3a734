import type { Command } from 'commander'
import { embeddingsOption, meteorDataOption, wholeNumber } from '../../config.js'
import type { Progress } from '../../progress.js'
import type { Accord } from '../../services/accord.js'
import type { AgreementOptions } from '../../services/agreement/agreement.js'
import { datasetOption, documentFrequenciesOption, metricsOption } from '../options.js'
import { percentOption } from '../output/output.js'
import { withProgress } from '../output/progress.js'
import { type FilesOptions, printsDatasetOrFilesReport } from '../report-command.js'
import type { AgreementTable } from '../reports/agreement-report.js'

interface Options extends FilesOptions {
  readonly references?: number
  readonly metrics?: readonly string[]
  readonly documentFrequencies?: string
}

/** `accord agreement` */
export function registerAgreement(program: Command): void {
  const command = program
    .command('agreement')
    .summary('how much people agree on captions, by each metric')
    .description(
      'Score each human caption of an image in turn against the others, as if it came from a system: the' +
        ' leave-one-out table, with the mean and standard deviation of the folds and a 95 % interval (jackknife over' +
        ' images). Without --references and --metrics also the scores with 1 to K - 1 references beside those' +
        ' published in COCO Captions 2015 (Table I), and why they' +
        ' differ. Scores are computed once, then stored.',
    )
    .addOption(datasetOption())
    .option(
      '--references <k>',
      'references per held-out caption, 1 to K - 1 (default: K - 1)',
      wholeNumber(1),
    )
    .addOption(metricsOption('all that are stored or computed by default'))
    .addOption(documentFrequenciesOption('the references of each fold'))
    .addOption(meteorDataOption())
    .addOption(embeddingsOption())
    .addOption(percentOption())
  const help = {
    examples: ['accord agreement --dataset coco --references 4', 'accord agreement captions_val2017.json'],
    json: {
      report: 'dataset, references, imageCount, excludedImageCount, notes, scores, published',
      scores:
        'metric, folds, mean, standardDeviation, interval, undefinedReason, isSmall, signature, warnings',
      published:
        'metric, published, isSameMetric, references, mean, interval, extrapolation, differences, signature, curve',
    },
  }
  printsDatasetOrFilesReport<Options>(command, help, async (accord, { name: dataset }, options) => {
    const { references, metrics, documentFrequencies } = options
    const { documentsOf } = await import('../../services/evaluations/document-source.js')
    const input = { dataset, references, metrics, ...documentsOf(documentFrequencies) }
    const { agreementReport } = await import('../reports/agreement-report.js')
    return agreementReport(await withProgress((progress) => computeTable(accord, input, progress)))
  })
}

/** The table, and beside what was published unless references or metrics are given. */
export async function computeTable(
  accord: Accord,
  options: AgreementOptions & { readonly dataset: string },
  progress: Progress,
): Promise<AgreementTable> {
  const { reportAgreement } = await import('../../services/agreement/agreement.js')
  const { comparePublished } = await import('../../services/agreement/published.js')
  const { agreementNotes } = await import('../../services/evaluations/scores.js')
  const report = await reportAgreement(accord, options, { progress })
  const { dataset: _dataset, ...choice } = options
  const isWhole = Object.values(choice).every((value) => value === undefined)
  const published = isWhole ? await comparePublished(accord, report.dataset, { progress }) : null
  return { ...report, published, notes: await agreementNotes(accord, report.rows) }
}

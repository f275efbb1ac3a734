import type { Command } from 'commander'
import { type DatasetOptions, withDataset } from '../accord.js'
import { datasetOption, example } from '../options.js'
import { writeParts } from '../output/output-file.js'

/** `accord verify` */
export function register(program: Command): void {
  program
    .command('verify')
    .summary('what stored figures are computed from, to compute them again')
    .description(
      'Write what the stored figures of a dataset are computed from as lines of JSON, with their values and definitions,' +
        ' so that an independent program can compute them again: docs/verify.py does, in Python without packages.' +
        ' Scores of metrics against all captions, precision and recall of words, PHR, correlations with ratings, accuracies on' +
        ' preferences. The first line lists the figures that are left out.',
    )
    .argument(
      '[figure]',
      'only one figure: metrics/SYSTEM/METRIC, words/WORD, phr/SYSTEM/WORD or judgements/METRIC; without the last part all of' +
        ' them (default: all)',
    )
    .addOption(datasetOption())
    .addHelpText(
      'after',
      example(
        'accord verify --dataset val2017 | python3 docs/verify.py',
        'accord verify metrics/mine/CIDEr-D --dataset val2017 > mine.jsonl',
      ),
    )
    .action(async (figure: string | undefined, _options, command: Command) => {
      const options = command.optsWithGlobals<DatasetOptions>()
      const { exportForVerification } = await import('../../services/verification/verify.js')
      await withDataset(options, (accord, dataset) =>
        writeParts(exportForVerification(accord, dataset, figure)),
      )
    })
}

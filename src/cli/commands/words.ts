import { type Command, Option } from 'commander'
import { collectUnique, type GlobalOptions, parseText, wholeNumber } from '../../config.js'
import type { PartOfSpeech } from '../../core/text/part-of-speech.js'
import { withDataset } from '../accord.js'
import { datasetOption, example, partOfSpeechOption } from '../options.js'
import { formatOption, type OutputOptions, percentOption, print, widthOption } from '../output/output.js'

interface Options extends GlobalOptions, OutputOptions {
  readonly dataset?: string
  readonly system?: readonly string[]
  readonly references?: number
  readonly top?: number
  readonly partOfSpeech?: readonly PartOfSpeech[]
}

/** `accord words` */
export function registerWords(program: Command): void {
  program
    .command('words')
    .summary('how much people agree on words, and how systems compare')
    .description(
      'Show, for each word of the vocabulary, the number of images in which 0 to K captions use it, human precision' +
        ' and recall, the word-usage models fitted to them, and how systems compare: precision at human recall and' +
        ' average precision of word scores, precision and recall of captions, with intervals. All are 0 to 1. Means' +
        ' are over all words, with intervals. The JSON is {dataset, references, notes, provenance, words, means,' +
        ' fits}, with {word, partOfSpeech, histogram, isRare, precision, recall, undefinedReason, precisionInterval,' +
        ' recallInterval, models, systems} for each of words, {system, figure, wordCount, value, interval,' +
        ' standardError, pValue, isSmall, undefinedReason} for each of means and {model, wordCount, rSquared,' +
        ' rootMeanSquaredError, undefinedReason, outOfSample} for each of fits. The provenance is that of the means.',
    )
    .addOption(datasetOption())
    .addOption(
      new Option(
        '--system <name...>',
        'systems to compare; several names, or the option several times',
      ).argParser(collectUnique(parseText)),
    )
    .option('--references <k>', 'references per image, 1 to K - 1 (default: K - 1)', wholeNumber(1))
    .option('--top <N>', 'list only the first N words; means are over all of them', wholeNumber(1))
    .addOption(partOfSpeechOption())
    .addOption(formatOption())
    .addOption(widthOption())
    .addOption(percentOption())
    .addHelpText(
      'after',
      example('accord words --dataset coco --system detector --part-of-speech NN VB --top 50'),
    )
    .action(async (_options, command: Command) => {
      const options = command.optsWithGlobals<Options>()
      const { database: location, system: systems, references, top, partOfSpeech } = options
      const { reportWords } = await import('../../services/words/words.js')
      const report = await withDataset({ location }, options.dataset, (accord, { name }) =>
        reportWords(accord, { dataset: name, systems, references, top, partOfSpeech }),
      )
      const { wordReport } = await import('../reports/word-report.js')
      await print(options, wordReport(report))
    })
}

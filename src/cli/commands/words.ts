import { type Command, Option } from 'commander'
import { collectList, parseText, wholeNumber } from '../../config.js'
import type { WordSort } from '../../services/words/word-report.js'
import type { PartOfSpeech } from '../../shared/choices.js'
import { byOption, datasetOption, partOfSpeechOption, vocabularyOfOption } from '../options.js'
import { detailsOption, percentOption } from '../output/output.js'
import { type FilesOptions, printsDatasetOrFilesReport } from '../report-command.js'
import {
  FITS,
  MEAN_COLUMNS,
  RATES,
  withWordsOfSubsets,
  wordColumns,
  wordReport,
} from '../reports/word-report.js'

interface Options extends FilesOptions {
  readonly references?: number
  readonly top?: number
  readonly sort?: WordSort
  readonly word?: readonly string[]
  readonly minImages?: number
  readonly partOfSpeech?: readonly PartOfSpeech[]
  readonly vocabularyOf?: string
  readonly by?: string
  readonly details?: true
}

/** Words of a table, which fit a screen. */
const TOP = 10

/** `accord words` */
export function register(program: Command): void {
  const command = program
    .command('words')
    .summary('how much people agree on words, and how systems compare')
    .description(
      'Show how much people agree on each word of the vocabulary: in how many images 0 to K captions use it, human precision and' +
        ' recall, and the usage models that are fitted to them. Systems with word scores are judged by their precision at human recall' +
        ' and average precision, captioning systems by precision and recall, and by the words that they use more or less often than' +
        ' people. All are 0 to 1, with intervals. Means are over all words; the provenance in the JSON is that of the means. Tables' +
        ' list the first 10 words, or those of --word, and show the model beside systems, and the images by captions beside several systems,' +
        ' only with --word or --details; JSON, CSV and TSV have all.',
    )
    .addOption(datasetOption())
    .option(
      '--system <name...>',
      'systems to compare; several names, or the option several times',
      collectList(parseText),
    )
    .option('--references <k>', 'references per image, 1 to K - 1 (default: K - 1)', wholeNumber(1))
    .addOption(
      new Option(
        '--sort <figure>',
        'list words by gap (PHR or precision of the first system minus human precision; by the upper end of its interval, lowest' +
          ' first), or by the figure itself, highest first: human recall, phr (of the first system) or residual (human precision' +
          ' minus that of the usage model)',
      ).choices(['gap', 'recall', 'phr', 'residual']),
    )
    .option('--word <word...>', 'list these words, of the vocabulary or not', collectList(parseText))
    .option('--min-images <N>', 'list only words that are used in at least N images', wholeNumber(1))
    .option(
      '--top <N>',
      'list only the first N words; means are over all of them (default: 10 in tables)',
      wholeNumber(1),
    )
    .addOption(partOfSpeechOption())
    .addOption(vocabularyOfOption())
    .addOption(
      byOption(
        'one that images have, such as domain or split; objects, their number of boxes; or language, that of their captions; with the words of --word, or those that most of the images use',
      ),
    )
    .addOption(
      detailsOption(
        'means with intervals and by part of speech, intervals of systems on words, words used more or less often than by people, and how well models fit',
      ),
    )
    .addOption(percentOption())
  const help = {
    examples: [
      'accord words --dataset coco --system detector --part-of-speech NN VB --top 50',
      'accord words --dataset coco --system detector --sort gap --min-images 50 --top 20',
      'accord words captions_val2017.json mine.json --top 50',
    ],
    json: {
      report: 'dataset, references, notes, provenance, words, means, rates, fits, subsets (with --by)',
      words: wordColumns({
        captionsPerImage: 0,
        models: ['MOMENT'],
        systems: [{ name: '', kind: 'CAPTIONS' }],
      }),
      means: MEAN_COLUMNS,
      rates: RATES,
      fits: FITS,
    },
  }
  printsDatasetOrFilesReport<Options>(command, help, async (accord, { name: dataset }, options) => {
    const { reportWords } = await import('../../services/words/word-report.js')
    const { system: systems, word: words, references, top, partOfSpeech, vocabularyOf } = options
    const { sort, minImages, format } = options
    if ((sort === 'gap' || sort === 'phr') && !systems?.length) {
      command.error(`error: --sort ${sort} requires --system, or files of systems`)
    }
    const isData = format === 'json' || format === 'csv' || format === 'tsv'
    const isWhole = isData || words !== undefined
    const list = { words, minImages, sort, top: top ?? (isWhole ? undefined : TOP) }
    const choice = { references, partOfSpeech, vocabularyOf }
    const { wordsOfSubsets } = await import('../../services/words/word-subsets.js')
    const { by: field } = options
    const subsets =
      field === undefined ? [] : await wordsOfSubsets(accord, { dataset, field, words, top, ...choice })
    const figures = await reportWords(accord, { dataset, systems, ...choice, ...list })
    return withWordsOfSubsets(
      wordReport(figures, { sort, isNamed: words !== undefined, isDetailed: options.details }),
      field,
      subsets,
    )
  })
}

import type { Command } from 'commander'
import { type GlobalOptions, imagesOption, parseText, wholeNumber } from '../../config.js'
import type { ImportCaptionsReport } from '../../services/datasets/import-captions.js'
import { counted, grouped } from '../../shared/numbers.js'
import { withAccord } from '../accord.js'
import { type CaptionFileOptions, toFile } from '../files.js'
import {
  CAPTION_FORMATS,
  columnsOption,
  fileArgument,
  imageIdsOption,
  languageOption,
  moreReferencesOption,
  newDatasetOption,
  privateOption,
  splitOption,
  tokenizerOption,
} from '../options.js'
import { printable } from '../output/formats.js'
import { withProgress } from '../output/progress.js'
import { prints } from '../report-command.js'

interface Options extends GlobalOptions, CaptionFileOptions {
  readonly dataset: string
  readonly captionsPerImage?: number
  readonly vocabulary?: string
  readonly private?: true
  readonly images?: string
}

/** `accord import captions` */
export function register(imports: Command): void {
  const command = imports
    .command('captions')
    .summary('human captions, as a new dataset')
    .description('Import human captions as a new dataset.')
    .addArgument(fileArgument('human captions'))
    .addOption(newDatasetOption())
    .option(
      '--captions-per-image <K>',
      'captions per image that the statistics use, the first by id; images with fewer are excluded' +
        ' (default: the most frequent number)',
      wholeNumber(1),
    )
    .option(
      '--vocabulary <file>',
      'CSV with columns word and part_of_speech (NN VB JJ DT PRP IN OTHER): the words to report' +
        ' (default: the 1,000 most used words)',
      parseText,
    )
    .addOption(splitOption())
    .addOption(languageOption())
    .addOption(tokenizerOption())
    .addOption(moreReferencesOption())
    .addOption(imageIdsOption('of captions in lines'))
    .addOption(columnsOption())
    .addOption(imagesOption('of the dataset'))
    .addOption(privateOption())
    .addHelpText('after', CAPTION_FORMATS)
  const examples = [
    'accord import captions captions_val2017.json --dataset coco --vocabulary vocabulary_1000.csv',
  ]
  prints<Options, [path: string]>(command, examples, (options, path) => {
    const { database: location, dataset, captionsPerImage, vocabulary, split, imageIds, images } = options
    const { language, tokenizer, columns, moreReferences = [] } = options
    const input = {
      dataset,
      file: { path },
      captionsPerImage,
      vocabulary: toFile(vocabulary),
      imageIds: toFile(imageIds),
      columns,
      split,
      language,
      tokenizer,
      more: moreReferences.map((path) => ({ path })),
      isPrivate: options.private,
      imagesFolder: images,
    }
    const reads = [path, vocabulary, imageIds, ...moreReferences].filter((path) => path !== undefined)
    return withAccord({ location, reads }, async (accord) => {
      const { countPictures } = await import('../../services/images/pictures.js')
      const report = await withProgress((progress) => accord.run('importCaptions', input, { progress }))
      const pictureCount = images === undefined ? null : await countPictures(accord, report.datasetId)
      return describe(dataset, report, pictureCount)
    })
  })
}

/** @param pictureCount images with a picture; null without a folder of pictures */
function describe(dataset: string, report: ImportCaptionsReport, pictureCount: number | null): string {
  const { captionsPerImage, imageCount, captionCount, excludedImageCount, format } = report
  const excluded = `${grouped(excludedImageCount)} with fewer than ${counted(captionsPerImage, 'caption')}, excluded from the statistics`
  return `Imported dataset ${printable(dataset)}${format === null ? '' : ` from ${format}`}
  images    ${grouped(imageCount)}${excludedImageCount > 0 ? ` (${excluded})` : ''}
${pictureCount === null ? '' : `  pictures  ${grouped(pictureCount)} of ${grouped(imageCount)} images\n`}  captions  ${grouped(captionCount)}; the statistics use the first ${captionsPerImage} per image (K = ${captionsPerImage})
  words     ${grouped(report.wordCount)}; ${grouped(report.vocabularySize)} of them in the vocabulary
  language  ${report.language}; tokenizer ${report.tokenizer}
${report.languageNotes.map((note) => `${note}\n`).join('')}`
}

import { Argument, type Command, InvalidArgumentError, Option } from 'commander'
import { collectFiles, collectList, parseText } from '../config.js'
import { AccordError } from '../errors.js'
import { MATCHES, PARTS_OF_SPEECH, type PartOfSpeech, TOKENIZERS } from '../shared/choices.js'
import { readNamedColumns } from '../shared/named-columns.js'

/** Options and arguments of several commands. */

export const newDatasetOption = () =>
  new Option('--dataset <name>', 'name of the dataset (required)')
    .env('ACCORD_DATASET')
    .argParser(parseText)
    .makeOptionMandatory()

export const privateOption = () =>
  new Option('--private', 'only hosts and administrators of a server with accounts see the dataset')

export const datasetOption = () =>
  new Option('--dataset <name>', 'name of the dataset (default: the only dataset)')
    .env('ACCORD_DATASET')
    .argParser(parseText)

export const priorsOption = () =>
  new Option('--priors <name>', 'development dataset for the baselines unigram and bigram').argParser(
    parseText,
  )

export const priorsShareOption = () =>
  new Option(
    '--priors-share <share>',
    'learn from this share of the images of the dataset instead, and score the others',
  )
    .argParser(parseShare)
    .conflicts('priors')

function parseShare(text: string): number {
  const share = /^\d*\.?\d+$/.test(text) ? Number(text) : Number.NaN
  if (share > 0 && share < 1) return share
  throw new InvalidArgumentError('Expected a number above 0 and below 1, such as 0.5.')
}

export const systemOption = () =>
  new Option('--system <name>', 'name of the system (required)').argParser(parseText).makeOptionMandatory()

export const boundsOption = () =>
  new Option('--bounds', 'include the captions of upper bounds, which are not systems')

/** @param all what is scored by default */
export const metricsOption = (all: string) =>
  new Option(
    '--metric, --metrics <name...>',
    `names of metrics in any case, such as METEOR,CIDEr-D; BLEU, ROUGE, CHAIR, open-CHAIR and SPICE-all stand for all of theirs (default: ${all})`,
  ).argParser(collectList(parseText))

export const layoutOption = () =>
  new Option('--layout <layout>', 'a column for each metric, or a row for each score')
    .choices(['wide', 'long'])
    .default('wide')

export const signaturesOption = () =>
  new Option('--signatures', 'show the signature of every score, not only what they share')

/** @param of what uses them @param own what is counted by default */
const frequenciesOption = (of: string, own: string) =>
  new Option(
    '--document-frequencies <source>',
    `document frequencies of ${of}: the name of a dataset of the database, in all of whose captions they are` +
      ' counted; a file of `accord export frequencies`, whose name ends in .frequencies; or `coco`, built in, those of the' +
      ` 5,000 images of COCO val2017 (default: counted in ${own})`,
  ).argParser(parseText)

/** @param own what is counted by default */
export const documentFrequenciesOption = (own: string) => frequenciesOption('CIDEr, CIDEr-D and SPIDEr', own)

export const weightsOption = () =>
  frequenciesOption(
    'words, by which these weigh',
    'the measured images, by which figures have no interval and no test',
  )

export const allowMissingOption = () =>
  new Option('--allow-missing', 'accept a system without results for some images of the dataset')

export const allowExtraOption = () =>
  new Option('--allow-extra', 'leave out captions of images that the dataset does not have')

export const stripMarkupOption = () =>
  new Option(
    '--strip-markup',
    'remove markup of models from captions of systems: special tokens such as </s>, a role such as “Assistant:”, Markdown, a prompt' +
      ' at the start of nearly all captions of a file',
  )

/** @param images what the file names images of */
export const matchOption = (images = 'the human captions') =>
  new Option(
    '--match <rule>',
    `how a file names the images of ${images}: by id, file name, file name without folder and extension (stem), or the number at` +
      ' the end of the name (default: the first of these that finds the most; refused where two find different images)',
  ).choices(MATCHES)

export const columnsOption = () =>
  new Option(
    '--columns <image=…,caption=…>',
    'keys or columns of files of captions with other names than the usual ones: image=filepath,caption=title, and' +
      ' references=answer of human captions beside those of a system. A name can be a path of keys (de.caption), have * for' +
      ' several (caption_*), or be the number of a column, from 0, without a header',
  ).argParser(parseColumns(['image', 'caption', 'references']))

/** @param fields of a record or row, the first two of which are the example */
export const fieldColumnsOption = (fields: readonly string[]) =>
  new Option(
    `--columns <${fields[0]}=…,${fields[1]}=…>`,
    `keys, paths of keys or columns of a file with other names than the usual ones: ${fields.join(', ')}`,
  ).argParser(parseColumns(fields))

/** Creates a parser of `image=filepath,caption=title`; an option that is repeated adds to the one before. */
export function parseColumns<Field extends string>(fields: readonly Field[]) {
  type Columns = Partial<Record<Field, string>>
  return (text: string, previous: Columns = {}): Columns => {
    const given = readNamedColumns(text)
    const isKnown = ([field]: readonly [string, string]) => fields.some((known) => known === field)
    if (!given.every(isKnown) || new Set(given.map(([field]) => field)).size < given.length) {
      throw new InvalidArgumentError(
        `Expected ${fields.map((field) => `${field}=NAME`).join(', ')}, each at most once.`,
      )
    }
    return { ...previous, ...(Object.fromEntries(given) as Columns) }
  }
}

/** @param rows what has an id each */
export const imageIdsOption = (rows: string) =>
  new Option(
    '--ids, --image-ids <file>',
    `${rows}: file with the image id of each, one per line or as a JSON list`,
  ).argParser(parseText)

export const splitOption = () =>
  new Option(
    '--split <name>',
    'of human captions with splits (Karpathy’s JSON, a key or column split): only the images of this split',
  ).argParser(parseText)

export const languageOption = () =>
  new Option(
    '--language <tag>',
    'language of the captions: en, de, zh-Hant …, or its English name (default: found in the captions, unknown where they do not show one)',
  ).argParser(parseText)

export const tokenizerOption = () =>
  new Option(
    '--tokenizer <name>',
    'ptb: English; 13a: as sacrebleu; unicode: words by Unicode and dictionaries; character: each Chinese, Japanese or Korean' +
      ' character; none: tokens between spaces (default: ptb for English, unicode for others)',
  ).choices(TOKENIZERS)

export const objectWordsOption = () =>
  new Option(
    '--object-words <file>',
    'words of objects for CHAIR and object-recall, in place of ours: a table object,words with words between bars, such as that of' +
      ' the published program of CHAIR',
  ).argParser(parseText)

export const metricModuleOption = () =>
  new Option(
    '--metric-module <file...>',
    'JavaScript modules of metrics of your own, which are executed; without --metrics they are computed too',
  ).argParser(collectFiles)

export const chairCompatibleOption = () =>
  new Option(
    '--chair-compatible',
    'find objects exactly as the published program of CHAIR does it, with its words (--object-words)',
  )

/** @throws AccordError OUT_OF_RANGE for --chair-compatible without words */
export function readObjectOptions({
  objectWords: objectWordsFile,
  chairCompatible: isChairCompatible,
}: {
  readonly objectWords?: string
  readonly chairCompatible?: true
}): { readonly objectWordsFile?: string; readonly isChairCompatible?: boolean } {
  if (isChairCompatible && objectWordsFile === undefined) {
    throw new AccordError('OUT_OF_RANGE', 'CHAIR-compatible needs the words of the published program', {
      source: '--chair-compatible',
      expected: '--object-words with its list, which has no licence and is not part of Accord',
    })
  }
  return { objectWordsFile, isChairCompatible }
}

export const moreReferencesOption = () =>
  new Option(
    '--more-references <file...>',
    'further human captions in lines, parallel to the first file: each has another caption of each image',
  ).argParser(collectFiles)

/**
 * The options of commands that read files of captions.
 *
 * @param rows what the ids are of
 * @param ofPeople whether no file is of a system
 */
export function addCaptionFileOptions(command: Command, rows: string, ofPeople = false): Command {
  const ofSystems = [allowMissingOption(), allowExtraOption(), stripMarkupOption(), matchOption()]
  for (const option of ofPeople ? [] : ofSystems) command.addOption(option)
  return command
    .addOption(splitOption())
    .addOption(languageOption())
    .addOption(tokenizerOption())
    .addOption(moreReferencesOption())
    .addOption(imageIdsOption(rows))
    .addOption(columnsOption())
}

export const byOption = (fields: string) =>
  new Option(
    '--by <field>',
    `the same also for the images of each value of a field on their own: ${fields}`,
  ).argParser(parseText)

/** Help text on the formats of files of captions. */
export const CAPTION_FORMATS = `
Captions are read in these formats, recognized by content; names may end in .gz (gzip), text is UTF-8 or UTF-16:
  COCO           {"images": […], "annotations": […]}, of a system [{"image_id": 139, "caption": "…"}]
  JSON by image  {"139": ["…", "…"]}, {"139": [{"caption": "…"}]}, of a system also {"139": "…"}
  JSON records   [{"image": "a.jpg", "caption": "…" or ["…", "…"]}], or under a key: annotations, predictions, results,
                 data, captions, sentences; Karpathy's {"images": [{"cocoid" or "filename", "sentences": [{"raw": "…"}]}]}
  JSON lists     {"predictions": ["…"], "references": [["…"]]}, of images 1, 2, 3, …
  JSON Lines     {"image_id": 139, "caption": "…"} or {"image_id": 139, "captions": ["…", "…"]}
  CSV, TSV       a header with a column of image ids and one of captions, or caption_1, caption_2, …; separated by commas,
                 semicolons, tabs or bars; with tabs and bars there are no quotation rules
  Flickr         lines of Flickr8k and Flickr30k: 1000092795.jpg#0, a tab, the caption
  MSVD           lines of AllVideoDescriptions.txt: mv89psg6zh4_33_46, a space, the caption
  lines          a caption on each line, with --ids; several files of human captions with --more-references
Keys and columns of images: image_id, cocoid, img_id, image, video_id, image_name, file_name, filename, image_file, image_path,
filepath, question_id, id, index and others; of captions: caption, captions, sentences, sentence, raw, text, description, title,
of people also references, answer, of systems also prediction, response and others. --columns names other ones. Images of a
system are found by one rule for the whole file: id, file_name, either without folder and extension, or the number at the end
(COCO_val2014_000000000139.jpg, 139.0). --match names the rule.`

export const partOfSpeechOption = () =>
  new Option(
    '--part-of-speech <tag...>',
    `only these parts of speech: ${PARTS_OF_SPEECH.join(',')}`,
  ).argParser(collectList(parseTag))

export const vocabularyOfOption = () =>
  new Option(
    '--vocabulary-of <dataset>',
    'only words that the vocabulary of this dataset has too, so that words are chosen without the captions that are measured',
  ).argParser(parseText)

function parseTag(text: string): PartOfSpeech {
  const tag = PARTS_OF_SPEECH.find((known) => known === text.toUpperCase())
  if (tag === undefined) throw new InvalidArgumentError(`Expected one of ${PARTS_OF_SPEECH.join(', ')}.`)
  return tag
}

export const nameArgument = (description: string) => new Argument('<name>', description).argParser(parseText)

export const fileArgument = (description: string) => new Argument('<file>', description).argParser(parseText)

/** A file that is read more than once, or that another program opens: not standard input or output. */
export const realFileArgument = (description: string, name = '<file>') =>
  new Argument(name, description).argParser(parseRealFile)

function parseRealFile(text: string): string {
  if (text !== '-') return parseText(text)
  throw new InvalidArgumentError('Expected a file: standard input and output (-) cannot be used here.')
}

/** Help text with examples of a command. */
export const example = (...lines: readonly string[]) =>
  `\nExample${lines.length > 1 ? 's' : ''}:\n${lines.map((line) => `  ${line}`).join('\n')}`

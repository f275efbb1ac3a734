import { Argument, InvalidArgumentError, Option } from 'commander'
import { collectUnique, parseText } from '../config.js'
import type { PartOfSpeech } from '../core/text/part-of-speech.js'
import { CHOICES } from '../services/choices.js'

/** Options and arguments of several commands. */

export const newDatasetOption = () =>
  new Option('--dataset <name>', 'name of the dataset (required)').argParser(parseText).makeOptionMandatory()

export const privateOption = () =>
  new Option('--private', 'only hosts and administrators of a server with accounts see the dataset')

export const datasetOption = () =>
  new Option('--dataset <name>', 'name of the dataset (default: the only dataset)').argParser(parseText)

export const systemOption = () =>
  new Option('--system <name>', 'name of the system, new in the dataset (required)')
    .argParser(parseText)
    .makeOptionMandatory()

export const boundsOption = () =>
  new Option('--bounds', 'include the captions of upper bounds, which are not systems')

/** @param all what is scored by default */
export const metricsOption = (all: string) =>
  new Option(
    '--metric, --metrics <name...>',
    `names of metrics in any case, such as METEOR CIDEr-D; BLEU and ROUGE stand for all of their metrics (default: ${all})`,
  ).argParser(collectUnique(parseText))

export const layoutOption = () =>
  new Option('--layout <layout>', 'a column for each metric, or a row for each score')
    .choices(['wide', 'long'])
    .default('wide')

export const signaturesOption = () =>
  new Option('--signatures', 'show the signature of every score, not only what they share')

/** @param own what is counted by default */
export const documentFrequenciesOption = (own: string) =>
  new Option(
    '--document-frequencies <source>',
    'document frequencies of CIDEr, CIDEr-D and SPIDEr: the name of a dataset of the database, in all of whose captions they are' +
      ' counted; a file of `accord export frequencies`, whose name ends in .frequencies; or `coco`, built in, those of the' +
      ` 5,000 images of COCO val2017 (default: counted in ${own})`,
  ).argParser(parseText)

export const allowMissingOption = () =>
  new Option('--allow-missing', 'accept a system without results for some images of the dataset')

/** @param rows what has an id each */
export const imageIdsOption = (rows: string) =>
  new Option(
    '--ids, --image-ids <file>',
    `${rows}: file with the image id of each, one per line or as a JSON list`,
  ).argParser(parseText)

export const splitOption = () =>
  new Option(
    '--split <name>',
    'of human captions in Karpathy’s JSON: only the images of this split',
  ).argParser(parseText)

/** Help text on the formats of files of captions. */
export const CAPTION_FORMATS = `
Captions are read in these formats, recognized by content; names may end in .gz (gzip):
  COCO           {"images": […], "annotations": […]}, of a system [{"image_id": 139, "caption": "…"}]
  Karpathy       {"images": [{"cocoid" or "filename", "split", "sentences": [{"raw": "…"}]}]}
  JSON           {"139": ["…", "…"]}, of a system also {"139": "…"}
  JSON Lines     {"image_id": 139, "caption": "…"} or {"image_id": 139, "captions": ["…", "…"]} (or "image", "id")
  CSV, TSV       columns image_id (or image, id) and caption, quoted as in RFC 4180
  Flickr         lines of Flickr8k and Flickr30k: 1000092795.jpg#0, a tab, the caption
  lines          a caption on each line, with --ids`

export const partOfSpeechOption = () =>
  new Option(
    '--part-of-speech <tag...>',
    `only these parts of speech: ${CHOICES.partsOfSpeech.join(' ')}`,
  ).argParser(collectUnique(parseTag))

export const vocabularyOfOption = () =>
  new Option(
    '--vocabulary-of <dataset>',
    'only words that the vocabulary of this dataset has too, so that words are chosen without the captions that are measured',
  ).argParser(parseText)

function parseTag(text: string): PartOfSpeech {
  const tag = CHOICES.partsOfSpeech.find((known) => known === text.toUpperCase())
  if (tag === undefined)
    throw new InvalidArgumentError(`Expected one of ${CHOICES.partsOfSpeech.join(', ')}.`)
  return tag
}

export const nameArgument = (description: string) => new Argument('<name>', description).argParser(parseText)

export const fileArgument = (description: string) => new Argument('<file>', description).argParser(parseText)

/** Help text with examples of a command. */
export const example = (...lines: readonly string[]) =>
  `\nExample:\n${lines.map((line) => `  ${line}`).join('\n')}`

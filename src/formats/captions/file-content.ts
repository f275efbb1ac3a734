import { hasCode } from '../../errors.js'
import { beginFile, beginsWith, type InputFile, isZip } from '../io/files.js'
import { NPY_MAGIC } from '../io/npy.js'
import { describeFormat, openCaptions } from './caption-format.js'
import { captionsOf, readCaptionRecords } from './caption-records.js'

/** What a file holds: captions of people, one caption of each image by a system, or something else that can be imported. */
export type ContentKind =
  | 'CAPTIONS'
  | 'RESULTS'
  | 'WORD_SCORES'
  | 'BOXES'
  | 'OBJECTS'
  | 'DESCRIPTIONS'
  | 'JUDGEMENTS'
  | 'VOCABULARY'

/** What a file seems to hold, by its beginning. */
export interface FileContent {
  readonly kind: ContentKind
  /** The name of the format of captions; null for other files. */
  readonly format: string | null
  /** What it calls the first images with captions; none for other files. */
  readonly images: readonly string[]
}

/** Captions of a file that are looked at. */
const LOOKED_AT = 2000

/** Images by which the dataset of a file is found. */
const NAMED_IMAGES = 100

/** Files that begin with text, by what only they have. Lists of descriptions and of boxes have both. */
const TEXTS: readonly (readonly [ContentKind, RegExp])[] = [
  ['VOCABULARY', /^[^\n]*\bword\b[^\n]*\bpart_of_speech\b|^[^\n]*\bpart_of_speech\b[^\n]*\bword\b/i],
  ['OBJECTS', /^\s*"?image_id"?\s*,\s*"?objects"?\s*$/im],
  ['JUDGEMENTS', /^\s*[[{].*"(ratings|preferred|winner|human_scores?|mt)"\s*:/s],
  ['JUDGEMENTS', /^(?:[^\n[{]*[,;\t])?(?:rating|rater_?1|preferred|winner|human_score|mt)(?:[,;\t\r\n]|$)/i],
  ['WORD_SCORES', /^\s*\{[^{}]*"words"\s*:\s*\{/],
  ['BOXES', /"boxes"\s*:\s*\[|"bbox"\s*:\s*\[/],
  ['DESCRIPTIONS', /"mentions"\s*:\s*\[/],
]

/**
 * Recognizes what a file holds by its beginning, so that a person does not have to say it: captions are those of people where an
 * image has several, or the format is COCO's of human captions. Null for a file that is none of it.
 */
export function recognizeContent(file: InputFile): FileContent | null {
  if (beginsWith(file, NPY_MAGIC)) return withoutCaptions('WORD_SCORES')
  if (isZip(file)) return withoutCaptions('BOXES')
  const head = headOf(file)
  const text = TEXTS.find(([, pattern]) => pattern.test(head))
  return text ? withoutCaptions(text[0]) : recognizeCaptions(file, /"images"\s*:/.test(head))
}

const withoutCaptions = (kind: ContentKind): FileContent => ({ kind, format: null, images: [] })

function headOf(file: InputFile): string {
  const { text, file: begun } = beginFile(file)
  begun.source.close()
  return text
}

/**
 * Some files have captions of people beside those of a system: they are of people where an image has several.
 *
 * @param hasImages whether it has a list of images, as COCO's files of human captions do
 */
function recognizeCaptions(file: InputFile, hasImages: boolean): FileContent | null {
  const people = countCaptions(file, true)
  if (people && (people.captionCount > people.imageCount || (people.format.kind === 'COCO' && hasImages)))
    return described('CAPTIONS', people)
  const system = countCaptions(file, false)
  if (system) return described('RESULTS', system)
  return people && described('CAPTIONS', people)
}

const described = (
  kind: ContentKind,
  { format, images }: NonNullable<ReturnType<typeof countCaptions>>,
): FileContent => ({ kind, format: describeFormat(format), images: [...images].slice(0, NAMED_IMAGES) })

/** The captions at the beginning of a file, and their images; null where it has none. */
function countCaptions(file: InputFile, areOfPeople: boolean) {
  try {
    const { format, file: begun } = openCaptions(file, { areOfPeople })
    const images = new Set<string>()
    let captionCount = 0
    for (const record of readCaptionRecords(begun, format, { areOfPeople })) {
      images.add(record.imageId)
      captionCount += captionsOf(record).length
      if (captionCount >= LOOKED_AT) break
    }
    return captionCount === 0 ? null : { format, captionCount, imageCount: images.size, images }
  } catch (error) {
    if (!isOfFile(error)) throw error
    return null
  }
}

const isOfFile = (error: unknown) =>
  (['INVALID_SHAPE', 'INVALID_JSON', 'INVALID_VALUE', 'OUT_OF_RANGE', 'DUPLICATE_ID'] as const).some((code) =>
    hasCode(error, code),
  )

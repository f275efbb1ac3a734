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
}

/** Bytes and captions of a file that are looked at. */
const HEAD_BYTES = 64 * 1024
const LOOKED_AT = 2000

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
  if (beginsWith(file, NPY_MAGIC)) return { kind: 'WORD_SCORES', format: null }
  if (isZip(file)) return { kind: 'BOXES', format: null }
  const head = headOf(file)
  const text = TEXTS.find(([, pattern]) => pattern.test(head))
  return text ? { kind: text[0], format: null } : recognizeCaptions(file, /"images"\s*:/.test(head))
}

function headOf(file: InputFile): string {
  const { head, file: begun } = beginFile(file, HEAD_BYTES)
  begun.source.close()
  return head.toString('utf8').replace(/^\ufeff/, '')
}

/**
 * Some files have captions of people beside those of a system: they are of people where an image has several.
 *
 * @param hasImages whether it has a list of images, as COCO's files of human captions do
 */
function recognizeCaptions(file: InputFile, hasImages: boolean): FileContent | null {
  const people = countCaptions(file, true)
  if (people && (people.captionCount > people.imageCount || (people.format.kind === 'COCO' && hasImages)))
    return { kind: 'CAPTIONS', format: describeFormat(people.format) }
  const system = countCaptions(file, false)
  if (system) return { kind: 'RESULTS', format: describeFormat(system.format) }
  return people && { kind: 'CAPTIONS', format: describeFormat(people.format) }
}

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
    return captionCount === 0 ? null : { format, captionCount, imageCount: images.size }
  } catch (error) {
    if (!isOfFile(error)) throw error
    return null
  }
}

const isOfFile = (error: unknown) =>
  (['INVALID_SHAPE', 'INVALID_JSON', 'INVALID_VALUE', 'OUT_OF_RANGE', 'DUPLICATE_ID'] as const).some((code) =>
    hasCode(error, code),
  )

import { quote } from '../../errors.js'
import type { InputFile } from '../io/files.js'
import { parseJsonLine } from '../io/json-lines.js'
import { readLines } from '../io/lines.js'
import {
  describeValue,
  locateLine,
  requireCaption,
  requireId,
  requireObject,
  wrongShape,
  wrongValue,
} from '../io/values.js'

/** The key of a caption in files of scores: its image, and its system, or its text where it has none. */
export function scoreKey(
  imageId: string,
  of: { readonly system: string } | { readonly caption: string },
): string {
  return JSON.stringify([imageId, of])
}

/**
 * Reads scores that another program has given captions, by {@link scoreKey}, from JSON Lines:
 *
 *     {"image_id", "system" or "caption", "score"}
 *
 * @throws AccordError FILE_NOT_FOUND; INVALID_JSON and INVALID_SHAPE with the number of the line; DUPLICATE_ID
 */
export function readExternalScores(file: InputFile): Map<string, number> {
  const scores = new Map<string, number>()
  for (const line of readLines(file)) {
    const at = locateLine(file, line.number)
    const record = requireObject(parseJsonLine(file, line), at)
    const imageId = requireId(record, 'image_id', at)
    const key =
      record.system === undefined
        ? scoreKey(imageId, { caption: requireCaption(record.caption, () => at('caption')) })
        : scoreKey(imageId, { system: requireId(record, 'system', at) })
    const { score } = record
    if (typeof score !== 'number') throw wrongShape(at('score'), 'a number', describeValue(score))
    if (scores.has(key)) {
      throw wrongValue('DUPLICATE_ID', 'a second score', at(), 'one score of each caption', quote(imageId))
    }
    scores.set(key, score)
  }
  return scores
}

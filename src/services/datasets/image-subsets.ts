import { detectLanguage } from '../../core/text/languages.js'
import { UNKNOWN_LANGUAGE } from '../../core/text/tokenization.js'
import { LANGUAGE } from '../../formats/coco/coco-captions.js'
import { countBoxesOfImages } from '../../store/boxes.js'
import type { Session } from '../../store/engine/session.js'
import { readCaptions, readImageFields } from '../../store/images.js'
import type { Dataset } from '../../store/schema/dataset-tables.js'
import { groupByField, type ImageFieldsById, MAX_SUBSETS, noField, type Subset } from './field-subsets.js'

/** The field of the number of boxes of an image. */
const OBJECTS = 'objects'

/**
 * The images of a dataset by the values of a field that the file of its captions has, such as `domain` or `split`, by `objects`,
 * the number of their boxes, or by `language`, that of their captions as they show it (BCP 47, `und` for none), where the file does
 * not have it. Images without a value are in no subset.
 *
 * @throws AccordError NOT_APPLICABLE for a field that no image has; OUT_OF_RANGE for one with more than 50 values
 */
export async function readSubsets(
  session: Session,
  { id, name }: Dataset,
  field: string,
): Promise<Subset<number>[]> {
  const fields = await readImageFields(session, id)
  const own = groupByField(fields, field, name)
  if (own !== null) return own
  if (field === LANGUAGE) return groupByField(await findLanguages(session, fields.keys()), field, name) ?? []
  const counts = field === OBJECTS ? await countBoxesOfImages(session, id) : new Map<number, number>()
  if (counts.size === 0) throw noField(fields, field, name)
  const kinds = Array.from(
    fields,
    ([image]) => [image, { [OBJECTS]: kindOfCount(counts.get(image) ?? 0) }] as const,
  )
  return groupByField(new Map(kinds), field, name) ?? []
}

/** The language that the captions of each image show. */
async function findLanguages(session: Session, images: Iterable<number>): Promise<ImageFieldsById<number>> {
  const texts = new Map<number, string[]>()
  for (const { imageId, text } of await readCaptions(session, [...images], ['imageId', 'text'])) {
    const own = texts.get(imageId)
    if (own) own.push(text)
    else texts.set(imageId, [text])
  }
  return new Map(
    Array.from(texts, ([image, own]) => [
      image,
      { [LANGUAGE]: detectLanguage(own).language ?? UNKNOWN_LANGUAGE },
    ]),
  )
}

/**
 * The fields by which {@link readSubsets} divides the images of a dataset: those of its file with 2 to 50 values, in the order in
 * which images have them, and `objects` where images have boxes.
 */
export async function listSubsetFields(session: Session, { id }: Dataset): Promise<string[]> {
  const values = new Map<string, Set<string>>()
  for (const own of (await readImageFields(session, id)).values())
    for (const [field, value] of Object.entries(own))
      values.set(field, (values.get(field) ?? new Set()).add(value))
  const names = Array.from(values, ([field, found]) =>
    found.size > 1 && found.size <= MAX_SUBSETS ? field : null,
  )
  const fields = names.filter((field) => field !== null)
  const hasBoxes = !values.has(OBJECTS) && (await countBoxesOfImages(session, id)).size > 0
  return hasBoxes ? [...fields, OBJECTS] : fields
}

/** Ranges of numbers of boxes. */
function kindOfCount(count: number): string {
  if (count <= 2) return '0–2'
  if (count <= 5) return '3–5'
  return count <= 9 ? '6–9' : '10 or more'
}
